import Api
import Http
import Kernel

/// One endpoint of webhooks: what it was sent, each attempt, and what may be done about it.
enum WebhookEndpointPage {
    private static let notices: [String: Text] = [
        "ping": .donePing, "redeliver": .doneRedeliver, "enable": .doneEnabled, "disable": .doneDisabled,
    ]
    private static let states = ["waiting", "delivered", "givenUp"]
    /// The type of test events.
    private static let ping = "webhook.ping"

    static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let path = WebhookPages.endpoints + "/" + visit.segment("endpoint")
        let endpoint = try await visit.read(path)
        var query = [(name: "limit", value: "25")]
        for name in ["status", "type", "cursor"] {
            if let value = visit.parameter(name) { query.append((name, value)) }
        }
        let page = try await visit.read(path + "/deliveries", query)
        let rows = page["items"]?.items ?? []
        let isUnderWay = rows.contains { $0["status"]?.text == "waiting" }
        let url = endpoint["url"]?.text ?? endpoint["id"]?.text ?? ""
        return Layout(visit, url, .webhooks, refresh: isUnderWay ? 4 : nil).response {
            tag("p", .class("crumb")) { link(visit.say(.webhooks), Address("webhooks")) }
            visit.notice(notices)
            tag("div", .id("live-head"), .flag("data-live")) {
                heading(url, endpoint["description"]?.text) { WebhookPages.state(visit, endpoint) }
            }
            WebhookForms(visit, endpoint).html
            details(visit, endpoint)
            tag("div", .id("live-log"), .flag("data-live")) { log(visit, endpoint, rows, page["next"]?.text) }
        }
    }

    private static func details(_ visit: Visit, _ endpoint: Json) -> Html {
        panel(visit.say(.details)) {
            facts([
                (visit.say(.idOfPayment), code(endpoint["id"]?.text)),
                (visit.say(.eventTypes), WebhookPages.types(visit, endpoint)),
                (visit.say(.webhookOrder), Html(visit.word(Words.webhookOrder, endpoint["order"]?.text))),
                (visit.say(.lastSuccess), visit.formats.moment(endpoint["lastSuccessAt"]?.text, seconds: true)),
                (visit.say(.lastFailure), visit.formats.moment(endpoint["lastFailureAt"]?.text, seconds: true)),
                (visit.say(.created), visit.formats.moment(endpoint["createdAt"]?.text)),
                (visit.say(.secrets), secrets(visit, endpoint)),
            ])
        }
    }

    /// How many there are, and until when the earlier ones sign.
    private static func secrets(_ visit: Visit, _ endpoint: Json) -> Html {
        let ends = (endpoint["secrets"]?.items ?? []).map { $0["endsAt"]?.text }
        return group {
            visit.formats.number(Int64(ends.count))
            for end in ends.compactMap(\.self) {
                " · \(visit.say(.until)) "
                visit.formats.moment(end)
            }
        }
    }

    // MARK: The log of deliveries

    private static func log(_ visit: Visit, _ endpoint: Json, _ rows: [Json], _ next: String?) -> Html {
        let (status, type) = (visit.parameter("status"), visit.parameter("type"))
        let here = Address("webhooks", endpoint["id"]?.text ?? "")
        return panel(visit.say(.deliveries)) {
            tag("nav", .class("tabs"), .label(visit.say(.deliveries))) {
                for state in [nil] + states.map(Optional.some) {
                    tag(
                        "a",
                        .href(here.with("status", state)),
                        .of("aria-current", type == nil && status == state ? "page" : nil)
                    ) { state.map { visit.word(Words.delivery, $0) } ?? visit.say(.allOpen) }
                }
                tag("a", .href(here.with("type", ping)), .of("aria-current", type == ping ? "page" : nil)) {
                    visit.say(.testEvents)
                }
            }
            if let type, type != ping {
                tag("p", .class("chips")) {
                    tag("a", .class("chip"), .href(here), .of("aria-current", "true")) { "\(type) ×" }
                }
            }
            if rows.isEmpty, status != nil || type != nil {
                visit.nothingMatches(here)
            } else if rows.isEmpty {
                emptyState(visit.say(.noDeliveries), visit.say(.noDeliveriesHint))
            } else {
                table(visit, endpoint, rows)
                visit.pages(next)
            }
        }
    }

    private static func table(_ visit: Visit, _ endpoint: Json, _ rows: [Json]) -> Html {
        let mayAsk = visit.may(.commands) && endpoint["status"]?.text == "enabled"
        let here = Address("webhooks", endpoint["id"]?.text ?? "", "actions", "redeliver")
        let columns = [
            Column(visit.say(.created)), Column(visit.say(.eventType)), Column(visit.say(.status)),
            Column(visit.say(.attempts)), Column(visit.say(.nextAttempt), .wide),
        ]
        return DataTable(
            visit.say(.deliveries),
            mayAsk ? columns + [Column(visit.say(.actions))] : columns,
            rows: rows.map { row in
                let status = row["status"]?.text ?? ""
                let cells = [
                    visit.formats.moment(row["createdAt"]?.text, seconds: true),
                    link(
                        row["type"]?.text ?? "",
                        Address("webhooks", endpoint["id"]?.text ?? "").with("type", row["type"]?.text)
                    ),
                    badge(visit.word(Words.delivery, status), Words.tone(delivery: status)), attempts(visit, row),
                    visit.formats.moment(row["nextAttemptAt"]?.text ?? row["endedAt"]?.text, seconds: true),
                ]
                guard mayAsk else { return cells }
                let isTest = row["type"]?.text == ping
                return cells + [isTest ? Html("–") : again(visit, row, here)]
            }
        ).html
    }

    /// Sends one event once more; asking twice sends it twice.
    private static func again(_ visit: Visit, _ row: Json, _ address: Address) -> Html {
        let event = row["event"]?.text ?? ""
        return tag("form", .class("inline"), .of("method", "post"), .action(address)) {
            hidden(Visit.formToken, visit.session?.formTokens.first ?? "")
            hidden("event", event)
            tag(
                "button",
                .of("type", "submit"),
                .class("button"),
                .label("\(visit.say(.redeliver)): \(row["type"]?.text ?? "") \(event)")
            ) { visit.say(.redeliver) }
        }
    }

    /// Each attempt with its time, its status, how long it took, and what was wrong.
    private static func attempts(_ visit: Visit, _ row: Json) -> Html {
        let items = row["attempts"]?.items ?? []
        return tag("details") {
            tag("summary") { visit.formats.number(row["attemptCount"]?.integer ?? 0) }
            tag("ol", .class("attempts")) {
                for item in items.reversed() {
                    tag("li") {
                        visit.formats.moment(item["at"]?.text, seconds: true)
                        " · \(item["status"]?.integer.map { "HTTP \($0)" } ?? visit.say(.noStatus))"
                        " · \(visit.formats.duration(milliseconds: item["milliseconds"]?.integer ?? 0))"
                        if let failure = item["failure"]?.text {
                            " · "
                            badge(visit.word(Words.webhookFailure, failure), .waits)
                        }
                        if let answer = item["answer"]?.text, !answer.isEmpty {
                            tag("pre", .of("tabindex", "0"), .label(visit.say(.answerBegins))) { answer }
                        }
                    }
                }
            }
            code(row["event"]?.text)
        }
    }

    // MARK: What may be done

    /// The page after a command that makes a secret.
    static func secret(_ visit: Visit, _ endpoint: Json) -> HttpResponse {
        ShownOncePage.response(
            visit,
            .webhooks,
            .webhookSecret,
            secret: endpoint["secret"]?.text,
            next: Address("webhooks", endpoint["id"]?.text ?? "")
        )
    }

    static func perform(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let action = visit.path["action"] ?? ""
        let path = WebhookPages.endpoints + "/" + visit.segment("endpoint")
        let back = Address("webhooks", visit.path["endpoint"] ?? "")
        let key = visit.filled(Visit.commandKey)
        do throws(Problem) {
            switch action {
            case "ping": _ = try await visit.command(.post, path + "/ping", [:])
            case "redeliver": _ = try await visit.command(.post, path + "/redeliver", range(visit))
            case "enable", "disable": _ = try await visit.command(.post, path + "/" + action, [:], key: key)
            case "rotate":
                let overlap = visit.filled("overlap").flatMap { Int64($0) }
                let body = Json.compact([("overlapSeconds", overlap.map(Json.integer))])
                return secret(visit, try await visit.command(.post, path + "/rotate-secret", body, key: key))
            case "remove":
                _ = try await visit.command(.delete, path, key: key)
                return .seeOther(Address("webhooks").with("done", "remove"))
            default: throw Problem(.routeUnknown, "There is no such action.")
            }
        } catch {
            return ProblemPage(error, visit, back: back).response
        }
        return .seeOther((action == "ping" ? back.with("type", ping) : back).with("done", action))
    }

    /// One event, or those since one.
    private static func range(_ visit: Visit) -> Json {
        .compact(["event", "since", "until"].map { name in (name, visit.filled(name).map(Json.string)) })
    }
}

