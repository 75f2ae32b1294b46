import EventSourcing
import Kernel
import Projections
import Store

/// `paystream operations`: what is not resolved, and who owes the next step.
struct OperationsCommand: Command {
    static let name = "operations"
    static let summary = "List what is unresolved: which payment, what is owed, by whom, until when."
    static let usage = "[--operator] [--merchant NAME] [--limit N] [--json] [list]"
    static let options = [
        CommandOption("operator", summary: "only what a person has to do"), PaymentsCommand.merchantOption,
        PaymentsCommand.jsonOption,
        CommandOption("limit", value: "N", summary: "payments at most, newest first (default: 200)"),
    ]

    private static let standardLimit = 200

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 1)
        if let verb = given.words.first, verb != "list" { throw UsageError("operations know no '\(verb)'") }
        var filter = PaymentQuery(nil)
        filter.hasObligations = true
        filter.needsOperator = given.has("operator")
        filter.limit = try given.integer("limit", in: 1...10_000) ?? Self.standardLimit
        let narrowed = filter
        let (rows, next) = try await StoreSession.with { session in
            try await session.view.list(narrowed, merchant: try await session.merchant(given["merchant"]))
        }
        if given.has("json") {
            for row in rows { StandardStream.output.write(row.canonicalText + "\n") }
            return 0
        }
        var table = ColumnTable(["PAYMENT", "STATUS", "OWED", "OWNER", "NEXT STEP", "DEADLINE", "REASON"])
        for row in rows {
            for owed in row["obligations"]?.items ?? [] {
                table.add([
                    Cell.text(row["id"]), Cell.text(row["status"]), Cell.text(owed["kind"]), Cell.text(owed["owner"]),
                    Cell.text(owed["nextStep"]), Cell.time(owed["deadline"]), Cell.text(owed["reason"]),
                ])
            }
        }
        StandardStream.output.write(table.text(orSay: "nothing is unresolved"))
        if next != nil { StandardStream.error.write("there are more; --limit shows them\n") }
        return 0
    }
}
