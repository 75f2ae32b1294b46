import Payments

/// Reports of what providers settled.
extension Report {
    /// Of an account at a provider.
    private static let accountKeys = keys.dropFirst()

    package static let settlement = Report(
        name: "settlement",
        summary: "What providers owe, day by day, beside what their files come to",
        columns: day + accountKeys
            + amounts(
                "opening",
                "captured",
                "refunded",
                "disputed",
                "fees",
                "reserve",
                "adjusted",
                "rounding",
                "payouts",
                "closing",
                "filed"
            ),
        formulas: [
            (
                "closing",
                "opening + captured - refunded - disputed - fees - reserve + adjusted - rounding - payouts: what is owed"
            ),
            ("disputed", "what payers' banks took back, without what was won"),
            ("fees", "told by the provider in its answers, or by its files"),
            ("reserve", "held by the provider, without what it gave back"),
            ("adjusted", "what two persons decided to follow the provider in; its other side is suspense"),
            ("rounding", "by how little payouts differ from the lines of their files, where the mapping lets them"),
            ("filed", "lines of the provider's files, each the way its kind says, without fees, payouts included"),
        ],
        balanced: accountKeys.map(\.name),
        counted: [.captured, .refunded, .refundReversed, .disputed, .disputeWon, .fee],
        entries: SettlementEntryKind.allCases
    )

    package static let reconciliation = Report(
        name: "reconciliation",
        summary: "Conservation: what our books have is in the files, open, in dispute or on its way",
        columns: day + accountKeys + amounts("gross", "net", "fees", "open", "disputed", "timing", "difference"),
        formulas: [
            ("gross", "captured - refunded + adjusted of our books, by the provider's days"),
            ("net", "lines of files, each the way its kind says, without fees; payouts and reserves apart"),
            ("fees", "what those lines tell, and lines of fees alone"),
            ("open", "open exceptions, timing and fees apart: what our books have more than the files"),
            ("disputed", "what payers' banks took back, without what was won"),
            (
                "timing",
                "no line tells of it yet, and the provider's usual delay is not over; or evidence changed since files were looked at last"
            ),
            ("difference", "gross - net - fees - open - disputed - timing: nothing, or money is lost between them"),
        ],
        daysStay: false,
        reading: .providersDays,
        counted: [.captured, .refunded, .refundReversed, .disputed, .disputeWon],
        entries: [.adjustment]
    )

    package static let exceptions = Report(
        name: "exceptions",
        summary: "What does not fit between our books and the files, the oldest first",
        columns: [Column("happened")] + accountKeys.filter { $0.name != "currency" }
            + [Column("class"), Column("currency")] + amounts("amount") + [Column("age", .count)]
            + ["owner", "line", "providerReference", "reference", "exception"].map { Column($0) },
        formulas: [
            ("amount", "what our books have more than the file"),
            ("age", "days since it does not fit, to the newest event"),
        ],
        reading: .list
    )
}
