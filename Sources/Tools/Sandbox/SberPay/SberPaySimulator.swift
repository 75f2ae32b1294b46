import Crypto
package import Kernel

/// Sber's acquiring as its merchants see it: both gateways, the payer's page, the bank's app, callbacks and staff.
///
/// A pure machine, written from the provider reference and not from our adapter. Everything lives below `/sberpay`; money
/// moves only in `ledger`.
package struct SberPaySimulator: ProviderSimulator {
    package struct Configuration: Hashable, Sendable {
        package var merchants: [SberPayMerchant]
        package var timings = SberPayTimings()
        /// Where the sandbox is reached, without a slash at the end.
        package var address: String
        package var startedAt: Timestamp

        package init(merchants: [SberPayMerchant], address: String, startedAt: Timestamp) {
            self.merchants = merchants
            self.address = address
            self.startedAt = startedAt
        }

        /// A digest of everything that decides what an input leads to; secrets go in as keys only.
        var fingerprint: String {
            let seals = merchants.map { merchant in
                Hex.encode(Hmac.sha256(key: merchant.password, Array("merchant \(merchant)".utf8)))
            }
            return Hex.encode(Digest.sha256(Array("\(timings)|\(seals)".utf8)))
        }
    }

    enum Due: Hashable, Sendable {
        case callback(DeliveryAttempt)
        /// The order's life ends.
        case deadline(String)
        /// The bank has made up its mind.
        case settle(String)
    }

    /// A callback and how often it was tried.
    struct Callback: Hashable, Sendable {
        let id: Int64
        let url: String
        let contentType: String
        let body: [UInt8]
        let isGet: Bool
        let dialect: SberPayMerchant.Dialect
        var attempts = 0
        var isOpen = false
        var isDelivered = false
    }

    static let mount = "sberpay"

    package let configuration: Configuration
    package internal(set) var merchants: [String: SberPayMerchant]
    package internal(set) var orders: [String: SberPayOrder] = [:]
    /// In the order of registration.
    package internal(set) var orderIds: [String] = []
    var numbers: [String: String] = [:]
    package internal(set) var bindings: [String: SberPayBinding] = [:]
    var bindingIds: [String] = []
    var callbacks: [Int64: Callback] = [:]
    package internal(set) var faults: [SberPayFault] = []
    package internal(set) var ledger = SandboxLedger()
    package internal(set) var diary = SandboxDiary()
    var due = DueQueue<Due>()
    var now: Timestamp
    var actions: [SandboxAction] = []
    var counter: Int64 = 0
    var random: SplitMix64
    /// How far the bank's calendar is ahead of its clock: mandates count its days, everything else lives by the clock.
    var calendarAhead = Duration.zero

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        merchants = Dictionary(configuration.merchants.map { ($0.userName, $0) }) { _, last in last }
        now = configuration.startedAt
        random = SplitMix64(seed: UInt64(bitPattern: configuration.startedAt.microseconds))
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
        callbackEnded(attempt, reply)
        return finish()
    }

    package mutating func timeReached(_ time: Timestamp) -> [SandboxAction] {
        runDue(until: time)
        return finish()
    }

    package mutating func resumed(at time: Timestamp) -> [SandboxAction] {
        now = max(now, time)
        for callback in callbacks.values.sorted(by: { $0.id < $1.id }) where callback.isOpen {
            callbackEnded(DeliveryAttempt(delivery: callback.id, number: callback.attempts), .noAnswer)
        }
        return finish()
    }

    package var nextDue: Timestamp? { due.nextDue }

    package func isRecorded(_ request: SandboxRequest) -> Bool {
        // The older gateway's calls may come by GET.
        request.method != "GET" || request.path.hasSuffix(".do")
    }

    private mutating func finish() -> [SandboxAction] {
        let caused = actions
        actions = []
        return caused
    }

    private mutating func runDue(until reached: Timestamp) {
        while let (time, element) = due.takeDue(at: reached) {
            now = max(now, time)
            switch element {
            case .callback(let attempt): callbackDue(attempt)
            case .deadline(let id): deadlineReached(id)
            case .settle(let id): settled(id)
            }
        }
        now = max(now, reached)
    }

    // MARK: Names and money

    /// Lower-case, with dashes, never the same twice.
    mutating func nextId() -> String {
        counter += 1
        return Uuid(high: random.next(), low: random.next() & ~0xFFFF_FFFF | UInt64(bitPattern: counter)).description
    }

    func order(number: String, of userName: String) -> SberPayOrder? {
        numbers["\(userName)/\(number)"].flatMap { orders[$0] }
    }

    /// By the bank's id or by a merchant's number.
    func order(named name: String) -> SberPayOrder? {
        orders[name] ?? orderIds.lazy.compactMap { self.orders[$0] }.first { $0.number == name }
    }

    mutating func keep(_ order: SberPayOrder) {
        if orders[order.id] == nil {
            orderIds.append(order.id)
            numbers["\(order.userName)/\(order.number)"] = order.id
        }
        orders[order.id] = order
    }

    mutating func book(_ kind: SandboxLedger.Kind, _ kopecks: Int64, _ order: SberPayOrder, _ operation: String) {
        guard kopecks > 0, let roubles = Currency("RUB") else { return }
        ledger.record(
            kind,
            Money(kopecks, roubles),
            owner: SandboxLedger.Owner(account: order.userName, payment: order.number),
            operation: operation,
            at: now
        )
    }

    /// What the bank's calendar shows.
    var calendarNow: Timestamp { now.adding(calendarAhead) }

    /// The day in Moscow as `YYYYMMDD`.
    func day(_ moment: Timestamp) -> String {
        String(moment.adding(.seconds(3 * 3600)).wholeSeconds.prefix(10).filter { $0 != "-" })
    }

    /// Takes the fault that strikes here, if one does.
    mutating func takeFault(_ point: String, _ kinds: Set<SberPayFault.Kind>) -> SberPayFault? {
        guard let index = faults.firstIndex(where: { kinds.contains($0.kind) && ($0.on == nil || $0.on == point) })
        else { return nil }
        let fault = faults[index]
        faults[index].times -= 1
        if faults[index].times <= 0 { faults.remove(at: index) }
        return fault
    }

    // MARK: Routes

    private mutating func route(_ request: SandboxRequest) -> SandboxAnswer {
        guard let segments = request.segments, segments.first == Self.mount else {
            return .text(404, "No such page.\n")
        }
        let path = Array(segments.dropFirst())
        switch (path.first, path.count) {
        case ("payment", 3) where path[1] == "rest": return called(path[2], request, .legacy)
        case ("payment", 2) where path[1] == "paymentSberPay.do": return called(path[1], request, .legacy)
        case ("ecomm", 6) where Array(path[1...4]) == ["gw", "partner", "api", "v1"]:
            guard request.method == "POST" else { return .text(405, "POST only.\n") }
            return called(path[5], request, .ecom)
        case ("pp", 2) where path[1] == "pay_ru":
            let id = FormEncoding.decode(request.query)?.first { $0.name == "orderId" }?.value ?? ""
            return request.method == "POST" ? pagePressed(id, ControlFields(request)) : pageShown(id)
        case ("sandbox", _): return routeControl(request, Array(path.dropFirst()))
        default: return .text(404, "No such page.\n")
        }
    }
}
