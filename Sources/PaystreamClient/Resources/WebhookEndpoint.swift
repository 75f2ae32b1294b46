public import Foundation

/// An address that is sent events; one that is not decided yet is known by its id alone.
public struct WebhookEndpoint: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let object: String
    public let version: Int?
    public let url: String?
    /// As `payment.*`; none means all.
    public let types: [String]?
    public let description: String?
    public let order: Open<WebhookOrder>?
    /// What signs each delivery, where the daemon tells it.
    public let signatures: [Open<WebhookSignature>]?
    public let status: Open<WebhookEndpointStatus>?
    public let disabledReason: Open<WebhookDisabledReason>?
    public let createdAt: Date?
    public let lastSuccessAt: Date?
    public let lastFailureAt: Date?
    public let secrets: [Secret]?
    /// Shown by the command that made it alone; keep it where your receiver finds it.
    public let secret: String?

    /// A secret that signs, by its name; what it is, nobody is shown again.
    public struct Secret: Codable, Hashable, Sendable, Identifiable {
        public let id: String
        /// When it signs no more, of one that another one follows.
        public let endsAt: Date?
        /// Verifies signatures of `v1a`: `whpk_` and base64.
        public let publicKey: String?
    }
}

public enum WebhookSignature: String, CaseIterable, Sendable {
    /// HMAC-SHA256 under the secret.
    case v1
    /// Ed25519 under a key whose public half the endpoint shows.
    case v1a
}

public enum WebhookOrder: String, CaseIterable, Sendable {
    /// A resource's next event waits for the earlier one.
    case resource
    case none
}

public enum WebhookEndpointStatus: String, CaseIterable, Sendable {
    case enabled, disabled, removed, unreadable
}

public enum WebhookDisabledReason: String, CaseIterable, Sendable {
    case asked, gone, failing
}

/// One event for one endpoint, with every request that was made for it.
public struct WebhookDelivery: Codable, Hashable, Sendable {
    public let object: String
    /// The event's id.
    public let event: String
    public let type: String
    /// `waiting`, `delivered` or `givenUp`.
    public let status: String
    public let createdAt: Date?
    public let nextAttemptAt: Date?
    public let endedAt: Date?
    public let attemptCount: Int
    /// The newest ones.
    public let attempts: [Attempt]

    public struct Attempt: Codable, Hashable, Sendable {
        public let number: Int
        public let at: Date
        public let milliseconds: Int
        /// Of the answer.
        public let status: Int?
        public let failure: Open<WebhookAttemptFailure>?
        /// The beginning of the answer.
        public let answer: String?
    }
}

public enum WebhookAttemptFailure: String, CaseIterable, Sendable {
    case status, gone, unreachable, tls, deadline, connection
    case addressRefused = "address_refused"
    case nameUnresolved = "name_unresolved"
    case notSent = "not_sent"
    case eventLost = "event_lost"
}

/// The test event that an endpoint is sent.
public struct WebhookPing: Codable, Hashable, Sendable {
    public let object: String
    public let event: String
}

/// How many events are sent once more.
public struct WebhookRedelivery: Codable, Hashable, Sendable {
    public let object: String
    public let events: Int
    /// The last event that was asked for, where there may be more behind it.
    public let next: String?
}

extension WebhookOrder: Codable {}
extension WebhookSignature: Codable {}
