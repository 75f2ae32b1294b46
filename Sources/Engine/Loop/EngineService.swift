import EventSourcing
import Kernel

/// A part of the engine as a service: nothing is done in a log that was restored before its recovery epoch has begun.
struct EngineService: Service {
    let name: String
    let rest: Duration
    let signal: Signal
    private let book: AccountBook
    private let step: @Sendable () async throws(StoreFailure) -> Int

    init(
        _ name: String,
        _ book: AccountBook,
        rest: Duration,
        signal: Signal = Signal(),
        _ step: @escaping @Sendable () async throws(StoreFailure) -> Int
    ) {
        self.name = name
        self.book = book
        self.rest = rest
        self.signal = signal
        self.step = step
    }

    func runOnce() async throws(StoreFailure) -> Int { try await book.inEpoch(step) }
}
