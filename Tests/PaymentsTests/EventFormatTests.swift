import EventSourcing
import Kernel
import Payments
import TestKit
import Testing

/// The storage format, for ever: a stored event is read by every later version and written as the same bytes.
struct EventFormatTests {
    @Test(arguments: EventSample.all.map(\.name))
    func `an event is written as its golden file says and read back as what it was`(name: String) throws {
        let sample = try #require(EventSample.all.first { $0.name == name })
        let golden = GoldenFile("events/\(name).json", source: Samples.source)
        #expect(golden.difference(from: sample.draft.data + [UInt8(ascii: "\n")]) == nil)
        var stored = try FileBytes.read(golden.path)
        stored.removeLast()
        let draft = EventDraft(type: sample.draft.type, data: stored)
        #expect(try sample.again(draft) == draft)
    }

    @Test func `every event name has a golden file`() {
        let names: [String] =
            PaymentEventName.allCases.map(\.rawValue) + AccountEvent.Name.allCases.map(\.rawValue)
            + RoutingEvent.Name.allCases.map(\.rawValue) + InstrumentEvent.Name.allCases.map(\.rawValue)
            + ArrivalsEvent.Name.allCases.map(\.rawValue) + BillBatchEvent.Name.allCases.map(\.rawValue)
            + ChunkEvent.Name.allCases.map(\.rawValue) + BillEvent.Name.allCases.map(\.rawValue)
            + WebhookEndpointEvent.Name.allCases.map(\.rawValue)
            + PaymentLinkEvent.Name.allCases.map(\.rawValue)
            + MerchantEvent.Name.allCases.map(\.rawValue)
        let covered = Set(EventSample.all.map(\.draft.type))
        #expect(Set(names).symmetricDifference(covered).isEmpty)
        #expect(Set(EventSample.all.map(\.name)).count == EventSample.all.count)
    }

    @Test(arguments: EventSample.all.map(\.name))
    func `an event without one of its members is a codec failure or another event, never a trap`(name: String) throws {
        let sample = try #require(EventSample.all.first { $0.name == name })
        let json = try Json(sample.draft.data)
        for member in json.members?.names ?? [] {
            var object = try #require(json.members)
            object[member] = nil
            let draft = EventDraft(type: sample.draft.type, data: Json.object(object).canonical)
            #expect((try? sample.again(draft)) != sample.draft)
            object[member] = .number(JsonNumber(.max))
            _ = try? sample.again(EventDraft(type: sample.draft.type, data: Json.object(object).canonical))
        }
        #expect(throws: CodecFailure.self) { try PaymentEvent(type: "payment.unknown.v9", data: sample.draft.data) }
    }

    @Test func `payment commands survive their stored form`() throws {
        let operation = OperationId(Samples.uuid(1))
        let dispute = DisputeId(Samples.uuid(2))
        let commands: [PaymentCommand] = [
            .adopt(
                Samples.terms(.sale),
                SeriesDebit(payment: "s", series: "7", amount: .cents(5), outcome: .succeeded, at: nil, operation: "9")
            ),
            .create(Samples.terms(.sale)), .create(Samples.terms(.tokenize)), .confirm(meaning: "success", code: "0"),
            .confirm(
                meaning: "unknown",
                code: "3ds",
                receipt: Receipt("1", [.payee: "Shop"]),
                completion: ["$once": "x"]
            ),
            .capture(amount: nil, reason: nil), .capture(amount: .cents(5), reason: "r"),
            .completeDelivery(details: ["items": []]), .void(amount: .cents(5), reason: nil),
            .refund(amount: nil, capture: nil, reason: nil),
            .refund(amount: .cents(5), capture: operation, reason: "r"), .sync,
            .recordDispute(id: dispute, capture: operation, amount: .cents(5), stage: .lost, reason: "10.4"),
            .recordDispute(
                id: dispute,
                capture: nil,
                amount: .cents(5),
                stage: .opened,
                reason: nil,
                answerBy: Samples.noon
            ),
            .propose(.succeeded(operation, .cents(5)), evidence: "e", seenVersion: 4),
            .addEvidence("statement 27"), .approve(proposal: Samples.uuid(3), seenVersion: 5),
        ]
        for command in commands { #expect(try PaymentCommand(name: command.name, command.json) == command) }
        #expect(Set(commands.map(\.name)).count == PaymentCommand.Name.allCases.count)
    }
}
