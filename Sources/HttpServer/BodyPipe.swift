package import Http
import Kernel

/// A streamed body between the socket's thread, which puts pieces in, and the handler, which takes them out.
///
/// It holds at most `capacity` bytes and a piece: a full pipe puts the connection aside, so that the sender waits.
package final class BodyPipe: Sendable {
    private enum End {
        case whole
        case failed(BodyFailure)
    }

    private struct State {
        var pieces: [[UInt8]] = []
        var bytes = 0
        var end: End?
        var reader: CheckedContinuation<Void, Never>?
        /// Whether the connection rests until there is room.
        var isParked = false
        /// The handler has answered: what still comes in is dropped.
        var isAbandoned = false
    }

    static let capacity = 128 * 1024

    private let state = Locked(State())
    private let wake: @Sendable () -> Void

    /// - Parameter wake: lets a parked connection go on; called from the handler's side.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    // MARK: The socket's side

    enum Offer {
        case accepted
        /// The pipe is full: the connection is to be put aside, and will be woken.
        case full
        /// Nobody reads any more.
        case dropped
    }

    func offer(_ piece: UnsafeRawBufferPointer) -> Offer {
        let (offer, reader) = state.withLock { state -> (Offer, CheckedContinuation<Void, Never>?) in
            guard !state.isAbandoned, state.end == nil else { return (.dropped, nil) }
            guard state.bytes < Self.capacity else {
                state.isParked = true
                return (.full, nil)
            }
            unsafe state.pieces.append(Array(piece))
            state.bytes += piece.count
            defer { state.reader = nil }
            return (.accepted, state.reader)
        }
        reader?.resume()
        return offer
    }

    /// Ends the body: whole, or for a reason; only the first end counts.
    func end(_ failure: BodyFailure? = nil) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.end == nil { state.end = failure.map { .failed($0) } ?? .whole }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    /// Whether a piece would not find the pipe full.
    var hasRoom: Bool { state.withLock { $0.isAbandoned || $0.end != nil || $0.bytes < Self.capacity / 2 } }

    // MARK: The handler's side

    /// The next piece; `nil` at the end.
    package func next() async throws(BodyFailure) -> [UInt8]? {
        while true {
            enum Step {
                case piece([UInt8], wakes: Bool)
                case end(End)
                case wait
            }
            let step = state.withLock { state -> Step in
                if !state.pieces.isEmpty {
                    let piece = state.pieces.removeFirst()
                    state.bytes -= piece.count
                    let wakes = state.isParked && state.bytes < Self.capacity / 2
                    if wakes { state.isParked = false }
                    return .piece(piece, wakes: wakes)
                }
                return state.end.map { .end($0) } ?? .wait
            }
            switch step {
            case .piece(let piece, let wakes):
                if wakes { wake() }
                return piece
            case .end(.whole): return nil
            case .end(.failed(let failure)): throw failure
            case .wait: await wait()
            }
        }
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.pieces.isEmpty, state.end == nil else { return true }
                state.reader = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// Nobody reads any more; a connection that rests for want of room goes on and its bytes are dropped.
    func abandon() {
        let wakes = state.withLock { state in
            state.isAbandoned = true
            state.pieces = []
            state.bytes = 0
            defer { state.isParked = false }
            return state.isParked
        }
        if wakes { wake() }
    }
}
