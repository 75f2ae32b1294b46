import Glibc
import Http
import Kernel
import SystemKit
import TestKit
import Testing

/// Who watches over the daemon is answered at once, whatever else it does.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct ProbeFairnessTests {
    /// Sixteen chunks at once: no other decision that clients ask for reads so much, for each reads a page of bills.
    ///
    /// They are small and ten minutes apart, so that little follows from the decisions.
    private static let bills: Json = ["perCall": 5, "callsInFlight": 16, "spacingMs": 600_000]

    private static let mapping: Json = [
        "name": "plain", "format": "ndjson", "amounts": "minor", "zone": "UTC", "delayDays": 2,
        "columns": ["amount": "sum", "at": "when", "currency": "iso", "kind": "what", "providerReference": "op"],
        "kinds": ["out": "payout"],
    ]

    @Test func `long uploads, long decisions and a replay of the log hold up no answer to a probe`() async throws {
        try await Stage.run("e2eprobes") { stage, daemon in
            let port = try #require(UInt16(daemon.port))
            let source = try await stage.addBills(daemon, Self.bills)
            let place = "/v1/accounts/\(Stage.account)/settlement-mapping"
            try await stage.call(daemon, .put, place, Self.mapping)
            let work = Work(stage: stage, daemon: daemon, source: source)
            // The replay and the export have something long to read from the beginning.
            let first = try await work.batch("first")
            let isOver = Locked(false)
            let probing = Task { await OwnThread.run { () throws(Never) in Self.ask(port, until: isOver) } }
            let outcome: Result<Duration, any Error>
            do { outcome = .success(try await work.run(beside: first)) } catch { outcome = .failure(error) }
            isOver.withLock { $0 = true }
            let answers = await probing.value
            let took = try outcome.get()

            let times = answers.map(\.took).sorted()
            let median = try #require(times.dropFirst(times.count / 2).first)
            let slowest = try #require(times.last)
            let steps = work.slowest.withLock { $0 }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            let told = """
                \(answers.count) answers within \(took), the median took \(median) and the slowest \(slowest); \
                the slowest steps of the work: \(steps.joined(separator: ", "))
                """
            let odd = answers.filter { !$0.line.hasPrefix("HTTP/1.1 200 ") }.map { "\($0.path): '\($0.line)'" }
            #expect(odd.isEmpty, "\(odd.prefix(5)), \(told)")
            // There was something to wait for: work that lasts, and single requests that last longer than a probe.
            let upload = work.slowest.withLock { $0["upload"] ?? .zero }
            #expect(took >= .seconds(1) && upload > median, "\(told)")
            // Machines that run tests are slow and busy, and other suites run beside this one. So these are no promises
            // of how fast an answer is: they are missed only where probes wait until the work beside them has ended.
            #expect(answers.count >= 10, "\(told)")
            #expect(median < .seconds(1), "\(told)")
            #expect(slowest < .seconds(5), "\(told)")
        }
    }

    // MARK: The probe

    /// Asks for both paths in turn until it is over.
    ///
    /// It blocks a thread of its own, so that no time is counted for which this process lets its tasks wait.
    private static func ask(_ port: UInt16, until isOver: Locked<Bool>) -> [ProbeAnswer] {
        var answers: [ProbeAnswer] = []
        while !isOver.withLock({ $0 }) {
            for path in ["/healthz", "/readyz"] {
                let begun = ContinuousClock.now
                let line = PlainSocket.firstLine(of: path, port)
                answers.append(ProbeAnswer(path: path, line: line, took: begun.duration(to: .now)))
                usleep(20_000)
            }
        }
        return answers
    }
}

private struct ProbeAnswer: Sendable {
    let path: String
    /// The first one of the answer, with its status.
    let line: String
    let took: Duration
}

