import Decisions
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// Evidence is kept whole or not yet: no member of an answer is replaced by nothing.
struct KeptWholeTests {
    @Test func `an answer that comes while keys are away is kept once it can be sealed, with everything in it`()
        async throws
    {
        let harness = try await EngineHarness()
        let id = try await harness.create(.sale, minor: 1000, key: "away")
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        let keys = harness.keys
        harness.wire.play { _ in
            // The keys go as the answer comes and are back a moment later.
            keys.isAway.withLock { $0 = true }
            Task {
                try? await Task.sleep(for: .milliseconds(200))
                keys.isAway.withLock { $0 = false }
            }
            return .answered(
                .json(
                    200,
                    [
                        "account": ["number": "431422******0056", "token": "7e12077a", "type": "visa"],
                        "operations": [
                            CallbackOperation(id: 1, type: "sale", status: "success", minor: 1000).json
                        ],
                        "payment": ["id": .string(reference), "method": "card", "status": "success"],
                        "project_id": 42,
                    ]
                )
            )
        }
        harness.clock.advance(by: .seconds(60))
        await harness.command(harness.stream(id), PaymentCommand.Name.sync.rawValue, [:])
        try await harness.settle()
        let payment = try await harness.payment(id)
        #expect(payment.status == .captured)
        #expect(payment.instruments.count == 1, "the card's token came with the answer")
        #expect(try await harness.engine.replay.verify().isClean)
    }

    @Test func `an answer kept whole is no answer about a card, a series or bills`() throws {
        let body = KeptWhole.body(Array("sealed".utf8))
        let input = InputRecord(
            id: Uuid(high: 1, low: 1),
            stream: StreamName(MerchantNumber(1), .instrument, Uuid(high: 1, low: 2)),
            kind: .answer,
            name: AnswerName.answered.rawValue,
            meta: Json.compact([("status", 200)]).canonical,
            body: body,
            receivedAt: Timestamp(seconds: 1)
        )
        let meta = try InputMeta(input)
        #expect(try input.answer(meta) == .noAnswer(reason: KeptWhole.reason))
        #expect(
            try input.observation(.operation(.sale), meta) == .sentNoAnswer(.operation(.sale), reason: KeptWhole.reason)
        )
    }
}
