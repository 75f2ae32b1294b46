import Daemon
import Http
import Kernel
import Payments
import SystemKit

/// `paystream links`: pages on which payers choose how to pay.
struct LinksCommand: Command {
    static let name = "links"
    static let summary = "Payment links: make one, list them, show one with its payments, deactivate it."
    static let usage = "[OPTIONS] list | create AMOUNT CURRENCY | show ID | deactivate ID"
    static let options = [
        PaymentsCommand.jsonOption,
        CommandOption("description", value: "TEXT", summary: "create: what is paid for"),
        CommandOption("reference", value: "TEXT", summary: "create: your own number"),
        CommandOption("customer", value: "TEXT", summary: "create: who pays, as you call them"),
        CommandOption(
            "payee",
            value: "TEXT",
            summary: "create: who is paid, for payers (default: the merchant's name)"
        ),
        CommandOption("methods", value: "LIST", summary: "create: of card,sberpay,instalments (default: all served)"),
        CommandOption("mode", value: "WORD", summary: "create: sale or authorize (default: sale)"),
        CommandOption("uses", value: "WORD", summary: "create: once or many (default: once)"),
        CommandOption("language", value: "WORD", summary: "create: en, uk, ru or fr, where the browser names none"),
        CommandOption("return", value: "URL", summary: "create: where the page leads in the end"),
        CommandOption("expires", value: "TIME", summary: "create: as in 2026-12-31T12:00:00Z (default: never)"),
        CommandOption("limit", value: "N", summary: "list: rows at most, newest first (default: 20)"),
        CommandOption("cursor", value: "WORD", summary: "list: go on where an earlier list ended"),
        CommandOption("key", value: "KEY", summary: "idempotency key of a change (default: a new one)"),
    ]
    static let notes = """
        'create' prints the address of the page: whoever has it can pay.
        Asks the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, for that key's merchant.
        """

    private static let path = "/v1/payment-links"

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        let verb = given.words.first ?? "list"
        switch verb {
        case "list":
            try given.demand(words: 1)
            try await list(given)
        case "create":
            try given.demand(words: 3)
            guard given.words.count == 3 else { throw UsageError("name the amount and its currency, as in 19.99 EUR") }
            return try await DaemonCall.print(.post, Self.path, try Self.body(given), given)
        case "show":
            let target = try target(given)
            DaemonCall.show(try await DaemonCall.withClient { try await $0.call(.get, target) }, given)
        case "deactivate": return try await DaemonCall.print(.post, try target(given) + "/deactivate", [:], given)
        default: throw UsageError("links know no '\(verb)'; 'paystream links --help' lists the verbs")
        }
        return 0
    }

    private func target(_ given: ScatteredArguments) throws(UsageError) -> String {
        try given.demand(words: 2)
        guard given.words.count == 2 else { throw UsageError("name the link, as in plink_…") }
        guard let id = PaymentLinkId(given.words[1]) else {
            throw UsageError("'\(given.words[1])' is no payment link's id")
        }
        return "\(Self.path)/\(id)"
    }

    private static func body(_ given: ScatteredArguments) throws(UsageError) -> Json {
        guard let currency = Currency(given.words[2]), let money = try? Money(written: given.words[1], currency) else {
            throw UsageError("'\(given.words[1]) \(given.words[2])' is no amount, as in 19.99 EUR")
        }
        let methods = given["methods"]?.split(separator: ",").map { Json.string(String($0)) }
        var members: [(String, Json?)] = [
            ("amount", ["currency": .string(currency.code), "value": .integer(money.minor)]),
            ("methods", methods.map(Json.array)), ("returnUrl", given["return"].map(Json.string)),
            ("expiresAt", given["expires"].map(Json.string)),
        ]
        for name in ["description", "reference", "customer", "payee", "mode", "uses", "language"] {
            members.append((name, given[name].map(Json.string)))
        }
        return .compact(members)
    }

    private func list(_ given: ScatteredArguments) async throws {
        let limit = try given.integer("limit", in: 1...100) ?? 20
        let more = given["cursor"].map { "&cursor=\(FormEncoding.escape($0))" } ?? ""
        let path = "\(Self.path)?limit=\(limit)\(more)"
        let page = try await DaemonCall.withClient { try await $0.call(.get, path) }
        let rows = page["items"]?.items ?? []
        StandardStream.output.write(
            given.has("json") ? rows.map { $0.canonicalText + "\n" }.joined() : Self.table(rows)
        )
        if let next = page["next"]?.text { StandardStream.error.write("there are more; --cursor \(next) shows them\n") }
    }

    private static func table(_ rows: [Json]) -> String {
        var table = ColumnTable(["LINK", "STATUS", "AMOUNT", "USES", "REFERENCE", "ADDRESS"], rightAligned: [2])
        for row in rows {
            table.add([
                Cell.text(row["id"]), Cell.text(row["status"]), Cell.money(row["amount"]), Cell.text(row["uses"]),
                Cell.text(row["reference"]), Cell.text(row["url"]),
            ])
        }
        return table.text(orSay: "no payment links")
    }
}
