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
        var head = JsonText.object(reserving: 256) { head in
            head.text("id", id.write)
            head.member("object", "event")
            head.member("type", type.name)
            head.member("createdAt", event.recordedAt)
        }
        head.removeLast()
        head += #","sequence":"#.utf8
        var tail: [UInt8] = []
        tail.reserveCapacity(subject.data.count + 1024)
        tail += #","resource":"#.utf8
        tail += subject.resource
        if let part {
            tail += #","part":"#.utf8
            part.write(into: &tail)
        }
        tail += #","data":"#.utf8
        tail += subject.data
        tail += "}".utf8
        return (head, tail)
    }

    /// The events of one decision, in the order of the catalogue; what shows a difference that none of them tells is an update.
    static func all(
        _ changes: [PublicChange],
        or update: PublicEventType,
        _ event: RecordedEvent,
        _ document: EventDocument
    ) -> [PublicEvent] {
        guard !changes.isEmpty || document.isChanged() else { return [] }
        let subject = EventSubject(document)
        return (changes.isEmpty ? [PublicChange(update)] : changes).enumerated().map { number, one in
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

/// A resource as a decision left it.
struct EventDocument {
    let object: String
    let id: Json
    let bytes: [UInt8]
    /// Whether more is shown of a difference than that something was recorded; asked only where nothing else tells of one.
    let isChanged: () -> Bool

    /// `isChanged` compares it with what was before.
    init(_ object: String, _ id: Json, _ bytes: [UInt8], isChanged: @escaping @autoclosure () -> Bool) {
        self.object = object
        self.id = id
        self.bytes = bytes
        self.isChanged = isChanged
    }

    /// Apart from `passing` members, and those that every decision changes, another value is a difference.
    init(
        _ object: String,
        _ id: Json,
        _ before: @escaping @autoclosure () -> Json,
        _ after: Json,
        apartFrom passing: Set<String> = []
    ) {
        self.init(
            object,
            id,
            after.compactBytes,
            isChanged: Self.shown(after, passing) != Self.shown(before(), passing)
        )
    }

    private static func shown(_ json: Json, _ passing: Set<String>) -> Json {
        guard var members = json.members else { return json }
        for name in passing.union(["version", "updatedAt"]) { members[name] = nil }
        return .object(members)
    }
}

/// What events of one decision are about, as bytes that they share.
struct EventSubject: Sendable {
    /// The resource's name.
    let resource: [UInt8]
    /// The resource as it was.
    let data: [UInt8]

    init(_ document: EventDocument) {
        resource = JsonText.object(reserving: 96) {
            $0.member("object", document.object)
            $0.member("id", document.id)
        }
        data = document.bytes
    }
}

/// The id of a public event: it says which decision of which stream it tells, so that events made again have the ids of before.
///
/// It is written as in `evt_0190…v12n0`: the stream, the version of the decision's last event, and the number within the decision.
/// Letters stand between the numbers, so that no id looks like a card's number.
package struct PublicEventId: Hashable, Sendable {
    package static let prefix = "evt_"
    /// As a regular expression.
    package static let pattern = "^evt_[0-9a-f]{32}v[1-9][0-9]{0,9}n[0-9]{1,5}$"

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
        let rest = text.dropFirst(Self.prefix.count)
        let numbers = rest.dropFirst(32).split(separator: "n", omittingEmptySubsequences: false)
        guard let stream = Uuid(rest.prefix(32)), numbers.count == 2, numbers[0].hasPrefix("v"),
            let version = Int32(numbers[0].dropFirst()), let number = Int16(numbers[1])
        else { return nil }
        self.init(stream: stream, version: version, number: number)
        guard self.text == text else { return nil }
    }

    package var text: String { "\(Self.prefix)\(stream.compact)v\(version)n\(number)" }

    /// Appends `text`.
    func write(into out: inout [UInt8]) {
        out += Self.prefix.utf8
        stream.writeCompact(into: &out)
        out += "v\(version)n\(number)".utf8
    }
}
