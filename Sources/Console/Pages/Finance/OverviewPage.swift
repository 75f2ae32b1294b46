import Api
import Http
import Kernel

/// The first page: what came in, what was approved, what is open, in a period that the address names.
enum OverviewPage {
    static let all: [Page] = [
        .shown("", nil) { (_) async throws(Problem) in .seeOther(Address("overview")) },
        .shown("/overview", by: show),
    ]

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        guard let period = try Period(visit) else { return try await Period.redirect(visit) }
        let counted = try await visit.read("/v1/activity", period.query)
        let turnover = counted["money"]?.items ?? []
        let activity = ActivityFigures(counted)
        let accounts = try await visit.read("/v1/accounts")["items"]?.items ?? []
        let routes = try await visit.read("/v1/routes")
        let open = visit.may(.audit) ? try await visit.read("/v1/operations/unresolved", [("limit", "100")]) : nil
        return Layout(visit, visit.say(.overview), .overview).response {
            heading(visit.say(.overview), visit.session?.caller.merchantName)
            period.picker(visit)
            if activity.count == 0, turnover.isEmpty {
                emptyState(visit.say(.nothingInPeriod), visit.say(.nothingInPeriodHint)) {
                    link(visit.say(.thirtyDays), Period.last(30, visit, mode: "all").put(into: visit.address), "button")
                }
            } else {
                cards(visit, period, turnover, activity, open)
                charts(visit, period, turnover)
                tag("div", .class("columns columns-even")) {
                    approval(visit, period, activity)
                    declines(visit, period, activity)
                }
                answers(visit, period, activity)
            }
            tag("div", .class("columns")) {
                providers(visit, activity, accounts, routes)
                if let open { openItems(visit, open) }
            }
            formulas(visit)
        }
    }

    // MARK: Figures

    private static func cards(
        _ visit: Visit,
        _ period: Period,
        _ turnover: [Json],
        _ activity: ActivityFigures,
        _ open: Json?
    ) -> Html {
        tag("div", .class("cards")) {
            for (currency, net) in Self.sums(turnover, "net").prefix(3) {
                card(
                    visit.say(.net),
                    group {
                        "\(visit.formats.amount(net, currency)) "
                        tag("span", .class("unit")) { currency }
                    },
                    nil,
                    period.put(into: Address("reports", "turnover"))
                )
            }
            card(
                visit.say(.approval),
                Html(visit.formats.rate(activity.approved, of: activity.approved + activity.failed, visit)),
                visit.say(
                    .ofPayments,
                    [
                        "part": visit.formats.number(activity.approved),
                        "whole": visit.formats.number(activity.approved + activity.failed),
                    ]
                ),
                period.payments()
            )
            card(
                visit.say(.onlyFailed),
                Html(visit.formats.number(activity.failed)),
                activity.expired > 0 ? visit.count(.expiredApart, activity.expired) : nil,
                period.payments(status: "failed")
            )
            if let time = activity.slowest {
                card(
                    visit.say(.timeToMoney),
                    Html(visit.formats.duration(milliseconds: time.median)),
                    "95\u{202F}%: \(visit.formats.duration(milliseconds: time.most)) · \(time.provider)",
                    nil
                )
            }
            if let open {
                let count = Int64((open["items"]?.items?.count ?? 0) + (open["matters"]?.items?.count ?? 0))
                card(
                    visit.say(.openItems),
                    Html(visit.formats.number(count) + (open["next"] == nil ? "" : "+")),
                    nil,
                    Address("open")
                )
            }
        }
    }

    private static func card(_ title: String, _ figure: Html, _ more: String?, _ target: Address?) -> Html {
        tag("div", .class("card")) {
            tag("p", .class("card-title")) {
                if let target { link(title, target) } else { title }
            }
            tag("p", .class("card-figure")) { figure }
            if let more { tag("p", .class("hint")) { more } }
        }
    }

    /// Sums of a column by currency, the largest first; of minor units, so that currencies stay apart.
    static func sums(_ rows: [Json], _ column: String) -> [(currency: String, sum: Int64)] {
        let all = rows.reduce(into: [String: Int64]()) { sums, row in
            guard let currency = row["currency"]?.text, let value = row[column]?.integer else { return }
            sums[currency, default: 0] = sums[currency, default: 0].addingReportingOverflow(value).partialValue
        }
        return all.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    private static func charts(_ visit: Visit, _ period: Period, _ turnover: [Json]) -> Html {
        let currencies = sums(turnover, "captured").prefix(4).map(\.currency)
        return tag("div", .class("columns columns-even")) {
            for currency in currencies {
                panel(nil) {
                    Chart(
                        title: "\(visit.say(.volume)), \(currency)",
                        days: period.dates,
                        series: [
                            ("captured", Text.captured, "kept"), ("refunded", Text.refunded, "back"),
                        ].map { column, title, colour in
                            Chart.Series(
                                title: visit.say(title),
                                colour: colour,
                                values: byDay(turnover, column, currency, period)
                            )
                        },
                        shown: { visit.formats.amount($0, currency) },
                        target: { period.payments(on: $0) }
                    ).html(visit)
                }
            }
        }
    }

    private static func byDay(_ rows: [Json], _ column: String, _ currency: String, _ period: Period) -> [Int64?] {
        let sums = rows.reduce(into: [String: Int64]()) { sums, row in
            guard row["currency"]?.text == currency, let day = row["day"]?.text, let value = row[column]?.integer else {
                return
            }
            sums[day, default: 0] = sums[day, default: 0].addingReportingOverflow(value).partialValue
        }
        return period.dates.map { sums[$0.text] ?? 0 }
    }

    private static func approval(_ visit: Visit, _ period: Period, _ activity: ActivityFigures) -> Html {
        panel(nil) {
            Chart(
                title: visit.say(.approval),
                days: period.dates,
                series: [
                    Chart.Series(
                        title: visit.say(.approval),
                        colour: "kept",
                        values: period.dates.map { activity.approvalTenths(on: $0.text) }
                    )
                ],
                isLine: true,
                top: 1000,
                shown: { visit.formats.percent($0, of: 1000) },
                target: { period.payments(on: $0) }
            ).html(visit)
        }
    }

    private static func declines(_ visit: Visit, _ period: Period, _ activity: ActivityFigures) -> Html {
        panel(visit.say(.whyDeclined)) {
            if activity.declines.isEmpty {
                emptyState(visit.say(.noDeclines), visit.say(.noDeclinesHint))
            } else {
                RankedBars(
                    bars: activity.declines.map { word, count in
                        RankedBars.Bar(
                            title: visit.word(Words.decline, word),
                            colour: "back",
                            count: count,
                            shown: visit.formats.number(count),
                            target: period.payments(status: "failed")
                        )
                    }
                ).html
            }
        }
    }

    /// How long each provider's answers took, day by day; each day leads to its payments.
    private static func answers(_ visit: Visit, _ period: Period, _ activity: ActivityFigures) -> Html? {
        let providers = activity.answeringProviders
        guard !providers.isEmpty else { return nil }
        return tag("div", .class("columns columns-even")) {
            for provider in providers {
                panel(nil) {
                    Chart(
                        title: "\(visit.say(.answerTime)), \(provider)",
                        days: period.dates,
                        series: [("median", Text.halfOfThem, "kept"), ("most", Text.mostOfThem, "back")].map {
                            member,
                            title,
                            colour in
                            Chart.Series(
                                title: visit.say(title),
                                colour: colour,
                                values: period.dates.map { activity.answerTime(provider, on: $0.text, member) }
                            )
                        },
                        isLine: true,
                        // Room above, so that the highest line is seen below the figure of the top.
                        top: activity.longestAnswer(provider).map { $0 + $0 / 4 + 1 },
                        shown: { visit.formats.duration(milliseconds: $0) },
                        target: { period.payments(on: $0) }
                    ).html(visit)
                }
            }
        }
    }

    // MARK: Health

    private static func providers(_ visit: Visit, _ activity: ActivityFigures, _ accounts: [Json], _ routes: Json)
        -> Html
    {
        let breakers = (routes["breakers"]?.items ?? []).reduce(into: [String: String]()) { phases, breaker in
            phases[breaker["account"]?.text ?? ""] = breaker["phase"]?.text
        }
        let table = DataTable(
            visit.say(.providerHealth),
            [
                Column(visit.say(.account)), Column(visit.say(.state)), Column(visit.say(.payments), .number),
                Column(visit.say(.approval), .number), Column(visit.say(.timeToMoney), .number),
            ],
            rows: accounts.map { account in
                let name = account["name"]?.text ?? ""
                let (good, bad, all) = activity.counts(account: name)
                let phase = account["open"]?.flag == false ? "closedAccount" : breakers[name] ?? "closed"
                return [
                    link(name, Address("accounts")),
                    badge(visit.word(Words.breaker, phase), Words.tone(breaker: phase)),
                    Html(visit.formats.number(all)), Html(visit.formats.rate(good, of: good + bad, visit)),
                    Html(
                        activity.time(provider: account["provider"]?.text ?? "").map {
                            visit.formats.duration(milliseconds: $0)
                        } ?? "–"
                    ),
                ]
            }
        )
        return panel(visit.say(.providerHealth)) {
            if accounts.isEmpty {
                emptyState(visit.say(.noAccounts), visit.say(.noAccountsHint)) {
                    tag("pre", .class("command")) { "paystream accounts add FILE" }
                }
            } else {
                table.html
            }
        }
    }

    private static func openItems(_ visit: Visit, _ open: Json) -> Html {
        let owners =
            ((open["items"]?.items ?? []).flatMap { $0["obligations"]?.items ?? [] }
            + (open["matters"]?.items ?? [])).reduce(into: [String: Int64]()) { counts, item in
                counts[item["owner"]?.text ?? "", default: 0] += 1
            }
        return panel(visit.say(.openItems)) {
            if owners.isEmpty {
                emptyState(visit.say(.nothingOpen), visit.say(.nothingOpenHint)) {
                    link(visit.say(.payments), Address("payments"), "button")
                }
            } else {
                RankedBars(
                    bars: ["operator", "merchant", "provider", "payer"].compactMap { owner in
                        owners[owner].map { count in
                            RankedBars.Bar(
                                title: visit.word(Words.owner, owner),
                                colour: Words.tone(owner: owner) == .person ? "lost" : "waits",
                                count: count,
                                shown: visit.formats.number(count),
                                target: Address("open")
                            )
                        }
                    }
                ).html
            }
        }
    }

    private static func formulas(_ visit: Visit) -> Html {
        tag("details", .class("formulas")) {
            tag("summary") { visit.say(.formulas) }
            facts([
                (visit.say(.net), Html(visit.say(.netFormula))),
                (visit.say(.approval), Html(visit.say(.approvalFormula))),
                (visit.say(.timeToMoney), Html(visit.say(.timeFormula))),
                (visit.say(.answerTime), Html(visit.say(.answerFormula))),
            ])
        }
    }
}
