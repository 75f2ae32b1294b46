/// One merchant's credentials and settings at one provider; its secrets are never shown.
public struct Account: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let object: String
    public let version: Int?
    public let name: String
    public let provider: String
    public let mode: Open<AccountMode>
    /// By the schema of the provider.
    public let settings: JsonValue
    /// Names of the secrets that it has.
    public let secrets: [String]?
    public let currencies: [String]?
    /// Whether something new may begin at it.
    public let open: Bool
    /// Where the provider sends its notifications.
    public let notificationUrl: String
}

/// What became of a command about an account: carried out, or kept until another person approves it.
public enum AccountChange: Sendable, Hashable, Decodable {
    case done(Account)
    /// The id of the change, where the merchant asks for two persons.
    case proposed(change: String)

    public init(from decoder: any Decoder) throws {
        let kind = try Kind(from: decoder)
        self = kind.object == "change" ? .proposed(change: kind.id) : .done(try Account(from: decoder))
    }

    /// The account, where the command was carried out.
    public var account: Account? {
        switch self {
        case .done(let account): account
        case .proposed: nil
        }
    }

    private struct Kind: Decodable {
        let id: String
        let object: String
    }
}
