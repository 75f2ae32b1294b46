package import Kernel

/// A report over the movements: what it tells, its columns, and how its figures are reckoned.
///
/// Its rows come from the SQL function `paystream.report_NAME`, whose columns are these, in this order.
package struct Report: Sendable {
    package enum Content: String, Hashable, Sendable, CaseIterable {
        case text
        /// A calendar day in the report's zone, as `2026-11-21`.
        case day
        /// Minor units of the row's `currency`, of any length.
        case amount
        case count
        /// A share in per cent with two decimals, as `87.50`; absent below 20 cases.
        case rate
    }

    package struct Column: Hashable, Sendable {
        package let name: String
        package let content: Content

        init(_ name: String, _ content: Content = .text) {
            self.name = name
            self.content = content
        }
    }

    package let name: String
    package let summary: String
    package let columns: [Column]
    /// How a figure comes about, by its column.
    package let formulas: [(column: String, formula: String)]
    /// Whether a day that is over stays as it is.
    package var daysStay = true

    static let keys = ["kind", "provider", "account", "mode", "currency"].map { Column($0) }
    static let day = [Column("day", .day)]

    static func amounts(_ names: String...) -> [Column] { names.map { Column($0, .amount) } }

    package static let all = [
        turnover, methods, refunds, fees, holds, disputes, bills, uncommanded, approval, declines, threeDSecure,
        recurring, timeToMoney, openItems, settlement, reconciliation, exceptions, balance, statement, periods,
    ]

    package static let turnover = Report(
        name: "turnover",
        summary: "What was captured, refunded, charged back and transferred, and what is left of it",
        columns: day + keys + amounts("captured", "refunded", "chargedBack", "fees", "net", "transferred", "claimed"),
        formulas: [
            ("captured", "money taken from payers, by the day of its evidence or, by effective, the provider's own"),
            ("refunded", "refunds without those that the provider took back"),
            ("chargedBack", "disputes that were lost"), ("net", "captured - refunded - chargedBack - fees"),
            ("transferred", "money that went on to other cards; no turnover"),
            ("claimed", "bills that an app says are paid; no money yet, and in no sum"),
        ]
    )

    package static let refunds = Report(
        name: "refunds",
        summary: "Refunds, those that the provider took back, and their share of what was captured",
        columns: day + keys + [Column("refunds", .count)] + amounts("refunded", "reversed", "captured"),
        formulas: [("refunds", "refunds seen as done, less those that evidence took back")]
    )

    package static let fees = Report(
        name: "fees",
        summary: "What providers kept, and what payers paid them on top",
        columns: day + keys + amounts("fees", "payerCommission", "captured"),
        formulas: [
            ("fees", "fees as providers tell them in their answers"),
            ("payerCommission", "paid by the payer to the provider beside the amount; none of the merchant's money"),
        ]
    )

    package static let holds = Report(
        name: "holds",
        summary: "What was held, and how holds ended",
        columns: day + keys + amounts("authorised", "captured", "voided", "lapsed", "change"),
        formulas: [
            ("captured", "taken from a hold"), ("voided", "given back by us or the provider"),
            ("lapsed", "gone by the hold's lifetime; less than nothing where it was captured after all"),
            ("change", "authorised - captured - voided - lapsed: what is held more at the day's end than at its begin"),
        ]
    )

    package static let disputes = Report(
        name: "disputes",
        summary: "What payers' banks took back, and how it ended",
        columns: day + keys + [Column("opened", .count)] + amounts("disputed", "won", "lost", "change"),
        formulas: [("change", "disputed - won - lost: what is in dispute more at the day's end than at its begin")]
    )

    package static let bills = Report(
        name: "bills",
        summary: "Bills in bulk by who was paid",
        columns: day + [Column("payee")] + keys.dropFirst() + [Column("paid", .count)]
            + amounts("captured", "refunded", "payerCommission", "claimed"),
        formulas: [("paid", "bills that the provider, or two persons, say were paid, less those taken back")]
    )

    package static let uncommanded = Report(
        name: "uncommanded",
        summary: "Money that moved though nobody here asked for it",
        columns: day + keys + [Column("movement"), Column("parts", .count)] + amounts("amount"),
        formulas: [("amount", "of operations that were seen at the provider alone, disputes and fees apart")]
    )

    package static let balance = Report(
        name: "balance",
        summary: "The trial balance: every account of the ledger, debits beside credits",
        columns: ledgerKeys + amounts("debit", "credit", "balance"),
        formulas: [
            (
                "balance",
                "debit - credit of all that is posted up to the report's position; a currency's balances sum to zero"
            )
        ]
    )

    private static let ledgerKeys = ["ledgerAccount", "provider", "account", "mode", "currency"].map { Column($0) }

    package static let statement = Report(
        name: "statement",
        summary:
            "Every account of the ledger by day: what it held at the day's begin, what came and went, what it holds",
        columns: day + ledgerKeys + amounts("opening", "debit", "credit", "closing"),
        formulas: [
            ("opening", "what all entries of earlier days come to, before the first day that is asked for, too"),
            ("closing", "opening + debit - credit"),
        ]
    )

    package static let periods = Report(
        name: "periods",
        summary:
            "The ledger by month: what is known after its month was closed is booked in the first month that is open",
        columns: [Column("period", .day)] + ledgerKeys
            + amounts("opening", "debit", "credit", "closing", "fromEarlier"),
        formulas: [
            ("period", "the month of an entry's day, or the first one that was open when the entry became known"),
            ("closing", "opening + debit - credit"),
            ("fromEarlier", "what of the change belongs to months that were closed; none by known, as days don't grow"),
        ]
    )

    /// The name in SQL, as in `three_d_secure`.
    package var sqlName: String { name.replacing("-", with: "_") }

    package static func named(_ name: String) -> Report? { all.first { $0.name == name } }
}

