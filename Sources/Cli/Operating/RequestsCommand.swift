import Daemon
import Http
import Kernel
import SystemKit

/// `paystream requests`: what a merchant's programs asked for lately, and how it was answered.
struct RequestsCommand: Command {
    static let name = "requests"
    static let summary = "List the merchant's own requests, the newest first, or show the one that a problem names."
    static let usage =
        "[--status N] [--code CODE] [--of KEY] [--key IDEMPOTENCY-KEY] [--limit N] [--json] list | show ID"
    static let options = [
        CommandOption("status", value: "N", summary: "answered with this status alone"),
        CommandOption("code", value: "CODE", summary: "refused with this problem alone, as in rate_limited"),
        CommandOption("of", value: "KEY", summary: "of this API key alone, by its id"),
        CommandOption("key", value: "KEY", summary: "of the command with this idempotency key"),
        CommandOption("limit", value: "N", summary: "so many at most (default: 50)"),
        PaymentsCommand.jsonOption,
    ]
    static let notes = """
        Each answer names its request in Request-Id, and each problem in requestId. The log holds no body and no query, keeps
        seven days and a merchant's 50 000 newest requests, is about a second behind, and may lack requests of a busy moment.
        Asks the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, for that key's merchant; the key needs the scope 'audit'.
        """

    private static let pageRows = 100

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        switch given.words.first ?? "list" {
        case "list":
            try given.demand(words: 1)
            try await list(given)
        case "show":
            try given.demand(words: 2)
            guard given.words.count == 2, let id = RequestId(given.words[1]) else {
                throw UsageError("name the request, as in req_…")
            }
            let entry = try await DaemonCall.withClient { try await $0.call(.get, "/v1/requests/\(id)") }
            DaemonCall.show(entry, given)
        case let word: throw UsageError("requests know no '\(word)'; say 'list' or 'show ID'")
        }
        return 0
    }

    private func list(_ given: ScatteredArguments) async throws {
        let asked = try given.integer("limit", in: 1...100_000) ?? 50
        let names = [("status", "status"), ("code", "code"), ("of", "key"), ("key", "idempotencyKey")]
        let filter = names.compactMap { option, name in given[option].map { "\(name)=\(FormEncoding.escape($0))" } }
        let entries = try await DaemonCall.withClient { client -> [Json] in
            var (entries, cursor): ([Json], String?) = ([], nil)
            repeat {
                let rest = min(asked - entries.count, Self.pageRows)
                let more = ["limit=\(rest)"] + (cursor.map { ["cursor=\($0)"] } ?? [])
                let page = try await client.call(.get, "/v1/requests?" + (filter + more).joined(separator: "&"))
                entries += page["items"]?.items ?? []
                cursor = page["next"]?.text
            } while cursor != nil && entries.count < asked
            return entries
        }
        guard !given.has("json") else {
            for entry in entries { StandardStream.output.write(entry.canonicalText + "\n") }
            return
        }
        var table = ColumnTable(
            ["AT", "STATUS", "METHOD", "PATH", "PROBLEM", "MS", "REQUEST"],
            rightAligned: [5]
        )
        for entry in entries {
            table.add([
                Cell.time(entry["at"]), Cell.text(entry["status"]), Cell.text(entry["method"]),
                Cell.text(entry["path"]), Cell.text(entry["code"]),
                "\((entry["microseconds"]?.integer ?? 0) / 1000)", Cell.text(entry["id"]),
            ])
        }
        StandardStream.output.write(table.text(orSay: "no requests"))
    }
}
