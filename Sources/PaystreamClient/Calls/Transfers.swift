/// Money moved from a payer's card on to another card.
public struct Transfers: Sendable {
    let exchange: Exchange

    public func create(_ transfer: NewTransfer, _ options: CommandOptions = .init()) async throws(PaystreamError)
        -> Transfer
    {
        try await exchange.command(["v1", "transfers"], transfer, options)
    }

    public func get(_ id: String) async throws(PaystreamError) -> Transfer {
        try await exchange.read(Call(path: ["v1", "transfers", id]))
    }

    public func list(_ filter: PaymentFilter = .init()) -> Pages<Transfer> {
        Pages(exchange: exchange, call: Call(path: ["v1", "transfers"], query: filter.query))
    }

    public func nextAction(_ id: String) async throws(PaystreamError) -> NextAction {
        try await exchange.read(Call(path: ["v1", "transfers", id, "next-action"]))
    }

    public func appParameters(_ id: String) async throws(PaystreamError) -> AppParameters {
        let body = try exchange.body(NoMembers())
        return try await exchange.read(
            Call(method: .post, path: ["v1", "transfers", id, "app-parameters"], body: body)
        )
    }

    /// Tells what the app's SDK said: a claim that decides nothing.
    public func confirm(
        _ id: String,
        claim: JsonValue,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Transfer {
        try await exchange.command(["v1", "transfers", id, "confirm"], claim, options)
    }

    /// Asks the provider now.
    public func sync(_ id: String, _ options: CommandOptions = .init()) async throws(PaystreamError) -> Transfer {
        try await exchange.command(["v1", "transfers", id, "sync"], NoMembers(), options)
    }
}

/// A transfer to be created; the recipient's card number stays in the app.
public struct NewTransfer: Codable, Hashable, Sendable {
    /// An id of your own (`NewId.transfer()`); without it the daemon makes one.
    public var id: String?
    public var amount: Money
    public var method: PaymentMethod?
    public var reference: String?
    public var description: String?
    public var customer: String?
    public var instrument: String?
    public var account: String?
    public var provider: String?
    public var country: String?
    public var accountMode: AccountMode?
    public var details: JsonValue?
    public var metadata: [String: String]?

    public init(amount: Money, method: PaymentMethod? = nil, reference: String? = nil) {
        self.amount = amount
        self.method = method
        self.reference = reference
    }
}
