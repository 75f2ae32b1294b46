import Api
import Http
import Kernel

/// Batches of bills and how far each is.
enum BillBatchPages {
    static let all: [Page] = [
        .shown("/bill-batches", by: list),
        .shown("/bill-batches/{batch}", by: show),
    ]

    private static func list(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let place = visit.parameter("cursor").map { [(name: "cursor", value: $0)] } ?? []
        let page = try await visit.read("/v1/bill-batches", place + [("limit", "50")])
        let rows = page["items"]?.items ?? []
        return Layout(visit, visit.say(.billBatches), .bills).response {
            heading(visit.say(.billBatches), visit.say(.billBatchesHint))
            if rows.isEmpty {
                emptyState(visit.say(.noBatches), visit.say(.noBatchesHint)) {
                    tag("pre", .class("command")) { "POST /v1/bill-batches" }
                }
            } else {
                DataTable(
                    visit.say(.billBatches),
                    [
                        Column(visit.say(.created)), Column(visit.say(.status)), Column(visit.say(.bills), .number),
                        Column(visit.say(.progress)), Column(visit.say(.amount), .number),
                        Column(visit.say(.reference), .wide), Column(visit.say(.customer), .wide),
                    ],
                    rows: rows.map { row in
                        [
                            tag("a", .class("row-link"), .href(Address("bill-batches", row["id"]?.text ?? ""))) {
                                visit.formats.moment(row["createdAt"]?.text)
                            }, status(visit, row), Html(visit.formats.number(row["bills"]?.integer ?? 0)),
                            bar(visit, row), Html(visit.formats.money(row["total"])),
                            Html(row["reference"]?.text ?? "–"), Html(row["customer"]?.text ?? "–"),
                        ]
                    },
                    isWalked: true
                ).html
            }
            visit.pages(page["next"]?.text)
        }
    }

    private static func status(_ visit: Visit, _ row: Json) -> Html {
        let word = row["status"]?.text ?? ""
        return badge(visit.word(Words.batch, word), Words.tone(batch: word))
    }

    /// Bills by outcome as one bar.
    private static func bar(_ visit: Visit, _ row: Json) -> Html {
        let counts = row.at("tally", "counts")
        let all = max(1, row["bills"]?.integer ?? 0)
        let text = Words.billOrder.compactMap { word in
            counts?[word]?.integer.map { "\(visit.word(Words.bill, word)) \($0)" }
        }.joined(separator: ", ")
        var start: Int64 = 0
        var parts = Html.empty
        for word in Words.billOrder {
            guard let count = counts?[word]?.integer, count > 0 else { continue }
            parts += tag(
                "rect",
                .class("bill-\(word)"),
                .of("x", MoneyBar.share(start, all)),
                .of("width", MoneyBar.share(count, all)),
                .of("height", "100%")
            ) { Html.empty }
            start += count
        }
        return tag("svg", .class("progress"), .of("role", "img"), .label(text.isEmpty ? "0" : text)) { parts }
    }

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let path = "/v1/bill-batches/" + visit.segment("batch")
        let batch = try await visit.read(path)
        var query = [(name: "limit", value: "50")]
        for name in ["outcome", "after"] { if let value = visit.parameter(name) { query.append((name, value)) } }
        let page = try await visit.read(path + "/bills", query)
        let isUnderWay = ["pricing", "processing"].contains(batch["status"]?.text ?? "")
        return Layout(
            visit,
            batch["reference"]?.text ?? batch["id"]?.text ?? "",
            .bills,
            refresh: isUnderWay ? 2 : nil
        ).response {
            tag("p", .class("crumb")) { link(visit.say(.billBatches), Address("bill-batches")) }
            tag("div", .id("live"), .flag("data-live")) {
                heading(visit.formats.money(batch["total"]), batch["reference"]?.text ?? batch["id"]?.text) {
                    status(visit, batch)
                }
                panel(visit.say(.progress)) {
                    bar(visit, batch)
                    counts(visit, batch)
                }
            }
            tag("div", .class("columns")) {
                bills(visit, page, visit.path["batch"] ?? "")
                panel(visit.say(.details)) {
                    facts([
                        (visit.say(.idOfPayment), code(batch["id"]?.text)),
                        (visit.say(.account), batch.at("account", "name")?.text.map { Html($0) }),
                        (visit.say(.customer), batch["customer"]?.text.map { Html($0) }),
                        (visit.say(.created), visit.formats.moment(batch["createdAt"]?.text)),
                        (visit.say(.ended), batch["endedAt"]?.text.map { visit.formats.moment($0) }),
                        (visit.say(.captured), Html(visit.formats.money(batch.at("tally", "charged")))),
                        (visit.say(.commission), Html(visit.formats.money(batch.at("tally", "commission")))),
                        (visit.say(.trouble), code(batch["trouble"]?.text)),
                    ])
                }
            }
        }
    }

    private static func counts(_ visit: Visit, _ batch: Json) -> Html {
        tag("p", .class("chips")) {
            for word in Words.billOrder {
                if let count = batch.at("tally", "counts")?[word]?.integer, count > 0 {
                    let address = Address("bill-batches", batch["id"]?.text ?? "").with("outcome", word)
                    tag(
                        "a",
                        .class("chip"),
                        .href(address),
                        .of("aria-current", visit.parameter("outcome") == word ? "true" : nil)
                    ) { "\(visit.word(Words.bill, word)) \(visit.formats.number(count))" }
                }
            }
        }
    }

    private static func bills(_ visit: Visit, _ page: Json, _ batch: String) -> Html {
        let rows = page["items"]?.items ?? []
        guard !rows.isEmpty else { return visit.nothingMatches(Address("bill-batches", batch)) }
        return tag("div") {
            DataTable(
                visit.say(.bills),
                [
                    Column("№", .number), Column(visit.say(.bill)), Column(visit.say(.state)),
                    Column(visit.say(.amount), .number), Column(visit.say(.payee), .wide),
                ],
                rows: rows.map { row in
                    let outcome = row["outcome"]?.text ?? ""
                    return [
                        Html("\(row["ordinal"]?.integer ?? 0)"), Html(row["id"]?.text ?? ""),
                        badge(visit.word(Words.bill, outcome), Words.tone(bill: outcome)),
                        Html(visit.formats.money(row["amount"])), Html(row.at("standing", "payeeName")?.text ?? "–"),
                    ]
                }
            ).html
            visit.pages(page["next"]?.text, by: "after", .more)
        }
    }
}
