import Api
import Http
import Kernel

/// What a row of a report counts: every movement, fact or open item behind its figures, each with the way to where it happened.
package enum MovementsPage {
    static let page = Page.shown("/reports/{report}/movements", by: show)

    /// The reports whose figures are sums of movements.
    package static let reports: Set<String> = [
        "turnover", "methods", "schemes", "refunds", "fees", "holds", "disputes", "bills", "uncommanded", "settlement",
        "reconciliation", "balance", "statement", "periods",
    ]
    /// Those whose figures count facts.
    package static let counting: Set<String> = ["approval", "declines", "three-d-secure", "recurring", "time-to-money"]
    /// Those whose figures count what is open.
    package static let open: Set<String> = ["open-items"]
    /// What tells the movements, facts and items of one row from those of another.
    private static let keys = [
        "kind", "provider", "account", "currency", "method", "scheme", "payee", "movement", "declineClass",
        "declineCode", "item", "age",
    ]
    /// A key that a row has, and says nothing of.
    private static let nothing = "-"

    private static func isListed(_ report: String) -> Bool {
        reports.contains(report) || counting.contains(report) || open.contains(report)
    }

    /// The list behind a row, as of the position that the report was made at; `nil` where there is none.
    static func address(behind row: Json, of report: String, _ period: Period, _ visit: Visit, asOf position: Int64)
        -> Address?
    {
        guard isListed(report) else { return nil }
        var days = period
        if let day = row["day"]?.text.flatMap({ CivilDate($0) }) {
            let end = CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1)
            days = Period(first: day, end: end, zone: period.zone, mode: period.mode)
        }
        let whole = days.put(into: Address("reports", report, "movements")).with("asOf", "\(position)")
            .with("by", visit.parameter("by"))
            .with("mode", row["mode"]?.text ?? period.mode)
        return keys.reduce(whole) { address, key in
            row[key]?.text.map { address.with(key, $0.isEmpty ? nothing : $0) } ?? address
        }
    }

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let name = visit.path["report"] ?? ""
        guard isListed(name) else { throw Problem(.routeUnknown, "What this report counts is not listed.") }
        let isStanding = ReportPage.isStanding(visit)
        guard let period = try Period(visit, isStanding: isStanding) else { return try await Period.redirect(visit) }
        let answer = await visit.report(name, query(visit, period))
        let file = visit.address.moved(to: "reports", name, "movements.csv")
        let title = visit.say(
            open.contains(name) ? .openItems : counting.contains(name) ? .factsBehind : .movementsBehind
        )
        guard answer.file == nil else {
            return frame(visit, name, title) {
                emptyState(visit.say(.longReport), visit.say(.longReportHint)) {
                    link("\(visit.say(.download)) CSV", file, "button")
                }
            }
        }
        let report = try Visit.json(answer)
        let rows = (report["rows"]?.items ?? []).filter { isWanted($0, visit) }
        return frame(visit, name, title) {
            tag("p", .class("hint")) {
                period.shown(visit, isStanding: isStanding)
                for key in keys {
                    if let value = visit.parameter(key) { " · \(ReportPage.word(visit, key, value))" }
                }
                " · \(visit.say(.madeAt, ["position": "\(report["position"]?.integer ?? 0)"]))"
            }
            if rows.isEmpty {
                emptyState(visit.say(.nothingInPeriod), visit.say(.nothingInPeriodHint)) {
                    link(visit.word(Words.report, name), Address("reports", name), "button")
                }
            } else {
                if open.contains(name) {
                    itemTable(visit, title, rows)
                } else if counting.contains(name) {
                    factTable(visit, title, rows)
                } else {
                    table(visit, title, rows)
                }
            }
        }
    }

    private static func frame(_ visit: Visit, _ name: String, _ title: String, @HtmlBuilder _ content: () -> Html)
        -> HttpResponse
    {
        // The same days, as of the same position.
        let report = keys.reduce(visit.address.moved(to: "reports", name)) { $0.with($1, nil) }
        return Layout(visit, title, .reports).response {
            tag("p", .class("crumb")) {
                link(visit.say(.reports), Address("reports"))
                " · "
                link(visit.word(Words.report, name), report)
            }
            heading(title, visit.say(.movementsFileHint)) {
                if name == "reconciliation" { link(visit.say(.exceptions), Address("reconciliation"), "button") }
                link("\(visit.say(.download)) CSV", visit.address.moved(to: "reports", name, "movements.csv"), "button")
            }
            content()
        }
    }

    /// All movements up to the position, by the days that are asked for.
    static func query(_ visit: Visit, _ period: Period) -> [(name: String, value: String)] {
        ReportPage.query(visit, period) + [("compare", "0")]
    }

    private static func isWanted(_ row: Json, _ visit: Visit) -> Bool {
        keys.allSatisfy { key in visit.parameter(key).map { name(key, of: row) ?? nothing == $0 } ?? true }
    }

    /// What a row says of a key, where it says something.
    private static func name(_ key: String, of row: Json) -> String? {
        row[key]?.text.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func table(_ visit: Visit, _ title: String, _ rows: [Json]) -> Html {
        DataTable(
            title,
            [
                Column(visit.say(.day)), Column(visit.word(Words.column, "movement")),
                Column(visit.say(.amount), .number), Column(visit.say(.currency), .currency),
                Column(visit.say(.reference)), Column(visit.say(.referenceAtProvider), .wide),
                Column(visit.say(.account), .wide), Column(visit.say(.position), .number),
            ],
            rows: rows.map { row in
                [moment(visit, row), Html(visit.word(Words.movement, row["movement"]?.text))] + money(visit, row)
                    + [Html(row["reference"]?.text ?? "–"), code(row["providerReference"]?.text) ?? Html("–")]
                    + accountAndPosition(visit, row)
            },
            isWalked: true
        ).html
    }

    private static func factTable(_ visit: Visit, _ title: String, _ rows: [Json]) -> Html {
        func column(_ name: String, _ kind: Column.Kind = .text) -> Column {
            Column(visit.word(Words.column, name), kind)
        }
        return DataTable(
            title,
            [
                Column(visit.say(.day)), Column(visit.say(.state)), column("method"), column("declineClass"),
                column("declineCode", .wide), Column(visit.say(.seconds), .number), Column(visit.say(.account), .wide),
                Column(visit.say(.position), .number),
            ],
            rows: rows.map { row in
                [
                    moment(visit, row), Html(visit.word(Words.fact, row["fact"]?.text)),
                    Html(visit.word(Words.method, name("method", of: row))),
                    Html(visit.word(Words.decline, name("declineClass", of: row))),
                    code(name("declineCode", of: row)) ?? Html("–"), Html(row["seconds"]?.text ?? "–"),
                ] + accountAndPosition(visit, row)
            },
            isWalked: true
        ).html
    }

    private static func itemTable(_ visit: Visit, _ title: String, _ rows: [Json]) -> Html {
        DataTable(
            title,
            [
                Column(visit.say(.day)), Column(visit.word(Words.column, "item")),
                Column(visit.word(Words.column, "age")),
                Column(visit.say(.amount), .number), Column(visit.say(.currency), .currency),
                Column(visit.say(.account), .wide), Column(visit.say(.position), .number),
            ],
            rows: rows.map { row in
                [moment(visit, row), Html(visit.word(Words.waiting, row["item"]?.text)), Html(row["age"]?.text ?? "–")]
                    + money(visit, row) + accountAndPosition(visit, row)
            },
            isWalked: true
        ).html
    }

    /// When it happened, with the way to where it did.
    private static func moment(_ visit: Visit, _ row: Json) -> Html {
        let at = visit.formats.moment(row["at"]?.text, seconds: true)
        return source(row).map { address in tag("a", .class("row-link"), .href(address)) { at } } ?? at
    }

    /// The amount and its currency.
    private static func money(_ visit: Visit, _ row: Json) -> [Html] {
        let currency = row["currency"]?.text ?? ""
        return [
            Html((row["amount"]?.scalarText).map { visit.formats.amount($0, currency) } ?? "–"), Html(currency),
        ]
    }

    /// The account and the position in the log.
    private static func accountAndPosition(_ visit: Visit, _ row: Json) -> [Html] {
        [Html(row["account"]?.text ?? "–"), Html(visit.formats.number(row["position"]?.integer ?? 0))]
    }

    /// Where it came from: a payment's timeline, a schedule, a batch of bills, or what files said.
    private static func source(_ row: Json) -> Address? {
        guard let id = row["id"]?.text else { return nil }
        switch id.prefix(4) {
        case "pay_", "trf_": return Address("payments", id)
        case "sch_": return Address("schedules", id)
        case "bat_": return Address("bill-batches", id)
        default: return Address("reconciliation")
        }
    }
}