/// What is done beside the probe, and how long the slowest of each of its steps took.
private struct Work: Sendable {
    /// Three times 7500 bills are some 20 000, in pages of 500.
    private static let lanes = 3
    private static let bills = 7500
    private static let fileLines = 5000
    /// So long each part of the work begins anew; on a slow machine the first time takes longer than this.
    private static let time = Duration.seconds(3)

    let stage: Stage
    let daemon: DaemonProcess
    let source: Stage.BillSource
    let slowest = Locked<[String: Duration]>([:])

    /// Does everything at once, again and again; answers how long it took.
    func run(beside first: String) async throws -> Duration {
        let begun = ContinuousClock.now
        let end = begun + Self.time
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 1...Self.lanes { group.addTask { try await pay(lane, until: end) } }
            group.addTask { try await settle(until: end) }
            group.addTask { try await export(first, until: end) }
            group.addTask { try await replay(until: end) }
            try await group.waitForAll()
        }
        return begun.duration(to: .now)
    }

    /// Makes a batch, uploads its bills and submits it, which is the long decision.
    func batch(_ name: String) async throws -> String {
        let ids = (1...Self.bills).map { "\(name)-\($0)" }
        let id = try await stage.newBatch(daemon, source, name: name)
        try await timed("upload") { try await stage.upload(daemon, id, ids) }
        let demanded: Json = [
            "count": .integer(Int64(ids.count)), "total": Stage.hryvnias(1000 * Int64(ids.count)),
        ]
        let path = "/v1/bill-batches/\(id)/submit"
        try await timed("decision") {
            try await stage.call(daemon, .post, path, demanded, key: "\(name)-submit")
        }
        return id
    }

    private func pay(_ lane: Int, until end: ContinuousClock.Instant) async throws {
        var round = 0
        repeat {
            round += 1
            _ = try await batch("lane-\(lane)-\(round)")
        } while ContinuousClock.now < end
    }

    /// Imports settlement files: one transaction each, from its upload to its last line.
    private func settle(until end: ContinuousClock.Instant) async throws {
        var number = 0
        repeat {
            number += 1
            let file = Self.file(number)
            let answer = try await timed("import") {
                try await stage.bring(daemon, file, type: "application/x-ndjson")
            }
            guard answer.status == 201 else { throw Stage.Failure(description: "\(answer)") }
        } while ContinuousClock.now < end
    }

    /// Reads all bills of a batch; the daemon itself offers no longer history than this.
    private func export(_ batch: String, until end: ContinuousClock.Instant) async throws {
        let headers = HttpHeaders([
            ("Authorization", "Bearer " + stage.token), ("Accept", "application/x-ndjson"),
        ])
        let list = "\(daemon.address)/v1/bill-batches/\(batch)/bills?limit=1000&after="
        repeat {
            try await timed("export") {
                var next: String? = "0"
                while let after = next {
                    let page = try await stage.send(.get, list + after, headers, [])
                    guard page.status == 200 else { throw Stage.Failure(description: "an export: \(page.status)") }
                    next = page.headers["Paystream-Next"]
                }
            }
            try await Task.sleep(for: .milliseconds(20))
        } while ContinuousClock.now < end
    }

    /// Decides the whole log again beside the daemon, in a process of its own on the same database.
    private func replay(until end: ContinuousClock.Instant) async throws {
        repeat { try await timed("replay") { try await stage.verifyReplay() } } while ContinuousClock.now < end
    }

    @discardableResult
    private func timed<Value: Sendable>(_ name: String, _ step: () async throws -> Value) async throws -> Value {
        let begun = ContinuousClock.now
        let value = try await step()
        let took = begun.duration(to: .now)
        slowest.withLock { $0[name] = max($0[name] ?? .zero, took) }
        return value
    }

    /// Payouts that no other file tells of.
    private static func file(_ number: Int) -> [UInt8] {
        let lines = (1...fileLines).map { line in
            #"{"what":"out","op":"P-\#(number)-\#(line)","sum":100,"iso":"EUR","when":"2026-11-20T12:00:00Z"}"# + "\n"
        }
        return Array(lines.joined().utf8)
    }
}
