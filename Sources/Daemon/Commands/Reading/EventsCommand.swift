import Api
import EventSourcing
import Kernel
import Payments
import Store

/// `paystream events`: the log as it was written.
struct EventsCommand: Command {
    static let name = "events"
    static let summary = "Read the event log, of everything or of one payment, transfer or instrument."
    static let usage = "[--payment ID] [--after POSITION] [--limit N] [--merchant NAME] [--json]"
    static let options = [
        CommandOption("payment", value: "ID", summary: "only the events of this payment, transfer or instrument"),
        CommandOption("after", value: "POSITION", summary: "only events behind this place in the log (default: 0)"),
        CommandOption("limit", value: "N", summary: "events at most (default: 1000)"),
        CommandOption("merchant", value: "NAME", summary: "only this merchant's (default: every merchant's)"),
        PaymentsCommand.jsonOption,
    ]

    private static let page = 500
    private static let standardLimit = 1000

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 0)
        let after = try given.integer("after", in: 0...Int.max) ?? 0
        let limit = try given.integer("limit", in: 1...10_000_000) ?? Self.standardLimit
        let payment = try given["payment"].map { text throws(UsageError) in
            if let id = PaymentId(text) { return (kind: StreamKind.payment, id: id.uuid) }
            if let id = TransferId(text) { return (kind: StreamKind.transfer, id: id.uuid) }
            if let id = InstrumentId(text) { return (kind: StreamKind.instrument, id: id.uuid) }
            throw UsageError("'\(text)' is the id of no payment, transfer or instrument")
        }
        let events = try await StoreSession.with { session in
            if let payment { return try await Self.history(of: payment, after, given, session) }
            return try await Self.log(after, limit, given, session)
        }
        write(events, isJson: given.has("json"))
        return 0
    }

    private static func history(
        of payment: (kind: StreamKind, id: Uuid),
        _ after: Int,
        _ given: ScatteredArguments,
        _ session: StoreSession
    ) async throws -> [RecordedEvent] {
        let stream = StreamName(try await session.merchant(given["merchant"]), payment.kind, payment.id)
        let events = try await session.store.load([(stream, 0)])[0]
        guard !events.isEmpty else { throw CommandFailure("there is no \(Self.name(of: stream))") }
        return events.filter { $0.position > Int64(after) }
    }

    private static func log(_ after: Int, _ limit: Int, _ given: ScatteredArguments, _ session: StoreSession)
        async throws -> [RecordedEvent]
    {
        var merchant: MerchantNumber?
        if let name = given["merchant"] { merchant = try await session.merchant(name) }
        var events: [RecordedEvent] = []
        var position = Int64(after)
        while events.count < limit {
            let page = try await session.store.events(after: position, limit: page).rows
            guard let last = page.last else { break }
            position = last.position
            events += page.filter { merchant == nil || $0.stream.merchant == merchant }
        }
        return Array(events.prefix(limit))
    }

    private func write(_ events: [RecordedEvent], isJson: Bool) {
        guard !isJson else {
            for event in events {
                guard case .object(var line) = EventResource.json(event) else { continue }
                line["stream"] = [
                    "id": event.stream.id.json, "kind": .string("\(event.stream.kind)"),
                    "merchant": .integer(Int64(event.stream.merchant.value)),
                ]
                StandardStream.output.write(Json.object(line).canonicalText + "\n")
            }
            return
        }
        var table = ColumnTable(["POSITION", "RECORDED", "STREAM", "VERSION", "EVENT"], rightAligned: [0, 3])
        for event in events {
            table.add([
                String(event.position), Cell.time(event.recordedAt.json), Self.name(of: event.stream),
                String(event.version), event.type,
            ])
        }
        StandardStream.output.write(table.text(orSay: "no events"))
    }

    private static func name(of stream: StreamName) -> String {
        switch stream.kind {
        case .payment: "\(PaymentId(stream.id))"
        case .transfer: "\(TransferId(stream.id))"
        case .instrument: "\(InstrumentId(stream.id))"
        case .schedule, .billBatch, .bill, .chunk, .account, .routing, .webhookEndpoint, .merchant, .arrivals:
            "\(stream.kind) \(stream.id)"
        }
    }
}
