package import Kernel

/// An event that was decided and not appended: its stored name and its canonical JSON.
package struct EventDraft: Hashable, Sendable {
    /// Stored name with its version, as in `payment.created.v1`; a constant, never derived from a Swift name.
    package let type: String
    /// Canonical JSON (`Json.canonical`): hashed and replayed byte for byte.
    package let data: [UInt8]

    package init(type: String, data: [UInt8]) {
        self.type = type
        self.data = data
    }
}

/// An event as the log holds it.
package struct RecordedEvent: Hashable, Sendable {
    package let stream: StreamName
    /// 1, 2, 3 … within the stream, without holes.
    package let version: Int32
    /// Place in the one ordered log.
    package let position: Int64
    package let type: String
    /// Id of the input that caused it.
    package let cause: Uuid
    package let recordedAt: Timestamp
    package let data: [UInt8]

    package init(
        stream: StreamName,
        version: Int32,
        position: Int64,
        type: String,
        cause: Uuid,
        recordedAt: Timestamp,
        data: [UInt8]
    ) {
        self.stream = stream
        self.version = version
        self.position = position
        self.type = type
        self.cause = cause
        self.recordedAt = recordedAt
        self.data = data
    }
}
