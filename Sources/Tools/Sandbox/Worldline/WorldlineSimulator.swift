import Crypto
import Kernel

/// Worldline Direct as its merchants see it: server interface, payer's pages, app, events and the portal.
///
/// A pure machine, written from the provider reference and not from our adapter. Money moves only in `ledger`.
package struct WorldlineSimulator: ProviderSimulator {
    package typealias Configuration = SimulatorConfiguration<WorldlineMerchant, WorldlineTimings>

    package enum Due: Hashable, Sendable {
        /// The acquirer answers: about a payment's beginning, or an operation in it.
        case settle(String, operation: Int?)
        case gathered(String)
        case pageEnds(String)
    }

    /// An answer under an idempotence key.
    struct Kept: Hashable, Sendable {
        let firstAt: Timestamp
        let answer: SandboxAnswer
        /// Until then the first request counts as unfinished.
        var busyUntil: Timestamp
    }

    struct Session: Hashable, Sendable {
        let merchant: String
        let customer: String
        let until: Timestamp
    }

    package var core: SimulatorCore<Due, SandboxFault<WorldlineFaultKind>>
    package let configuration: Configuration
    package internal(set) var merchants: [String: WorldlineMerchant]
    package internal(set) var payments: [String: WorldlinePayment] = [:]
    package internal(set) var paymentNumbers: [String] = []
    package internal(set) var checkouts: [String: WorldlineCheckout] = [:]
    /// By the numbers of their notices.
    var events: [WorldlineEvent] = []
    var tokens: [String: WorldlineToken] = [:]
    var sessions: [String: Session] = [:]
    /// Cards in encrypted inputs that the app here made, by digest; they are used up by their first payment.
    var inputs: [String: WorldlineCard] = [:]
    var usedInputs: Set<String> = []
    var kept: [String: Kept] = [:]
    /// Events that wait for more to go with them, by merchant and address.
    var gathered: [String: [Json]] = [:]

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        merchants = Dictionary(configuration.merchants.map { ($0.id, $0) }) { _, last in last }
        core = SimulatorCore(startedAt: configuration.startedAt, seed: configuration.startedAt.seconds)
    }

    package var fingerprint: String {
        let seals = configuration.merchants.flatMap { merchant in
            (merchant.apiKeys + merchant.webhookKeys).map { key in
                Hex.encode(Hmac.sha256(key: key.secret, Array("merchant \(merchant.id) key \(key.id)".utf8)))
            }
        }
        return Hex.encode(Digest.sha256(Array("\(configuration.timings)|\(seals)".utf8)))
    }

    /// Reading changes nothing, unless a fault is used up by it.
    package func isRecorded(_ request: SandboxRequest) -> Bool { request.method != "GET" || !faults.isEmpty }

    package mutating func happen(_ element: Due) {
        switch element {
        case .settle(let number, let operation): settle(number, operation)
        case .gathered(let place): flush(place)
        case .pageEnds(let id): pageEnded(id)
        }
    }

    // MARK: Names

    /// Ten digits, never the same twice, also not after a restart.
    mutating func nextNumber() -> String {
        String(3_000_000_000 + configuration.startedAt.seconds % 1_000_000 * 5000 + core.count())
    }

    mutating func nextUuid() -> String {
        let number = UInt64(bitPattern: core.count())
        let high = core.random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = core.random.next() & 0x3FFF_FFFF_0000_0000 | 0x8000_0000_0000_0000 | number
        return Uuid(high: high, low: low).description
    }

    func owner(_ payment: WorldlinePayment) -> SandboxLedger.Owner {
        SandboxLedger.Owner(account: payment.merchant, payment: payment.reference ?? payment.number)
    }

    mutating func book(_ kind: SandboxLedger.Kind, _ minor: Int64, _ payment: WorldlinePayment, _ operation: String) {
        book(kind, Money(minor, payment.amount.currency), owner(payment), operation)
    }

    // MARK: Routes

    package mutating func route(_ request: SandboxRequest) -> SandboxAnswer {
        guard let segments = request.segments else { return .text(404, "Not Found") }
        if segments.first == "v2", segments.count >= 3 { return server(request, Array(segments.dropFirst())) }
        guard segments.first == "worldline" else { return .text(404, "Not Found") }
        let path = Array(segments.dropFirst())
        switch (request.method, path.first, path.count) {
        case ("GET", "checkout", 2): return checkoutShown(path[1])
        case ("POST", "checkout", 2): return checkoutPressed(path[1], ControlFields(request))
        case ("GET", "3ds", 2): return challengeShown(path[1])
        case ("POST", "3ds", 2): return challengePressed(path[1], ControlFields(request))
        case ("POST", "app", 1): return appEncrypts(request)
        case (_, "sandbox", _): return control(request, Array(path.dropFirst()))
        default: return .text(404, "Not Found")
        }
    }
}
