import Crypto
import Kernel

/// Sber's acquiring as its merchants see it: both gateways, the payer's page, the bank's app, callbacks and staff.
///
/// A pure machine, written from the provider reference and not from our adapter. Everything lives below `/sberpay`; money
/// moves only in `ledger`.
package struct SberPaySimulator: ProviderSimulator {
    package typealias Configuration = SimulatorConfiguration<SberPayMerchant, SberPayTimings>

    package enum Due: Hashable, Sendable {
        /// The order's life ends.
        case deadline(String)
        /// The bank has made up its mind.
        case settle(String)
    }

    static let mount = "sberpay"

    package var core: SimulatorCore<Due, SandboxFault<SberPayFaultKind>>
    package let configuration: Configuration
    package internal(set) var merchants: [String: SberPayMerchant]
    package internal(set) var orders: [String: SberPayOrder] = [:]
    /// In the order of registration.
    package internal(set) var orderIds: [String] = []
    var numbers: [String: String] = [:]
    package internal(set) var bindings: [String: SberPayBinding] = [:]
    var bindingIds: [String] = []
    /// How far the bank's calendar is ahead of its clock: mandates count its days, everything else lives by the clock.
    var calendarAhead = Duration.zero

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        merchants = Dictionary(configuration.merchants.map { ($0.userName, $0) }) { _, last in last }
        core = SimulatorCore(startedAt: configuration.startedAt, seed: configuration.startedAt.microseconds)
    }

    package var fingerprint: String {
        let seals = configuration.merchants.map { merchant in
            Hex.encode(Hmac.sha256(key: merchant.password, Array("merchant \(merchant)".utf8)))
        }
        return Hex.encode(Digest.sha256(Array("\(configuration.timings)|\(seals)".utf8)))
    }

    /// The older gateway's calls may come by GET.
    package func isRecorded(_ request: SandboxRequest) -> Bool {
        request.method != "GET" || request.path.hasSuffix(".do")
    }

    package mutating func happen(_ element: Due) {
        switch element {
        case .deadline(let id): deadlineReached(id)
        case .settle(let id): settled(id)
        }
    }

    // MARK: Names and money

    /// Lower-case, with dashes, never the same twice.
    mutating func nextId() -> String {
        let number = UInt64(bitPattern: core.count())
        return Uuid(high: core.random.next(), low: core.random.next() & ~0xFFFF_FFFF | number).description
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
        guard let roubles = Currency("RUB") else { return }
        let owner = SandboxLedger.Owner(account: order.userName, payment: order.number)
        book(kind, Money(kopecks, roubles), owner, operation)
    }

    /// The moment that the bank's calendar shows.
    var calendarNow: Timestamp { now.adding(calendarAhead) }

    /// The day in Moscow as `YYYYMMDD`.
    func day(_ moment: Timestamp) -> String {
        String(moment.adding(.seconds(3 * 3600)).wholeSeconds.prefix(10).filter { $0 != "-" })
    }

    // MARK: Routes

    package mutating func route(_ request: SandboxRequest) -> SandboxAnswer {
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
            let id = request.queryValue("orderId") ?? ""
            return request.method == "POST" ? pagePressed(id, ControlFields(request)) : pageShown(id)
        case ("sandbox", _): return routeControl(request, Array(path.dropFirst()))
        default: return .text(404, "No such page.\n")
        }
    }
}
