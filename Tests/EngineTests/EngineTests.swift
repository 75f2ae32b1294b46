import Engine
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

struct EngineTests {
    @Test func `a created payment waits for its payer and has no effect to send`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.create(.sale, minor: 1999, key: "k1")
        let payment = try await harness.payment(id)
        #expect(payment.status == .requiresAction)
        #expect(harness.store.effectCount == 0)
        #expect(payment.handovers.count == 1)
    }

    @Test func `an authorized payment is captured once and replays byte for byte`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("k2", minor: 1999)
        #expect(try await harness.payment(id).status == .authorized)
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        harness.wire.play { _ in CallbackOperation.accepted(reference) }
        await harness.command(harness.stream(id), "payment.capture", [:])
        try await harness.settle()
        #expect(harness.wire.sent.map(\.url) == ["https://api.ecommpay.com/v2/payment/card/capture"])
        try await harness.deliver(
            id,
            CallbackOperation(id: 2, type: "capture", status: "success", minor: 1999),
            status: "success"
        )
        let payment = try await harness.payment(id)
        #expect(payment.status == .captured)
        #expect(payment.amounts.captured == 1999)
        #expect(harness.store.effectCount == 0)
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
        #expect(report.decisions >= 5)
    }

    @Test func `a lost answer to a capture is followed by a question and never by a second capture`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("k3")
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        harness.wire.play { request in
            guard request.url.hasSuffix("/status") else { return .sentNoAnswer(NoAnswer(.deadline)) }
            return CallbackOperation.statusAnswer(
                [
                    CallbackOperation(id: 1, type: "auth", status: "success", minor: 1000),
                    CallbackOperation(id: 2, type: "capture", status: "success", minor: 1000),
                ],
                reference: reference,
                status: "success"
            )
        }
        await harness.command(harness.stream(id), "payment.capture", [:])
        try await harness.settle()
        let payment = try await harness.payment(id)
        #expect(harness.wire.sent.filter { $0.url.hasSuffix("/capture") }.count == 1)
        #expect(harness.wire.sent.filter { $0.url.hasSuffix("/status") }.count == 1)
        #expect(payment.status == .captured)
        #expect(payment.amounts.captured == 1000)
    }

    @Test func `an effect whose sender died after the mark is observed as sent without an answer`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("k4")
        await harness.command(harness.stream(id), "payment.capture", [:])
        let marked = try await harness.engine.sender.prepare()
        #expect(marked.count == 1)
        harness.clock.advance(by: .seconds(60))
        harness.wire.play { _ in .sentNoAnswer(NoAnswer(.deadline)) }
        try await harness.settle()
        let capture = try #require(try await harness.payment(id).operations.last)
        #expect(capture.state == .indeterminate)
        #expect(harness.wire.sent.allSatisfy { $0.url.hasSuffix("/status") })
    }

    /// An authorized payment whose capture is licensed.
    private func licensedCapture(_ key: String) async throws -> (EngineHarness, PaymentId) {
        let harness = try await EngineHarness()
        let id = try await harness.authorized(key)
        await harness.command(harness.stream(id), "payment.capture", [:])
        return (harness, id)
    }

    private static let captured = CallbackOperation(id: 2, type: "capture", status: "success", minor: 1000)

    private func revocations(_ harness: EngineHarness, _ id: PaymentId) async throws -> Int {
        try await harness.store.load([(harness.stream(id), 0)])[0].count { $0.type == "dispatch.revoked.v1" }
    }

    @Test func `evidence that closes an operation revokes its message before that is sent`() async throws {
        let (harness, id) = try await licensedCapture("k6")
        try await harness.deliver(id, Self.captured, status: "success")
        #expect(harness.wire.sent.isEmpty)
        #expect(try await revocations(harness, id) == 1)
        #expect(harness.store.effectCount == 0)
        #expect(try await harness.payment(id).status == .captured)
        #expect(try await harness.engine.replay.verify().isClean)
    }

    @Test(arguments: [true, false])
    func `a message on the wire when evidence closes its operation keeps its own outcome`(
        _ isAnswered: Bool
    ) async throws {
        let (harness, id) = try await licensedCapture("k7")
        let marked = try await harness.engine.sender.prepare()
        #expect(marked.count == 1)
        try await harness.deliver(id, Self.captured, status: "success")
        #expect(harness.store.effectCount == 1)
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        harness.wire.play { _ in
            isAnswered ? CallbackOperation.accepted(reference) : .sentNoAnswer(NoAnswer(.deadline))
        }
        await harness.engine.sender.send(marked[0])
        try await harness.settle()
        let dispatch = try #require(try await harness.payment(id).operations.last?.dispatches.first)
        #expect(dispatch.outcome == (isAnswered ? .accepted : .unknown(reason: "deadline")))
        #expect(try await revocations(harness, id) == 0)
        #expect(harness.store.effectCount == 0)
        #expect(try await harness.payment(id).amounts.captured == 1000)
    }

    @Test func `a timer that fires before this node's clock reaches it is decided at its own time`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.create(.sale, minor: 1000, key: "k5")
        let expiry = try #require(try await harness.payment(id).terms?.expiresAt)
        let input = InputRecord(
            id: Uuid(high: 1, low: 1),
            stream: harness.stream(id),
            kind: .timer,
            name: "timer",
            meta: Json.object(JsonObject([("at", expiry.json), ("clock", 1)])).canonical,
            body: [],
            receivedAt: harness.clock.now
        )
        #expect(harness.clock.now < expiry)
        _ = await harness.engine.decisions.decide([Work(input: input, fence: nil)])
        #expect(try await harness.payment(id).expiryReached)
    }
}
