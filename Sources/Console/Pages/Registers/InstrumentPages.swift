import Api
import Http
import Kernel

/// Saved cards and other means of payment.
enum InstrumentPages {
    static let all: [Page] = [
        .shown("/instruments", by: list),
        .shown("/instruments/{instrument}", by: show),
        .sent("/instruments/{instrument}/actions/{action}", .commands, by: perform),
    ]

    private static func list(_ visit: Visit) async throws(Problem) -> HttpResponse {
        var query = [(name: "limit", value: "25")]
        for name in ["status", "customer", "cursor"] {
            if let value = visit.parameter(name) { query.append((name, value)) }
        }
        let isNarrowed = query.count > 1
        let page = try await visit.read("/v1/instruments", query)
        let rows = page["items"]?.items ?? []
        return Layout(visit, visit.say(.instruments), .instruments).response {
            heading(visit.say(.instruments), visit.say(.instrumentsHint))
            tag("form", .class("filters"), .of("method", "get"), .action(Address("instruments"))) {
                choice(
                    "status",
                    visit.say(.status),
                    [("", visit.say(.any))] + Words.instrumentOrder.map { ($0, visit.word(Words.instrument, $0)) },
                    visit.parameter("status")
                )
                Field(name: "customer", label: visit.say(.customer), value: visit.parameter("customer")).html
                tag("div", .class("filters-end")) { button(visit.say(.search), "button-main") }
            }
            if rows.isEmpty, isNarrowed {
                visit.nothingMatches(Address("instruments"))
            } else if rows.isEmpty {
                emptyState(visit.say(.noInstruments), visit.say(.noInstrumentsHint)) {
                    tag("pre", .class("command")) { "POST /v1/payments {\"mode\": \"tokenize\", …}" }
                }
            } else {
                table(visit, rows)
                visit.pages(page["next"]?.text)
            }
        }
    }

    private static func table(_ visit: Visit, _ rows: [Json]) -> Html {
        DataTable(
            visit.say(.instruments),
            [
                Column(visit.say(.savedAt)), Column(visit.say(.status)), Column(visit.say(.card)),
                Column(visit.say(.validUntil)), Column(visit.say(.customer)), Column(visit.say(.account), .wide),
                Column(visit.say(.uses), .number),
            ],
            rows: rows.map { row in
                let status = row["status"]?.text ?? ""
                return [
                    tag("a", .class("row-link"), .href(Address("instruments", row["id"]?.text ?? ""))) {
                        visit.formats.moment(row["savedAt"]?.text)
                    }, badge(visit.word(Words.instrument, status), status == "usable" ? .fine : .quiet),
                    Html("\(row["scheme"]?.text ?? "") \(row["masked"]?.text ?? "")"), Html(expiry(row)),
                    Html(row["customer"]?.text ?? "–"), Html(row.at("account", "name")?.text ?? "–"),
                    Html(visit.formats.number(row["uses"]?.integer ?? 0)),
                ]
            },
            isWalked: true
        ).html
    }

    private static func expiry(_ row: Json) -> String {
        guard let month = row["expiryMonth"]?.integer, let year = row["expiryYear"]?.integer else { return "–" }
        return "\(month < 10 ? "0" : "")\(month)/\(year)"
    }

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let row = try await visit.read("/v1/instruments/" + visit.segment("instrument"))
        let status = row["status"]?.text ?? ""
        return Layout(visit, row["masked"]?.text ?? row["id"]?.text ?? "", .instruments).response {
            tag("p", .class("crumb")) { link(visit.say(.instruments), Address("instruments")) }
            visit.notice(["remove": .doneInstrument, "check": .doneInstrument])
            heading("\(row["scheme"]?.text ?? "") \(row["masked"]?.text ?? "")", row["customer"]?.text) {
                badge(visit.word(Words.instrument, status), status == "usable" ? .fine : .quiet)
            }
            if visit.may(.commands), status != "removed" { forms(visit, row) }
            panel(visit.say(.details)) {
                facts([
                    (visit.say(.idOfPayment), code(row["id"]?.text)),
                    (visit.say(.account), row.at("account", "name")?.text.map { Html($0) }),
                    (visit.say(.validUntil), Html(expiry(row))),
                    (visit.say(.savedAt), visit.formats.moment(row["savedAt"]?.text)),
                    (visit.say(.uses), Html(visit.formats.number(row["uses"]?.integer ?? 0))),
                    (visit.say(.lastUsed), row["lastUsedAt"]?.text.map { visit.formats.moment($0) }),
                    (
                        visit.say(.firstPayment),
                        row["payment"]?.text.map { link(String($0.suffix(8)), Address("payments", $0)) }
                    ), (visit.say(.removedAt), row["removedAt"]?.text.map { visit.formats.moment($0) }),
                    (visit.say(.atProvider), code(row.at("removal", "atProvider")?.text)),
                ])
            }
        }
    }

    private static func forms(_ visit: Visit, _ row: Json) -> Html {
        panel(visit.say(.actions), "actions") {
            for (action, title, hint) in [
                ("check", Text.checkInstrument, Text.checkInstrumentHint),
                ("remove", .removeInstrument, .removeInstrumentHint),
            ] {
                tag("details", .class("action")) {
                    tag("summary") { visit.say(title) }
                    visit.sending(Address("instruments", row["id"]?.text ?? "", "actions", action)) {
                        tag("p", .class("hint")) { visit.say(hint) }
                        button(visit.say(title), action == "remove" ? "button-person" : "button-main")
                    }
                }
            }
        }
    }

    private static func perform(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let action = visit.path["action"] ?? ""
        guard ["check", "remove"].contains(action) else { throw Problem(.routeUnknown, "There is no such action.") }
        let path = "/v1/instruments/" + visit.segment("instrument")
        let back = Address("instruments", visit.path["instrument"] ?? "")
        do throws(Problem) {
            _ = try await visit.command(
                action == "remove" ? .delete : .post,
                action == "remove" ? path : path + "/check",
                key: visit.filled(Visit.commandKey),
                headers: [("Prefer", "wait=4")]
            )
        } catch {
            return ProblemPage(error, visit, back: back).response
        }
        return .seeOther(back.with("done", action))
    }
}