/// Which movements a report is about.
package struct ReportQuery: Hashable, Sendable {
    /// Which of a movement's two times gives its day.
    package enum Time: String, Hashable, Sendable, CaseIterable {
        /// When its evidence was recorded: a day that is over stays as it is.
        case known
        /// When it happened at the provider.
        case effective
    }

    /// What was known at a place of the log or at a moment; later movements are left out.
    package enum AsOf: Hashable, Sendable {
        case position(Int64)
        case instant(Timestamp)

        /// Reads a position, or a moment with its offset.
        package init?(_ text: String) {
            if let position = Int64(text), position >= 0 {
                self = .position(position)
            } else if let moment = Timestamp(text) {
                self = .instant(moment)
            } else {
                return nil
            }
        }
    }

    /// Of the IANA database; `nil` is the merchant's own.
    package var zone: String?
    /// Days from this one on, as `2026-11-21`.
    package var first: String?
    /// The first day that no longer counts.
    package var end: String?
    /// Of the account; `nil` is every one.
    package var mode: String? = "live"
    package var time = Time.known
    /// `nil` is all that the read model holds.
    package var asOf: AsOf?

    package init() {}
}

/// A report that was made: the same query as of the same position gives the same, byte for byte.
package struct MadeReport: Sendable {
    package let report: Report
    /// The place of the log that it was made at: what follows is not in it.
    package let position: Int64
    package let zone: String
    /// The first day that may still grow behind that position.
    package let openDay: String
    /// Streams that a read model set aside: what moved there last is missing.
    package let aside: Int64
    /// A cell for each column; `nil` where a column says nothing of a row.
    package let rows: [[String?]]

    package init(
        _ report: Report,
        position: Int64,
        zone: String,
        openDay: String,
        aside: Int64,
        rows: [[String?]]
    ) {
        self.report = report
        self.position = position
        self.zone = zone
        self.openDay = openDay
        self.aside = aside
        self.rows = rows
    }
}
