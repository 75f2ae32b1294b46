import Benchmarks
import Kernel
import Testing

/// The arithmetic behind the figures.
struct BenchmarksTests {
    @Test func `a rate counts pieces and a share picks among sorted latencies`() {
        let sample = Sample(
            count: 100,
            elapsed: .seconds(2),
            latencies: (1...100).reversed().map { .microseconds($0) }
        )
        #expect(sample.rate == 50)
        #expect(sample.latency(0.5) == 51)
        #expect(sample.latency(0.99) == 100)
        #expect(sample.latency(1) == 100)
    }

    @Test func `contenders take turns and the median forgets the outlier`() async throws {
        let turns = Locked<[String]>([])
        let counts = Locked([0, 10, 900, 20])
        let contest = try await Contest.run(
            rounds: 3,
            [
                (
                    "left",
                    {
                        turns.withLock { $0.append("left") }
                        return Sample(count: counts.withLock { $0.removeFirst() }, elapsed: .seconds(1))
                    }
                ),
                (
                    "right",
                    {
                        turns.withLock { $0.append("right") }
                        return Sample(count: 1, elapsed: .seconds(1))
                    }
                ),
            ]
        )
        #expect(turns.withLock { $0 } == Array(repeating: ["left", "right"], count: 4).flatMap { $0 })
        #expect(contest.rate("left") == 20, "the first turn only warms up")
    }

    @Test func `every numbered piece is done once`() async throws {
        let done = Locked<[Int]>([])
        let sample = try await ClosedLoad.run(clients: 7, pieces: 3..<103) { number in
            done.withLock { $0.append(number) }
        }
        #expect(sample.count == 100 && sample.latencies.count == 100)
        #expect(done.withLock { $0.sorted() } == Array(3..<103))
    }

    @Test func `a figure is one line of JSON with three digits behind the point`() {
        let figure = Figure("b", "f").with("x", 1.0005).with("y", -0.25).with("n", 7).with("z", Double.infinity)
            .target("t", isMet: false)
        let expected = #"{"bench":"b","figure":"f","x":1.001,"y":-0.250,"n":7,"z":null,"target":"t","met":false}"#
        #expect(figure.line == expected || figure.line == expected.replacing("1.001", with: "1.000"))
    }

    @Test func `the sample event has the size that the targets speak of`() throws {
        #expect(SampleLog.event.count == SampleLog.eventBytes)
        #expect(try Json(SampleLog.event).members != nil)
    }
}
