public import Foundation

/// What happened to one resource, as feed and webhooks tell it.
public struct Event: Codable, Hashable, Sendable, Identifiable {
    /// Always the same for the same event: what was handled under it need not be handled again.
    public let id: String
    public let object: String
    /// As in `payment.captured`; new ones may come.
    public let type: String
    public let createdAt: Date
    /// Counts the events of one resource: 1, 2, 3 and so on, without a gap.
    public let sequence: Int
    public let resource: Resource
    /// The part of the resource that it is about, as a refund among a payment's operations.
    public let part: JsonValue?
    /// The resource as it was at this event.
    public let data: JsonValue

    public struct Resource: Codable, Hashable, Sendable, Identifiable {
        public let object: String
        public let id: String
    }

    /// The resource as it was at this event.
    public func payload<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try Wire.decode(type, from: Wire.encode(data))
    }
}

/// One event of a resource's log, for audits: `GET /v1/payments/{payment}/events`.
public struct LogEntry: Codable, Hashable, Sendable {
    public let version: Int
    public let position: Int64
    public let type: String
    /// The input that caused it.
    public let cause: String
    public let recordedAt: Date
    public let data: JsonValue
}
