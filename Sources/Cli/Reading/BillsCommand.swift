import Api
import Daemon
import Glibc
import Http
import HttpClient
import Kernel
import SystemKit

/// `paystream bills`: batches of bills, through a running daemon.
struct BillsCommand: Command {
    static let name = "bills"
    static let summary = "Create, upload, submit, show, list or export a batch of bills."
    static let usage =
        "[OPTIONS] create FILE | upload BATCH FILE | submit BATCH | continue BATCH | show BATCH | list | export BATCH"
    static let options = [
        PaymentsCommand.jsonOption,
        CommandOption("key", value: "KEY", summary: "idempotency key of the change (default: a new one)"),
        CommandOption("page", value: "N", summary: "upload: the page that the file begins with (default: 1)"),
        CommandOption("outcome", value: "WORD", summary: "export only bills with this outcome"),
        CommandOption("credentials", value: "ID", summary: "continue: with these new credentials"),
    ]
    static let notes = """
        FILE of 'create' holds the body of POST /v1/bill-batches, FILE of 'upload' one bill a line:
          {"id": "101", "amount": {"value": 1000, "currency": "UAH"}}
        '-' stands for standard input. An upload that broke is repeated: what was taken stays taken. docs/bills.md tells more.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try await DaemonCall.withClient { try await perform(given, $0) }
        return 0
    }

    private func perform(_ given: ScatteredArguments, _ client: ApiClient) async throws {
        let words = given.words
        let key = given["key"] ?? "cli-\(SystemRandom().uuid(at: WallClock.now()))"
        switch (words.first ?? "list", words.count) {
        case ("list", ...1):
            let found = try await client.call(.get, "/v1/bill-batches")["items"]?.items ?? []
            if given.has("json") { lines(found) } else { StandardStream.output.write(Self.table(found)) }
        case ("create", 2):
            guard let bytes = SmallFile.read(Self.path(words[1])), let body = try? Json(bytes) else {
                throw UsageError("'\(words[1])' holds no JSON that can be read")
            }
            DaemonCall.show(try await client.call(.post, "/v1/bill-batches", body, key: key), given)
        case ("upload", 3): DaemonCall.show(try await upload(given, client), given)
        case ("submit", 2):
            let path = "/v1/bill-batches/\(words[1])/submit"
            DaemonCall.show(try await client.call(.post, path, [:], key: key), given)
        case ("continue", 2):
            let body = Json.compact([("credentials", given["credentials"].map(Json.string))])
            let path = "/v1/bill-batches/\(words[1])/continue"
            DaemonCall.show(try await client.call(.post, path, body, key: key), given)
        case ("show", 2): DaemonCall.show(try await client.call(.get, "/v1/bill-batches/\(words[1])"), given)
        case ("export", 2): try await export(words[1], given["outcome"], client)
        default: throw UsageError("bills know no '\(words.joined(separator: " "))'")
        }
    }

    static func table(_ batches: [Json]) -> String {
        var table = ColumnTable(
            ["BATCH", "STATUS", "BILLS", "PAID", "TOTAL", "CHARGED", "CLAIMED", "REFERENCE", "CREATED"],
            rightAligned: [2, 3, 4, 5, 6]
        )
        for batch in batches {
            table.add([
                Cell.text(batch["id"]), Cell.text(batch["status"]), Cell.text(batch["bills"]),
                String(batch.at("tally", "counts", "paid")?.integer ?? 0), Cell.money(batch["total"]),
                Cell.money(batch.at("tally", "charged")), Cell.money(batch.at("tally", "claimed")),
                Cell.text(batch["reference"]), Cell.time(batch["createdAt"]),
            ])
        }
        return table.text(orSay: "there are no batches")
    }

    private static func path(_ word: String) -> String { word == "-" ? "/dev/stdin" : word }

    private func lines(_ items: [Json]) {
        for item in items { StandardStream.output.write(item.canonicalText + "\n") }
    }

    /// Sends a file as a few requests of whole pages, so that neither side holds it.
    private func upload(_ given: ScatteredArguments, _ client: ApiClient) async throws -> Json {
        guard let file = fopen(Self.path(given.words[2]), "r") else {
            throw UsageError("the file '\(given.words[2])' can't be read")
        }
        defer { fclose(file) }
        var page = try given.integer("page", in: 1...2000) ?? 1
        var pager = BillPagerStream(file)
        var last: Json = [:]
        while let pages = pager.next(pages: Self.pagesPerRequest) {
            last = try await client.upload(
                pages.flatMap { $0 },
                to: "/v1/bill-batches/\(given.words[1])/bills?page=\(page)"
            )
            page += pages.count
        }
        return last
    }

    private static let pagesPerRequest = 20

    private func export(_ batch: String, _ outcome: String?, _ client: ApiClient) async throws(ApiClient.Failure) {
        var after = "0"
        while true {
            var query = "limit=1000&after=\(after)"
            if let outcome { query += "&outcome=\(outcome)" }
            let page = try await client.call(.get, "/v1/bill-batches/\(batch)/bills?\(query)")
            lines(page["items"]?.items ?? [])
            guard let next = page["next"]?.text else { return }
            after = next
        }
    }
}
