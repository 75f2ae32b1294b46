import Api
import Daemon
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import Store
import SystemKit

/// `paystream operations`: what is not resolved, who owes the next step, and what persons do about it.
struct OperationsCommand: Command {
    static let name = "operations"
    static let summary =
        "List what is unresolved, owed by whom, until when; add evidence, propose and approve how it ended."
    static let usage =
        "[OPTIONS] [list | evidence PAYMENT TEXT | propose PAYMENT FILE | approve PAYMENT RESOLUTION --seen VERSION]"
    static let options = [
        CommandOption("operator", summary: "only what a person has to do"), PaymentsCommand.merchantOption,
        PaymentsCommand.jsonOption,
        CommandOption("limit", value: "N", summary: "of each kind at most, newest first (default: 200)"),
        CommandOption("seen", value: "VERSION", summary: "version of the payment that you looked at"),
        CommandOption("key", value: "KEY", summary: "idempotency key of the change (default: a new one)"),
    ]
    static let notes = """
        PAYMENT is a payment's or a transfer's id. FILE holds the body of POST /v1/payments/{payment}/resolutions; '-' stands for
        standard input:
          {"verdict": {"is": "failed", "operation": "op_…"}, "evidence": "not in the statement", "seenVersion": 9}
        'list' reads the database; the others ask the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, with the key of an operator.
        """

    private static let standardLimit = 200

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        switch given.words.first {
        case "list", nil:
            try given.demand(words: 1)
            return try await list(given)
        case "evidence":
            let (path, text) = try Self.subject(given, "a text")
            return try await DaemonCall.print(.post, "\(path)/evidence", ["evidence": .string(text)], given)
        case "propose":
            let (path, file) = try Self.subject(given, "a file")
            return try await DaemonCall.print(.post, "\(path)/resolutions", try DaemonCall.file(file), given)
        case "approve":
            let (path, name) = try Self.subject(given, "a resolution's id")
            guard let resolution = Uuid(name), let seen = try given.integer("seen", in: 1...Int(Int32.max)) else {
                throw UsageError("name the resolution, and with --seen the version that you looked at")
            }
            let body: Json = ["seenVersion": .integer(Int64(seen))]
            return try await DaemonCall.print(.post, "\(path)/resolutions/\(resolution)/approve", body, given)
        case let verb?: throw UsageError("operations know no '\(verb)'")
        }
    }

    /// The payment or transfer that a verb is about, as a path, and the word behind it.
    private static func subject(_ given: ScatteredArguments, _ other: String) throws -> (path: String, word: String) {
        try given.demand(words: 3)
        guard given.words.count == 3 else { throw UsageError("'\(given.words[0])' needs a payment's id and \(other)") }
        let id = given.words[1]
        if PaymentId(id) != nil { return ("/v1/payments/\(id)", given.words[2]) }
        guard TransferId(id) != nil else { throw UsageError("'\(id)' is no payment's id and no transfer's") }
        return ("/v1/transfers/\(id)", given.words[2])
    }

    private func list(_ given: ScatteredArguments) async throws -> Int32 {
        var filter = PaymentQuery(nil)
        filter.hasObligations = true
        filter.needsOperator = given.has("operator")
        filter.limit = try given.integer("limit", in: 1...10_000) ?? Self.standardLimit
        let narrowed = filter
        let isOperators = given.has("operator")
        let (page, openItems) = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            let openItems = try await session.reader.tables.openItems(of: merchant, limit: narrowed.limit)
            return (
                try await session.reader.payments(narrowed, merchant: merchant),
                openItems.filter { !isOperators || $0.needsOperator }
            )
        }
        let rows = page.rows
        if given.has("json") {
            for row in rows + openItems.map(\.json) { StandardStream.output.write(row.canonicalText + "\n") }
            return 0
        }
        var table = ColumnTable(["PAYMENT", "STATUS", "OWED", "OWNER", "NEXT STEP", "DEADLINE", "REASON"])
        for row in rows {
            for owed in row["obligations"]?.items ?? [] {
                table.add([
                    Cell.text(row["id"]), Cell.text(row["status"]), Cell.text(owed["kind"]), Cell.text(owed["owner"]),
                    Cell.words(owed["nextStep"]), Cell.time(owed["deadline"]), Cell.text(owed["reason"]),
                ])
            }
        }
        StandardStream.output.write(Self.text(table, rows.isEmpty, openItems))
        if page.next != nil { StandardStream.error.write("there are more; --limit shows them\n") }
        return 0
    }

    private static func text(_ payments: ColumnTable, _ isWithoutPayments: Bool, _ openItems: [OpenItem]) -> String {
        guard !openItems.isEmpty else { return payments.text(orSay: "nothing is unresolved") }
        var table = ColumnTable(["WHAT", "NAME", "OWNER", "NEXT STEP", "SINCE", "DEADLINE", "REASON"])
        for openItem in openItems {
            table.add([
                openItem.kind.rawValue, ColumnTable.plain(openItem.name), openItem.owner.rawValue,
                Cell.words(openItem.nextStep.rawValue),
                Cell.time(openItem.since?.json), Cell.time(openItem.deadline?.json),
                [openItem.reason, openItem.detail, openItem.about.map { "of \($0)" }].compactMap(\.self).joined(
                    separator: ": "
                ),
            ])
        }
        return (isWithoutPayments ? "" : payments.text + "\n") + table.text
    }
}
