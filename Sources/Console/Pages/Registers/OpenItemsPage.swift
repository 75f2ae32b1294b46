import Api
import Http
import Kernel

/// Everything that somebody still owes something: uncertainties first, each with the way to where it is settled.
enum OpenItemsPage {
    static let all: [Page] = [.shown("/open", .audit, by: show)]

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let isNarrowed = visit.parameter("needsOperator") == "true"
        var query = [(name: "limit", value: "50")]
        if isNarrowed { query.append(("needsOperator", "true")) }
        if let cursor = visit.parameter("cursor") { query.append(("cursor", cursor)) }
        let page = try await visit.read("/v1/operations/unresolved", query)
        let payments = page["items"]?.items ?? []
        let others = page["matters"]?.items ?? []
        return Layout(visit, visit.say(.openItems), .open).response {
            heading(visit.say(.openItems), visit.say(.openItemsHint)) {
                link(visit.word(Words.report, "open-items"), Address("reports", "open-items"), "button")
            }
            tag("nav", .class("tabs"), .label(visit.say(.openItems))) {
                for (title, value) in [(Text.allOpen, false), (.needsPerson, true)] {
                    tag(
                        "a",
                        .href(Address("open").with("needsOperator", value ? "true" : nil)),
                        .of("aria-current", isNarrowed == value ? "page" : nil)
                    ) { visit.say(title) }
                }
            }
            if payments.isEmpty, others.isEmpty {
                emptyState(visit.say(.nothingOpen), visit.say(.nothingOpenHint)) {
                    if isNarrowed {
                        link(visit.say(.allOpen), Address("open"), "button")
                    } else {
                        link(visit.say(.payments), Address("payments"), "button")
                    }
                }
            } else {
                // Of a part of them, ages would say too little.
                if page["next"] == nil, visit.parameter("cursor") == nil { ageing(visit, payments, others) }
                if !payments.isEmpty {
                    tag("h2", .class("part")) { visit.say(.payments) }
                    table(visit, payments)
                }
                if !others.isEmpty {
                    tag("h2", .class("part")) { visit.say(.otherOpen) }
                    othersTable(visit, others)
                }
                visit.pages(page["next"]?.text)
            }
        }
    }

    /// Counts by age, in days.
    private static func ageing(_ visit: Visit, _ payments: [Json], _ others: [Json]) -> Html {
        let bounds: [(title: String, days: Int64)] = [
            ("0–1", 2), ("2–3", 4), ("4–7", 8), ("8–30", 31), ("30+", .max),
        ]
        var counts = [Int64](repeating: 0, count: bounds.count)
        for text in payments.compactMap({ $0["createdAt"]?.text }) + others.compactMap({ $0["since"]?.text }) {
            guard let since = Timestamp(text) else { continue }
            let days = visit.console.now.since(since).components.seconds / 86_400
            if let place = bounds.firstIndex(where: { days < $0.days }) { counts[place] += 1 }
        }
        return panel(visit.say(.ageInDays)) {
            RankedBars(
                bars: zip(bounds, counts).map { bound, count in
                    RankedBars.Bar(
                        title: bound.title,
                        colour: bound.days > 8 ? "lost" : "waits",
                        count: count,
                        shown: visit.formats.number(count)
                    )
                }
            ).html
        }
    }

    private static func table(_ visit: Visit, _ rows: [Json]) -> Html {
        DataTable(
            visit.say(.payments),
            [
                Column(visit.say(.created)), Column(visit.say(.nextStep)), Column(visit.say(.owedBy)),
                Column(visit.say(.amount), .number), Column(visit.say(.currency), .currency),
                Column(visit.say(.reference), .wide), Column(visit.say(.reason), .wide),
            ],
            rows: rows.map { row in
                let item = (row["obligations"]?.items ?? []).min { rank($0) < rank($1) } ?? [:]
                let currency = row.at("amount", "currency")?.text ?? ""
                return [
                    tag("a", .class("row-link"), .href(Address("payments", row["id"]?.text ?? ""))) {
                        visit.formats.moment(row["createdAt"]?.text)
                    }, Html(visit.word(Words.step, item["nextStep"]?.text)),
                    badge(visit.word(Words.owner, item["owner"]?.text), Words.tone(owner: item["owner"]?.text ?? "")),
                    Html(row.at("amount", "value")?.integer.map { visit.formats.amount($0, currency) } ?? "–"),
                    Html(currency), Html(row["reference"]?.text ?? row["id"]?.text ?? ""),
                    code(item["reason"]?.text) ?? Html("–"),
                ]
            },
            isWalked: true
        ).html
    }

    /// What a person must do comes before what waits.
    private static func rank(_ item: Json) -> Int {
        ["operator", "merchant", "provider", "payer"].firstIndex(of: item["owner"]?.text ?? "") ?? 9
    }

    private static func othersTable(_ visit: Visit, _ rows: [Json]) -> Html {
        DataTable(
            visit.say(.otherOpen),
            [
                Column(visit.say(.since)), Column(visit.say(.kind)), Column(visit.say(.nextStep)),
                Column(visit.say(.owedBy)), Column(visit.say(.idOfPayment), .wide), Column(visit.say(.reason), .wide),
            ],
            rows: rows.map { row in
                [
                    visit.formats.moment(row["since"]?.text),
                    target(row).map { link(visit.word(Words.openItem, row["kind"]?.text), $0) }
                        ?? Html(visit.word(Words.openItem, row["kind"]?.text)),
                    Html(visit.word(Words.step, row["nextStep"]?.text)),
                    badge(visit.word(Words.owner, row["owner"]?.text), Words.tone(owner: row["owner"]?.text ?? "")),
                    code(row["id"]?.text) ?? Html("–"), code(row["reason"]?.text) ?? Html("–"),
                ]
            }
        ).html
    }

    /// Where the thing itself is shown.
    private static func target(_ row: Json) -> Address? {
        let name = row["id"]?.text ?? ""
        let id = String(name.prefix { $0 != "/" })
        if id.hasPrefix("bat_") { return Address("bill-batches", id) }
        if id.hasPrefix("sch_") { return Address("schedules", id) }
        if id.hasPrefix("ins_") { return Address("instruments", id) }
        if id.hasPrefix("pay_") || id.hasPrefix("trf_") { return Address("payments", id) }
        return nil
    }
}
