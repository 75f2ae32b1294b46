import Api
import Http
import Kernel

/// Recurring payments, and a test merchant's clock.
enum ScheduleListPage {
    static let all: [Page] = [
        .shown("/schedules", by: show),
        .sent("/clock", .admin, by: moveClock),
        .sent("/clock/own", .admin, by: takeClock),
    ]

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        var query = [(name: "limit", value: "25")]
        for name in ["status", "customer", "reference", "cursor"] {
            if let value = visit.parameter(name) { query.append((name, value)) }
        }
        let isNarrowed = query.count > 1
        let page = try await visit.read("/v1/schedules", query)
        let rows = page["items"]?.items ?? []
        let clock = try await clock(visit)
        let mayTake = try await mayTakeClock(visit)
        return Layout(
            visit,
            visit.say(.schedules),
            .schedules,
            refresh: clock?["travellingTo"] == nil ? nil : 2
        ).response {
            heading(visit.say(.schedules), visit.say(.schedulesHint)) {
                link(visit.say(.calendar), Address("schedules", "calendar"), "button")
            }
            visit.notice(["clock": .doneClock, "own": .doneClockTaken])
            if let clock { clockPanel(visit, clock) } else if mayTake { takeClockForm(visit) }
            tag("form", .class("filters"), .of("method", "get"), .action(Address("schedules"))) {
                choice(
                    "status",
                    visit.say(.status),
                    [("", visit.say(.any))] + Words.scheduleOrder.map { ($0, visit.word(Words.schedule, $0)) },
                    visit.parameter("status")
                )
                Field(name: "customer", label: visit.say(.customer), value: visit.parameter("customer")).html
                Field(name: "reference", label: visit.say(.reference), value: visit.parameter("reference")).html
                tag("div", .class("filters-end")) { button(visit.say(.search), "button-main") }
            }
            if rows.isEmpty, isNarrowed {
                visit.nothingMatches(Address("schedules"))
            } else if rows.isEmpty {
                emptyState(visit.say(.noSchedules), visit.say(.noSchedulesHint)) {
                    tag("pre", .class("command")) { "POST /v1/schedules" }
                }
            } else {
                table(visit, rows)
                visit.pages(page["next"]?.text)
            }
        }
    }

    private static func table(_ visit: Visit, _ rows: [Json]) -> Html {
        DataTable(
            visit.say(.schedules),
            [
                Column(visit.say(.created)), Column(visit.say(.status)), Column(visit.say(.amount), .number),
                Column(visit.say(.currency), .currency), Column(visit.say(.nextCharge)),
                Column(visit.say(.paidTimes), .number), Column(visit.say(.reference), .wide),
                Column(visit.say(.customer), .wide),
            ],
            rows: rows.map { row in
                let currency = row.at("amount", "currency")?.text ?? ""
                return [
                    tag("a", .class("row-link"), .href(Address("schedules", row["id"]?.text ?? ""))) {
                        visit.formats.moment(row["createdAt"]?.text)
                    },
                    badge(
                        visit.word(Words.schedule, row["status"]?.text),
                        Words.tone(schedule: row["status"]?.text ?? "")
                    ), Html(row.at("amount", "value")?.integer.map { visit.formats.amount($0, currency) } ?? "–"),
                    Html(currency), visit.formats.moment(row["nextAt"]?.text),
                    Html(visit.formats.number(row["paid"]?.integer ?? 0)), Html(row["reference"]?.text ?? "–"),
                    Html(row["customer"]?.text ?? "–"),
                ]
            },
            isWalked: true
        ).html
    }

    // MARK: The clock

    /// The merchant's own clock; `nil` where it lives by the server's.
    private static func clock(_ visit: Visit) async throws(Problem) -> Json? {
        do throws(Problem) { return try await visit.read("/v1/clock") } catch {
            guard error.status == 404 else { throw error }
            return nil
        }
    }

    private static func clockPanel(_ visit: Visit, _ clock: Json) -> Html {
        panel(visit.say(.testClock)) {
            tag("div", .id("live-clock"), .flag("data-live")) {
                facts([
                    (visit.say(.clockAt), visit.formats.moment(clock["at"]?.text, seconds: true)),
                    (
                        visit.say(.clockTo),
                        clock["travellingTo"]?.text.map { target in
                            group {
                                visit.formats.moment(target)
                                " "
                                badge(visit.say(.onItsWay), .waits)
                            }
                        }
                    ),
                    (
                        visit.say(.clockWaits),
                        clock["waitsFor"]?.items.map { Html($0.compactMap(\.text).joined(separator: ", ")) }
                    ),
                ])
            }
            if visit.may(.admin) {
                visit.sending(Address("clock"), "row") {
                    Field(
                        name: "to",
                        label: visit.say(.clockMove),
                        hint: visit.say(.clockMoveHint) + " 2028-02-01T00:00:00Z",
                        isNeeded: true,
                        most: 40
                    ).html
                    button(visit.say(.clockMove))
                }
            }
        }
    }

    /// A merchant whose accounts are all for testing may live by a clock of its own.
    private static func mayTakeClock(_ visit: Visit) async throws(Problem) -> Bool {
        guard visit.may(.admin) else { return false }
        let accounts = try await visit.read("/v1/accounts")["items"]?.items ?? []
        return accounts.allSatisfy { $0["mode"]?.text == "test" }
    }

    private static func takeClockForm(_ visit: Visit) -> Html {
        tag("details", .class("fold")) {
            tag("summary") { visit.say(.testClock) }
            visit.sending(Address("clock", "own")) {
                tag("p", .class("hint")) { visit.say(.takeClockHint) }
                button(visit.say(.takeClock))
            }
        }
    }

    private static func takeClock(_ visit: Visit) async throws(Problem) -> HttpResponse {
        do throws(Problem) { _ = try await visit.command(.put, "/v1/clock", [:]) } catch {
            return ProblemPage(error, visit, back: Address("schedules")).response
        }
        return .seeOther(Address("schedules").with("done", "own"))
    }

    private static func moveClock(_ visit: Visit) async throws(Problem) -> HttpResponse {
        do throws(Problem) {
            _ = try await visit.command(.post, "/v1/clock/advance", ["to": .string(visit.field("to") ?? "")])
        } catch {
            return ProblemPage(error, visit, back: Address("schedules")).response
        }
        return .seeOther(Address("schedules").with("done", "clock"))
    }
}
