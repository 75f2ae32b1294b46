import Daemon
import Http
import Kernel
import SystemKit

/// `paystream audit`: what administrators did about keys, accounts, routing, clocks, policies, months and the merchant as a whole.
struct AuditCommand: Command {
    static let name = "audit"
    static let summary = "List what administrators did, the newest first."
    static let usage = "[--actor ACTOR] [--kind KIND] [--from TIME] [--before TIME] [--limit N] [--json]"
    static let options = [
        CommandOption("actor", value: "ACTOR", summary: "whose acts, as in key:… or owner:…"),
        CommandOption(
            "kind",
            value: "KIND",
            summary: "as in account, key, change, clock, dunning, period or key.created.v1"
        ),
        CommandOption("from", value: "TIME", summary: "from then on, as in 2026-01-31T12:00:00Z"),
        CommandOption("before", value: "TIME", summary: "before then"),
        CommandOption("limit", value: "N", summary: "so many at most (default: 50)"),
        PaymentsCommand.jsonOption,
    ]
    static let notes = """
        Each act is an event of the log and names who made it. The command asks the daemon that PAYSTREAM_URL and PAYSTREAM_KEY
        name, for that key's merchant; the key needs the scope 'audit'.
        """

    private static let pageRows = 100

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 0)
        let asked = try given.integer("limit", in: 1...10_000) ?? 50
        let filter = ["actor", "kind", "from", "before"].compactMap { name in
            given[name].map { "\(name)=\(FormEncoding.escape($0))" }
        }
        let acts = try await DaemonCall.withClient { client -> [Json] in
            var (acts, cursor): ([Json], String?) = ([], nil)
            var rest = asked
            repeat {
                let more = ["limit=\(min(rest, Self.pageRows))"] + (cursor.map { ["cursor=\($0)"] } ?? [])
                let page = try await client.call(.get, "/v1/audit?" + (filter + more).joined(separator: "&"))
                let items = page["items"]?.items ?? []
                acts += items
                rest -= items.count
                cursor = page["next"]?.text
            } while cursor != nil && rest > 0
            return acts
        }
        if given.has("json") {
            for act in acts { StandardStream.output.write(act.canonicalText + "\n") }
            return 0
        }
        var table = ColumnTable(["AT", "BY", "WHAT", "POSITION", "ABOUT"])
        for act in acts {
            table.add([
                Cell.text(act["at"]), Cell.text(act["by"]), Cell.text(act["kind"]), Cell.text(act["position"]),
                Self.about(act["data"] ?? .null),
            ])
        }
        StandardStream.output.write(table.text(orSay: "no acts"))
        return 0
    }

    /// What an act is about, in a word: the name of a thing where it has one.
    private static func about(_ data: Json) -> String {
        data.at("configuration", "name")?.text ?? data.at("key", "name")?.text ?? data["name"]?.text
            ?? data["key"]?.text ?? data["change"]?.text ?? data["month"]?.text ?? data["to"]?.text ?? ""
    }
}
