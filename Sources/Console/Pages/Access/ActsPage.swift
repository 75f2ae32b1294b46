import Api
import Http
import Kernel

/// What administrators did about keys, accounts, routing and the merchant as a whole, the newest first.
enum ActsPage {
    static let all: [Page] = [.shown("/acts", .audit, by: show)]

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        var query = [(name: "limit", value: "50")]
        for name in ["actor", "kind", "cursor"] {
            if let value = visit.parameter(name) { query.append((name, value)) }
        }
        let isNarrowed = visit.parameter("actor") != nil || visit.parameter("kind") != nil
        let page = try await visit.read("/v1/audit", query)
        let rows = page["items"]?.items ?? []
        return Layout(visit, visit.say(.acts), .keys).response {
            heading(visit.say(.acts), visit.say(.actsHint))
            KeyPages.tabs(visit, .acts)
            if rows.isEmpty, isNarrowed {
                visit.nothingMatches(Address("acts"))
            } else if rows.isEmpty {
                emptyState(visit.say(.noActs), visit.say(.noActsHint))
            } else {
                table(visit, rows)
                visit.pages(page["next"]?.text)
            }
        }
    }

    private static func table(_ visit: Visit, _ rows: [Json]) -> Html {
        DataTable(
            visit.say(.acts),
            [
                Column(visit.say(.day)), Column(visit.say(.eventType)), Column(visit.say(.actor)),
                Column(visit.say(.details)), Column(visit.say(.position), .number),
            ],
            rows: rows.map { row in
                let (kind, actor) = (row["kind"]?.text ?? "", row["by"]?.text ?? "")
                return [
                    visit.formats.moment(row["at"]?.text, seconds: true),
                    link(kind, Address("acts").with("kind", kind)), link(actor, Address("acts").with("actor", actor)),
                    tag("details") {
                        tag("summary") { visit.say(.eventData) }
                        tag("pre", .of("tabindex", "0"), .label("\(visit.say(.eventData)), \(kind)")) {
                            (row["data"] ?? [:]).indented
                        }
                    },
                    Html("\(row["position"]?.integer ?? 0)"),
                ]
            }
        ).html
    }
}
