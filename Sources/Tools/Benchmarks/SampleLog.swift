import EventSourcing
import Kernel

/// Units of work whose sizes are those of a payment's, made from numbers.
package struct SampleLog: Sendable {
    /// Sets one run's names apart from those of another on the same database.
    private let run: UInt64

    package init(run: UInt64) { self.run = run }

    /// An event of 600 bytes, as a payment's creation is.
    package static let eventBytes = 600

    /// A JSON object of exactly `eventBytes` bytes.
    package static let event: [UInt8] = {
        let head = Array(
            #"{"account":{"id":"d96709dc-083b-5c84-b9ef-c3bffe38ec64","mode":"test","name":"bench","provider":"ecommpay","version":1},"terms":{"amount":{"currency":"EUR","value":7700},"customer":"customer-7","details":{"payer":{"email":"#
                .utf8
        )
        let tail = Array(
            #""}},"expiresAt":"2026-11-22T05:56:12.506013Z","metadata":{},"method":"hosted","mode":"sale"}}"#.utf8
        )
        let filling = [UInt8](repeating: UInt8(ascii: "e"), count: eventBytes - head.count - tail.count - 1)
        return head + [UInt8(ascii: "\"")] + filling + tail
    }()

    private func id(_ kind: UInt64, _ number: UInt64) -> Uuid {
        var generator = SplitMix64(seed: run &+ kind &* 0x9E37_79B9_7F4A_7C15 &+ number)
        return Uuid(high: generator.next(), low: generator.next())
    }

    /// The fast path's unit for a new stream: input, decision, `events` events and, if asked, one effect.
    func unit(_ number: Int, events: Int, hasEffect: Bool) -> CommitUnit {
        let number = UInt64(number)
        let stream = StreamName(MerchantNumber(1), .payment, id(1, number))
        let now = Timestamp(seconds: 1_800_000_000)
        let input = InputRecord(
            id: id(2, number),
            stream: stream,
            kind: .command,
            name: "payment.create",
            meta: Array(
                #"{"account":"d96709dc-083b-5c84-b9ef-c3bffe38ec64","actor":{"id":"bench","operator":false}}"#.utf8
            ),
            body: Self.event,
            receivedAt: now
        )
        let effect = NewEffect(
            id: id(3, number),
            account: id(4, 0),
            ordinal: 1,
            template: Self.event,
            // Far ahead: no sender takes it while the bench runs.
            notBefore: now.adding(.seconds(1_000_000_000)),
            sendBefore: now.adding(.seconds(1_000_000_600)),
            deadline: .seconds(30)
        )
        return CommitUnit(
            stream: stream,
            input: .new(input),
            record: DecisionRecord(
                baseVersion: 0,
                context: Array(#"{"now":"2026-11-21T05:56:12.506013Z","publicUrl":"http://127.0.0.1:8080"}"#.utf8),
                versions: Array(#"{"build":"bench","of":{"adapter":1,"currencies":1,"decider":1,"tables":1}}"#.utf8),
                outcome: .events(events)
            ),
            events: (0..<events).map { _ in EventDraft(type: "payment.created.v1", data: Self.event) },
            commandMac: [UInt8](repeating: 7, count: 33),
            effects: hasEffect ? [.create(effect)] : []
        )
    }
}