/// What the session's key may do about an endpoint.
struct WebhookForms {
    private let visit: Visit
    private let endpoint: Json

    init(_ visit: Visit, _ endpoint: Json) {
        self.visit = visit
        self.endpoint = endpoint
    }

    var html: Html? {
        let isEnabled = endpoint["status"]?.text == "enabled"
        var forms: [Html] = []
        if visit.may(.commands), isEnabled {
            forms.append(form("ping", .ping, .pingHint))
            forms.append(
                form("redeliver", .redeliver, .redeliverHint) {
                    Field(name: "since", label: visit.say(.firstEvent), isNeeded: true).html
                    Field(name: "until", label: visit.say(.lastEvent)).html
                }
            )
        }
        if visit.may(.admin) {
            forms.append(
                isEnabled ? form("disable", .disable, .disableHint) : form("enable", .enable, .enableHint)
            )
            forms.append(form("rotate", .rotateSecret, .rotateSecretHint) { visit.overlapChoice("overlap") })
            forms.append(form("remove", .removeWebhook, .removeWebhookHint, isPerson: true))
        }
        guard !forms.isEmpty else { return nil }
        return panel(visit.say(.actions), "actions") { for form in forms { form } }
    }

    private func form(
        _ action: String,
        _ title: Text,
        _ hint: Text,
        isPerson: Bool = false,
        @HtmlBuilder _ content: () -> Html = { .empty }
    ) -> Html {
        tag("details", .class("action")) {
            tag("summary") { visit.say(title) }
            visit.sending(Address("webhooks", endpoint["id"]?.text ?? "", "actions", action)) {
                tag("p", .class("hint")) { visit.say(hint) }
                content()
                button(visit.say(title), isPerson ? "button-person" : "button-main")
            }
        }
    }
}

extension Visit {
    /// How long an earlier secret goes on beside a new one.
    func overlapChoice(_ name: String) -> Html {
        choice(
            name,
            say(.overlap),
            [
                ("86400", say(.overlapDay)), ("3600", say(.overlapHour)), ("604800", say(.overlapWeek)),
                ("0", say(.overlapNone)),
            ],
            "86400"
        )
    }
}
