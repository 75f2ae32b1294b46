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

    /// What `wrk` 4.1.0 prints, with one line among the sums.
    private func printed(_ p99: String = "43.10ms", more: String = "") -> String {
        """
        Running 2s test @ http://127.0.0.1:40123
          2 threads and 64 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency    24.08ms   10.67ms  93.99ms   99.00%
            Req/Sec     1.32k   150.26     1.62k    68.29%
          Latency Distribution
             50%   22.05ms
             75%   29.35ms
             90%   37.03ms
             99%   \(p99)
          5310 requests in 2.01s, 1.92MB read
        \(more)Requests/sec:   2640.83
        Transfer/sec:      0.95MB

        """
    }

    @Test(arguments: [("850.00us", 0.85), ("43.10ms", 43.1), ("1.02s", 1020.0), ("1.50m", 90_000.0)])
    func `the report of wrk has a rate, and its p99 in milliseconds`(p99: String, milliseconds: Double) throws {
        let report = try WrkReport(printed(p99))
        #expect(report.perSecond == 2640.83)
        #expect(abs(report.p99Milliseconds - milliseconds) < 1e-6)
    }

    @Test(arguments: ["Non-2xx or 3xx responses: 7", "Socket errors: connect 0, read 3, write 0, timeout 0"])
    func `a report of wrk with refusals or broken connections is no result`(line: String) {
        #expect(throws: WrkReport.Unusable(line)) { try WrkReport(printed(more: "  \(line)\n")) }
    }

    @Test func `what is no report of wrk is no result`() {
        for text in ["", "unable to connect to 127.0.0.1:1 Connection refused\n", printed("9.99y")] {
            #expect(throws: WrkReport.Unusable.self) { try WrkReport(text) }
        }
    }

    @Test func `the sample event has the size that the targets speak of`() throws {
        #expect(SampleLog.event.count == SampleLog.eventBytes)
        #expect(try Json(SampleLog.event).members != nil)
    }
}
