import Api
import Http
import Kernel

/// Accounts at providers, how payments are routed among them, and which breaker is open.
enum AccountPages {
    static let all: [Page] = [.shown("/accounts", by: show)]

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let accounts = try await visit.read("/v1/accounts")["items"]?.items ?? []
        let routes = try await visit.read("/v1/routes")
        let explained = try await explained(visit)
        return Layout(visit, visit.say(.accounts), .accounts).response {
            heading(visit.say(.accounts), visit.say(.accountsHint))
            if accounts.isEmpty {
                emptyState(visit.say(.noAccounts), visit.say(.noAccountsHint)) {
                    tag("pre", .class("command")) { "paystream accounts add FILE" }
                }
            } else {
                table(visit, accounts, routes)
            }
            tag("div", .class("columns columns-even")) {
                rules(visit, routes)
                explanation(visit, explained)
            }
        }
    }

    private static func table(_ visit: Visit, _ accounts: [Json], _ routes: Json) -> Html {
        let breakers = (routes["breakers"]?.items ?? []).reduce(into: [String: Json]()) { all, breaker in
            all[breaker["account"]?.text ?? ""] = breaker
        }
        return DataTable(
            visit.say(.accounts),
            [
                Column(visit.say(.account)), Column(visit.say(.provider)), Column(visit.say(.mode)),
                Column(visit.say(.breaker)), Column(visit.say(.currencies), .wide), Column(visit.say(.secrets), .wide),
                Column(visit.say(.settings), .wide),
            ],
            rows: accounts.map { account in
                let name = account["name"]?.text ?? ""
                let breaker = breakers[name]
                let phase = account["open"]?.flag == false ? "closedAccount" : breaker?["phase"]?.text ?? "closed"
                return [
                    tag("strong") { name }, Html(account["provider"]?.text ?? ""),
                    Html(visit.word(Words.mode, account["mode"]?.text)),
                    group {
                        badge(visit.word(Words.breaker, phase), Words.tone(breaker: phase))
                        if let until = breaker?["until"]?.text {
                            " \(visit.say(.until)) "
                            visit.formats.moment(until)
                        }
                    },
                    Html(
                        account["currencies"]?.items?.compactMap(\.text).joined(separator: ", ") ?? visit.say(.any)
                    ), Html(account["secrets"]?.items?.compactMap(\.text).joined(separator: ", ") ?? "–"),
                    settings(visit, account, name),
                ]
            }
        ).html
    }

    /// The settings as the API shows them, which have no secret among them, and where the provider's notifications go.
    private static func settings(_ visit: Visit, _ account: Json, _ name: String) -> Html {
        tag("details") {
            tag("summary") { visit.say(.settings) }
            tag("pre", .of("tabindex", "0"), .label("\(visit.say(.settings)), \(name)")) {
                Json.compact([
                    ("notificationUrl", account["notificationUrl"]), ("settings", account["settings"]),
                    ("version", account["version"]),
                ]).indented
            }
        }
    }

    private static func rules(_ visit: Visit, _ routes: Json) -> Html {
        let rules = routes["rules"]?.items ?? []
        return panel(visit.say(.routing)) {
            if rules.isEmpty {
                tag("p", .class("muted")) { visit.say(.noRules) }
            } else {
                tag("ol", .class("rules")) {
                    for rule in rules {
                        tag("li") {
                            tag("strong") { rule["name"]?.text ?? "" }
                            tag("p") {
                                (rule["to"]?.items ?? []).map { item in
                                    "\(item["account"]?.text ?? "") (\(item["weight"]?.integer ?? 0))"
                                }.joined(separator: ", ")
                            }
                            tag("details") {
                                tag("summary") { visit.say(.conditions) }
                                tag("pre", .of("tabindex", "0"), .label(visit.say(.conditions))) {
                                    (rule["when"] ?? [:]).indented
                                }
                            }
                        }
                    }
                }
            }
            tag("h3") { visit.say(.plainOrder) }
            tag("ol", .class("rules")) {
                for name in routes["order"]?.items ?? [] { tag("li") { name.text ?? "" } }
            }
        }
    }

    // MARK: Explanation

    private static func explained(_ visit: Visit) async throws(Problem) -> Json? {
        guard let currency = visit.parameter("currency") else { return nil }
        guard let known = Currency(currency) else {
            throw Problem(.currencyUnknown, "The currency is not known.", path: "currency")
        }
        guard let money = try? visit.formats.typed(visit.parameter("amount") ?? "1", known) else {
            throw Problem(.amountScale, "The amount can't be read.", path: "amount")
        }
        let question: Json = .compact([
            ("amount", ["value": .integer(money.minor), "currency": .string(known.code)]),
            ("mode", visit.parameter("as").map(Json.string)), ("country", visit.parameter("country").map(Json.string)),
            ("customer", visit.parameter("customer").map(Json.string)),
            ("accountMode", visit.parameter("accountMode").map(Json.string)),
        ])
        return try await visit.command(.post, "/v1/routes/explain", question)
    }

    private static func explanation(_ visit: Visit, _ explained: Json?) -> Html {
        panel(visit.say(.explainRoute)) {
            tag("form", .class("filters"), .of("method", "get"), .action(Address("accounts"))) {
                Field(
                    name: "amount",
                    label: visit.say(.amount),
                    value: visit.parameter("amount") ?? visit.formats.field(1000, "EUR"),
                    isNeeded: true,
                    most: 24,
                    mode: "decimal"
                ).html
                Field(
                    name: "currency",
                    label: visit.say(.currency),
                    value: visit.parameter("currency") ?? "EUR",
                    isNeeded: true,
                    most: 3
                ).html
                choice(
                    "as",
                    visit.say(.mode),
                    ["sale", "authorize", "verify", "tokenize"].map { ($0, visit.word(Words.paymentMode, $0)) },
                    visit.parameter("as")
                )
                choice(
                    "accountMode",
                    visit.say(.account),
                    [("", visit.say(.any))] + ["live", "test"].map { ($0, visit.word(Words.mode, $0)) },
                    visit.parameter("accountMode")
                )
                Field(name: "country", label: visit.say(.country), value: visit.parameter("country"), most: 2).html
                Field(name: "customer", label: visit.say(.customer), value: visit.parameter("customer")).html
                tag("div", .class("filters-end")) { button(visit.say(.explain), "button-main") }
            }
            if let explained {
                for decision in explained["decisions"]?.items ?? [] { RouteExplanation(visit, decision).html }
            } else {
                tag("p", .class("hint")) { visit.say(.explainHint) }
            }
        }
    }
}
