package import Payments

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
        /// `true` or `false`.
        case flag
    }

    /// By what a report's rows are read.
    package enum Reading: Hashable, Sendable {
        /// Windows of the days of movements and facts.
        case days
        /// Windows of the provider's days.
        case providersDays
        /// Windows of days whose sums go into each other, for rows that come behind the last one.
        case sums
        /// The same of all days, whichever are asked for: months have balances.
        case months
        /// Rows in their order, so many at a time.
        case list
        /// Windows of the days on which something was opened, whose sums go into each other.
        case opened
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
    /// How its rows are read, so that no statement reads more of a book than it can in a moment.
    package var reading = Reading.days
    /// Columns that name what has a balance, which goes on from day to day as `closing`; of a report without one, none.
    package var balanced: [String] = []
    /// Which movements its figures count; empty where it counts facts.
    package var counted: [MovementKind] = []
    /// What its figures count of what settlement books beside the movements, its fees apart, which are counted as such.
    package var entries: [SettlementEntryKind] = []
    /// Which facts its figures count; of a report over movements or open items, none.
    package var facts: [FinanceFact.Kind] = []
    /// By which of their times its rows have days: facts, and what is open, have that of their evidence alone.
    package var times: [ReportQuery.Time] {
        if reading == .providersDays { return [.effective] }
        return counted.isEmpty ? [.known] : ReportQuery.Time.allCases
    }
    /// Whether rows say if their day is over.
    package var tellsDays: Bool { daysStay && columns.contains { $0.content == .day } }
    /// The columns of its rows, with what is said of their days.
    package var shownColumns: [Column] { columns + (tellsDays ? [Self.complete] : []) }
    /// Whether what it counts can be listed between two positions.
    package var isListed: Bool { !counted.isEmpty || !facts.isEmpty || reading == .opened }

    static let keys = ["kind", "provider", "account", "mode", "currency"].map { Column($0) }
    static let day = [Column("day", .day)]

    /// Whether the row's day is over as of the report's position; days by the provider's time are never said to be.
    static let complete = Column("complete", .flag)

    static func amounts(_ names: String...) -> [Column] { names.map { Column($0, .amount) } }

    package static let all = [
        turnover, methods, schemes, refunds, fees, holds, disputes, bills, uncommanded, approval, declines,
        threeDSecure,
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
        ],
        counted: [.captured, .refunded, .refundReversed, .disputeLost, .fee, .transferred, .claimed]
    )

    package static let refunds = Report(
        name: "refunds",
        summary: "Refunds, those that the provider took back, and their share of what was captured",
        columns: day + keys + [Column("refunds", .count)] + amounts("refunded", "reversed", "captured"),
        formulas: [("refunds", "refunds seen as done, less those that evidence took back")],
        counted: [.refunded, .refundReversed, .captured]
    )

    package static let fees = Report(
        name: "fees",
        summary: "What providers kept, and what payers paid them on top",
        columns: day + keys + amounts("fees", "payerCommission", "captured"),
        formulas: [
            ("fees", "what providers keep, as they tell it in their answers or their settlement files"),
            ("payerCommission", "paid by the payer to the provider beside the amount; none of the merchant's money"),
        ],
        counted: [.fee, .payerCommission, .captured]
    )

    package static let holds = Report(
        name: "holds",
        summary: "What was held, and how holds ended",
        columns: day + keys + amounts("authorised", "captured", "voided", "lapsed", "change"),
        formulas: [
            ("captured", "taken from a hold"), ("voided", "given back by us or the provider"),
            ("lapsed", "gone by the hold's lifetime; less than nothing where it was captured after all"),
            ("change", "authorised - captured - voided - lapsed: what is held more at the day's end than at its begin"),
        ],
        counted: [.authorised, .holdCaptured, .holdReleased, .holdExpired]
    )

    package static let disputes = Report(
        name: "disputes",
        summary: "What payers' banks took back, and how it ended",
        columns: day + keys + [Column("opened", .count)] + amounts("disputed", "won", "lost", "change"),
        formulas: [("change", "disputed - won - lost: what is in dispute more at the day's end than at its begin")],
        counted: [.disputed, .disputeWon, .disputeLost]
    )

    package static let bills = Report(
        name: "bills",
        summary: "Bills in bulk by who was paid",
        columns: day + [Column("payee")] + keys.dropFirst() + [Column("paid", .count)]
            + amounts("captured", "refunded", "payerCommission", "claimed"),
        formulas: [("paid", "bills that the provider, or two persons, say were paid, less those taken back")],
        counted: [.captured, .refunded, .payerCommission, .claimed]
    )

    package static let uncommanded = Report(
        name: "uncommanded",
        summary: "Money that moved though nobody here asked for it",
        columns: day + keys + [Column("movement"), Column("parts", .count)] + amounts("amount"),
        formulas: [("amount", "of operations that were seen at the provider alone, disputes and fees apart")],
        counted: [
            .authorised, .holdCaptured, .holdReleased, .captured, .refunded, .refundReversed, .transferred, .claimed,
        ]
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
        ],
        reading: .sums,
        counted: booked,
        entries: SettlementEntryKind.allCases
    )

    /// Kinds that stand in accounts of the ledger.
    private static let booked = MovementKind.allCases.filter { $0 != .claimed && $0 != .payerCommission }
    private static let ledgerKeys = ["ledgerAccount", "provider", "account", "mode", "currency"].map { Column($0) }

    package static let statement = Report(
        name: "statement",
        summary:
            "Every account of the ledger by day: what it held at the day's begin, what came and went, what it holds",
        columns: day + ledgerKeys + amounts("opening", "debit", "credit", "closing"),
        formulas: [
            ("opening", "what all entries of earlier days come to, before the first day that is asked for, too"),
            ("closing", "opening + debit - credit"),
        ],
        balanced: ledgerKeys.map(\.name),
        counted: booked,
        entries: SettlementEntryKind.allCases
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
        ],
        reading: .months,
        counted: booked,
        entries: SettlementEntryKind.allCases
    )

    /// The name in SQL, as in `three_d_secure`.
    package var sqlName: String { name.replacing("-", with: "_") }

    package static func named(_ name: String) -> Report? { all.first { $0.name == name } }
}
