import Kernel

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

        package init(address: String) { self.address = address }
    }

    static let mount = "dolyame"
    static let retryPause = Duration.seconds(60)
    static let deliveriesAtMost = 11
    static let slowness = Duration.seconds(5)

    package enum Due: Hashable, Sendable {
        /// The provider decides about an order that the SDK called pending.
        case outcome(String, isMade: Bool)
    }

    package var core = SimulatorCore<Due, SandboxFault<DolyameFaultKind>>(startedAt: .epoch, seed: 0)
    let configuration: Configuration
    package internal(set) var orders: [String: DolyameOrder] = [:]
    /// Whether each notification is sent twice.
    var doublesNotices = false

    package init(_ configuration: Configuration) { self.configuration = configuration }

    package var fingerprint: String { "\(configuration.commitsByItself) \(configuration.pending)" }

    package mutating func happen(_ element: Due) {
        switch element {
        case .outcome(let id, let isMade): decided(id, isMade)
        }
    }

    /// Tells the shop of a new status; nobody is told where the order has no address.
    mutating func notify(_ order: DolyameOrder) {
        guard let url = order.notificationUrl else { return }
        for _ in 0..<(doublesNotices ? 2 : 1) {
            note("notice", order.status.rawValue, payment: order.id, "")
            tell(
                SandboxNotice(
                    id: core.count(),
                    url: url,
                    contentType: "application/json",
                    body: order.notice.compactBytes,
                    pauses: Array(repeating: Self.retryPause, count: Self.deliveriesAtMost - 1)
                )
            )
        }
    }

    package mutating func route(_ request: SandboxRequest) -> SandboxAnswer {
        guard let segments = request.segments, segments.first == Self.mount else {
            return .text(404, "There is nothing here.\n")
        }
        let path = Array(segments.dropFirst())
        switch (request.method, path.first, path.count) {
        case (_, "v1", _) where path.count >= 3 && path[1] == "orders":
            return partner(request, Array(path.dropFirst(2)))
        case ("GET", "form", 2): return form(path[1])
        case ("GET", "sandbox", 1): return overview
        case ("POST", "form", 2): return formChoice(path[1], request)
        case ("POST", "app", 1): return app(request)
        case ("POST", "control", 2) where path[1] == "faults": return addFault(request)
        case ("POST", "control", 4) where path[1] == "orders":
            return cabinet(path[2], path[3], request)
        case ("GET", "control", 2) where path[1] == "ledger":
            return .json(200, ledger.json(payment: request.queryValue("payment_id")))
        case ("GET", "control", 2) where path[1] == "settlement": return settlementAsked(request, .dolyame)
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

    mutating func book(_ kind: SandboxLedger.Kind, _ kopecks: Int64, _ id: String, _ operation: String) {
        guard let rubles = Currency("RUB") else { return }
        book(kind, Money(kopecks, rubles), owner(id), operation)
    }
}

/// Something that goes wrong on demand, once each.
package enum DolyameFaultKind: String, Hashable, Sendable, CaseIterable {
    /// The answer takes five seconds.
    case slow
    /// The effect happens and no answer comes.
    case lost
    /// The effect happens and a 500 comes.
    case errorAfter = "error_after"
    /// Turned away unread.
    case throttled
}
