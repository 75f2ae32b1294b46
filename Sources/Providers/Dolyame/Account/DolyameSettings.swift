import Http
package import Kernel
package import Payments
package import ProviderKit

/// An account's settings, parsed; each point that the provider's documents leave open is a setting with a default.
///
/// The schema and the defaults are described in `docs/providers/dolyame.md`.
package struct DolyameSettings: AccountReading {
    /// How amounts stand in a request.
    enum MoneyEncoding: String, Hashable, Sendable {
        case number, string
    }

    /// Who confirms an order whose first instalment is on hold.
    enum CaptureMode: String, Hashable, Sendable {
        /// The merchant, by a capture.
        case manual
        /// The provider by itself, where it was switched on for the shop.
        case providerAuto
    }

    /// Whether an order's `amount` is less after a refund.
    enum AmountAfterRefund: String, Hashable, Sendable {
        case kept, reduced
    }

    /// Whether an order's `amount` is what was committed of it, or goes on being what was ordered.
    enum AmountAfterCommit: String, Hashable, Sendable {
        case committed, ordered
    }

    /// The SDK's name for the payer.
    enum SdkCustomerName: String, Hashable, Sendable, CaseIterable {
        case customer, customerInfo
    }

    /// Receipts that the provider makes at a commit.
    struct CommitReceipts: Hashable, Sendable {
        let committed: Bool
        let added: Bool
        let returned: Bool
    }

    static let defaultBaseUrl = "https://partner.dolyame.ru"
    package static let defaultNetworks = ["91.194.226.0/23"]
    static let defaultMcc: Int64 = 5311

    let login: String
    let baseUrl: String
    /// The shop's id in the SDK; without it the account has no SDK payments.
    let partnerId: String?
    let mcc: Int64
    let methods: Set<PaymentMethod>
    let captureMode: CaptureMode
    let moneyEncoding: MoneyEncoding
    let orderIdMax: Int
    let itemNameMax: Int
    let limits: AmountLimits
    let notificationUrlPerOrder: Bool
    let returnUrls: Bool
    let webhookNetworks: [SourceNetwork]
    let trustedProxies: [SourceNetwork]
    let demoFlow: Bool
    let acceptDemo: Bool
    let fiscalization: Bool
    let commitReceipts: CommitReceipts?
    let corrections: Bool
    let deliveryCompletion: Bool
    let amountAfterRefund: AmountAfterRefund
    let amountAfterCommit: AmountAfterCommit
    /// The one name of the payer's object; `nil` for both, as the guide and the shipped SDK have it.
    let sdkCustomerName: SdkCustomerName?
    let extraStatuses: [String: OrderStatus]
    let times: Times
    /// Of one partner, whatever it asks for.
    let requestsPerSecond: Int64

    /// Lifetimes at the provider.
    struct Times: Hashable, Sendable {
        let unpaid: Duration
        let hold: Duration
        let query: Duration
        let absence: Duration
        let refundQuiet: Duration
        let polling: PollSchedule
    }

    /// How an amount is written.
    func money(_ kopecks: Int64) -> Json {
        switch moneyEncoding {
        case .number: Rubles.number(kopecks)
        case .string: .string(Rubles.text(kopecks))
        }
    }
}

extension DolyameSettings {
    package init(reading json: Json, in mode: AccountFacts.Mode) throws(SchemaFailure) {
        var object = try ClosedObject(json)
        login = try Self.login(&object)
        baseUrl = try object.address("baseUrl") ?? Self.defaultBaseUrl
        partnerId = try object.text("partnerId", atMost: Limits.idBytes)
        mcc = try object.integer("mcc", in: 1...9999) ?? Self.defaultMcc
        methods = try Self.methods(&object, hasPartner: partnerId != nil)
        captureMode = try object.word("captureMode", default: .manual)
        moneyEncoding = try object.word("moneyEncoding", default: .number)
        orderIdMax = Int(try object.integer("orderIdMax", in: 26...36) ?? Int64(OrderId.standardLength))
        itemNameMax = Int(try object.integer("itemNameMax", in: 1...1024) ?? 128)
        limits = AmountLimits(
            least: try Self.kopecks("minAmount", &object),
            most: try Self.kopecks("maxAmount", &object)
        )
        notificationUrlPerOrder = try object.flag("notificationUrlPerOrder", default: true)
        returnUrls = try object.flag("returnUrls", default: true)
        webhookNetworks = try Self.networks("webhookNetworks", Self.defaultNetworks, &object)
        trustedProxies = try Self.networks("trustedProxies", [], &object)
        demoFlow = try object.flag("demoFlow", default: false)
        acceptDemo = try object.flag("acceptDemo", default: demoFlow)
        fiscalization = try object.flag("fiscalization", default: false)
        commitReceipts = try Self.receipts(&object)
        corrections = try object.flag("corrections", default: false)
        deliveryCompletion = try object.flag("deliveryCompletion", default: false)
        amountAfterRefund = try object.word("amountAfterRefund", default: .kept)
        amountAfterCommit = try object.word("amountAfterCommit", default: .committed)
        sdkCustomerName = try Self.customerName(&object)
        extraStatuses = try Self.statuses(&object)
        times = try Self.times(&object)
        requestsPerSecond = try object.integer("requestsPerSecond", in: 1...1000) ?? 10
        try object.end()
        // A demo order without an address of its own tells nobody how it ended: the registered one counts as live.
        if demoFlow, !notificationUrlPerOrder { throw object.failure("demoFlow", "needs_notification_url") }
    }

