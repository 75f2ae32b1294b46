import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// What other payment systems got wrong between decision and wire, one regression each, named after the report.
struct KnownFailureEngineTests {
    @Test func `hyperswitch 1471: a request that can't be built leaves no trace of having been begun`() async throws {
        let harness = try await EngineHarness(settings: ["currencies": ["USD"], "projectId": 42])
        await #expect(throws: HarnessFailure.self) { try await harness.create(.sale, minor: 1999, key: "k-1471") }
        #expect(harness.store.effectCount == 0)
        #expect(harness.wire.sent.isEmpty)
        let stream = harness.stream(
            PaymentId(.version5(namespace: CommandIntake.inputId(harness.merchant, key: "k-1471"), name: "payment"))
        )
        #expect(try await harness.store.load([(stream, 0)])[0].isEmpty)
    }

    @Test func `killbill-adyen 138: what a notification says is in the payment's own log when it is kept`() async throws
    {
        let harness = try await EngineHarness()
        let id = try await harness.create(.sale, minor: 1999, key: "k-138")
        try await harness.deliver(
            id,
            CallbackOperation(id: 1, type: "sale", status: "success", minor: 1999),
            status: "success"
        )
        let events = try await harness.store.load([(harness.stream(id), 0)])[0]
        #expect(events.contains { $0.type.contains("operation") })
        #expect(try await harness.payment(id).status == .captured)
        #expect(try await harness.engine.replay.verify().isClean)
    }

    @Test func `odoo 150102: a decision that is made again after a conflict sends its message once`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("k-150102", minor: 1999)
        harness.wire.play { _ in .sentNoAnswer(NoAnswer(.deadline)) }
        let neighbour = harness.neighbour()
        async let here = harness.command(harness.stream(id), "payment.capture", [:], key: "capture")
        async let there = harness.command(harness.stream(id), "payment.capture", [:], key: "capture", at: neighbour)
        _ = await (here, there)
        try await harness.settle()
        #expect(harness.wire.sent.filter { $0.url.hasSuffix("/capture") }.count == 1)
        #expect(try await harness.payment(id).operations.count { $0.kind == .capture } == 1)
    }
}
