import Kernel

/// One round of one contender: how much it did, how long it took, and how long each piece waited.
package struct Sample: Sendable {
    package let count: Int
    package let elapsed: Duration
    /// Ascending; empty where single pieces were not timed.
    package let latencies: [Duration]

    package init(count: Int, elapsed: Duration, latencies: [Duration] = []) {
        self.count = count
        self.elapsed = elapsed
        self.latencies = latencies.sorted()
    }

    /// Pieces per second.
    package var rate: Double { Double(count) / max(elapsed.inSeconds, 1e-9) }

    /// The latency that a share of the pieces did not exceed, in microseconds.
    package func latency(_ share: Double) -> Double {
        guard !latencies.isEmpty else { return 0 }
        let index = min(latencies.count - 1, Int(Double(latencies.count) * share))
        return latencies[index].inSeconds * 1e6
    }
}

extension Duration {
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// The rounds of several contenders, taken in turn so that what disturbs one disturbs all.
package struct Contest: Sendable {
    package private(set) var samples: [String: [Sample]] = [:]

    /// Fewer rounds give no median worth its name.
    package static let rounds = 5

    package typealias Contender = (name: String, run: @Sendable () async throws -> Sample)

    /// Warms each contender up once, then runs all in turn.
    package static func run(rounds: Int = Contest.rounds, _ contenders: [Contender]) async throws -> Contest {
        var contest = Contest()
        for contender in contenders { _ = try await contender.run() }
        for _ in 0..<rounds {
            for contender in contenders {
                contest.samples[contender.name, default: []].append(try await contender.run())
            }
        }
        return contest
    }

    /// The median over the rounds of what `pick` takes from each.
    package func median(_ name: String, _ pick: (Sample) -> Double) -> Double {
        let values = (samples[name] ?? []).map(pick).sorted()
        return values.isEmpty ? 0 : values[values.count / 2]
    }

    package func rate(_ name: String) -> Double { median(name) { $0.rate } }
    package func latency(_ name: String, _ share: Double) -> Double { median(name) { $0.latency(share) } }
}

/// Clients that each do one thing after another for a while.
package enum ClosedLoad {
    /// `piece` is told its client and its number there, and answers how many pieces it was.
    package static func run(
        clients: Int,
        for time: Duration,
        _ piece: @escaping @Sendable (_ client: Int, _ number: Int) async throws -> Int
    ) async throws -> Sample {
        let start = ContinuousClock.now
        let deadline = start + time
        return try await withThrowingTaskGroup(of: (Int, [Duration]).self) { group in
            for client in 0..<clients {
                group.addTask {
                    var count = 0
                    var latencies: [Duration] = []
                    var number = 0
                    while ContinuousClock.now < deadline {
                        let began = ContinuousClock.now
                        count += try await piece(client, number)
                        latencies.append(began.duration(to: .now))
                        number += 1
                    }
                    return (count, latencies)
                }
            }
            var count = 0
            var latencies: [Duration] = []
            for try await (done, times) in group {
                count += done
                latencies += times
            }
            return Sample(count: count, elapsed: start.duration(to: .now), latencies: latencies)
        }
    }

    /// Does `count` numbered pieces once, spread over clients.
    package static func run(
        clients: Int,
        pieces: Range<Int>,
        _ piece: @escaping @Sendable (_ number: Int) async throws -> Void
    ) async throws -> Sample {
        let next = Locked(pieces.lowerBound)
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: [Duration].self) { group in
            for _ in 0..<clients {
                group.addTask {
                    var latencies: [Duration] = []
                    while true {
                        let number = next.withLock { next -> Int? in
                            guard next < pieces.upperBound else { return nil }
                            defer { next += 1 }
                            return next
                        }
                        guard let number else { return latencies }
                        let began = ContinuousClock.now
                        try await piece(number)
                        latencies.append(began.duration(to: .now))
                    }
                }
            }
            var latencies: [Duration] = []
            for try await times in group { latencies += times }
            return Sample(count: pieces.count, elapsed: start.duration(to: .now), latencies: latencies)
        }
    }
}
