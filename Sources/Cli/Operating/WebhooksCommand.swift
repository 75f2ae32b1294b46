import Daemon
import Http
import Kernel
import Payments
import SystemKit

/// `paystream webhooks`: addresses that are sent events, and what became of each.
struct WebhooksCommand: Command {
    static let name = "webhooks"
    static let summary = "Endpoints of webhooks: list, add, change, rotate secrets; what was sent, and once more."
    static let usage =
        "[OPTIONS] list | add URL | show ID | change ID URL | rotate ID | enable ID | disable ID | remove ID | ping ID"
        + " | deliveries ID | redeliver ID EVENT"
    static let options = [
        PaymentsCommand.jsonOption,
        CommandOption("types", value: "LIST", summary: "add, change: as in payment.*,refund.succeeded (default: all)"),
        CommandOption("order", value: "WORD", summary: "add, change: resource or none (default: none)"),
        CommandOption("signatures", value: "LIST", summary: "add, change: v1, v1a or both (default: v1)"),
        CommandOption("description", value: "TEXT", summary: "add, change: for people"),
        CommandOption("overlap", value: "SECONDS", summary: "rotate: the old secret signs so long (default: a day)"),
        CommandOption("status", value: "WORD", summary: "deliveries: waiting, delivered or givenUp"),
        CommandOption("limit", value: "N", summary: "deliveries: at most (default: 20)"),
        CommandOption("since", summary: "redeliver: EVENT and all behind it"),
        CommandOption("key", value: "KEY", summary: "idempotency key of a change (default: a new one)"),
    ]
    static let notes = """
        'add' and 'rotate' print the secret, which nothing shows again.
        Asks the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, for that key's merchant.
        """

    private static let path = "/v1/webhook-endpoints"

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        let verb = given.words.first ?? "list"
        switch verb {
        case "list":
            try given.demand(words: 1)
            let page = try await DaemonCall.withClient { try await $0.call(.get, Self.path) }
            write(page["items"]?.items ?? [], given, Self.table)
        case "add":
            try demand(2, "the address", given)
            try await change(.post, Self.path, Self.body(given.words[1], given), given)
        case "show":
            let target = try target(given)
            DaemonCall.show(try await DaemonCall.withClient { try await $0.call(.get, target) }, given)
        case "change":
            try demand(3, "the endpoint and its address", given)
            try await change(.put, try target(given, words: 3), Self.body(given.words[2], given), given)
        case "rotate":
            let seconds = try given.integer("overlap", in: 0...604_800)
            let body = Json.compact([("overlapSeconds", seconds.map { .integer(Int64($0)) })])
            try await change(.post, try target(given) + "/rotate-secret", body, given)
        case "enable", "disable": try await change(.post, try target(given) + "/\(verb)", [:], given)
        case "remove": try await change(.delete, try target(given), nil, given)
        case "ping": try await change(.post, try target(given) + "/ping", [:], given)
        case "redeliver":
            try demand(3, "the endpoint and the event", given)
            let body: Json = [given.has("since") ? "since" : "event": .string(given.words[2])]
            try await change(.post, try target(given, words: 3) + "/redeliver", body, given)
        case "deliveries": try await deliveries(given)
        default: throw UsageError("webhooks know no '\(verb)'; 'paystream webhooks --help' lists the verbs")
        }
        return 0
    }

    private func demand(_ count: Int, _ what: String, _ given: ScatteredArguments) throws(UsageError) {
        try given.demand(words: count)
        guard given.words.count == count else { throw UsageError("name \(what)") }
    }

    private func target(_ given: ScatteredArguments, words: Int = 2) throws(UsageError) -> String {
        try demand(words, "the endpoint, as in whe_…", given)
        guard let id = WebhookEndpointId(given.words[1]) else {
            throw UsageError("'\(given.words[1])' is no endpoint's id")
        }
        return "\(Self.path)/\(id)"
    }

    private static func body(_ url: String, _ given: ScatteredArguments) -> Json {
        func list(_ name: String) -> Json? {
            given[name].map { .array($0.split(separator: ",").map { .string(String($0)) }) }
        }
        return .compact([
            ("url", .string(url)), ("types", list("types")), ("order", given["order"].map(Json.string)),
            ("signatures", list("signatures")), ("description", given["description"].map(Json.string)),
        ])
    }

    private func change(_ method: HttpMethod, _ path: String, _ body: Json?, _ given: ScatteredArguments) async throws {
        let key = given["key"] ?? "cli-\(SystemRandom().uuid(at: WallClock.now()))"
        DaemonCall.show(
            try await DaemonCall.withClient { try await $0.call(method, path, body, key: key) },
            given
        )
    }

    private func deliveries(_ given: ScatteredArguments) async throws {
        let limit = try given.integer("limit", in: 1...100) ?? 20
        var path = try target(given) + "/deliveries?limit=\(limit)"
        if let status = given["status"] {
            guard ["waiting", "delivered", "givenUp"].contains(status) else {
                throw UsageError("a status is waiting, delivered or givenUp, not '\(status)'")
            }
            path += "&status=\(status)"
        }
        let whole = path
        let page = try await DaemonCall.withClient { try await $0.call(.get, whole) }
        write(page["items"]?.items ?? [], given, Self.log)
        if page["next"] != nil { StandardStream.error.write("there are more; --limit shows them\n") }
    }

    private func write(_ rows: [Json], _ given: ScatteredArguments, _ table: ([Json]) -> String) {
        StandardStream.output.write(given.has("json") ? rows.map { $0.canonicalText + "\n" }.joined() : table(rows))
    }

    private static func table(_ rows: [Json]) -> String {
        var table = ColumnTable(["ENDPOINT", "STATUS", "ORDER", "TYPES", "ADDRESS"])
        for row in rows {
            let types = (row["types"]?.items ?? []).compactMap(\.text).joined(separator: ",")
            table.add([
                Cell.text(row["id"]), Cell.text(row["status"]), Cell.text(row["order"]), types.isEmpty ? "all" : types,
                Cell.text(row["url"]),
            ])
        }
        return table.text(orSay: "no endpoints")
    }

    private static func log(_ rows: [Json]) -> String {
        var table = ColumnTable(["EVENT", "TYPE", "STATUS", "ATTEMPTS", "LAST", "NEXT"], rightAligned: [3])
        for row in rows {
            let last = row["attempts"]?.items?.last
            let outcome = last?["failure"]?.text ?? last?["status"]?.integer.map(String.init) ?? "-"
            table.add([
                Cell.text(row["event"]), Cell.text(row["type"]), Cell.text(row["status"]),
                String(row["attemptCount"]?.integer ?? 0), outcome, Cell.time(row["nextAttemptAt"]),
            ])
        }
        return table.text(orSay: "nothing was sent")
    }
}
