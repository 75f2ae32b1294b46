import Crypto
import Kernel

/// Portmone as its merchants see it: gateway, payer's page, app, notifications and staff.
///
/// A pure machine, written from the provider reference and not from our adapter. Money moves only in `ledger`.
package struct PortmoneSimulator: ProviderSimulator {
    package typealias Configuration = SimulatorConfiguration<PortmoneMerchant, PortmoneTimings>

    package enum Due: Hashable, Sendable {
        /// The provider gives a charge or a saving hold back by itself.
        case giveBack(PortmoneOrderKey, bill: String)
    }

    package var core: SimulatorCore<Due, SandboxFault<PortmoneFaultKind>>
    package let configuration: Configuration
    package internal(set) var merchants: [String: PortmoneMerchant]
    package internal(set) var orders: [PortmoneOrderKey: PortmoneOrder] = [:]
    package internal(set) var orderKeys: [PortmoneOrderKey] = []
    var pages: [String: PortmoneOrderKey] = [:]
    /// Tokens of saved cards.
    var tokens: Set<String> = []
    /// Users whose bills are paid in bulk; there is one from the beginning.
    package internal(set) var users: [String: PortmoneUser] = [
        "Login": PortmoneUser(login: "Login", password: Secret("Password"))
    ]
    package internal(set) var utilityBills: [String: PortmoneUserBill] = [:]

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        merchants = Dictionary(configuration.merchants.map { ($0.payeeId, $0) }) { _, last in last }
        core = SimulatorCore(startedAt: configuration.startedAt, seed: configuration.startedAt.seconds)
    }

    package var fingerprint: String {
        let seals = configuration.merchants.map { merchant in
            Hex.encode(Hmac.sha256(key: merchant.signingKey, Array("merchant \(merchant)".utf8)))
        }
        return Hex.encode(Digest.sha256(Array("\(configuration.timings)|\(seals)".utf8)))
    }

    package mutating func happen(_ element: Due) {
        switch element {
        case .giveBack(let key, let bill): giveBackDue(key, bill)
        }
    }

    /// Nine digits or more, never the same twice, also not after a restart.
    mutating func nextBillId() -> String {
        String(configuration.startedAt.seconds % 1_000_000 * 10_000 + 500_000_000 + core.count())
    }

    mutating func nextPageId() -> String {
        Uuid(high: core.random.next(), low: UInt64(bitPattern: core.count())).compact
    }

    func owner(_ key: PortmoneOrderKey) -> SandboxLedger.Owner {
        SandboxLedger.Owner(account: key.payeeId, payment: key.number)
    }

    // MARK: Routes

    package mutating func route(_ request: SandboxRequest) -> SandboxAnswer {
        guard let segments = request.segments, segments.first == "portmone" else {
            return .text(404, "No such page.\n")
        }
        let path = Array(segments.dropFirst())
        switch (request.method, path.first, path.count) {
        case ("POST", "gateway", 1): return gatewayReceived(request.body)
        case ("POST", "r3", 3) where path[1] == "api" && path[2] == "gateway": return jsonApiReceived(request.body)
        case ("POST", "acs", 1): return acsShown(ControlFields(request))
        case ("GET", "r3", 5) where path[1] == "services": return receiptShown(path[4])
        case ("POST", "r3", 3) where path[1] == "api" && path[2] == "merchant-bills":
            return merchantBillsReceived(request.body)
        case ("GET", "r3", 3) where path[1] == "pg": return pageShown(path[2])
        case ("POST", "r3", 3) where path[1] == "pg": return pagePressed(path[2], ControlFields(request))
        case (_, "sandbox", _): return routeControl(request, Array(path.dropFirst()))
        default: return .text(404, "No such page.\n")
        }
    }
}
