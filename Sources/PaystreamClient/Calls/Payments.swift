public import Foundation

/// Payments: create, read, capture, void, refund.
public struct Payments: Sendable {
    let exchange: Exchange

    // MARK: Commands

    /// Creates a payment; the payer is next where its status is `requiresAction`.
    public func create(_ payment: NewPayment, _ options: CommandOptions = .init()) async throws(PaystreamError)
        -> Payment
    {
        try await exchange.command(["v1", "payments"], payment, options)
    }

    /// Takes what is held, or a part of it.
    public func capture(
        _ id: String,
        amount: Money? = nil,
        reason: String? = nil,
        details: JsonValue? = nil,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Payment {
        try await command(id, "capture", MoneyCommand(amount: amount, reason: reason, details: details), options)
    }

    /// Gives a hold back, or cancels a payment that nobody paid yet.
    public func void(
        _ id: String,
        amount: Money? = nil,
        reason: String? = nil,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Payment {
        try await command(id, "void", MoneyCommand(amount: amount, reason: reason), options)
    }

    /// Gives money back: all that is left where no amount is named.
    public func refund(
        _ id: String,
        amount: Money? = nil,
        capture: String? = nil,
        reason: String? = nil,
        details: JsonValue? = nil,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Payment {
        let body = MoneyCommand(amount: amount, capture: capture, reason: reason, details: details)
        return try await command(id, "refund", body, options)
    }

    /// Tells the provider that all is delivered.
    public func completeDelivery(
        _ id: String,
        details: JsonValue? = nil,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Payment {
        try await command(id, "complete-delivery", MoneyCommand(details: details), options)
    }

    /// Asks the provider now.
    public func sync(_ id: String, _ options: CommandOptions = .init()) async throws(PaystreamError) -> Payment {
        try await command(id, "sync", NoMembers(), options)
    }

    /// Tells what the app's SDK said: a claim, by the provider's schema, that decides nothing.
    public func confirm(
        _ id: String,
        claim: JsonValue,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Payment { try await command(id, "confirm", claim, options) }

    /// Takes note that the payer's bank took money back.
    public func openDispute(
        _ id: String,
        amount: Money,
        capture: String? = nil,
        reason: String? = nil,
        answerBy: Date? = nil,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Payment {
        var body = MoneyCommand(amount: amount, capture: capture, reason: reason)
        body.answerBy = answerBy
        return try await command(id, "disputes", body, options)
    }

    // MARK: Reading

    public func get(_ id: String) async throws(PaystreamError) -> Payment {
        try await exchange.read(Call(path: ["v1", "payments", id]))
    }

    /// Payments that fit a filter, newest first; they come from a read model, a moment behind the log.
    public func list(_ filter: PaymentFilter = .init()) -> Pages<Payment> {
        Pages(exchange: exchange, call: Call(path: ["v1", "payments"], query: filter.query))
    }

    /// What the payer's device has to do now; where that is an address, it is made for this moment.
    public func nextAction(_ id: String) async throws(PaystreamError) -> NextAction {
        try await exchange.read(Call(path: ["v1", "payments", id, "next-action"]))
    }

    /// The object for the provider's SDK in the payer's app.
    public func appParameters(_ id: String) async throws(PaystreamError) -> AppParameters {
        let body = try exchange.body(NoMembers())
        return try await exchange.read(
            Call(method: .post, path: ["v1", "payments", id, "app-parameters"], body: body)
        )
    }

    /// The log of a payment, for a key that may audit.
    public func log(_ id: String) -> Pages<LogEntry> {
        Pages(exchange: exchange, call: Call(path: ["v1", "payments", id, "events"]), cursor: "after")
    }

    private func command(
        _ id: String,
        _ name: String,
        _ body: some Encodable & Sendable,
        _ options: CommandOptions
    ) async throws(PaystreamError) -> Payment {
        try await exchange.command(["v1", "payments", id, name], body, options)
    }
}

/// What commands about money take.
struct MoneyCommand: Encodable, Sendable {
    var amount: Money?
    var capture: String?
    var reason: String?
    var details: JsonValue?
    var answerBy: Date?
}

/// A payment to be created.
public struct NewPayment: Codable, Hashable, Sendable {
    /// An id of your own (`NewId.payment()`), known before the payment is sent; without it the daemon makes one.
    public var id: String?
    public var mode: PaymentMode
    public var method: PaymentMethod?
    public var amount: Money?
    /// The merchant's own number.
    public var reference: String?
    /// Shown to the payer.
    public var description: String?
    /// The payer as the merchant calls them.
    public var customer: String?
    /// A saved credential, for the method `instrument`.
    public var instrument: String?
    /// The schedule that this payment activates.
    public var schedule: String?
    /// The account by its name; otherwise the routing picks one.
    public var account: String?
    public var provider: String?
    /// The payer's country, as `DE`.
    public var country: String?
    public var accountMode: AccountMode?
    public var expiresAt: Date?
    /// By the schema of the provider: payer, items, addresses, presentation.
    public var details: JsonValue?
    /// Up to 20 labels.
    public var metadata: [String: String]?

    public init(mode: PaymentMode, method: PaymentMethod? = nil, amount: Money? = nil, reference: String? = nil) {
        self.mode = mode
        self.method = method
        self.amount = amount
        self.reference = reference
    }
}

extension PaymentMode: Codable {}
extension PaymentMethod: Codable {}
extension AccountMode: Codable {}

/// Which payments a list shows; what is named must all fit.
public struct PaymentFilter: Sendable {
    public var reference: String?
    public var customer: String?
    public var providerReference: String?
    public var email: String?
    public var card: String?
    public var amount: Int64?
    public var amountFrom: Int64?
    public var amountTo: Int64?
    public var currency: String?
    public var createdFrom: Date?
    public var createdBefore: Date?
    public var provider: String?
    public var account: String?
    public var accountMode: AccountMode?
    public var method: PaymentMethod?
    public var status: PaymentStatus?
    public var needsOperator: Bool?
    public var disputed: Bool?
    /// Labels that a payment has all of, up to five.
    public var metadata: [String: String] = [:]
    /// Rows of a page, 1 to 100.
    public var limit: Int?

    public init(reference: String? = nil, customer: String? = nil, status: PaymentStatus? = nil) {
        self.reference = reference
        self.customer = customer
        self.status = status
    }

    var query: [(name: String, value: String?)] {
        let members: [(name: String, value: String?)] = [
            ("reference", reference), ("customer", customer), ("providerReference", providerReference),
            ("email", email), ("card", card), ("amount", amount.map { "\($0)" }),
            ("amountFrom", amountFrom.map { "\($0)" }), ("amountTo", amountTo.map { "\($0)" }),
            ("currency", currency), ("createdFrom", createdFrom.map(Wire.text)),
            ("createdBefore", createdBefore.map(Wire.text)), ("provider", provider), ("account", account),
            ("accountMode", accountMode?.rawValue), ("method", method?.rawValue), ("status", status?.rawValue),
            ("needsOperator", needsOperator.map { "\($0)" }), ("disputed", disputed.map { "\($0)" }),
            ("limit", limit.map { "\($0)" }),
        ]
        let labels = metadata.sorted { $0.key < $1.key }
        return members + labels.map { (name: "metadata%5B\(Call.escaped($0.key))%5D", value: $0.value) }
    }
}
