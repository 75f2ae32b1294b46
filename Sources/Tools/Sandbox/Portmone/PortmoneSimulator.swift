import Crypto
package import Kernel

/// Portmone as its merchants see it: gateway, payer's page, app, notifications and staff.
///
/// A pure machine, written from the provider reference and not from our adapter. Money moves only in `ledger`.
package struct PortmoneSimulator: ProviderSimulator {
    package struct Configuration: Hashable, Sendable {
        package var merchants: [PortmoneMerchant]
        package var timings = PortmoneTimings()
        /// Where the simulator is reached, without a slash at the end.
        package var address: String
        package var startedAt: Timestamp

        package init(merchants: [PortmoneMerchant], address: String, startedAt: Timestamp) {
            self.merchants = merchants
            self.address = address
            self.startedAt = startedAt
        }

        /// A digest of everything that decides what an input leads to; secrets go in as keys only.
        var fingerprint: String {
            let seals = merchants.map { merchant in
                let seal = Hmac.sha256(key: merchant.signingKey, Array("merchant \(merchant)".utf8))
                return Hex.encode(seal)
            }
            return Hex.encode(Digest.sha256(Array("\(timings)|\(seals)".utf8)))
        }
    }

    enum Due: Hashable, Sendable {
        case notice(DeliveryAttempt)
        /// The provider gives a charge or a saving hold back by itself.
        case giveBack(PortmoneOrderKey, bill: String)
    }

    /// A notification and how often it was tried.
    struct Notice: Hashable, Sendable {
        let id: Int64
        let url: String
        let body: [UInt8]
        var attempts = 0
        var isOpen = false
        var isDelivered = false
    }

    package let configuration: Configuration
    package internal(set) var merchants: [String: PortmoneMerchant]
    package internal(set) var orders: [PortmoneOrderKey: PortmoneOrder] = [:]
    package internal(set) var orderKeys: [PortmoneOrderKey] = []
    var pages: [String: PortmoneOrderKey] = [:]
    /// Tokens of saved cards.
    var tokens: Set<String> = []
    var notices: [Int64: Notice] = [:]
    /// Users whose bills are paid in bulk; there is one from the beginning.
    package internal(set) var users: [String: PortmoneUser] = [
        "Login": PortmoneUser(login: "Login", password: Secret("Password"))
    ]
    package internal(set) var utilityBills: [String: PortmoneUserBill] = [:]
    package internal(set) var faults: [PortmoneFault] = []
    package internal(set) var ledger = SandboxLedger()
    var due = DueQueue<Due>()
    var now: Timestamp
    var actions: [SandboxAction] = []
    var counter: Int64 = 0
    var random: SplitMix64

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        merchants = Dictionary(configuration.merchants.map { ($0.payeeId, $0) }) { _, last in last }
        now = configuration.startedAt
        random = SplitMix64(seed: UInt64(bitPattern: configuration.startedAt.seconds))
    }

    // MARK: Inputs

    package mutating func received(_ request: SandboxRequest, at time: Timestamp) -> [SandboxAction] {
        runDue(until: time)
        actions.append(.answer(route(request)))
        return finish()
    }

    package mutating func deliveryEnded(
        _ attempt: DeliveryAttempt,
        _ reply: DeliveryReply,
        at time: Timestamp
    ) -> [SandboxAction] {
        now = max(now, time)
        noticeEnded(attempt, reply)
        return finish()
    }

    package mutating func timeReached(_ time: Timestamp) -> [SandboxAction] {
        runDue(until: time)
        return finish()
    }

    package mutating func resumed(at time: Timestamp) -> [SandboxAction] {
        now = max(now, time)
        for notice in notices.values.sorted(by: { $0.id < $1.id }) where notice.isOpen {
            noticeEnded(DeliveryAttempt(delivery: notice.id, number: notice.attempts), .noAnswer)
        }
        return finish()
    }

    package var nextDue: Timestamp? { due.nextDue }

    package func isRecorded(_ request: SandboxRequest) -> Bool { request.method != "GET" }

    private mutating func finish() -> [SandboxAction] {
        let caused = actions
        actions = []
        return caused
    }

    private mutating func runDue(until reached: Timestamp) {
        while let (time, element) = due.takeDue(at: reached) {
            now = max(now, time)
            switch element {
            case .notice(let attempt): noticeDue(attempt)
            case .giveBack(let key, let bill): giveBackDue(key, bill)
            }
        }
        now = max(now, reached)
    }

    /// Nine digits or more, never the same twice, also not after a restart.
    mutating func nextBillId() -> String {
        counter += 1
        return String(configuration.startedAt.seconds % 1_000_000 * 10_000 + 500_000_000 + counter)
    }

    mutating func nextPageId() -> String {
        counter += 1
        return Uuid(high: random.next(), low: UInt64(bitPattern: counter)).compact
    }

    func owner(_ key: PortmoneOrderKey) -> SandboxLedger.Owner {
        SandboxLedger.Owner(account: key.payeeId, payment: key.number)
    }

    /// Takes the fault that strikes here, if one does.
    mutating func takeFault(_ point: String, _ kinds: Set<PortmoneFault.Kind>) -> PortmoneFault? {
        guard let index = faults.firstIndex(where: { kinds.contains($0.kind) && ($0.on == nil || $0.on == point) })
        else { return nil }
        let fault = faults[index]
        faults[index].times -= 1
        if faults[index].times <= 0 { faults.remove(at: index) }
        return fault
    }

    // MARK: Routes

    private mutating func route(_ request: SandboxRequest) -> SandboxAnswer {
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
