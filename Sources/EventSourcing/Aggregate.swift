package import Kernel

/// An event of one kind of stream: what its aggregate folds and what the log stores of it.
package protocol StoredEvent: JsonWritable {
    /// Stored names; a changed shape gets a new version beside the old one, never in its place.
    associatedtype Name: RawRepresentable<String> & CaseIterable & Sendable

    var name: Name { get }

    /// Reads the payload of a stored event.
    init(_ name: Name, _ fields: Fields) throws(CodecFailure)
}

extension StoredEvent {
    package var draft: EventDraft { EventDraft(type: name.rawValue, data: canonical) }

    /// Reads a stored event.
    package init(type: String, data: [UInt8]) throws(CodecFailure) {
        guard let name = Name(rawValue: type), let fields = Fields(stored: data) else { throw CodecFailure(type) }
        try self.init(name, fields)
    }

    /// Reads an event of the log.
    package init(_ recorded: RecordedEvent) throws(CodecFailure) {
        try self.init(type: recorded.type, data: recorded.data)
    }
}

/// The id of a stream, or a type that is made of one.
package protocol StreamIdentity: Sendable {
    init(_ stream: Uuid)
}

extension Uuid: StreamIdentity {
    package init(_ stream: Uuid) { self = stream }
}

extension Identifier: StreamIdentity {}

/// The state of one stream: the fold of its events.
package protocol Aggregate: Sendable {
    associatedtype Event: StoredEvent
    associatedtype Id: StreamIdentity

    /// The state before the first event.
    init(id: Id)

    /// Events folded so far.
    var version: Int32 { get }

    /// Applies one event; never fails and never decides.
    mutating func evolve(_ event: Event)
}

extension Aggregate {
    /// The state that further events lead to.
    package func after(_ events: some Sequence<Event>) -> Self {
        var state = self
        for event in events { state.evolve(event) }
        return state
    }

    /// Applies events of the log; one that can't be read is named by its version.
    package mutating func evolve(_ history: some Sequence<RecordedEvent>) throws(CodecFailure) {
        for recorded in history {
            evolve(try Event(named: recorded))
            assert(version == recorded.version, "a stream is folded from its first event on, without holes")
        }
    }

    /// Folds events from the first on.
    package static func fold(_ id: Id, _ events: some Sequence<Event>) -> Self { Self(id: id).after(events) }

    /// Folds a stream of the log; one that can't be read is named by its version.
    package static func fold(_ stream: StreamName, _ history: some Sequence<RecordedEvent>) throws(CodecFailure) -> Self
    {
        var state = Self(id: Id(stream.id))
        try state.evolve(history)
        return state
    }
}

extension StoredEvent {
    fileprivate init(named recorded: RecordedEvent) throws(CodecFailure) {
        do throws(CodecFailure) { try self.init(recorded) } catch {
            throw CodecFailure("event \(recorded.version): \(error.path)")
        }
    }
}

extension Sequence<RecordedEvent> {
    /// Reads events of the log; one that can't be read is named by its version.
    package func decoded<Event: StoredEvent>(as: Event.Type = Event.self) throws(CodecFailure) -> [Event] {
        var events: [Event] = []
        for recorded in self { events.append(try Event(named: recorded)) }
        return events
    }
}
