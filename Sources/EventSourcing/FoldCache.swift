import Kernel

/// States of streams as they were folded last, of every kind, so that nobody reads again what was read or decided a moment ago.
///
/// It gives what folding the whole history gives. A kept state counts only where the history holds the very event that it
/// ended with, to the byte and the moment: its position and its cause alone can recur when the log has lost its end and a
/// client's command is decided a second time. A foreseen state counts only behind a kept one, where the history goes on with
/// the very events that lead to it.
package final class FoldCache: Sendable {
    private struct Fold: Sendable {
        let state: any Aggregate
        /// The last event that went in.
        let last: RecordedEvent
        /// Of the events that its history knew.
        let bytes: Int

        var version: Int32 { last.version }
    }

    /// The state that a decision would make of the one before, once its events are in the log.
    private struct Foreseen: Sendable {
        let base: Int32
        /// The event that they were decided behind; none at the beginning of a stream.
        let behind: RecordedEvent?
        let events: [EventDraft]
        let state: any Aggregate
        let bytes: Int

        /// The version of its state.
        var end: Int32 { base + Int32(events.count) }

        /// Whether a history goes on with these events behind the very one that they were decided on.
        func comes(in history: History) -> Bool {
            guard end <= history.version, base == 0 || behind.map(history.has) == true else { return false }
            return zip(events, history.events(behind: base)).allSatisfy { event, recorded in
                recorded.data == event.data && recorded.type == event.type
            }
        }
    }

    private struct Entry: Sendable {
        /// Ascending by version.
        var folds: [Fold] = []
        var foreseen: Foreseen?

        /// A state takes several times the bytes of its events, and one of a stream without an end those of its newest.
        ///
        /// The states of one stream share most of it.
        var bytes: Int { ((folds.last?.bytes ?? 0) + (foreseen?.bytes ?? 0)) * 4 + folds.count * 512 }

        /// Moves a state on to a version of its history: from what is held where that is nearer, and by the events that lack.
        func advance<State: Aggregate>(_ state: inout State, to version: Int32, of history: History)
            throws(CodecFailure)
        {
            guard state.version < version else { return }
            let nearer = folds.last { $0.version <= version && history.has($0.last) }
            if let nearer, nearer.version > state.version, let kept = nearer.state as? State { state = kept }
            if let foreseen, foreseen.base == state.version, foreseen.end <= version, foreseen.comes(in: history),
                let decided = foreseen.state as? State
            {
                assert(decided.version == foreseen.end, "each event is a version")
                state = decided
            }
            guard state.version < version else { return }
            try state.evolve(history.events(behind: state.version).prefix(Int(version - state.version)))
        }
    }

    /// States of one stream that are held: read models follow a few decisions behind the newest.
    private static let depth = 12
    /// Bytes that states may take, as far as their events tell.
    package static let capacity = 48 << 20

    /// A stream whose states take more than one part of so many is folded each time.
    private static let share = 8

    private let entries: Locked<GenerationCache<StreamName, Entry>>

    /// `capacity` bounds the bytes of what is held.
    package init(capacity: Int = FoldCache.capacity) {
        entries = Locked(GenerationCache(capacity: capacity, heaviest: capacity / Self.share) { $0.bytes })
    }

    /// Folds a stream that is given from its first event on.
    package func fold<State: Aggregate>(_ stream: StreamName, _ events: [RecordedEvent]) throws(CodecFailure) -> State {
        try fold(stream, History(events))
    }

    /// Folds a stream.
    package func fold<State: Aggregate>(_ stream: StreamName, _ history: History) throws(CodecFailure) -> State {
        let entry = entries.withLock { $0.find(stream) } ?? Entry()
        var state: State = try Self.newest(of: entry, stream, history, upTo: history.version)
        guard state.version < history.version, let last = history.last else { return state }
        try entry.advance(&state, to: history.version, of: history)
        keep(Fold(state: state, last: last, bytes: history.bytes), of: stream)
        return state
    }

    /// The same of a stream that is known whole, and tells the wanted events behind a version with the states before and
    /// after each.
    package func fold<State: Aggregate>(
        _ stream: StreamName,
        _ history: History,
        behind version: Int32,
        where isWanted: (RecordedEvent) -> Bool = { _ in true },
        _ each: (RecordedEvent, _ before: State, _ after: State) -> Void
    ) throws(CodecFailure) -> State {
        let begin = min(version, history.version)
        let entry = entries.withLock { $0.find(stream) } ?? Entry()
        var state: State = try Self.newest(of: entry, stream, history, upTo: begin)
        let known = state.version
        for recorded in history.events(behind: begin) where isWanted(recorded) {
            try entry.advance(&state, to: recorded.version - 1, of: history)
            let before = state
            try entry.advance(&state, to: recorded.version, of: history)
            each(recorded, before, state)
        }
        try entry.advance(&state, to: history.version, of: history)
        guard known < history.version, let last = history.last else { return state }
        keep(Fold(state: state, last: last, bytes: history.bytes), of: stream)
        return state
    }

    /// The newest kept state up to a version that this history leads to.
    private static func newest<State: Aggregate>(
        of entry: Entry,
        _ stream: StreamName,
        _ history: History,
        upTo version: Int32
    ) throws(CodecFailure) -> State {
        let known = entry.folds.last { $0.version <= version && history.has($0.last) }
        if let kept = known?.state as? State { return kept }
        return try history.beginning(stream)
    }

    /// The bytes of what is held, as they are reckoned.
    package var bytes: Int { entries.withLock { $0.total } }

    /// Notes which state a decision's events lead to, for when they are in the log.
    package func foresee(_ state: any Aggregate, of stream: StreamName, by events: [EventDraft]) {
        guard !events.isEmpty else { return }
        let base = state.version - Int32(events.count)
        entries.withLock { entries in
            var entry = entries.find(stream) ?? Entry()
            entry.foreseen = Foreseen(
                base: base,
                behind: entry.folds.last { $0.version == base }?.last,
                events: events,
                state: state,
                bytes: events.reduce(0) { $0 + $1.data.count }
            )
            entries.keep(entry, of: stream)
        }
    }

    private func keep(_ fold: Fold, of stream: StreamName) {
        entries.withLock { entries in
            var entry = entries.find(stream) ?? Entry()
            // Those from this version on are of a history that is gone, or the same.
            let newer = entry.folds.filter { $0.version > fold.version }
            entry.folds.removeAll { $0.version >= fold.version }
            entry.folds.append(fold)
            entry.folds += newer
            if let base = entry.foreseen?.base, base < fold.last.version { entry.foreseen = nil }
            if entry.folds.count > Self.depth { entry.folds.removeFirst(entry.folds.count - Self.depth) }
            entries.keep(entry, of: stream)
        }
    }
}
