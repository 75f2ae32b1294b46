import Api
import Daemon
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import Settlement
import Store
import SystemKit

/// `paystream reconcile`: providers' settlement files against our books.
struct ReconcileCommand: Command {
    static let name = "reconcile"
    static let summary = "Import settlement files, list what does not fit, and resolve it by two persons."
    static let usage =
        "[OPTIONS] import FILE --account ACCOUNT | files | file ID | exceptions | show ID | assign ID [OWNER]"
        + " | propose ID adjust|disregard|link … --reason TEXT | approve ID PROPOSAL"
        + " | mappings [ACCOUNT | standard PROVIDER | set ACCOUNT FILE]"
    static let options = [
        PaymentsCommand.merchantOption, PaymentsCommand.jsonOption,
        CommandOption("account", value: "ACCOUNT", summary: "the account that the file is about, or of the lists"),
        CommandOption("mapping", value: "FILE", summary: "how this file is read (default: the account's mapping)"),
        CommandOption("from", value: "DAY", summary: "the file's first day, as in 2026-11-21 (default: of its lines)"),
        CommandOption("before", value: "DAY", summary: "the day behind its last one"),
        CommandOption(
            "corrects",
            value: "ID",
            summary: "the file that it takes the place of; an earlier file comes back so, too"
        ),
        CommandOption("alone", summary: "it takes no file's place, though the same bytes once did"),
        CommandOption("class", value: "CLASS", summary: "list only exceptions of this class"),
        CommandOption("owner", value: "NAME", summary: "list only those of this owner"),
        CommandOption("of", value: "ID", summary: "list only those about lines of this file"),
        CommandOption("ended", summary: "list those that are resolved"),
        CommandOption("reason", value: "TEXT", summary: "why it is resolved so"),
        CommandOption("limit", value: "N", summary: "rows at most (default: 200)"),
    ]
    static let notes = """
        FILE is CSV or lines of JSON, packed by gzip or not; docs/settlement.md tells how a mapping reads it. A file is imported whole or
        not at all, and the same file again changes nothing. 'import' and the lists work on the database; 'assign', 'propose', 'approve'
        and 'mappings set' ask the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, with the key of an operator: another one approves
        than proposed. 'link' is followed by the position and number of a movement, or by a file's id and the number of a line; 'show'
        lists what comes into question.
        """

