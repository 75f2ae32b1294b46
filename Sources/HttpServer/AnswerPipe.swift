import Http
import Kernel

/// A streamed answer between its writer, which puts pieces in, and the socket's thread, which takes bytes out.
///
/// It holds at most `capacity` bytes and a piece: a writer waits for a slow reader. An empty pipe puts the connection aside.
final class AnswerPipe: StreamWriter {
    private struct State {
        var pieces: [[UInt8]] = []
        /// Bytes of the first piece that were taken.
        var begin = 0
        var bytes = 0
        var writer: CheckedContinuation<Void, Never>?
        /// The writer has said all, or the server drains: what is there still goes out.
        var isEnded = false
        /// The reader has gone.
        var isAbandoned = false

        var isClosed: Bool { isEnded || isAbandoned }
    }

    static let capacity = 256 * 1024

    private let state = Locked(State())
    private let wake: @Sendable () -> Void

    /// - Parameter wake: lets a parked connection go on; called from the writer's side.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    // MARK: The writer's side

    func send(_ piece: [UInt8]) async -> Bool {
        while true {
            enum Step {
                case done(Bool)
                case wait
            }
            let step = state.withLock { state -> Step in
                guard !state.isClosed else { return .done(false) }
                guard state.bytes < Self.capacity else { return .wait }
                if !piece.isEmpty {
                    state.pieces.append(piece)
                    state.bytes += piece.count
                }
                return .done(true)
            }
            switch step {
            case .done(let isTaken):
                if isTaken { wake() }
                return isTaken
            case .wait: await room()
            }
        }
    }

    private func room() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard !state.isClosed, state.bytes >= Self.capacity else { return true }
                state.writer = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// Ends the answer behind what is there.
    func end() { close { $0.isEnded = true } }

    // MARK: The socket's side

    /// Copies what is there: how much that was, zero where the connection is to be put aside, `nil` at the end.
    func take(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let (count, writer) = state.withLock { state -> (Int?, CheckedContinuation<Void, Never>?) in
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
            guard state.bytes < Self.capacity else { return (taken, nil) }
            defer { state.writer = nil }
            return (taken, state.writer)
        }
        writer?.resume()
        return count
    }

    /// Whether the socket's thread has something to do.
    var isReady: Bool { state.withLock { $0.bytes > 0 || $0.isClosed } }

    /// The reader has gone.
    func abandon() {
        close { state in
            state.isAbandoned = true
            state.pieces = []
            (state.bytes, state.begin) = (0, 0)
        }
    }

    private func close(_ change: (inout State) -> Void) {
        let writer = state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume()
        wake()
    }
}
