import Kernel
import Payments
import Projections

/// Reports of what moved, for finance.
enum ReportEndpoints {
    static let all: [Endpoint] = [
        .reading("listReports", "/v1/reports", by: Api.listReports)
            .documented(.reports, "List the reports, their columns and formulas", "ReportCatalogue"),
        .reading("makeReport", "/v1/reports/{report}", query: query, by: Api.makeReport)
            .documented(.reports, "Make a report, as of any position of the log", "Report", problems: [404])
            .with { $0.answer = .table("Report", of: "ReportRow") },
        .reading("paymentActivity", "/v1/activity", query: activity, by: Api.paymentActivity)
            .documented(.reports, "Count what became of the payments that began in a period", "Activity"),
    ]

    private static let modes: Json = ["type": "string", "enum": .array(ReportQuery.modes.map { .string($0) })]

    private static let activity: [Endpoint.Parameter] = [
        .init("from", Schema.date, isNeeded: true), .init("before", Schema.date, isNeeded: true),
        .init("zone", Schema.text("In which days begin; the merchant's own where it is not said.", atMost: 64)),
        .init("mode", modes),
    ]

    private static let query: [Endpoint.Parameter] = [
        .init("zone", Schema.text("In which days begin; the merchant's own where it is not said.", atMost: 64)),
        .init("from", Schema.date), .init("before", Schema.date),
        .init("mode", modes),
        .init("by", Schema.words(ReportQuery.Time.self)),
        .init("asOf", Schema.text("A position of the log, or a moment.", atMost: ReportQuery.AsOf.bytes)),
        .init(
            "compare",
            Schema.text(
                "Another such: what the report counts between the two is listed.",
                atMost: ReportQuery.AsOf.bytes
            )
        ),
        .init("format", Schema.words(ReportForm.self)),
    ]

    static let schemas: [(String, Json)] = [
        (
            "ReportCatalogue",
            Schema.object([("items", Schema.list(catalogued))], required: ["items"])
        ),
        ("Report", report), ("ReportRow", row), ("Activity", Activity.schema),
    ]

    private static var catalogued: Json {
        let column = Schema.object(
            [("name", Schema.text()), ("content", Schema.words(Report.Content.self))],
            required: ["name", "content"]
        )
        return Schema.object(
            [
                ("name", Schema.text()), ("summary", Schema.text()), ("columns", Schema.list(column)),
                ("by", Schema.list(Schema.words(ReportQuery.Time.self))), ("formulas", Schema.free),
            ],
            required: ["name", "summary", "columns", "by", "formulas"]
        )
    }

    private static var report: Json {
        Schema.object(
            [
                ("object", ["const": "report"]), ("name", Schema.text()), ("zone", Schema.text()),
                ("position", Schema.integer()), ("since", Schema.integer()), ("openDay", Schema.date),
                ("streamsAside", Schema.integer()),
                ("rows", Schema.list(Schema.ref("ReportRow"))), ("formulas", Schema.free),
            ],
            required: ["object", "name", "zone", "position", "streamsAside", "rows", "formulas"],
            "Made as of a position of the log: the same question as of it gives the same. Days before openDay are over."
        )
    }

    private static var row: Json {
        [
            "type": "object", "additionalProperties": true,
            "description": "The report's columns; amounts in minor units, as a text where they don't fit 64 bits.",
        ]
    }
}
