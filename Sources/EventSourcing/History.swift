/// A stream as far as somebody knows it: the newest events, and the state that those before them led to.
///
/// Nearly every stream is short and known whole. One without an end, as a card's that is charged again and again, is known from
/// some event on, so that its next event costs what its second did.
package struct History: Sendable {
    /// The events that are known no longer.
    private struct Folded: Sendable {
        let first: RecordedEvent
        let last: RecordedEvent
        /// What they led to.
        let state: any Aggregate
    }

    private var folded: Folded?
    /// The events that are known: all of them, but of a stream without an end.
    package private(set) var events: [RecordedEvent]
    /// Of the data of those events.
    package private(set) var bytes: Int

    /// The events of a stream from its first on.
    package init(_ events: [RecordedEvent] = []) {
        self.events = events
        bytes = Self.bytes(events)
    }

    /// The stream's first event, whether the ones behind it are known or not.
    package var first: RecordedEvent? { folded?.first ?? events.first }
    package var last: RecordedEvent? { events.last ?? folded?.last }
    package var version: Int32 { last?.version ?? 0 }
    package var isEmpty: Bool { last == nil }
    /// Whether each known event is the next one of the one before it: a log that lost rows has streams that aren't.
    package var isContiguous: Bool { firstMissing == nil }
    /// The first version that is missing before a known event.
    package var firstMissing: Int32? {
        let lacks = events.enumerated().first { $0.element.version != foldedVersion + Int32($0.offset) + 1 }
        return lacks.map { foldedVersion + Int32($0.offset) + 1 }
    }

    package mutating func append(_ more: [RecordedEvent]) {
        events += more
        bytes += Self.bytes(more)
    }

    /// Its beginning up to a version, or all of it where it is shorter; `nil` where that is known no longer.
    package func prefix(upTo version: Int32) -> History? {
        guard version < self.version else { return self }
        guard version >= foldedVersion else { return nil }
        var beginning = self
        beginning.events = Array(events.prefix(index(behind: version)))
        beginning.bytes = Self.bytes(beginning.events)
        return beginning
    }

    /// Its beginning up to the end of a range of versions, as `prefix`; `nil` where an event behind the range's beginning is
    /// known no longer.
    package func part(_ versions: ClosedRange<Int32>) -> History? {
        isKnown(behind: versions.lowerBound) ? prefix(upTo: versions.upperBound) : nil
    }

    /// Whether every event behind a version is known.
    package func isKnown(behind version: Int32) -> Bool { foldedVersion <= version }

    /// Whether it has this very event, to the byte; of those that are known no longer, only the last is told.
    package func has(_ event: RecordedEvent) -> Bool {
        guard event.version > foldedVersion else { return event == folded?.last }
        let index = index(behind: event.version) - 1
        return index < events.count && events[index] == event
    }

    /// The events behind a version that is known.
    package func events(behind version: Int32) -> ArraySlice<RecordedEvent> { events[index(behind: version)...] }

    /// The state to begin with: what the events that are known no longer led to.
    package func beginning<State: Aggregate>(_ stream: StreamName) throws(CodecFailure) -> State {
        guard let folded else { return State(id: State.Id(stream.id)) }
        guard let state = folded.state as? State else { throw CodecFailure("folded as \(type(of: folded.state))") }
        return state
    }

    /// Lets go of all but the newest events; the state that the others lead to takes their place.
    ///
    /// Where they can't be folded, all are kept: who needs them finds out why.
    package mutating func fold<State: Aggregate>(as _: State.Type, keeping count: Int) {
        guard events.count > count, let first else { return }
        let gone = events.dropLast(count)
        guard let last = gone.last, gone.allSatisfy({ $0.stream == first.stream }),
            var state: State = try? beginning(first.stream), (try? state.evolve(gone)) != nil,
            state.version == last.version
        else { return }
        folded = Folded(first: first, last: last, state: state)
        events = Array(events.suffix(count))
        bytes = Self.bytes(events)
    }

    private var foldedVersion: Int32 { folded?.last.version ?? 0 }

    /// Where the events behind a version begin; at their end where the stream lacks some.
    private func index(behind version: Int32) -> Int { min(max(0, Int(version - foldedVersion)), events.count) }

    private static func bytes(_ events: [RecordedEvent]) -> Int { events.reduce(0) { $0 + $1.data.count } }
}
