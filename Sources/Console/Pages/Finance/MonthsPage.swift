import Api
import Http
import Kernel

/// The months of the books that are closed, and the one that is closed next.
enum MonthsPage {
    static let all: [Page] = [.shown("/months", by: show), .sent("/months", .finance, by: close)]

    private static let periods = "/v1/periods"

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let closed = try await visit.read(periods)["items"]?.items ?? []
        return Layout(visit, visit.say(.closedMonths), .reports).response {
            tag("p", .class("crumb")) { link(visit.say(.reports), Address("reports")) }
            heading(visit.say(.closedMonths), visit.say(.monthsHint)) {
                link(visit.word(Words.report, "periods"), Address("reports", "periods"), "button")
            }
            visit.notice(["closed": .monthClosed])
            if visit.may(.finance) { form(visit, closed) }
            if closed.isEmpty {
                emptyState(visit.say(.noMonths), visit.say(.noMonthsHint))
            } else {
                table(visit, closed)
            }
        }
    }

    private static func form(_ visit: Visit, _ closed: [Json]) -> Html {
        panel(visit.say(.closeMonth)) {
            visit.sending(Address("months")) {
                Field(
                    name: "month",
                    label: visit.say(.month),
                    value: next(visit, closed),
                    hint: visit.say(.closeMonthHint),
                    isNeeded: true,
                    most: 7
                ).html
                Field(name: "note", label: visit.say(.note), most: 500).html
                button(visit.say(.closeMonth))
            }
        }
    }

    /// The month behind the newest that is closed, or the one before this one.
    private static func next(_ visit: Visit, _ closed: [Json]) -> String? {
        if let newest = closed.first?["month"]?.text, let begin = CivilDate(newest + "-01") {
            return String(CivilDate(daysSinceEpoch: begin.daysSinceEpoch + 31).text.prefix(7))
        }
        let today = visit.reading.zone.local(visit.console.now).date
        return String(CivilDate(daysSinceEpoch: today.daysSinceEpoch - today.day).text.prefix(7))
    }

    private static func table(_ visit: Visit, _ closed: [Json]) -> Html {
        DataTable(
            visit.say(.closedMonths),
            [
                Column(visit.say(.month)), Column(visit.say(.closedAt)), Column(visit.say(.person)),
                Column(visit.say(.position), .number), Column(visit.say(.zone), .wide), Column(visit.say(.note), .wide),
            ],
            rows: closed.map { month in
                [
                    tag("strong") { month["month"]?.text ?? "–" }, visit.formats.moment(month["closedAt"]?.text),
                    code(month["closedBy"]?.text) ?? Html("–"),
                    Html(visit.formats.number(month["position"]?.integer ?? 0)), Html(month["zone"]?.text ?? "–"),
                    Html(month["note"]?.text ?? "–"),
                ]
            }
        ).html
    }

    private static func close(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let month = FormEncoding.escape(visit.field("month") ?? "")
        do throws(Problem) {
            _ = try await visit.command(
                .put,
                "\(periods)/\(month)",
                .compact([("note", visit.filled("note").map(Json.string))])
            )
        } catch {
            return ProblemPage(error, visit, back: Address("months")).response
        }
        return .seeOther(Address("months").with("done", "closed"))
    }
}
