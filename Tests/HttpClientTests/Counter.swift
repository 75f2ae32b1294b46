import Kernel

/// Counts calls from any thread.
final class Counter: Sendable {
    private let state = Locked(0)

    var value: Int { state.withLock { $0 } }

    /// Counts one more and says yes.
    @discardableResult
    func count() -> Bool {
        state.withLock { $0 += 1 }
        return true
    }
}
