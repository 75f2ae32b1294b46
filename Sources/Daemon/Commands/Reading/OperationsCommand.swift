import Api
import EventSourcing
import Kernel
import Payments
import Projections
import Store

/// `paystream operations`: what is not resolved, and who owes the next step.
struct OperationsCommand: Command {
    static let name = "operations"
    static let summary = "List what is unresolved: payments, bills, series, strange orders; owed by whom, until when."
    static let usage = "[--operator] [--merchant NAME] [--limit N] [--json] [list]"
    static let options = [
        CommandOption("operator", summary: "only what a person has to do"), PaymentsCommand.merchantOption,
        PaymentsCommand.jsonOption,
        CommandOption("limit", value: "N", summary: "of each kind at most, newest first (default: 200)"),
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
        let isOperators = given.has("operator")
        let (page, matters) = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            let matters = try await session.reader.matters(merchant: merchant, limit: narrowed.limit)
            return (
                try await session.reader.payments(narrowed, merchant: merchant),
                matters.filter { !isOperators || $0.needsOperator }
            )
        }
        let rows = page.rows
        if given.has("json") {
            for row in rows + matters.map(\.json) { StandardStream.output.write(row.canonicalText + "\n") }
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
        StandardStream.output.write(Self.text(table, rows.isEmpty, matters))
        if page.next != nil { StandardStream.error.write("there are more; --limit shows them\n") }
        return 0
    }

    private static func text(_ payments: ColumnTable, _ isWithoutPayments: Bool, _ matters: [OpenMatter]) -> String {
        guard !matters.isEmpty else { return payments.text(orSay: "nothing is unresolved") }
        var table = ColumnTable(["WHAT", "NAME", "OWNER", "NEXT STEP", "SINCE", "REASON"])
        for matter in matters {
            table.add([
                matter.kind.rawValue, ColumnTable.plain(matter.name), matter.owner.rawValue,
                matter.nextStep.rawValue,
                Cell.time(matter.since?.json), matter.reason,
            ])
        }
        return (isWithoutPayments ? "" : payments.text + "\n") + table.text
    }
}
