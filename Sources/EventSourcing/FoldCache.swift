import Kernel

/// Aggregates as they were folded last, so that a decision reads what is new of its stream and not all of it again.
///
/// It gives what folding the whole history gives: a fold counts only where the history holds the very event that it ended
/// with, to the byte and the moment. Its position and its cause alone can recur when the log has lost its end and a
/// client's command is decided a second time.
package final class FoldCache<State: Aggregate>: Sendable {
    private struct Fold: Sendable {
        let state: State
        /// The last event that went in.
        let last: RecordedEvent
    }

    private let folds: Locked<GenerationCache<StreamName, Fold>>

    /// `capacity` is how many folds are held at most.
    package init(capacity: Int) { folds = Locked(GenerationCache(capacity: capacity)) }

    /// Folds a stream that is given from its first event on.
    package func fold(_ stream: StreamName, _ history: [RecordedEvent]) throws(CodecFailure) -> State {
        var state = State(id: State.Id(stream.id))
        if let known = folds.withLock({ $0.find(stream) }),
            case let count = Int(known.state.version), count > 0, count <= history.count,
            history[count - 1] == known.last
        {
            state = known.state
        }
        let isNew = Int(state.version) < history.count
        try state.evolve(history.dropFirst(Int(state.version)))
        if isNew, let last = history.last { folds.withLock { $0.keep(Fold(state: state, last: last), of: stream) } }
        return state
    }
}
