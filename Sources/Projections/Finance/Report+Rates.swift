/// Reports that are made of facts: rates, recurring payments, times and what is open.
extension Report {
    private static let paid = ["kind", "provider", "account", "mode", "method", "currency"].map { Column($0) }

    private static func counts(_ names: String...) -> [Column] { names.map { Column($0, .count) } }

    private static func rate(_ name: String) -> Column { Column(name, .rate) }

    package static let methods = Report(
        name: "methods",
        summary: "The turnover by the way in which it was paid",
        columns: day + paid + amounts("captured", "refunded", "chargedBack", "fees", "net", "transferred", "claimed"),
        formulas: turnover.formulas + [("method", "the provider's word for it, or how it was asked for")],
        counted: turnover.counted
    )

    package static let schemes = Report(
        name: "schemes",
        summary: "The turnover by the scheme of the card",
        columns: day + ["kind", "provider", "account", "mode", "scheme", "currency"].map { Column($0) }
            + amounts("captured", "refunded", "chargedBack", "fees", "net", "transferred", "claimed"),
        formulas: turnover.formulas + [
            ("scheme", "as the provider's answers named it when the money moved; empty where none did, or no card paid")
        ],
        counted: turnover.counted
    )

    package static let approval = Report(
        name: "approval",
        summary: "How attempts at providers ended, and how many payments got their money",
        columns: day + paid + counts("attempts", "approved", "declined", "expired", "cancelled") + [
            rate("approvalRate")
        ]
            + counts("late", "unattended", "acted", "paid") + [rate("paymentRate")],
        formulas: [
            (
                "attempts",
                "attempts that reached the provider and ended on this day: approved + declined + expired + cancelled"
            ),
            ("approved", "attempts that were authorised or captured"),
            ("approvalRate", "approved / attempts, in per cent; absent below 20 attempts"),
            (
                "late",
                "attempts that were approved after they had been told as ended; counted on the day of their end, too"
            ),
            ("unattended", "attempts that ended without a payer who acted; in no rate"),
            ("acted", "payments of which the provider showed a first try on this day"),
            ("paid", "payments that were authorised or captured for the first time on this day"),
            ("paymentRate", "paid / acted, in per cent; absent below 20 payments"),
        ],
        facts: [.tried, .approved, .ended]
    )

    package static let declines = Report(
        name: "declines",
        summary: "Why tries were refused, in our words and by the provider's codes",
        columns: day + paid + [Column("declineClass"), Column("declineCode")] + counts("declines", "tries")
            + [rate("share")],
        formulas: [
            ("declines", "operations at the provider that were refused; the payer of a form may try several"),
            ("tries", "operations at the provider that were seen first on this day, of the same account and method"),
            ("share", "declines / tries, in per cent; absent below 20 tries"),
        ],
        facts: [.tried, .refused]
    )

    package static let threeDSecure = Report(
        name: "three-d-secure",
        summary: "Whose bank asked for 3-D Secure, and what came of it",
        columns: day + paid + counts("tries", "challenged") + [rate("challengeRate")]
            + counts("passed", "failed", "frictionless") + [rate("passRate")],
        formulas: [
            ("tries", "operations at the provider that were seen first on this day"),
            ("challenged", "tries whose payer was seen before 3-D Secure on this day"),
            ("challengeRate", "challenged / tries, in per cent; absent below 20 tries"),
            ("passed", "tries that were approved behind 3-D Secure"), ("failed", "tries that were refused behind it"),
            ("frictionless", "tries that were approved and of which no 3-D Secure was seen"),
            ("passRate", "passed / (passed + failed), in per cent; absent below 20 of them"),
        ],
        facts: [.tried, .challenged, .approved, .refused]
    )

