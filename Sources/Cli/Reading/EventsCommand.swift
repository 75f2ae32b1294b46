import Daemon
import Http
import Kernel
import Projections
import SystemKit

/// `paystream events`: what the event feed tells.
struct EventsCommand: Command {
    static let name = "events"
    static let summary = "Read the event feed: what became of payments, cards, schedules and bills, in order."
    static let usage =
        "[--after CURSOR] [--types LIST] [--resource ID] [--limit N] [--follow] [--json] [show ID | types]"
    static let options = [
        CommandOption(
            "after",
            value: "CURSOR",
            summary: "only events behind this cursor; 'latest' for now (default: from the beginning)"
        ),
        CommandOption("types", value: "LIST", summary: "only these types, as payment.*,refund.succeeded"),
        CommandOption("resource", value: "ID", summary: "only this payment, transfer, instrument, schedule or batch"),
        CommandOption("limit", value: "N", summary: "events at most (default: 1000; with --follow none)"),
        CommandOption("follow", letter: "f", summary: "go on with what happens from now on, until Ctrl-C"),
        PaymentsCommand.jsonOption,
    ]

    private static let standardLimit = 1000
    private static let page = 200
    /// Seconds that a question waits for the next event.
    private static let wait = 30

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        switch given.words.first {
        case nil:
            let limit = try given.integer("limit", in: 1...10_000_000)
            try await DaemonCall.withClient { client in
                try await Self.tell(client, given, atMost: limit)
            }
        case "types":
            try given.demand(words: 1)
            Self.tellTypes(given)
        case "show":
            try given.demand(words: 2)
            guard given.words.count == 2, let id = PublicEventId(given.words[1]) else {
                throw UsageError("name the event, as in evt_…")
            }
            return try await DaemonCall.print(.get, "/v1/events/\(id.text)", nil, given)
        case let verb?: throw UsageError("events know no '\(verb)'; say 'show ID' or 'types', or nothing")
        }
        return 0
    }

    /// Writes page after page; whoever follows waits for the next.
    private static func tell(_ client: ApiClient, _ given: ScatteredArguments, atMost limit: Int?) async throws {
        let (isFollowing, isJson) = (given.has("follow"), given.has("json"))
        var left = limit ?? (isFollowing ? Int.max : standardLimit)
        var cursor = given["after"]
        var table = ColumnTable(["CREATED", "EVENT", "RESOURCE", "SEQUENCE", "STATUS"], rightAligned: [3])
        var isSilent = true
        while left > 0 {
            let answer = try await client.call(.get, "/v1/events?" + query(given, cursor, atMost: left, isFollowing))
            let events = answer["items"]?.items ?? []
            cursor = answer["next"]?.text ?? cursor
            left -= events.count
            if !events.isEmpty { isSilent = false }
            for event in events where !isJson { table.add(cells(event)) }
            StandardStream.output.write(
                isJson ? events.map { $0.canonicalText + "\n" }.joined() : events.isEmpty ? "" : table.take()
            )
            guard isFollowing || answer["hasMore"]?.flag == true else { break }
        }
        guard !isJson else { return }
        if isSilent { StandardStream.output.write("no events\n") }
        if let cursor { StandardStream.error.write("go on with --after \(cursor)\n") }
    }

    private static func query(_ given: ScatteredArguments, _ cursor: String?, atMost left: Int, _ isFollowing: Bool)
        -> String
    {
        var pairs: [(name: String, value: String)] = [("limit", String(min(left, page)))]
        if let cursor { pairs.append(("after", cursor)) }
        for name in ["types", "resource"] {
            if let value = given[name] { pairs.append((name, value)) }
        }
        if isFollowing { pairs.append(("wait", String(wait))) }
        return FormEncoding.encode(pairs)
    }

    private static func cells(_ event: Json) -> [String] {
        [
            Cell.time(event["createdAt"]), Cell.text(event["type"]), Cell.text(event.at("resource", "id")),
            Cell.text(event["sequence"]), Cell.text(event.at("data", "status")),
        ]
    }

    private static func tellTypes(_ given: ScatteredArguments) {
        var table = ColumnTable(["TYPE", "TOLD WHEN"])
        var lines = ""
        for type in PublicEventType.all {
            table.add([type.name, type.summary])
            let line: Json = ["name": .string(type.name), "summary": .string(type.summary)]
            lines += line.canonicalText + "\n"
        }
        StandardStream.output.write(given.has("json") ? lines : table.take())
    }
}
