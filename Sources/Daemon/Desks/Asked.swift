import Api
import EventSourcing

/// Reads from the store for the API, which hears of a failure in its own words.
func asked<Value: Sendable>(_ body: () async throws(StoreFailure) -> Value) async throws(ReadFailure) -> Value {
    do throws(StoreFailure) { return try await body() } catch { throw ReadFailure(error.detail) }
}