    package static let recurring = Report(
        name: "recurring",
        summary: "What fell due in schedules, what of it was collected, and who was lost",
        columns: day + keys.dropFirst() + counts("due", "collected") + amounts("collectedAmount")
            + counts("declined", "recovered") + [rate("recoveryRate")]
            + counts("lost", "skipped", "active", "ended", "churned") + [rate("churnRate")],
        formulas: [
            ("due", "occurrences whose first try was begun"), ("declined", "occurrences whose first try failed"),
            ("recovered", "occurrences that were paid at a second or later try"),
            ("recoveryRate", "recovered / declined, in per cent; absent below 20 declined"),
            ("lost", "occurrences that were given up"), ("skipped", "occurrences that are not charged"),
            ("active", "schedules that had begun and were not over before this day"),
            ("churned", "schedules that a dunning policy ended"),
            ("churnRate", "churned / active, in per cent; absent below 20 active"),
        ],
        facts: [.began, .over, .due, .declined, .collected, .lost, .skipped]
    )

    package static let timeToMoney = Report(
        name: "time-to-money",
        summary: "How long it took from a payment's creation until its first money",
        columns: day + paid + counts("payments", "medianSeconds", "p90Seconds", "p99Seconds"),
        formulas: [
            ("payments", "payments whose first money was captured on this day"),
            ("medianSeconds", "captured - asked for, of the payment in the middle"),
            ("p90Seconds", "of nine in ten; absent below 20 payments, as is p99Seconds"),
        ],
        facts: [.paid]
    )

    /// What a report counts between two positions, each with its event's: movements, facts, or what opened an item.
    package func between() -> Report {
        if reading == .opened { return openedBetween }
        return counted.isEmpty ? factsBetween : movementsBetween
    }

    private var movementsBetween: Report {
        Report(
            name: name,
            summary: "The movements between two positions that '\(name)' counts",
            columns: [Column("position", .count), Column("at"), Column("effectiveAt"), Column("movement")] + Self.keys
                + Self.amounts("amount")
                + ["id", "reference", "part", "providerReference", "method", "scheme", "payee", "evidence"].map {
                    Column($0)
                } + [Column("commanded", .flag)],
            formulas: [("amount", "below zero where evidence takes something back")]
        )
    }

    private var factsBetween: Report {
        Report(
            name: name,
            summary: "The facts between two positions that '\(name)' counts",
            columns: [Column("position", .count), Column("at"), Column("fact")] + Self.paid + Self.amounts("amount")
                + [Column("id"), Column("part"), Column("attempt", .count)]
                + [Column("declineClass"), Column("declineCode")]
                + ["isFirst", "isPaymentsFirst", "isLate"].map { Column($0, .flag) } + [Column("seconds")],
            formulas: [
                (
                    "isFirst",
                    "the attempt's first of its kind, or the occurrence's; of an end, whether it came to the provider"
                ),
                ("isPaymentsFirst", "the payment's first of its kind"),
                ("isLate", "told behind the attempt's end, or behind the occurrence's decline"),
                ("seconds", "since the payment's first operation was asked for"),
            ]
        )
    }

    package static let openItems = Report(
        name: "open-items",
        summary: "Money that waits for its end, by age in days",
        columns: [Column("item")] + keys.dropFirst() + [Column("age")] + counts("items") + amounts("amount"),
        formulas: [
            (
                "item",
                "hold: authorised, and neither captured, given back nor expired; dispute; uncertain: nobody knows its outcome"
            ),
            (
                "age",
                "days since it was opened, as of the report's position; from and before are days on which items were opened"
            ),
            ("amount", "what is held or disputed; of uncertain operations what was asked for"),
        ],
        reading: .opened
    )

    private var openedBetween: Report {
        Report(
            name: name,
            summary: "The items that are open at a position and were opened behind another one",
            columns: [Column("position", .count), Column("at"), Column("item")] + Self.keys.dropFirst() + [
                Column("age")
            ]
                + Self.amounts("amount") + [Column("id"), Column("part")],
            formulas: [("at", "when it was opened"), ("age", "days since it was opened, as of the later position")],
            reading: .opened
        )
    }
}
