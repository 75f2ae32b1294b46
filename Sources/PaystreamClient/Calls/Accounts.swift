/// Accounts at providers: read by every key, made and closed by one that administers.
public struct Accounts: Sendable {
    let exchange: Exchange

    public func list() -> Pages<Account> { Pages(exchange: exchange, call: Call(path: ["v1", "accounts"])) }

    /// Makes the account of this name, or replaces its configuration.
    public func configure(_ account: NewAccount, _ options: CommandOptions = .init())
        async throws(PaystreamError) -> AccountChange
    {
        try await exchange.command(["v1", "accounts"], account, options)
    }

    /// Closes an account for good, by its name or its id: nothing new begins at it, and what exists goes on.
    public func close(_ account: String, _ options: CommandOptions = .init())
        async throws(PaystreamError) -> AccountChange
    {
        try await exchange.command(["v1", "accounts", account, "close"], NoMembers(), options)
    }
}

/// An account to be made, or another configuration of one.
public struct NewAccount: Codable, Sendable {
    /// Small letters, digits and dashes.
    public var name: String
    public var provider: String
    public var mode: AccountMode
    /// By the schema of the provider.
    public var settings: JsonValue?
    /// Sealed by the daemon at once and never shown; left out, an account keeps those that it has.
    public var secrets: [String: String]?
    public var currencies: [String]?

    public init(name: String, provider: String, mode: AccountMode) {
        self.name = name
        self.provider = provider
        self.mode = mode
    }
}

extension NewAccount: CustomStringConvertible, CustomReflectable {
    /// Its secrets don't print.
    public var description: String { "account \(name) at \(provider) (\(mode.rawValue))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
