package import Kernel

/// A stand-in for Dolyame's Partner API, form and SDK, written from the provider's document.
///
/// Everything lives below `/dolyame`; an account's `baseUrl` is the sandbox's address with that path.
package struct DolyameSimulator: ProviderSimulator {
    package struct Configuration: Sendable {
        /// The address of the sandbox with `/dolyame`, as browsers reach it.
        package let address: String
        /// Whether orders are committed by the provider itself.
        package var commitsByItself = false
        /// How long an outcome is open that the SDK calls pending.
        package var pending = Duration.seconds(2)

        /// Everything that decides what an input leads to.
        var fingerprint: String { "\(commitsByItself) \(pending)" }

        package init(address: String) { self.address = address }
    }

    /// What may be made to go wrong, once each.
    package enum Fault: String, Hashable, Sendable, CaseIterable {
        /// The answer takes five seconds.
        case slow
        /// The effect happens and no answer comes.
        case lost
        /// The effect happens and a 500 comes.
        case errorAfter = "error_after"
        /// Turned away unread.
        case throttled
    }

    static let mount = "dolyame"
    static let retryPause = Duration.seconds(60)
    static let deliveriesAtMost = 11
    static let slowness = Duration.seconds(5)

    private enum Due: Hashable, Sendable {
        case notice(DeliveryAttempt)
        /// What the SDK called pending is decided.
        case outcome(String, isMade: Bool)
    }

    let configuration: Configuration
    package internal(set) var orders: [String: DolyameOrder] = [:]
    package internal(set) var ledger = SandboxLedger()
    var faults: [(method: String, fault: Fault)] = []
    /// Whether each notification is sent twice.
    var doublesNotices = false
    package internal(set) var diary = SandboxDiary()
    private var notices: [Int64: (url: String, body: [UInt8])] = [:]
    private var lastNotice: Int64 = 0
    private var due = DueQueue<Due>()
    /// What must be delivered after the request that is being taken.
    private var outbox: [SandboxAction] = []

    package init(_ configuration: Configuration) { self.configuration = configuration }

    package var nextDue: Timestamp? { due.nextDue }

    package func isRecorded(_ request: SandboxRequest) -> Bool { request.method != "GET" }

    package mutating func received(_ request: SandboxRequest, at time: Timestamp) -> [SandboxAction] {
        let earlier = timeReached(time)
        let answer = route(request, at: time)
        defer { outbox = [] }
        return earlier + [.answer(answer)] + outbox
    }

    package mutating func deliveryEnded(
        _ attempt: DeliveryAttempt,
        _ reply: DeliveryReply,
        at time: Timestamp
    )
        -> [SandboxAction]
    {
        if reply == .status(200) || attempt.number >= Self.deliveriesAtMost {
            notices[attempt.delivery] = nil
        } else {
            let next = DeliveryAttempt(delivery: attempt.delivery, number: attempt.number + 1)
            due.add(.notice(next), due: time.adding(Self.retryPause))
        }
        return []
    }

    package mutating func timeReached(_ time: Timestamp) -> [SandboxAction] {
        outbox = []
        defer { outbox = [] }
        while let (moment, element) = due.takeDue(at: time) {
            switch element {
            case .notice(let attempt): outbox += delivery(attempt)
            case .outcome(let id, let isMade): decided(id, isMade, at: moment)
            }
        }
        return outbox
    }

    package mutating func resumed(at time: Timestamp) -> [SandboxAction] {
        for id in notices.keys.sorted() {
            due.add(.notice(DeliveryAttempt(delivery: id, number: 1)), due: time)
        }
        return timeReached(time)
    }

    /// Leaves an order open that the SDK called pending.
    mutating func postpone(_ id: String, isMade: Bool, at time: Timestamp) {
        due.add(.outcome(id, isMade: isMade), due: time.adding(configuration.pending))
    }

    private func delivery(_ attempt: DeliveryAttempt) -> [SandboxAction] {
        guard let notice = notices[attempt.delivery] else { return [] }
        return [
            .deliver(
                SandboxDelivery(
                    attempt: attempt,
                    url: notice.url,
                    contentType: "application/json",
                    body: notice.body
                )
            )
        ]
    }

    /// Tells the shop of a new status; nobody is told where the order has no address.
    mutating func notify(_ order: DolyameOrder, at time: Timestamp) {
        guard let url = order.notificationUrl else { return }
        for _ in 0..<(doublesNotices ? 2 : 1) {
            lastNotice += 1
            diary.note("notice", order.status.rawValue, payment: order.id, "", at: time)
            notices[lastNotice] = (url, order.notice.compactBytes)
            outbox += delivery(DeliveryAttempt(delivery: lastNotice, number: 1))
        }
    }

    private mutating func route(_ request: SandboxRequest, at time: Timestamp) -> SandboxAnswer {
        guard let segments = request.segments, segments.first == Self.mount else {
            return .text(404, "There is nothing here.\n")
        }
        let path = Array(segments.dropFirst())
        switch (request.method, path.first, path.count) {
        case (_, "v1", _) where path.count >= 3 && path[1] == "orders":
            return partner(request, Array(path.dropFirst(2)), at: time)
        case ("GET", "form", 2): return form(path[1])
        case ("GET", "sandbox", 1): return overview
        case ("POST", "form", 2): return formChoice(path[1], request, at: time)
        case ("POST", "app", 1): return app(request, at: time)
        case ("POST", "control", 2) where path[1] == "faults": return addFault(request)
        case ("POST", "control", 4) where path[1] == "orders":
            return cabinet(path[2], path[3], request, at: time)
        case ("GET", "control", 2) where path[1] == "ledger":
            return .json(200, ledger.json(payment: request.queryValue("payment_id")))
        case ("GET", "control", 2) where path[1] == "journal":
            return .json(200, diary.json(payment: request.queryValue("payment_id")))
        case ("GET", "control", 2) where path[1] == "orders":
            let list = orders.values.sorted { $0.id < $1.id }.map {
                $0.json(link: link($0.id), withItems: true)
            }
            return .json(200, .array(list))
        default: return .text(404, "There is nothing here.\n")
        }
    }

    func link(_ id: String) -> String { "\(configuration.address)/form/\(id)" }

    func owner(_ id: String) -> SandboxLedger.Owner {
        SandboxLedger.Owner(account: Self.mount, payment: id)
    }

    mutating func book(
        _ kind: SandboxLedger.Kind,
        _ kopecks: Int64,
        _ id: String,
        _ operation: String,
        at time: Timestamp
    ) {
        guard kopecks > 0, let rubles = Currency("RUB") else { return }
        ledger.record(kind, Money(kopecks, rubles), owner: owner(id), operation: operation, at: time)
    }
}
