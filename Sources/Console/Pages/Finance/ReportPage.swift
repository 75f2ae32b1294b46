import Api
import Http
import Kernel

/// The reports of finance and the ledger's trial balance, each as of a position that it names.
enum ReportPage {
    static let all: [Page] = [
        .shown("/reports", by: list),
        .shown("/reports/{report}", by: show),
        .shown("/reports/{report}/download.csv", by: download),
    ]

    private static func list(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let items = try await visit.read("/v1/reports")["items"]?.items ?? []
        return Layout(visit, visit.say(.reports), .reports).response {
            heading(visit.say(.reports), visit.say(.reportsHint)) {
                link(visit.say(.closedMonths), Address("months"), "button")
            }
            tag("ul", .class("tiles")) {
                for item in items {
                    let name = item["name"]?.text ?? ""
                    tag("li") {
                        tag("a", .class("tile"), .href(Address("reports", name))) {
                            tag("strong") { visit.word(Words.report, name) }
                            tag("span") { visit.word(Words.reportHint, name) }
                        }
                    }
                }
            }
        }
    }

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let name = visit.path["report"] ?? ""
        guard let period = try Period(visit) else { return try await Period.redirect(visit) }
        let catalogue = try await visit.read("/v1/reports")["items"]?.items ?? []
        guard let entry = catalogue.first(where: { $0["name"]?.text == name }) else {
            throw Problem(.routeUnknown, "There is no such report.")
        }
        var query = period.query
        for name in ["by", "asOf"] { if let value = visit.parameter(name) { query.append((name, value)) } }
        let report = try await visit.report(name, query)
        // Of accounts of one mode each row would say it again.
        let columns = (entry["columns"]?.items ?? []).filter { period.mode == "all" || $0["name"]?.text != "mode" }
        let rows = report["rows"]?.items ?? []
        let position = report["position"]?.integer ?? 0
        return Layout(visit, visit.word(Words.report, name), .reports).response {
            tag("p", .class("crumb")) { link(visit.say(.reports), Address("reports")) }
            heading(visit.word(Words.report, name), visit.word(Words.reportHint, name)) {
                link(
                    "\(visit.say(.download)) CSV, \(visit.count(.rows, Int64(rows.count)))",
                    ("\(position)" == visit.parameter("asOf")
                        ? visit.address : visit.address.with("asOf", "\(position)"))
                        .moved(to: "reports", name, "download.csv"),
                    "button"
                )
            }
            period.picker(visit)
            tag("p", .class("hint")) {
                visit.say(.madeAt, ["position": "\(position)"])
                " "
                link(visit.say(.sameAgain), visit.address.with("asOf", "\(position)"))
                if let open = report["openDay"]?.text { " · \(visit.say(.openFrom, ["day": open]))" }
                if let aside = report["streamsAside"]?.integer, aside > 0 {
                    " "
                    badge(visit.count(.streamsAside, aside), .person)
                }
            }
            if rows.isEmpty {
                emptyState(visit.say(.nothingInPeriod), visit.say(.nothingInPeriodHint))
            } else {
                table(visit, name, columns, rows).html
            }
            notes(visit, report)
        }
    }

    private static func table(_ visit: Visit, _ name: String, _ columns: [Json], _ rows: [Json]) -> DataTable {
        DataTable(
            visit.word(Words.report, name),
            columns.map { column in
                let content = column["content"]?.text
                return Column(
                    visit.word(Words.column, column["name"]?.text),
                    content == "amount" || content == "count" ? .number : .text
                )
            },
            rows: rows.map { row in
                let currency = row["currency"]?.text ?? ""
                return columns.map { column in
                    let value = row[column["name"]?.text ?? ""]
                    switch column["content"]?.text {
                    case "amount":
                        guard let minor = value?.scalarText, minor != "0" else {
                            return tag("span", .class("muted")) { "–" }
                        }
                        return Html(visit.formats.amount(minor, currency))
                    case "count": return Html(value?.integer.map { visit.formats.number($0) } ?? "–")
                    case "day":
                        return Html(value?.text.flatMap { CivilDate($0) }.map { visit.formats.day($0) } ?? "–")
                    default: return Html(word(visit, column["name"]?.text, value?.text))
                    }
                }
            }
        )
    }

    private static func word(_ visit: Visit, _ column: String?, _ value: String?) -> String {
        switch column {
        case "mode": visit.word(Words.mode, value)
        case "kind": visit.word(Words.flowKind, value)
        case "ledgerAccount": visit.word(Words.ledgerAccount, value)
        default: value ?? "–"
        }
    }

    private static func notes(_ visit: Visit, _ report: Json) -> Html? {
        guard let formulas = report["formulas"]?.members, !formulas.isEmpty else { return nil }
        return tag("details", .class("formulas")) {
            tag("summary") { visit.say(.formulas) }
            tag("div", .of("lang", "en")) {
                facts(
                    formulas.members.map { member in
                        (visit.word(Words.column, member.name), Html(member.value.text ?? ""))
                    }
                )
            }
        }
    }

    private static func download(_ visit: Visit) async throws(Problem) -> HttpResponse {
        guard let period = try Period(visit) else { throw Problem(.queryInvalid, "A period is needed.", path: "from") }
        var query = period.query + [("format", "csv")]
        for name in ["by", "asOf"] { if let value = visit.parameter(name) { query.append((name, value)) } }
        // What can't be made is told as a page.
        let name = visit.segment("report")
        let answer = await visit.send(.get, "/v1/reports/\(name)?" + FormEncoding.encode(query))
        guard answer.status == 200 else {
            _ = try await visit.report(name, query)
            throw Problem(.unavailable, "The report can't be made just now.")
        }
        return HttpResponse(
            status: 200,
            contentType: answer.headers["Content-Type"] ?? "text/csv; charset=utf-8",
            body: answer.body
        )
        .with("Content-Disposition", "attachment; filename=\"report-\(name).csv\"")
        .with("Paystream-Position", answer.headers["Paystream-Position"] ?? "")
    }
}