    private static let standardLimit = 200

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        switch given.words.first {
        case "import": return try await SettlementFileImport.run(given)
        case "files", nil: return try await files(given)
        case "file":
            let id: SettlementFileId = try Self.id(given, "a file's id, as in stl_…")
            return try await show(given) { try await $0.file(id, of: $1) }
        case "exceptions": return try await exceptions(given)
        case "show":
            let id: SettlementExceptionId = try Self.id(given, "an exception's id, as in exc_…")
            return try await show(given) { try await $0.exception(id, of: $1) }
        case "assign":
            let owner = given.words.dropFirst(2).first
            try given.demand(words: 3)
            return try await step(given, "assign", .compact([("owner", owner.map(Json.string))]))
        case "propose": return try await propose(given)
        case "approve":
            try given.demand(words: 3)
            guard let number = given.words.dropFirst(2).first.flatMap({ Int32($0) }) else {
                throw UsageError("'approve' needs an exception's id and the number of its proposal")
            }
            return try await step(given, "proposals/\(number)/approve", [:])
        case "mappings": return try await MappingWords.run(given)
        case let verb?: throw UsageError("reconcile knows no '\(verb)'")
        }
    }

    // MARK: Reading

    private func files(_ given: ScatteredArguments) async throws -> Int32 {
        try given.demand(words: 1)
        let limit = try given.integer("limit", in: 1...10_000) ?? Self.standardLimit
        let found = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            let account = try await session.account(given["account"], of: merchant)
            return try await SettlementRows(session.store).files(
                of: merchant,
                account: account?.id,
                behind: nil,
                limit: limit
            )
        }
        var table = ColumnTable(
            ["FILE", "ACCOUNT", "FROM", "BEFORE", "LINES", "MATCHED", "EXCEPTIONS", "IMPORTED"],
            rightAligned: [4, 5, 6]
        )
        for row in found.rows {
            table.add([
                Cell.text(row["id"]), Cell.text(row["account"]), Cell.time(row["from"]), Cell.time(row["before"]),
                Cell.text(row["lines"]), Cell.text(row["matched"]), Cell.text(row["exceptions"]),
                Cell.time(row["importedAt"]),
            ])
        }
        Self.list(found, table.text(orSay: "no settlement files"), given)
        return 0
    }

    private func exceptions(_ given: ScatteredArguments) async throws -> Int32 {
        try given.demand(words: 1)
        var query = ExceptionQuery()
        if let word = given["class"] {
            guard let known = ExceptionClass(rawValue: word) else {
                let words = ExceptionClass.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("there is no class '\(word)'; there are \(words)")
            }
            query.word = known
        }
        if let text = given["of"] {
            guard let file = SettlementFileId(text) else { throw UsageError("'\(text)' is no file's id") }
            query.file = file
        }
        query.owner = given["owner"]
        query.isOpen = !given.has("ended")
        query.limit = try given.integer("limit", in: 1...10_000) ?? Self.standardLimit
        let wanted = query
        let found = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            var query = wanted
            query.account = try await session.account(given["account"], of: merchant)?.id
            return try await SettlementRows(session.store).exceptions(query, of: merchant)
        }
        var table = ColumnTable(
            ["EXCEPTION", "CLASS", "ACCOUNT", "AMOUNT", "CURRENCY", "SINCE", "LINE", "REFERENCE", "OWNER", "OUTCOME"],
            rightAligned: [3, 6]
        )
        for row in found.rows {
            let amount = row["amount"]
            let currency = amount?["currency"]?.text.flatMap { Currency($0) }
            let money = amount?["value"]?.integer.flatMap { minor in currency.map { Money(minor, $0).decimal } }
            table.add([
                Cell.text(row["id"]), Cell.text(row["class"]), Cell.text(row["account"]), money ?? "-",
                currency?.code ?? "-", Cell.time(row["since"]), Cell.text(row["line"]),
                Cell.text(row["providerReference"] ?? row["reference"]), Cell.text(row["owner"]),
                Cell.text(row["outcome"] ?? (row["proposal"] == nil ? nil : "proposed")),
            ])
        }
        Self.list(found, table.text(orSay: "nothing that does not fit"), given)
        return 0
    }

    private static func list(_ found: (rows: [Json], next: PageCursor?), _ table: String, _ given: ScatteredArguments) {
        StandardStream.output.write(
            given.has("json") ? found.rows.map { $0.canonicalText + "\n" }.joined() : table
        )
        if found.next != nil { StandardStream.error.write("there are more; --limit shows them\n") }
    }

    private func show(
        _ given: ScatteredArguments,
        _ read: (SettlementRows, MerchantNumber) async throws -> Json?
    ) async throws -> Int32 {
        let found = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            return try await read(SettlementRows(session.store), merchant)
        }
        guard let found else { throw UsageError("there is none of that id") }
        DaemonCall.show(found, given)
        return 0
    }

    private static func id<Kind>(_ given: ScatteredArguments, _ what: String) throws -> Identifier<Kind> {
        guard let text = given.words.dropFirst().first, let id = Identifier<Kind>(text) else {
            throw UsageError("'\(given.words[0])' needs \(what)")
        }
        return id
    }

    // MARK: Deciding

    private func step(_ given: ScatteredArguments, _ path: String, _ body: Json) async throws -> Int32 {
        let id: SettlementExceptionId = try Self.id(given, "an exception's id, as in exc_…")
        return try await DaemonCall.print(.post, "/v1/settlement-exceptions/\(id)/\(path)", body, given)
    }

    private func propose(_ given: ScatteredArguments) async throws -> Int32 {
        guard let reason = given["reason"] else { throw UsageError("say why with --reason") }
        let words = given.words.dropFirst(2)
        let verdict: Json
        switch (words.first, words.count) {
        case ("adjust", 1), ("disregard", 1): verdict = ["is": .string(words.first ?? "")]
        case ("link", 3):
            let (place, number) = (words[words.startIndex + 1], Int64(words[words.startIndex + 2]))
            guard let number else { throw UsageError("'link' needs a position and a number, or a file and a line") }
            if let position = Int64(place) {
                verdict = ["is": "link", "position": .integer(position), "number": .integer(number)]
            } else {
                verdict = ["is": "link", "file": .string(place), "line": .integer(number)]
            }
        default: throw UsageError("'propose' needs an id and adjust, disregard, or link with a movement or a line")
        }
        return try await step(given, "proposals", ["verdict": verdict, "reason": .string(reason)])
    }
}

extension StoreSession {
    /// The account of a name; `nil` where none is named.
    func account(_ name: String?, of merchant: MerchantNumber) async throws -> AccountFacts? {
        guard let name else { return nil }
        let accounts = try await reader.accounts(merchant: merchant)
        guard let found = accounts.first(where: { $0.configuration?.name == name })?.facts else {
            throw UsageError("there is no account '\(name)'")
        }
        return found
    }
}
