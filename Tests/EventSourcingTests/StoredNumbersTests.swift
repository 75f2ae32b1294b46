import EventSourcing
import Kernel
import Testing

/// Numbers and names that are in every database: a changed one would make old rows mean something else.
struct StoredNumbersTests {
    @Test func `the kinds of streams keep their numbers`() {
        let stored = StreamKind.allCases.map { "\($0) \($0.rawValue)" }
        #expect(
            stored == [
                "payment 1", "instrument 2", "schedule 3", "billBatch 4", "bill 5", "chunk 6", "transfer 7",
                "account 8",
                "routing 9", "webhookEndpoint 10", "merchant 11", "arrivals 12", "paymentLink 13",
            ]
        )
    }

    @Test func `the kinds of inputs keep their numbers`() {
        let stored = InputKind.allCases.map { "\($0) \($0.rawValue)" }
        #expect(
            stored == [
                "command 1", "answer 2", "notification 3", "browserReturn 4", "claim 5", "timer 6", "imported 7",
            ]
        )
    }

    @Test func `a command's input id is made of the same text for ever`() {
        #expect(InputNames.namespace.description == "70617973-7472-5ea0-8000-000000000001")
        #expect(InputNames.command(merchant: MerchantNumber(7), key: "order-1") == "command:7:order-1")
    }
}
