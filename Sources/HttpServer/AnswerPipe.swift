import Http
import Kernel

/// A streamed answer between its writer, which puts pieces in, and the socket's thread, which takes bytes out.
///
/// It holds at most `capacity` bytes and a piece: a writer waits for a slow reader. An empty pipe puts the connection aside.
final class AnswerPipe: StreamSink {
    private typealias Waiting = (piece: [UInt8], then: @Sendable (Bool) -> Void)

    private struct State {
        var pieces: [[UInt8]] = []
        /// Bytes of the first piece that were taken.
        var begin = 0
        var bytes = 0
        /// A piece for which there is no room yet.
        var waiting: Waiting?
        /// The writer has said all, or the server drains: what is there still goes out.
        var isEnded = false
        /// The reader has gone.
        var isAbandoned = false
        var isWritten = false

        var isClosed: Bool { isEnded || isAbandoned }

        mutating func append(_ piece: [UInt8]) {
            guard !piece.isEmpty else { return }
            pieces.append(piece)
            bytes += piece.count
        }
    }

    static let capacity = 256 * 1024

    private let state = Locked(State())
    private let wake: @Sendable () -> Void
    private let written: @Sendable (AnswerPipe) -> Void

    /// `wake` lets a parked connection go on, and `written` is called once when the writer has ended; both from its side.
    init(wake: @escaping @Sendable () -> Void, written: @escaping @Sendable (AnswerPipe) -> Void) {
        self.wake = wake
        self.written = written
    }

    // MARK: The writer's side

    func send(_ piece: [UInt8], then: @escaping @Sendable (Bool) -> Void) {
        let isTaken = state.withLock { state -> Bool? in
            guard !state.isClosed else { return false }
            guard state.bytes < Self.capacity else {
                assert(state.waiting == nil, "a writer hands over one piece after the other")
                state.waiting = (piece, then)
                return nil
            }
            state.append(piece)
            return true
        }
        guard let isTaken else { return }
        if isTaken { wake() }
        then(isTaken)
    }

    func end() {
        close()
        let isFirst = state.withLock { state in
            defer { state.isWritten = true }
            return !state.isWritten
        }
        if isFirst { written(self) }
    }

    // MARK: The socket's side

    /// Copies what is there: how much that was, zero where the connection is to be put aside, `nil` at the end.
    func take(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let (count, then) = state.withLock { state -> (Int?, (@Sendable (Bool) -> Void)?) in
            guard state.bytes > 0 else { return (state.isClosed ? nil : 0, nil) }
            var taken = 0
            while taken < buffer.count, let piece = state.pieces.first {
                let count = min(piece.count - state.begin, buffer.count - taken)
                let part = piece[state.begin..<state.begin + count]
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[taken...]).copyBytes(from: part)
                taken += count
                state.begin += count
                guard state.begin == piece.count else { break }
                state.pieces.removeFirst()
                state.begin = 0
            }
            state.bytes -= taken
            guard state.bytes < Self.capacity, let waiting = state.waiting else { return (taken, nil) }
            state.waiting = nil
            state.append(waiting.piece)
            return (taken, waiting.then)
        }
        then?(true)
        return count
    }

    /// Whether the socket's thread has something to do.
    var isReady: Bool { state.withLock { $0.bytes > 0 || $0.isClosed } }

    /// Ends the answer behind what is there; a piece that waits for room goes nowhere.
    func close() { close { $0.isEnded = true } }

    /// The reader has gone.
    func abandon() {
        close { state in
            state.isAbandoned = true
            state.pieces = []
            (state.bytes, state.begin) = (0, 0)
        }
    }

    private func close(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state -> Waiting? in
            change(&state)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.then(false)
        wake()
    }
}
