import Api
import Http
import Kernel

/// One schedule: what comes, what became of what came, and what may be done.
enum SchedulePage {
    static let all: [Page] = [
        .shown("/schedules/{schedule}", by: show),
        .sent("/schedules/{schedule}/actions/{action}", .commands, by: perform),
    ]

    private static let actions = ["pause", "resume", "run", "cancel"]

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let path = "/v1/schedules/" + visit.segment("schedule")
        let schedule = try await visit.read(path)
        let preview = try? await visit.read(path + "/preview", [("count", "12")])
        let past = try await visit.read(path + "/occurrences", [("limit", "50")])["items"]?.items ?? []
        let status = schedule["status"]?.text ?? ""
        return Layout(visit, schedule["reference"]?.text ?? schedule["id"]?.text ?? "", .schedules).response {
            tag("p", .class("crumb")) { link(visit.say(.schedules), Address("schedules")) }
            visit.notice([
                "pause": .doneSchedule, "resume": .doneSchedule, "cancel": .doneSchedule, "run": .doneSchedule,
            ])
            tag("div", .class("heading")) {
                tag("div") {
                    tag("h1") { visit.formats.money(schedule["amount"]) }
                    tag("p", .class("muted")) {
                        "\(rule(visit, schedule["rule"])) · \(schedule["reference"]?.text ?? schedule["id"]?.text ?? "")"
                    }
                }
                badge(visit.word(Words.schedule, status), Words.tone(schedule: status))
            }
            forms(visit, schedule)
            tag("div", .class("columns")) {
                tag("div") {
                    coming(visit, preview)
                    occurrences(visit, past)
                }
                details(visit, schedule)
            }
        }
    }

    /// How often, in words.
    static func rule(_ visit: Visit, _ rule: Json?) -> String {
        guard let rule else { return visit.say(.onDemand) }
        guard let period = rule.at("cadence", "period")?.text else { return visit.say(.byDates) }
        let every = rule.at("cadence", "every")?.integer ?? 1
        let word = visit.word(Words.period, period)
        let time = rule["time"]?.text.map { ", \($0)" } ?? ""
        return (every == 1 ? word : "\(visit.formats.number(every)) × \(word)") + time
            + " (\(rule["zone"]?.text ?? ""))"
    }

    private static func forms(_ visit: Visit, _ schedule: Json) -> Html? {
        guard visit.may(.commands), !["completed", "cancelled", "expired"].contains(schedule["status"]?.text ?? "")
        else { return nil }
        let isPaused = schedule["status"]?.text == "paused"
        let offered = actions.filter { isPaused ? $0 != "pause" : $0 != "resume" }
        return panel(visit.say(.actions), "actions") {
            for action in offered {
                tag("details", .class("action")) {
                    tag("summary") { visit.word(Words.scheduleAction, action) }
                    visit.sending(Address("schedules", schedule["id"]?.text ?? "", "actions", action)) {
                        tag("p", .class("hint")) { visit.word(Words.scheduleActionHint, action) }
                        if action == "pause" || action == "cancel" {
                            Field(name: "reason", label: visit.say(.reason)).named(action)
                        }
                        button(
                            visit.word(Words.scheduleAction, action),
                            action == "pause" || action == "resume" ? "button-main" : "button-person"
                        )
                    }
                }
            }
        }
    }

    private static func coming(_ visit: Visit, _ preview: Json?) -> Html {
        let items = preview?["items"]?.items ?? []
        return panel(visit.say(.comingCharges)) {
            if items.isEmpty {
                emptyState(visit.say(.nothingComes), visit.say(.nothingComesHint))
            } else {
                DataTable(
                    visit.say(.comingCharges),
                    [
                        Column(visit.say(.day)), Column(visit.say(.time)), Column(visit.say(.amount), .number),
                        Column(visit.say(.reason), .wide),
                    ],
                    rows: items.map { item in
                        [
                            Html(item["date"]?.text.flatMap { CivilDate($0) }.map { visit.formats.day($0) } ?? "–"),
                            Html(item["at"]?.text.flatMap { Timestamp($0) }.map { visit.formats.time($0) } ?? "–"),
                            Html(visit.formats.money(item["amount"])),
                            Html(item["reasons"]?.items?.compactMap(\.text).joined(separator: ", ") ?? ""),
                        ]
                    }
                ).html
            }
        }
    }

    private static func occurrences(_ visit: Visit, _ items: [Json]) -> Html {
        panel(visit.say(.pastCharges)) {
            if items.isEmpty {
                emptyState(visit.say(.nothingCharged), visit.say(.nothingChargedHint))
            } else {
                DataTable(
                    visit.say(.pastCharges),
                    [
                        Column("№", .number), Column(visit.say(.day)), Column(visit.say(.state)),
                        Column(visit.say(.amount), .number), Column(visit.say(.attempts), .number),
                        Column(visit.say(.payments), .wide),
                    ],
                    rows: items.reversed().map { item in
                        let state = item["state"]?.text ?? ""
                        return [
                            Html("\(item["ordinal"]?.integer ?? 0)"),
                            Html(item["date"]?.text.flatMap { CivilDate($0) }.map { visit.formats.day($0) } ?? "–"),
                            badge(visit.word(Words.occurrence, state), Words.tone(occurrence: state)),
                            Html(visit.formats.money(item["amount"])),
                            Html(visit.formats.number(Int64(item["tries"]?.items?.count ?? 0))),
                            item["payment"]?.text.map { link(String($0.suffix(8)), Address("payments", $0)) }
                                ?? Html("–"),
                        ]
                    }
                ).html
            }
        }
    }

    private static func details(_ visit: Visit, _ schedule: Json) -> Html {
        panel(visit.say(.details)) {
            facts([
                (visit.say(.idOfPayment), code(schedule["id"]?.text)),
                (visit.say(.customer), schedule["customer"]?.text.map { Html($0) }),
                (visit.say(.nextCharge), schedule["nextAt"]?.text.map { visit.formats.moment($0) }),
                (visit.say(.paidTimes), Html(visit.formats.number(schedule["paid"]?.integer ?? 0))),
                (
                    visit.say(.instruments),
                    schedule["instrument"]?.text.map { link(String($0.suffix(8)), Address("instruments", $0)) }
                ), (visit.say(.kind), code(schedule["kind"]?.text)),
                (visit.say(.runBy), code(schedule["runner"]?.text)),
                (visit.say(.created), visit.formats.moment(schedule["createdAt"]?.text)),
                (
                    visit.say(.firstPayment),
                    schedule["activatedBy"]?.text.map { link(String($0.suffix(8)), Address("payments", $0)) }
                ),
            ])
        }
    }

    private static func perform(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let action = visit.path["action"] ?? ""
        guard actions.contains(action) else { throw Problem(.routeUnknown, "There is no such action.") }
        let back = Address("schedules", visit.path["schedule"] ?? "")
        do throws(Problem) {
            _ = try await visit.command(
                .post,
                "/v1/schedules/\(visit.segment("schedule"))/\(action)",
                .compact([("reason", visit.filled("reason").map(Json.string))]),
                key: visit.filled(Visit.commandKey),
                headers: [("Prefer", "wait=4")]
            )
        } catch {
            return ProblemPage(error, visit, back: back).response
        }
        return .seeOther(back.with("done", action))
    }
}
