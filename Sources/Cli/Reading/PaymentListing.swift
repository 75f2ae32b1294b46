import Api
import Daemon
import Engine
import EventSourcing
import Kernel
import Payments
import Projections
import Store
import SystemKit

/// Lists and searches payments or transfers.
struct PaymentListing: Sendable {
    let reading: PaymentReading

    /// What narrows a list.
    static let options = [
        CommandOption("status", value: "STATUS", summary: "only those in this status"),
        CommandOption("reference", value: "TEXT", summary: "only those with this reference of the merchant"),
        CommandOption("provider-reference", value: "TEXT", summary: "only those that a name at the provider leads to"),
        CommandOption("customer", value: "TEXT", summary: "only those of this customer"),
        CommandOption("email", value: "ADDRESS", summary: "only those whose payer gave this address"),
        CommandOption("card", value: "MASK", summary: "only those with a saved card, as 431422******0056"),
        CommandOption("amount", value: "N", summary: "only those of this amount, in minor units"),
        CommandOption("amount-from", value: "N", summary: "only those of this amount or more"),
        CommandOption("amount-to", value: "N", summary: "only those of this amount or less"),
        CommandOption("currency", value: "CODE", summary: "only those in this currency, as EUR"),
        CommandOption("created-from", value: "TIME", summary: "only those made then or later, as 2026-01-31T12:00:00Z"),
        CommandOption("created-before", value: "TIME", summary: "only those made earlier"),
        CommandOption("provider", value: "NAME", summary: "only those at this provider"),
        CommandOption("account", value: "NAME", summary: "only those of this account"),
        CommandOption("metadata", value: "NAME=VALUE", summary: "only those with this label; may be given again"),
        CommandOption("method", value: "METHOD", summary: "only those that were asked for so, as hosted"),
        CommandOption("account-mode", value: "MODE", summary: "only those of live, test or live-autocancel accounts"),
        CommandOption("needs-operator", summary: "only those that wait for a person"),
        CommandOption("disputed", summary: "only those with an open dispute"),
    ]

    func run(_ given: ScatteredArguments) async throws -> Int32 {
        var words = OptionWords(given: given)
        var filter = PaymentQuery(reading.kind)
        try filter.read(&words)
        let (limit, email) = (
            try given.integer("limit", in: 1...10_000) ?? filter.limit,
            try words.text("email", bytes: Limits.emailBytes)
        )
        let asked = filter
        let (rows, next) = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            let keys = try MasterKeyFile.read(session.configuration.masterKeyFile)
            let seal = CursorSeal(keys, merchant: merchant, list: "\(reading.thing)s", filter: Self.narrowing(given))
            var filter = asked
            filter.emailCodes = email.map { PayerCode.codes(ofEmail: $0, merchant, keys) }
            if let name = given["account"] {
                let known = try await session.reader.accounts(merchant: merchant)
                guard let id = known.first(where: { $0.configuration?.name == name })?.id else {
                    throw UsageError("there is no account '\(name)'")
                }
                filter.account = id
            }
            if let word = given["cursor"] {
                guard let cursor = seal.cursor(word) else {
                    throw UsageError("--cursor is the word that an earlier list of the same options ended with")
                }
                filter.cursor = cursor
            }
            let found = try await Self.rows(filter, limit, session, merchant)
            return (found.rows, found.next.map(seal.text))
        }
        if given.has("json") {
            for row in rows { StandardStream.output.write(row.canonicalText + "\n") }
        } else {
            StandardStream.output.write(reading.table(rows))
        }
        if let next { StandardStream.error.write("there are more; --limit shows them, or --cursor \(next)\n") }
        return 0
    }

    /// What the cursor of a list is made for.
    private static func narrowing(_ given: ScatteredArguments) -> [(name: String, value: String)] {
        options.flatMap { option in given.all(option.name).map { (option.name, $0) } }
    }

    /// So many rows, if there are: pages that hold fewer than they could are read on.
    private static func rows(
        _ query: PaymentQuery,
        _ limit: Int,
        _ session: StoreSession,
        _ merchant: MerchantNumber
    ) async throws(StoreFailure) -> (rows: [Json], next: PageCursor?) {
        var query = query
        var rows: [Json] = []
        repeat {
            query.limit = limit - rows.count
            let page = try await session.views.payments.list(query, merchant: merchant)
            rows += page.rows
            query.cursor = page.next
        } while query.cursor != nil && rows.count < limit
        return (rows, query.cursor)
    }
}
