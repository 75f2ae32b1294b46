import Http
import Kernel

/// Months of the books that are closed.
enum PeriodEndpoints {
    static let noteBytes = 500

    static let all: [Endpoint] = [
        .reading("listPeriods", "/v1/periods", by: Api.listPeriods)
            .documented(.reports, "List the months of the books that are closed, newest first", "PeriodPage"),
        .asking(
            "closePeriod",
            "/v1/periods/{month}",
            .json(form),
            method: .put,
            scope: .finance,
            by: Api.closePeriod
        )
        .documented(
            .reports,
            "Close a month of the books: what is known later is booked in the first one that is open",
            "Period",
            problems: [404, 409]
        ),
    ]

    private static let form = FormSchema(
        "ClosePeriod",
        Schema.closed([("note", Schema.text("For the record.", atMost: noteBytes))]),
        example: ["note": "the books of October"]
    )

    static let schemas: [(String, Json)] = [
        (
            "Period",
            Schema.object(
                [
                    ("object", ["const": "period"]), ("month", month), ("zone", Schema.text()),
                    ("position", Schema.integer()), ("closedAt", Schema.time), ("closedBy", Schema.text()),
                    ("note", Schema.text()),
                ],
                required: ["object", "month", "zone", "position", "closedAt", "closedBy"],
                "A month that is closed as of a position of the log."
            )
        ),
        ("PeriodPage", Schema.page(Schema.ref("Period"))),
    ]

    static let month = Schema.pattern("^[0-9]{4}-(0[1-9]|1[0-2])$")
}
