package import EventSourcing
package import Kernel

/// One event as the feed and webhooks tell it: what a decision changed of a resource, with the resource as it was behind it.
///
/// It is a function of the stream up to its event. Its sequence number is counted by whoever writes it down, so that its bytes are
/// known but for that number.
package struct PublicEvent: Sendable {
    /// Raised when the same log gives other events or other bytes.
    package static let version: Int32 = 1

    /// The last event of the decision.
    package let event: RecordedEvent
    /// Its place among the events of that decision.
    package let number: Int16
    package let type: PublicEventType
    private let subject: EventSubject
    private let part: Json?

    package var id: PublicEventId {
        PublicEventId(stream: event.stream.id, version: event.version, number: number)
    }

    /// The bytes that are told, around the sequence number.
    package var body: (head: [UInt8], tail: [UInt8]) {
        let head: Json = [
            "id": .string(id.text), "object": "event", "type": .string(type.name), "createdAt": event.recordedAt.json,
        ]
        var tail = Array(#","resource":"#.utf8) + subject.resource
        if let part { tail += Array(#","part":"#.utf8) + part.compactBytes }
        return (
            head.compactBytes.dropLast() + Array(#","sequence":"#.utf8),
            tail + Array(#","data":"#.utf8) + subject.data + Array("}".utf8)
        )
    }

    /// The events of one decision, in the order of the catalogue.
    static func numbered(_ told: [PublicChange], _ subject: EventSubject, _ event: RecordedEvent) -> [PublicEvent] {
        told.enumerated().map { number, one in
            PublicEvent(event: event, number: Int16(clamping: number), type: one.type, subject: subject, part: one.part)
        }
    }
}

/// One thing that a decision changed.
struct PublicChange {
    let type: PublicEventType
    /// Which part of the resource it is about, as an operation or a dispute.
    var part: Json?

    init(_ type: PublicEventType, _ part: Json? = nil) {
        self.type = type
        self.part = part
    }
}

/// What events of one decision are about, as bytes that they share.
struct EventSubject: Sendable {
    /// The resource's name.
    let resource: [UInt8]
    /// The resource as it was.
    let data: [UInt8]

    init(_ object: String, _ id: Json, _ data: Json) {
        let resource: Json = ["object": .string(object), "id": id]
        self.resource = resource.compactBytes
        self.data = data.compactBytes
    }
}

/// The id of a public event: it says which decision of which stream it tells, so that events made again have the ids of before.
package struct PublicEventId: Hashable, Sendable {
    package static let prefix = "evt_"
    /// The digits behind the prefix: the stream, the version of the decision's last event, and the number within the decision.
    package static let digits = 32 + 8 + 4

    package let stream: Uuid
    package let version: Int32
    package let number: Int16

    package init(stream: Uuid, version: Int32, number: Int16) {
        self.stream = stream
        self.version = version
        self.number = number
    }

    /// Reads its one form; anything else is `nil`.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let digits = text.dropFirst(Self.prefix.count)
        guard digits.utf8.count == Self.digits, let stream = Uuid(digits.prefix(32)),
            let version = Int32(digits.dropFirst(32).prefix(8), radix: 16),
            let number = Int16(digits.suffix(4), radix: 16)
        else { return nil }
        self.init(stream: stream, version: version, number: number)
        guard self.text == text else { return nil }
    }

    package var text: String {
        Self.prefix + stream.compact + Self.padded(version, 8) + Self.padded(number, 4)
    }

    private static func padded(_ value: some BinaryInteger, _ width: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
