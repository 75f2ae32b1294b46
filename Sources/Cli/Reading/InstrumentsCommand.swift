import Api
import Crypto
import Daemon
import EventSourcing
import Kernel
import Payments
import Projections
import Store
import SystemKit

/// `paystream instruments`: saved credentials, by masked data.
struct InstrumentsCommand: Command {
    static let name = "instruments"
    static let summary = "List saved credentials, show or remove one, or ask its provider whether it keeps it."
    static let usage = "[OPTIONS] list | show ID | remove ID | check ID"
    static let options = [
        PaymentsCommand.merchantOption, PaymentsCommand.jsonOption,
        CommandOption("customer", value: "TEXT", summary: "list only this customer's"),
        CommandOption("status", value: "STATUS", summary: "list only those in this status"),
        CommandOption("limit", value: "N", summary: "rows at most, newest first (default: 20)"),
        CommandOption("wait", value: "SECONDS", summary: "wait so long for a removal's outcome (default: 10)"),
    ]

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        switch given.words.first {
        case "list", nil:
            try given.demand(words: 1)
            return try await list(given)
        case "show": return try await show(try id(given), given)
        case "remove": return try await order(.remove, try id(given), given)
        case "check": return try await order(.check, try id(given), given)
        case let verb?:
            throw UsageError("instruments know no '\(verb)'; say 'list', 'show ID', 'remove ID' or 'check ID'")
        }
    }

    private func id(_ given: ScatteredArguments) throws -> InstrumentId {
        try given.demand(words: 2)
        guard given.words.count == 2 else { throw UsageError("name the instrument, as in ins_…") }
        guard let id = InstrumentId(given.words[1]) else {
            throw UsageError("'\(given.words[1])' is no instrument's id")
        }
        return id
    }

    private func list(_ given: ScatteredArguments) async throws -> Int32 {
        var filter = InstrumentQuery()
        filter.customer = given["customer"]
        if let word = given["status"] {
            guard let status = InstrumentStatus(rawValue: word) else {
                let known = InstrumentStatus.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("there is no status '\(word)'; there are \(known)")
            }
            filter.status = status
        }
        filter.limit = try given.integer("limit", in: 1...10_000) ?? filter.limit
        let narrowed = filter
        let (rows, next) = try await StoreSession.with { session in
            try await session.views.instruments.instruments(
                narrowed,
                merchant: try await session.merchant(given["merchant"])
            )
        }
        StandardStream.output.write(
            given.has("json") ? rows.map { $0.canonicalText + "\n" }.joined() : Self.table(rows)
        )
        if next != nil { StandardStream.error.write("there are more; --limit shows them\n") }
        return 0
    }

    static func table(_ rows: [Json]) -> String {
        var table = ColumnTable(
            ["INSTRUMENT", "STATUS", "SCHEME", "CARD", "EXPIRES", "CUSTOMER", "USES", "SAVED"],
            rightAligned: [6]
        )
        for row in rows {
            let month = row["expiryMonth"]?.integer.map { $0 < 10 ? "0\($0)" : "\($0)" }
            let expiry = month.flatMap { month in row["expiryYear"]?.integer.map { "\(month)/\($0)" } }
            table.add([
                Cell.text(row["id"]), Cell.text(row["status"]), Cell.text(row["scheme"]), Cell.text(row["masked"]),
                expiry ?? "-", Cell.text(row["customer"]), String(row["uses"]?.integer ?? 0),
                Cell.time(row["savedAt"]),
            ])
        }
        return table.text(orSay: "no instruments")
    }

    private func show(_ id: InstrumentId, _ given: ScatteredArguments) async throws -> Int32 {
        let found = try await StoreSession.with { session in
            try await session.reader.instrument(id, merchant: try await session.merchant(given["merchant"]))
        }
        guard let found, found.saved != nil else { throw CommandFailure("there is no instrument \(id)") }
        DaemonCall.show(found.shown, given)
        return 0
    }

    /// By the SQL entrance, as a backend would; the key is the instrument's, so that twice is once.
    private func order(_ name: InstrumentCommand.Name, _ id: InstrumentId, _ given: ScatteredArguments) async throws
        -> Int32
    {
        let wait = Duration.seconds(try given.integer("wait", in: 0...3600) ?? 10)
        return try await StoreSession.with { session in
            let merchant = given["merchant"] ?? standardMerchant
            let number = try await session.merchant(merchant)
            guard let known = try await session.reader.instrument(id, merchant: number), known.saved != nil else {
                throw CommandFailure("there is no instrument \(id)")
            }
            let body: Json = ["instrument": id.json]
            let command = try await session.enqueue(
                name.rawValue,
                key: "\(name.rawValue):\(id):\(known.version)",
                body: body.canonical,
                merchant: merchant
            )
            return try await EnqueueCommand.report(command, number, wait, session, given)
        }
    }
}
