import Daemon
import Decisions
import Engine
import EventSourcing
import Kernel
import Store
import SystemKit

/// `paystream verify`: holds what was done against what was allowed, and what is booked against what happened.
struct VerifyCommand: Command {
    static let name = "verify"
    static let summary = "Hold every send against its licence, or the books against the log."
    static let usage = "licences | books [--json]"
    static let notes = """
        'licences' finds sends that are unlicensed, late, repeated without ground, or left open. 'books' holds the movements and postings of
        each payment, transfer and bill against its events, and the ledger's accounts against all of them. Either ends with 1 where it finds something.
        """
    static let options = [CommandOption("json", summary: "one line of JSON per finding, then one for the sums")]

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 1)
        let isJson = given.has("json")
        switch given.words.first {
        case "licences":
            let report = try await StoreSession.with { try await LicenseRun.verify($0.store) }
            StandardStream.output.write(isJson ? LicenseRun.json(report) : LicenseRun.text(report))
            return report.isClean ? 0 : 1
        case "books":
            let report = try await StoreSession.with { try await BooksRun.verify($0.store, $0.views) }
            StandardStream.output.write(isJson ? BooksRun.json(report) : BooksRun.text(report))
            return report.isClean ? 0 : 1
        case let verb?: throw UsageError("verify knows no '\(verb)'; say 'licences' or 'books'")
        case nil: throw UsageError("say 'licences' or 'books'")
        }
    }
}

/// The check of a store's books, for the command and for the demo.
enum BooksRun {
    /// Lines of progress come after so many streams.
    private static let progressStep = 10_000

    static func verify(_ store: PostgresStore, _ views: ReadModels) async throws(StoreFailure) -> BooksReport {
        let seen = Locked(0)
        return try await BooksVerification(store, views).verify { report in
            let isDue = seen.withLock { seen in
                guard report.streams - seen >= progressStep else { return false }
                seen = report.streams
                return true
            }
            if isDue { StandardStream.error.write("\(report.streams) streams\n") }
        }
    }

    static func text(_ report: BooksReport) -> String {
        let verdict = report.isClean ? "no difference" : "\(report.found) differences"
        return report.differences.map { "DIFFERENT \($0)\n" }.joined()
            + "books of \(report.streams) streams with \(report.balances) balances, as of position \(report.position): \(verdict)\n"
    }

    static func json(_ report: BooksReport) -> String {
        let sums: Json = [
            "balances": .integer(Int64(report.balances)), "differences": .integer(Int64(report.found)),
            "position": .integer(report.position), "streams": .integer(Int64(report.streams)),
        ]
        let findings = report.differences.map { Json.compact([("difference", .string($0))]) }
        return (findings + [sums]).map { $0.canonicalText + "\n" }.joined()
    }
}

/// The check of a store's licences, for the command and for the demo.
enum LicenseRun {
    /// Lines of progress come after so many streams.
    private static let progressStep = 10_000

    static func verify(_ store: PostgresStore) async throws(StoreFailure) -> LicenseReport {
        let told = Locked(0)
        return try await LicenseCheck(store: store, adapters: Node.adapters).verify { report in
            let isDue = told.withLock { told in
                guard report.streams - told >= progressStep else { return false }
                told = report.streams
                return true
            }
            if isDue { StandardStream.error.write("\(report.streams) streams, \(report.sends) sends\n") }
        }
    }

    static func text(_ report: LicenseReport) -> String {
        guard !report.breaches.isEmpty else { return closing(report) + "\n" }
        var table = ColumnTable(["RULE", "MERCHANT", "STREAM", "POSITION", "EFFECT", "NO", "WHAT"])
        for breach in report.breaches {
            table.add([
                breach.rule.rawValue, "\(breach.stream.merchant)", "\(breach.stream.kind)/\(breach.stream.id)",
                breach.position.map(String.init) ?? "-", breach.effect?.description ?? "-",
                breach.ordinal.map(String.init) ?? "-", breach.detail,
            ])
        }
        return table.text + closing(report) + "\n"
    }

    static func json(_ report: LicenseReport) -> String {
        let sums: Json = [
            "breaches": .integer(Int64(report.found)), "effects": .integer(Int64(report.rows)),
            "licences": .integer(Int64(report.licenses)), "sends": .integer(Int64(report.sends)),
            "streams": .integer(Int64(report.streams)),
        ]
        return (report.breaches.map(\.json) + [sums]).map { $0.canonicalText + "\n" }.joined()
    }

    static func closing(_ report: LicenseReport) -> String {
        let seen = "checked \(report.sends) sends under \(report.licenses) licences of \(report.streams) streams"
        return "\(seen), \(report.rows) effects waiting: "
            + (report.isClean ? "no breach" : "\(report.found) breaches")
    }
}