    /// The name part of Basic credentials, which ends at the first colon.
    private static func customerName(_ object: inout ClosedObject) throws(SchemaFailure) -> SdkCustomerName? {
        guard let text = try object.text("sdkCustomerName", atMost: 32) else { return nil }
        guard let name = SdkCustomerName(rawValue: text) else {
            throw object.failure("sdkCustomerName", "unknown_word")
        }
        return name
    }

    private static func login(_ object: inout ClosedObject) throws(SchemaFailure) -> String {
        guard let login = try object.text("login", atMost: Limits.idBytes), !login.isEmpty else {
            throw object.failure("login", "missing")
        }
        guard !login.utf8.contains(UInt8(ascii: ":")) else { throw object.failure("login", "has_colon") }
        return login
    }

    private static func methods(
        _ object: inout ClosedObject,
        hasPartner: Bool
    ) throws(SchemaFailure) -> Set<PaymentMethod> {
        guard let items = try object.items("methods", atMost: 2) else {
            return hasPartner ? [.hosted, .sdk] : [.hosted]
        }
        var methods: Set<PaymentMethod> = []
        for item in items {
            guard let method = item.text.flatMap(PaymentMethod.init), method == .hosted || method == .sdk else {
                throw object.failure("methods", "unknown_word")
            }
            methods.insert(method)
        }
        guard !methods.isEmpty else { throw object.failure("methods", "missing") }
        guard hasPartner || !methods.contains(.sdk) else { throw object.failure("partnerId", "missing") }
        return methods
    }

    private static func kopecks(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> Int64? {
        guard let value = object.value(name) else { return nil }
        guard let kopecks = try? Rubles.kopecks(value), kopecks > 0 else { throw object.failure(name, "not_an_amount") }
        return kopecks
    }

    private static func networks(
        _ name: String,
        _ fallback: [String],
        _ object: inout ClosedObject
    ) throws(SchemaFailure) -> [SourceNetwork] {
        let items = try object.items(name, atMost: Limits.networks) ?? fallback.map(Json.string)
        var networks: [SourceNetwork] = []
        for item in items {
            guard let network = item.text.flatMap({ SourceNetwork($0) }) else {
                throw object.failure(name, "not_a_network")
            }
            networks.append(network)
        }
        return networks
    }

    private static func receipts(_ object: inout ClosedObject) throws(SchemaFailure) -> CommitReceipts? {
        guard var member = try object.object("commitReceipts") else { return nil }
        let receipts = CommitReceipts(
            committed: try member.flag("committed", default: false),
            added: try member.flag("added", default: false),
            returned: try member.flag("returned", default: false)
        )
        try member.end()
        return receipts
    }

    private static func statuses(_ object: inout ClosedObject) throws(SchemaFailure) -> [String: OrderStatus] {
        guard let value = object.value("extraStatuses") else { return [:] }
        guard let members = value.members else { throw object.failure("extraStatuses", "not_an_object") }
        var statuses: [String: OrderStatus] = [:]
        for member in members.members {
            guard let status = member.value.text.flatMap({ OrderStatus(rawValue: $0) }) else {
                throw object.failure("extraStatuses.\(member.name)", "unknown_word")
            }
            statuses[member.name] = status
        }
        return statuses
    }

    private static func times(_ object: inout ClosedObject) throws(SchemaFailure) -> Times {
        let day: Int64 = 86_400
        return Times(
            unpaid: try object.duration("unpaidSeconds", default: day),
            hold: try object.duration("holdSeconds", default: 30 * day),
            query: try object.duration("querySeconds", default: 365 * day),
            absence: try object.duration("absenceSeconds", default: 60),
            refundQuiet: try object.duration("refundQuietSeconds", default: 600),
            polling: try object.polling(first: 60, cap: 3600)
        )
    }

    private enum Limits {
        static let idBytes = 128
        static let networks = 32
    }
}

extension DolyameSettings {
    /// The abilities of an account with these settings.
    ///
    /// A lost answer is cleared up by `info`, which shows the order as a whole. A refund has no key and no reference at the
    /// provider: one at a time is under way, `info` shows it by an id that was not there before, and what nobody can explain
    /// goes to an operator.
    package var capabilities: Capabilities {
        let byQuery = Capabilities.Recovery.query(absenceAfter: times.absence)
        return Capabilities(
            partialCapture: true,
            multipleCaptures: false,
            overCapture: false,
            partialRefund: true,
            multipleRefunds: true,
            partialVoid: false,
            recovery: [
                .sale: byQuery, .authorize: byQuery, .capture: byQuery, .void: byQuery,
                .refund: .baselineDiff(quiet: times.refundQuiet),
                .verify: .none, .tokenize: .none, .refundReversal: .none,
            ],
            lifetimes: Capabilities.Lifetimes(payerWindow: times.unpaid, hold: times.hold, query: times.query),
            polling: times.polling,
            auxiliaryRequests: deliveryCompletion ? [.completeDelivery, .cancelOrder] : [.cancelOrder],
            unstatedAmounts: [OrderReading.Name.refundAnswer]
        )
    }
}
