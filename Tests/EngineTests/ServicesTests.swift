import Engine
import EventSourcing
import Kernel
import Telemetry
import Testing

/// Services run until the node drains, whatever one of them meets.
@Suite(.timeLimit(.minutes(1)))
struct ServicesTests {
    private final class Lines: LogSink, Sendable {
        private let kept = Locked<[String]>([])

        func write(_ line: [UInt8]) { kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }

        var all: [String] { kept.withLock { $0 } }
    }

    /// Answers what it was told to, step by step, and nothing to do behind that.
    private final class Told: Service {
        let name = "told"
        let rest: Duration
        let signal = Signal()
        private let steps: Locked<[Result<Int, StoreFailure>]>
        private let count = Locked(0)

        init(_ steps: [Result<Int, StoreFailure>], rest: Duration) {
            self.steps = Locked(steps)
            self.rest = rest
        }

        var runs: Int { count.withLock { $0 } }

        func runOnce() async throws(StoreFailure) -> Int {
            count.withLock { $0 += 1 }
            return try steps.withLock { $0.isEmpty ? .success(0) : $0.removeFirst() }.get()
        }

        func wait(for runs: Int) async throws {
            for _ in 0..<2000 where self.runs < runs { try await Task.sleep(for: .milliseconds(5)) }
            #expect(self.runs == runs)
        }
    }

    private func run(_ service: Told, _ body: () async throws -> Void) async throws -> [String] {
        let lines = Lines()
        let services = Services(log: Logger(sink: lines, now: { Timestamp(seconds: 0) }))
        let running = Task { await services.run(service) }
        try await body()
        services.drain()
        await running.value
        return lines.all
    }

    @Test func `a service goes on at once while it finds work, and rests until it is rung or the node drains`()
        async throws
    {
        let service = Told([.success(3), .success(1), .success(0), .success(2)], rest: .seconds(3600))
        let lines = try await run(service) {
            try await service.wait(for: 3)
            try await Task.sleep(for: .milliseconds(50))
            #expect(service.runs == 3, "it rests")
            service.signal.ring()
            try await service.wait(for: 5)
        }
        #expect(lines.isEmpty)
    }

    @Test func `a service that fails is told of by its name, and tries again`() async throws {
        let away = StoreFailure(.unavailable, detail: "no connection")
        let service = Told([.failure(away), .failure(away)], rest: .seconds(3600))
        let lines = try await run(service) { try await service.wait(for: 3) }
        #expect(lines.count == 2)
        #expect(
            lines.allSatisfy { $0.contains("service waits") && $0.contains("told") && $0.contains("no connection") }
        )
    }

    @Test func `what fails for one of many keeps no other from its step, and is told behind the last`() async {
        var done: [Int] = []
        await #expect(throws: StoreFailure(.corrupt, detail: "2")) {
            try await (1...4).eachByItself { number throws(StoreFailure) in
                guard number % 2 == 1 else { throw StoreFailure(.corrupt, detail: "\(number)") }
                done.append(number)
            }
        }
        #expect(done == [1, 3])
    }

    @Test func `nothing is begun after the node began to drain`() async {
        let service = Told([], rest: .seconds(3600))
        let services = Services(log: Logger(sink: Lines(), now: { Timestamp(seconds: 0) }))
        services.drain()
        await services.run(service)
        #expect(service.runs == 0)
        #expect(services.isDraining)
    }
}
