import Http
import Kernel
import Projections
import SystemKit

/// `paystream ledger`: the books by account, and the months that are closed.
struct LedgerCommand: Command {
    static let name = "ledger"
    static let summary = "Show the ledger's balance, statement and months, and close a month."
    static let usage = "[OPTIONS] balance | statement | months | periods | close MONTH"
    static let notes = """
        'balance', 'statement' and 'months' are the reports 'balance', 'statement' and 'periods', with the options of 'report'. 'periods' lists the
        months that are closed, and 'close 2026-10' closes one, over the daemon: what is known later is booked in the first one that is open.
        """
    static let options =
        ReportCommand.options + [
            CommandOption("note", value: "TEXT", summary: "of a month that is closed, for the record")
        ]

    /// The reports that words of this command stand for.
    private static let reports: [String: Report] = ["balance": .balance, "statement": .statement, "months": .periods]

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        let verb = given.words.first ?? "balance"
        if let report = Self.reports[verb] {
            try given.demand(words: 1)
            return try await ReportCommand.make(report, given)
        }
        switch verb {
        case "periods":
            try given.demand(words: 1)
            return try await DaemonCall.print(.get, "/v1/periods", nil, given)
        case "close":
            try given.demand(words: 2)
            guard let month = given.words.dropFirst().first, ClosedPeriod.isMonth(month) else {
                throw UsageError("close wants a month, as in 2026-10")
            }
            let body = Json.compact([("note", given["note"].map(Json.string))])
            return try await DaemonCall.print(.put, "/v1/periods/\(month)", body, given)
        case let other:
            throw UsageError("ledger knows no '\(other)'; say 'balance', 'statement', 'months', 'periods' or 'close'")
        }
    }
}
