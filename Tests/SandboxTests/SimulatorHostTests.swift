import Glibc
import Kernel
import Sandbox
import Testing

/// The journal, and the host that writes it.
struct SimulatorHostTests {
    private static func configuration(_ startedAt: Timestamp = SimulatorDriver.start) -> EcommpaySimulator.Configuration
    {
        var project = EcommpayProject(id: 42, secret: SimulatorDriver.secret)
        project.callbackUrl = SimulatorDriver.callbackUrl
        var settings = EcommpaySimulator.Configuration(
            merchants: [project],
            address: "http://127.0.0.1:1",
            startedAt: startedAt
        )
        settings.timings.execution = .milliseconds(1)
        settings.timings.speed = 1000
        return settings
    }

    private static func temporaryPath() -> String {
        var name = Array("/tmp/paystream-sandbox-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        close(file)
        let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        unlink(path)
        return path
    }

    @Test(arguments: [
        SandboxInput.request(
            SandboxRequest(method: "POST", path: "/a/%20b", query: "x=1&y=%3B", body: [0, 255, 10], wantsPage: true)
        ),
        .request(SandboxRequest(method: "GET", path: "/payment")), .timeReached, .resumed,
        .deliveryEnded(DeliveryAttempt(delivery: 7, number: 3), .status(503)),
        .deliveryEnded(DeliveryAttempt(delivery: 7, number: 1), .noAnswer),
    ])
    func `every input survives its line`(input: SandboxInput) {
        let time = Timestamp(microseconds: 1_800_000_000_123_456)
        let line = input.line(at: time)
        #expect(!line.contains(UInt8(ascii: "\n")))
        var read = Timestamp.epoch
        #expect(SandboxInput(line: line, time: &read) == input)
        #expect(read == time)
    }

    /// Feeds a history into a simulator, through a journal where one is given.
    private static func history(_ path: String, cutAt: Int? = nil) throws -> EcommpaySimulator {
        var simulator = EcommpaySimulator(configuration())
        let journal = try SandboxJournal(path: path, startedAt: SimulatorDriver.start, fingerprint: "f") { _, _ in }
        var driver = SimulatorDriver()
        let query = SimulatorDriver.signedQuery(SimulatorDriver.parameters("a", amount: 7711))
        _ = driver.simulator
        driver.now = SimulatorDriver.start
        let inputs: [SandboxInput] = [
            .request(SandboxRequest(method: "GET", path: "/payment", query: query)), .timeReached, .timeReached,
            .timeReached,
            .request(
                SandboxRequest(
                    method: "POST",
                    path: "/v2/payment/refund",
                    body: SimulatorDriver.gateBody("a", [SimulatorDriver.sum(700, refundId: "r")])
                )
            ),
            .timeReached,
        ]
        for (index, input) in inputs.enumerated() {
            let time = SimulatorDriver.start.adding(.seconds(Int64(index)))
            try journal.write(input, at: time)
            _ = simulator.take(input, at: time)
        }
        return simulator
    }

    @Test func `a journal gives back the same money, payments and callbacks`() throws {
        let path = SimulatorHostTests.temporaryPath()
        defer { unlink(path) }
        let before = try SimulatorHostTests.history(path)
        #expect(before.ledger.entries.count == 2)
        var after = EcommpaySimulator(SimulatorHostTests.configuration())
        _ = try SandboxJournal(path: path, startedAt: SimulatorDriver.start, fingerprint: "f") {
            _ = after.take($0, at: $1)
        }
        #expect(after.ledger == before.ledger)
        #expect(after.payments == before.payments)
        #expect(after.callbacks == before.callbacks)
    }

    @Test func `a torn last line is cut off, and the journal goes on behind it`() throws {
        let path = SimulatorHostTests.temporaryPath()
        defer { unlink(path) }
        _ = try SimulatorHostTests.history(path)
        let file = open(path, O_WRONLY | O_APPEND)
        _ = write(file, #"{"t":18000000"#, 13)
        close(file)
        var count = 0
        func read() throws {
            count = 0
            let journal = try SandboxJournal(path: path, startedAt: SimulatorDriver.start, fingerprint: "f") { _, _ in
                count += 1
            }
            try journal.write(.timeReached, at: SimulatorDriver.start)
        }
        try read()
        #expect(count == 6)
        try read()
        #expect(count == 7)
    }

    @Test func `another configuration, another file and a damaged line are refused`() throws {
        let path = SimulatorHostTests.temporaryPath()
        defer { unlink(path) }
        func failure(_ fingerprint: String = "f") -> SandboxJournalFailure.Code? {
            do throws(SandboxJournalFailure) {
                _ = try SandboxJournal(path: path, startedAt: .epoch, fingerprint: fingerprint) { _, _ in }
                return nil
            } catch { return error.code }
        }
        _ = try SimulatorHostTests.history(path)
        #expect(failure("g") == .otherConfiguration)
        #expect(failure() == nil)
        let damaged = open(path, O_WRONLY | O_APPEND)
        _ = write(damaged, "{}\n{}\n", 6)
        close(damaged)
        #expect(failure() == .damaged)
        let other = open(path, O_WRONLY | O_TRUNC)
        _ = write(other, "{}\n", 3)
        close(other)
        #expect(failure() == .notAJournal)
    }

    @Test func `the host posts callbacks when they are due and repeats what nobody accepted`() async throws {
        let replies = Locked<[DeliveryReply]>([.status(500), .noAnswer, .status(200)])
        let (attempts, told) = AsyncStream<DeliveryAttempt>.makeStream()
        let simulator = EcommpaySimulator(SimulatorHostTests.configuration(.epoch))
        let host = SimulatorHost(simulator, journal: nil) { delivery in
            told.yield(delivery.attempt)
            return replies.withLock { $0.isEmpty ? .status(200) : $0.removeFirst() }
        }
        let loop = Task { await host.run() }
        let query = SimulatorDriver.signedQuery(SimulatorDriver.parameters("a", amount: 7700))
        #expect(await host.answer(SandboxRequest(method: "GET", path: "/payment", query: query)).status == 303)
        var seen: [Int] = []
        for await attempt in attempts {
            seen.append(attempt.number)
            if seen.count == 3 { break }
        }
        #expect(seen == [1, 2, 3])
        loop.cancel()
        await loop.value
        #expect(await host.state.ledger.entries.count == 1)
    }
}
