/// Pieces that begin at a fixed pace, whatever became of those before: an open load, whose waits hide nothing.
package enum PacedLoad {
    /// Begins `rate` pieces a second for a while; `piece` is told its number and answers how long what counts of it took.
    ///
    /// What counts begins when it is asked for, not when it was due: the load generator's own delay is no part of it.
    package static func run(
        rate: Double,
        for time: Duration,
        _ piece: @escaping @Sendable (_ number: Int) async throws -> Duration
    ) async throws -> Sample {
        let start = ContinuousClock.now
        let count = max(1, Int(rate * time.inSeconds))
        return try await withThrowingTaskGroup(of: Duration.self) { group in
            for number in 0..<count {
                let due = start + .nanoseconds(Int64(Double(number) / rate * 1e9))
                if due > .now { try await Task.sleep(until: due) }
                group.addTask { try await piece(number) }
            }
            var latencies: [Duration] = []
            for try await latency in group { latencies.append(latency) }
            return Sample(count: count, elapsed: start.duration(to: .now), latencies: latencies)
        }
    }
}
