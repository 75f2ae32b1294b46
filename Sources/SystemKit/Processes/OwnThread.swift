import Glibc

/// A thread outside the pool of tasks, for what blocks.
package struct OwnThread: Sendable {
    private let thread: pthread_t

    /// Starts a thread that somebody joins.
    package init(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            nil,
            { work in
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            },
            Unmanaged.passRetained(Work(body)).toOpaque()
        )
        precondition(code == 0, "a thread can be started")
        self.thread = thread
    }

    /// Starts a thread that nobody joins.
    package static func detach(_ body: @escaping @Sendable () -> Void) {
        pthread_detach(OwnThread(body).thread)
    }

    /// Returns when the thread has ended; to be called once.
    package func join() { pthread_join(thread, nil) }

    /// Runs blocking calls while the caller is suspended.
    package static func run<Value, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> sending Value
    ) async throws(Failure) -> sending Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            detach {
                do throws(Failure) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// What a thread runs, as something that C can be handed.
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
