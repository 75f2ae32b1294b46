public import Foundation

public enum InstrumentStatus: String, CaseIterable, Sendable {
    case usable, expired, invalid, removed
}

/// A saved means of payment: masked data, no card number.
public struct Instrument: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let object: String
    public let version: Int?
    public let status: Open<InstrumentStatus>
    public let usable: Bool
    public let scheme: String?
    public let masked: String?
    public let expiryYear: Int?
    public let expiryMonth: Int?
    public let customer: String?
    /// The payment that saved it.
    public let payment: String?
    public let account: AccountReference?
    public let savedAt: Date?
    public let uses: Int?
    public let lastUsedAt: Date?
    public let ended: Ended?
    public let removedAt: Date?
    public let removal: Removal?
    public let mandate: Mandate?

    /// Why it pays no more.
    public struct Ended: Codable, Hashable, Sendable {
        public let at: Date?
        public let because: String
        public let code: String?
    }

    /// Who removed it, and what the provider said.
    public struct Removal: Codable, Hashable, Sendable {
        public let by: String?
        public let atProvider: String
        public let code: String?
    }

    /// The payer's consent to later charges.
    public struct Mandate: Codable, Hashable, Sendable {
        public let endsAt: Date?
        public let days: Int
        public let chargedAt: Date?
    }
}
