import Glibc

/// A value behind a POSIX mutex.
///
/// `Synchronization.Mutex` makes ThreadSanitizer report false races, so this small lock stands in for it. Never call
/// out while holding it: take what must be done out of the closure and do it afterwards.
package final class Locked<Value>: @unchecked Sendable {
    // Guarded by `mutex`: every access goes through `withLock`.
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        let code = pthread_mutex_init(mutex, nil)
        precondition(code == 0, "a mutex can be made")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the value.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
