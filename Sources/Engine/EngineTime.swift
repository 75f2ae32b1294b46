/// The clock that only runs forward, and waiting by it, as the engine's loops use them.
package struct EngineTime: Sendable {
    package let now: @Sendable () -> ContinuousClock.Instant
    /// Waits; returns early when the task is cancelled.
    package let sleep: @Sendable (Duration) async -> Void

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (Duration) async -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The machine's own.
    package static let machine = EngineTime(now: { .now }, sleep: { try? await Task.sleep(for: $0) })
}
