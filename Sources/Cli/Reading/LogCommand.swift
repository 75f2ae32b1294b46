import Api
import EventSourcing
import Kernel
import Payments
import Store
import SystemKit

/// `paystream log`: the log as it was written.
struct LogCommand: Command {
    static let name = "log"
    static let summary = "Read the event log, of everything or of one payment, transfer or instrument."
    static let usage = "[--payment ID] [--after POSITION] [--limit N] [--follow] [--merchant NAME] [--json]"
    static let options = [
        CommandOption("payment", value: "ID", summary: "only the events of this payment, transfer or instrument"),
        CommandOption("after", value: "POSITION", summary: "only events behind this place in the log (default: 0)"),
        CommandOption("limit", value: "N", summary: "events at most (default: 1000)"),
        CommandOption("follow", letter: "f", summary: "go on with what is recorded from now on, until Ctrl-C"),
        CommandOption("merchant", value: "NAME", summary: "only this merchant's (default: every merchant's)"),
        PaymentsCommand.jsonOption,
    ]

    /// How often whoever follows looks.
    private static let pause = Duration.milliseconds(250)
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
        try await StoreSession.with { session in
            var source = EventSource(session.store, after: Int64(after))
            if let payment {
                source.stream = StreamName(try await session.merchant(given["merchant"]), payment.kind, payment.id)
            } else if let name = given["merchant"] {
                source.merchant = try await session.merchant(name)
            }
            try await Self.tell(&source, given, atMost: limit)
        }
        return 0
    }

    /// Writes page after page; whoever follows goes on at the end of the log.
    private static func tell(_ source: inout EventSource, _ given: ScatteredArguments, atMost limit: Int) async throws {
        let (isFollowing, isJson) = (given.has("follow"), given.has("json"))
        var left = isFollowing && given["limit"] == nil ? Int.max : limit
        var table = ColumnTable(["POSITION", "RECORDED", "STREAM", "VERSION", "EVENT"], rightAligned: [0, 3])
        var isSilent = true
        while left > 0 {
            let events = try await source.next().prefix(left)
            guard !events.isEmpty else {
                if isSilent, let stream = source.stream { throw CommandFailure("there is no \(name(of: stream))") }
                guard isFollowing else { break }
                try await Task.sleep(for: pause)
                continue
            }
            (isSilent, left) = (false, left - events.count)
            for event in events where !isJson { table.add(cells(event)) }
            StandardStream.output.write(isJson ? events.map(line).joined() : table.take())
        }
        if isSilent, !isJson { StandardStream.output.write("no events\n") }
    }

    private static func cells(_ event: RecordedEvent) -> [String] {
        [
            String(event.position), Cell.time(event.recordedAt), name(of: event.stream), String(event.version),
            event.type,
        ]
    }

    private static func line(_ event: RecordedEvent) -> String {
        guard case .object(var line) = EventResource.json(event) else { return "" }
        line["stream"] = [
            "id": event.stream.id.json, "kind": .string("\(event.stream.kind)"),
            "merchant": .integer(Int64(event.stream.merchant.value)),
        ]
        return Json.object(line).canonicalText + "\n"
    }

    private static func name(of stream: StreamName) -> String {
        switch stream.kind {
        case .payment: "\(PaymentId(stream.id))"
        case .transfer: "\(TransferId(stream.id))"
        case .instrument: "\(InstrumentId(stream.id))"
        case .paymentLink: "\(PaymentLinkId(stream.id))"
        case .schedule, .billBatch, .bill, .chunk, .account, .routing, .webhookEndpoint, .merchant, .arrivals:
            "\(stream.kind) \(stream.id)"
        }
    }
}

/// Where events are read from: the log, or one stream.
private struct EventSource {
    private let store: PostgresStore
    /// Only this stream's.
    var stream: StreamName?
    /// Only this merchant's.
    var merchant: MerchantNumber?
    private var position: Int64
    private var version: Int32 = 0

    private static let page = 500

    init(_ store: PostgresStore, after position: Int64) {
        self.store = store
        self.position = position
    }

    /// The next events; none where the log ends.
    mutating func next() async throws(StoreFailure) -> [RecordedEvent] {
        if let stream {
            let events = try await store.load([(stream, version)])[0]
            version = events.last?.version ?? version
            return events.filter { $0.position > position }
        }
        while true {
            let rows = try await store.events(after: position, limit: Self.page).rows
            guard let last = rows.last else { return [] }
            position = last.position
            let found = rows.filter { merchant == nil || $0.stream.merchant == merchant }
            if !found.isEmpty { return found }
        }
    }
}
