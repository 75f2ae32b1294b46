import Daemon
import EventSourcing
import Http
import HttpClient
import Kernel
import Postgres
import Telemetry
import TestKit
import Testing

/// Known failure 22, billing that stalls without anybody noticing: the operator hears of a schedule that is overdue.
@Suite(.timeLimit(.minutes(2)))
struct OverdueTests {
    /// Keeps the lines that a test asks for.
    private final class Lines: LogSink, Sendable {
        private let kept = Locked<[String]>([])

        func write(_ line: [UInt8]) { kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }

        func count(_ message: String) -> Int { kept.withLock { $0.count { $0.contains(message) } } }
    }

    private func figure(_ harness: NodeHarness, _ client: HttpClient) async throws -> String? {
        let request = OutgoingRequest(
            method: .get,
            url: harness.node.address + "/metrics",
            headers: HttpHeaders(),
            body: [],
            deadline: .seconds(10)
        )
        guard case .answered(let response) = await client.send(request) else { return nil }
        let page = String(decoding: response.body, as: UTF8.self)
        let line = page.split(separator: "\n").first { $0.hasPrefix("paystream_schedules_overdue") }
        return line.map { String($0.split(separator: " ").last ?? "") }
    }

    @Test
    func `an overdue schedule shows as a figure and is told by the log, once, and so is that it is none any more`()
        async throws
    {
        let lines = Lines()
        let client = HttpClient()
        try await NodeHarness.run("overdue", log: lines) { harness in
            func wait(for number: String, _ message: String) async throws {
                for _ in 0..<1200 {
                    if try await figure(harness, client) == number, lines.count(message) > 0 { return }
                    try await Task.sleep(for: .milliseconds(25))
                }
                Issue.record("never \(number): \(try await figure(harness, client) ?? "no figure")")
            }
            #expect(try await figure(harness, client) == "0")
            // As a schedule stands whose timer was fired and whose input nobody could decide.
            try await harness.backend.execute(
                """
                INSERT INTO paystream.schedule_view (merchant, id, version, pos, status, next_at, account, kind,
                    runner, collected, paid, created_at, updated_at, document)
                VALUES ($1, $2, 1, 1, 'active', now() - interval '5 minutes', $2, 'regular', 'paystream', 0, 0,
                        now(), now(), '{}')
                """,
                [.int32(harness.merchant.value), .uuid(Uuid(high: 1, low: 1))]
            )
            try await wait(for: "1", "schedules are overdue")
            try await harness.backend.execute("DELETE FROM paystream.schedule_view")
            try await wait(for: "0", "no schedule is overdue any more")
            #expect(lines.count("schedules are overdue") == 1)
        }
        await client.stop()
    }
}
