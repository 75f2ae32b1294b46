import Dispatch

/// Runs blocking calls on a thread outside the cooperative pool while the caller is suspended.
package enum OwnThread {
    package static func run<Value, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> sending Value
    ) async throws(Failure) -> sending Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(Failure) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
