import Api
import Http
import Kernel

/// The reports of finance and the ledger's trial balance, each as of a position that it names.
package enum ReportPage {
    static let all: [Page] = [
        .shown("/reports", by: list),
        .shown("/reports/{report}", by: show), MovementsPage.page,
        .shown("/reports/{report}/download.csv") { (visit) async throws(Problem) in try await download(visit, "csv") },
        .shown("/reports/{report}/download.xlsx") { (visit) async throws(Problem) in try await download(visit, "xlsx")
        },
        .shown("/reports/{report}/movements.csv") { (visit) async throws(Problem) in
            try await download(visit, "csv", of: "movements", MovementsPage.query)
        },
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
        guard let period = try Period(visit, isStanding: isStanding(visit)) else {
            return try await Period.redirect(visit)
        }
        let catalogue = try await visit.read("/v1/reports")["items"]?.items ?? []
        guard let entry = catalogue.first(where: { $0["name"]?.text == name }) else {
            throw Problem(.routeUnknown, "There is no such report.")
        }
        let answer = await visit.report(name, query(visit, period))
        // A long one lies in a file, and is none for a page.
        let hasTimes = entry["by"]?.items?.count ?? 0 > 1
        guard answer.file == nil else { return long(visit, name, period, hasTimes: hasTimes) }
        let report = try Visit.json(answer)
        // Of accounts of one mode each row would say it again.
        let columns = (entry["columns"]?.items ?? []).filter { period.mode == "all" || $0["name"]?.text != "mode" }
        let rows = report["rows"]?.items ?? []
        let position = report["position"]?.integer ?? 0
        return Layout(visit, visit.word(Words.report, name), .reports).response {
            tag("p", .class("crumb")) { link(visit.say(.reports), Address("reports")) }
            heading(visit.word(Words.report, name), visit.word(Words.reportHint, name)) {
                tag("span", .class("muted")) { visit.count(.rows, Int64(rows.count)) }
                downloads(
                    visit,
                    name,
                    "\(position)" == visit.parameter("asOf") ? visit.address : visit.address.with("asOf", "\(position)")
                )
            }
            period.picker(visit, isStanding: isStanding(visit))
            point(visit, period, hasTimes: hasTimes)
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
                emptyState(visit.say(.nothingInPeriod), visit.say(.nothingInPeriodHint)) {
                    link(visit.say(.thirtyDays), Period.last(30, visit, mode: "all").put(into: visit.address), "button")
                }
            } else {
                table(visit, name, columns, rows) { row in
                    MovementsPage.address(behind: row, of: name, period, visit, asOf: position)
                }.html
            }
            notes(visit, report)
        }
    }

    /// Reports of what stands, and not of days: what is older than a period belongs to it as well.
    package static let standing: Set<String> = ["balance", "open-items", "exceptions"]

    static func isStanding(_ visit: Visit) -> Bool { standing.contains(visit.path["report"] ?? "") }

    static func query(_ visit: Visit, _ period: Period) -> [(name: String, value: String)] {
        period.query.filter { $0.name != "from" || !isStanding(visit) }
            + ["by", "asOf"].compactMap { name in visit.parameter(name).map { (name, $0) } }
    }

    private static func downloads(_ visit: Visit, _ name: String, _ address: Address) -> Html {
        group {
            for form in ["csv", "xlsx"] {
                link(
                    "\(visit.say(.download)) \(form.uppercased())",
                    address.moved(to: "reports", name, "download.\(form)"),
                    "button"
                )
            }
        }
    }

    /// A report that is longer than a page shows.
    private static func long(_ visit: Visit, _ name: String, _ period: Period, hasTimes: Bool) -> HttpResponse {
        Layout(visit, visit.word(Words.report, name), .reports).response {
            tag("p", .class("crumb")) { link(visit.say(.reports), Address("reports")) }
            heading(visit.word(Words.report, name), visit.word(Words.reportHint, name)) {
                downloads(visit, name, visit.address)
            }
            period.picker(visit, isStanding: isStanding(visit))
            point(visit, period, hasTimes: hasTimes)
            emptyState(visit.say(.longReport), visit.say(.longReportHint)) { downloads(visit, name, visit.address) }
        }
    }

    /// As of which point of the log, and by which days where rows have two: the form that changes them.
    private static func point(_ visit: Visit, _ period: Period, hasTimes: Bool) -> Html {
        let (by, asOf) = (visit.parameter("by"), visit.parameter("asOf"))
        return tag("details", .class("fold"), .flag("open", by != nil || asOf != nil)) {
            tag("summary") { visit.say(.asOf) }
            tag("form", .class("row"), .of("method", "get"), .action(Address("reports", visit.path["report"] ?? ""))) {
                for pair in period.query { hidden(pair.name, pair.value) }
                Field(name: "asOf", label: visit.say(.asOf), value: asOf, hint: visit.say(.asOfHint), most: 64).html
                if hasTimes {
                    choice(
                        "by",
                        visit.say(.byTime),
                        [("known", visit.say(.byKnown)), ("effective", visit.say(.byEffective))],
                        by
                    )
                }
                button(visit.say(.show))
            }
        }
    }

    /// The rows; the first cell of each leads to what stands behind it.
    private static func table(
        _ visit: Visit,
        _ name: String,
        _ columns: [Json],
        _ rows: [Json],
        behind: (Json) -> Address?
    ) -> DataTable {
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
                var cells = columns.map { cell(visit, $0, row) }
                if let address = exception(row) ?? behind(row), let first = cells.first {
                    cells[0] = tag("a", .class("row-link"), .href(address)) { first }
                }
                return cells
            },
            isWalked: true
        )
    }

    private static func cell(_ visit: Visit, _ column: Json, _ row: Json) -> Html {
        let value = row[column["name"]?.text ?? ""]
        switch column["content"]?.text {
        case "amount":
            guard let minor = value?.scalarText, minor != "0" else { return tag("span", .class("muted")) { "–" } }
            return Html(visit.formats.amount(minor, row["currency"]?.text ?? ""))
        case "count": return Html(value?.integer.map { visit.formats.number($0) } ?? "–")
        case "day": return Html(day(visit, value?.text) ?? "–")
        default: return Html(word(visit, column["name"]?.text, value?.text))
        }
    }

    private static func day(_ visit: Visit, _ text: String?) -> String? {
        text.flatMap { CivilDate($0) }.map { visit.formats.day($0) }
    }

    /// The page of the exception that a row is.
    private static func exception(_ row: Json) -> Address? {
        row["exception"]?.text.map { Address("reconciliation", $0) }
    }

    /// A text of a report in the reader's words; what has none stays as it is.
    static func word(_ visit: Visit, _ column: String?, _ value: String?) -> String {
        switch column {
        case "mode": visit.word(Words.mode, value)
        case "kind": visit.word(Words.flowKind, value)
        case "ledgerAccount": visit.word(Words.ledgerAccount, value)
        case "movement": visit.word(Words.movement, value)
        case "method": visit.word(Words.method, value)
        case "declineClass": visit.word(Words.decline, value)
        case "class": visit.word(Words.exception, value)
        case "item": visit.word(Words.waiting, value)
        case "happened": day(visit, value) ?? value ?? "–"
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

    private static func download(
        _ visit: Visit,
        _ form: String,
        of kind: String = "report",
        _ query: (Visit, Period) -> [(name: String, value: String)] = ReportPage.query
    ) async throws(Problem) -> HttpResponse {
        guard let period = try Period(visit, isStanding: isStanding(visit)) else {
            throw Problem(.queryInvalid, "A period is needed.", path: "from")
        }
        let name = visit.path["report"] ?? ""
        let answer = await visit.report(name, query(visit, period) + [("format", form)])
        guard answer.status == 200 else {
            // What can't be made is told as a page.
            _ = try Visit.json(answer)
            throw Problem(.unavailable, "The report can't be made just now.")
        }
        var file = HttpResponse(
            status: 200,
            contentType: answer.headers["Content-Type"] ?? "text/csv; charset=utf-8",
            body: answer.body
        )
        file.file = answer.file
        return file.with("Content-Disposition", "attachment; filename=\"\(kind)-\(FormEncoding.escape(name)).\(form)\"")
            .with("Paystream-Position", answer.headers["Paystream-Position"] ?? "")
    }
}
