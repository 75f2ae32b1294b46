import Crypto
package import Kernel

/// Worldline Direct as its merchants see it: server interface, payer's pages, app, events and the portal.
///
/// A pure machine, written from the provider reference and not from our adapter. Money moves only in `ledger`.
package struct WorldlineSimulator: ProviderSimulator {
    package struct Configuration: Hashable, Sendable {
        package var merchants: [WorldlineMerchant]
        package var timings = WorldlineTimings()
        /// Where the simulator is reached, without a slash at the end.
        package var address: String
        package var startedAt: Timestamp

        package init(merchants: [WorldlineMerchant], address: String, startedAt: Timestamp) {
            self.merchants = merchants
            self.address = address
            self.startedAt = startedAt
        }

        /// A digest of everything that decides what an input leads to; secrets go in as keys only.
        var fingerprint: String {
            let seals = merchants.flatMap { merchant in
                (merchant.apiKeys + merchant.webhookKeys).map { key in
                    Hex.encode(Hmac.sha256(key: key.secret, Array("merchant \(merchant.id) key \(key.id)".utf8)))
                }
            }
            return Hex.encode(Digest.sha256(Array("\(timings)|\(seals)".utf8)))
        }
    }

    enum Due: Hashable, Sendable {
        case notice(DeliveryAttempt)
        /// The acquirer answers: about a payment's beginning, or an operation in it.
        case settle(String, operation: Int?)
        case gathered(String)
        case pageEnds(String)
    }

    /// What was answered under an idempotence key.
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

    package let configuration: Configuration
    package internal(set) var merchants: [String: WorldlineMerchant]
    package internal(set) var payments: [String: WorldlinePayment] = [:]
    package internal(set) var paymentNumbers: [String] = []
    package internal(set) var checkouts: [String: WorldlineCheckout] = [:]
    package internal(set) var notices: [WorldlineNotice] = []
    package internal(set) var faults: [WorldlineFault] = []
    package internal(set) var ledger = SandboxLedger()
    var tokens: [String: WorldlineToken] = [:]
    var sessions: [String: Session] = [:]
    /// Cards in encrypted inputs that the app here made, by digest; they are used up by their first payment.
    var inputs: [String: WorldlineCard] = [:]
    var usedInputs: Set<String> = []
    var kept: [String: Kept] = [:]
    /// Events that wait for more to go with them, by merchant and address.
    var gathered: [String: [Json]] = [:]
    var due = DueQueue<Due>()
    var now: Timestamp
    var actions: [SandboxAction] = []
    var counter: Int64 = 0
    var random: SplitMix64

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        merchants = Dictionary(configuration.merchants.map { ($0.id, $0) }) { _, last in last }
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
        for notice in notices where notice.isOpen {
            noticeEnded(DeliveryAttempt(delivery: notice.id, number: notice.attempts), .noAnswer)
        }
        return finish()
    }

    package var nextDue: Timestamp? { due.nextDue }

    /// Reading changes nothing, unless a fault is used up by it.
    package func isRecorded(_ request: SandboxRequest) -> Bool { request.method != "GET" || !faults.isEmpty }

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
            case .settle(let number, let operation): settle(number, operation)
            case .gathered(let place): flush(place)
            case .pageEnds(let id): pageEnded(id)
            }
        }
        now = max(now, reached)
    }

    // MARK: Names

    /// Ten digits, never the same twice, also not after a restart.
    mutating func nextNumber() -> String {
        counter += 1
        return String(3_000_000_000 + configuration.startedAt.seconds % 1_000_000 * 5000 + counter)
    }

    mutating func nextUuid() -> String {
        counter += 1
        let high = random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = random.next() & 0x3FFF_FFFF_0000_0000 | 0x8000_0000_0000_0000 | UInt64(bitPattern: counter)
        return Uuid(high: high, low: low).description
    }

    func owner(_ payment: WorldlinePayment) -> SandboxLedger.Owner {
        SandboxLedger.Owner(account: payment.merchant, payment: payment.reference ?? payment.number)
    }

    mutating func book(_ kind: SandboxLedger.Kind, _ minor: Int64, _ payment: WorldlinePayment, _ operation: String) {
        guard minor > 0 else { return }
        let amount = Money(minor, payment.amount.currency)
        ledger.record(kind, amount, owner: owner(payment), operation: operation, at: now)
    }

    /// Takes the fault that strikes here, if one does.
    mutating func takeFault(_ point: String, _ kinds: Set<WorldlineFault.Kind>) -> WorldlineFault? {
        guard let index = faults.firstIndex(where: { kinds.contains($0.kind) && ($0.on == nil || $0.on == point) })
        else { return nil }
        let fault = faults[index]
        faults[index].times -= 1
        if faults[index].times <= 0 { faults.remove(at: index) }
        return fault
    }

    // MARK: Routes

    private mutating func route(_ request: SandboxRequest) -> SandboxAnswer {
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
