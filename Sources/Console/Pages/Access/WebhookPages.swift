import Api
import Http
import Kernel

/// Addresses that are sent events: how each fares, and the form that registers another.
enum WebhookPages {
    static let all: [Page] = [
        .shown("/webhooks", by: list),
        .sent("/webhooks", .admin, by: register),
        .shown("/webhooks/{endpoint}", by: WebhookEndpointPage.show),
        .sent("/webhooks/{endpoint}/actions/{action}", nil, by: WebhookEndpointPage.perform),
    ]

    /// Where the API has them.
    static let endpoints = "/v1/webhook-endpoints"

    private static func list(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let rows = try await visit.read(endpoints)["items"]?.items ?? []
        return Layout(visit, visit.say(.webhooks), .webhooks).response {
            heading(visit.say(.webhooks), visit.say(.webhooksHint))
            visit.notice(["remove": .doneRemoved])
            if visit.may(.admin) { form(visit) }
            if rows.isEmpty {
                emptyState(visit.say(.noWebhooks), visit.say(visit.may(.admin) ? .noWebhooksHint : .noWebhooksAsk)) {
                    tag("pre", .class("command")) { "paystream webhooks add https://…" }
                }
            } else {
                table(visit, rows)
            }
        }
    }

    private static func table(_ visit: Visit, _ rows: [Json]) -> Html {
        DataTable(
            visit.say(.webhooks),
            [
                Column(visit.say(.webhookAddress)), Column(visit.say(.state)), Column(visit.say(.eventTypes), .wide),
                Column(visit.say(.lastSuccess)), Column(visit.say(.lastFailure)), Column(visit.say(.note), .wide),
            ],
            rows: rows.map { row in
                [
                    tag("a", .class("row-link long"), .href(Address("webhooks", row["id"]?.text ?? ""))) {
                        row["url"]?.text ?? row["id"]?.text ?? ""
                    },
                    state(visit, row), types(visit, row), visit.formats.moment(row["lastSuccessAt"]?.text),
                    visit.formats.moment(row["lastFailureAt"]?.text), Html(row["description"]?.text ?? "–"),
                ]
            },
            isWalked: true
        ).html
    }

    /// Whether it is sent to, and why not.
    static func state(_ visit: Visit, _ row: Json) -> Html {
        guard row["status"]?.text == "disabled" else {
            let word = row["status"]?.text
            let tone: Tone = word == "enabled" ? .fine : word == "unreadable" ? .person : .quiet
            return badge(visit.word(Words.webhook, word), tone)
        }
        let reason = row["disabledReason"]?.text
        return group {
            badge(visit.word(Words.webhook, "disabled"), reason == "asked" ? .quiet : .person)
            " \(visit.word(Words.webhookDisabled, reason))"
        }
    }

    static func types(_ visit: Visit, _ row: Json) -> Html {
        let types = (row["types"]?.items ?? []).compactMap(\.text)
        guard !types.isEmpty else { return Html(visit.say(.allEvents)) }
        return tag("code") { types.joined(separator: ", ") }
    }

    // MARK: Registering

    private static func form(_ visit: Visit) -> Html {
        tag("details", .class("fold")) {
            tag("summary") { visit.say(.registerWebhook) }
            panel(nil) {
                visit.sending(Address("webhooks")) {
                    Field(name: "url", label: visit.say(.webhookAddress), type: "url", isNeeded: true).html
                    Field(name: "types", label: visit.say(.eventTypes), hint: visit.say(.eventTypesHint), most: 2000)
                        .html
                    choice(
                        "order",
                        visit.say(.webhookOrder),
                        Words.webhookOrders.map { ($0, visit.word(Words.webhookOrder, $0)) },
                        nil
                    )
                    Field(name: "description", label: visit.say(.note)).html
                    button(visit.say(.registerWebhook), "button-main")
                }
            }
        }
    }

    private static func register(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let types = visit.words("types")
        let body: Json = .compact([
            ("url", .string(visit.field("url") ?? "")),
            ("types", types.isEmpty ? nil : .array(types.map(Json.string))),
            ("description", visit.filled("description").map(Json.string)),
            ("order", visit.filled("order").map(Json.string)),
        ])
        do throws(Problem) {
            let made = try await visit.command(.post, endpoints, body, key: visit.filled(Visit.commandKey))
            return WebhookEndpointPage.secret(visit, made)
        } catch {
            return ProblemPage(error, visit, back: Address("webhooks")).response
        }
    }
}

extension Visit {
    /// The words of a form's field, with blanks or commas between them.
    func words(_ name: String) -> [String] {
        (field(name) ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
    }
}
