import Api
import Http
import Kernel

/// What one administrator proposed and another one approves or rejects, for merchants that ask for two persons.
enum ChangePages {
    static let all: [Page] = [
        .shown("/changes", .audit, by: list),
        .sent("/changes/{change}/{action}", .approve, by: perform),
        .sent("/persons", .admin, by: setPersons),
    ]

    private static let path = "/v1/changes"

    private static func list(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let rows = try await visit.read(path)["items"]?.items ?? []
        let needsTwo = try await visit.read("/v1/merchant")["persons"]?.integer == 2
        let open = rows.filter { $0["state"]?.text == "open" }
        let ended = rows.filter { $0["state"]?.text != "open" }
        return Layout(visit, visit.say(.changes), .keys).response {
            heading(visit.say(.changes), visit.say(needsTwo ? .changesHint : .onePersonIsEnough))
            KeyPages.tabs(visit, .changes)
            visit.notice([
                "approve": .doneChangeApproved, "reject": .doneChangeRejected, "two": .doneTwoPersons,
                "one": .doneOnePersonProposed,
            ])
            if visit.may(.admin) { personsForm(visit, needsTwo) }
            for row in open { proposal(visit, row) }
            if open.isEmpty {
                emptyState(visit.say(.noChanges), visit.say(needsTwo ? .noChangesHint : .noChangesOnePerson))
            }
            if !ended.isEmpty { table(visit, ended) }
        }
    }

    private static func personsForm(_ visit: Visit, _ needsTwo: Bool) -> Html {
        tag("details", .class("fold")) {
            tag("summary") { visit.say(needsTwo ? .askOnePerson : .askTwoPersons) }
            visit.sending(Address("persons")) {
                tag("p", .class("hint")) { visit.say(needsTwo ? .askOnePersonHint : .askTwoPersonsHint) }
                hidden("persons", needsTwo ? "1" : "2")
                button(visit.say(needsTwo ? .askOnePerson : .askTwoPersons), "button-person")
            }
        }
    }

    private static func setPersons(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let persons = visit.filled("persons").flatMap { Int64($0) } ?? 0
        let key = visit.filled(Visit.commandKey)
        do throws(Problem) {
            _ = try await visit.command(.put, "/v1/merchant/persons", ["persons": .integer(persons)], key: key)
        } catch {
            return ProblemPage(error, visit, back: Address("changes")).response
        }
        return .seeOther(Address("changes").with("done", persons == 2 ? "two" : "one"))
    }

    /// What it would do: of secrets the names alone.
    private static func what(_ visit: Visit, _ row: Json) -> Html {
        let what = row["what"] ?? [:]
        switch what["is"]?.text {
        case "command": return code(what["name"]?.text) ?? Html("–")
        case "key": return link(visit.say(.aNewKey), Address("keys", what["key"]?.text ?? ""))
        default: return Html(visit.word(Words.change, what["is"]?.text))
        }
    }

    private static func proposal(_ visit: Visit, _ row: Json) -> Html {
        panel(nil, "actions") {
            tag("h2") { what(visit, row) }
            facts([
                (visit.say(.proposedBy), code(row["by"]?.text)),
                (visit.say(.proposedAt), visit.formats.moment(row["proposedAt"]?.text)),
                (visit.say(.until), visit.formats.moment(row["expiresAt"]?.text)),
            ])
            if let body = row["what"]?["body"] {
                tag("details") {
                    tag("summary") { visit.say(.details) }
                    tag("pre", .of("tabindex", "0"), .label(visit.say(.details))) { body.indented }
                }
            }
            if visit.may(.approve) { forms(visit, row) }
        }
    }

    private static func forms(_ visit: Visit, _ row: Json) -> Html {
        let id = row["id"]?.text ?? ""
        return group {
            tag("details", .class("action")) {
                tag("summary") { visit.say(.approve) }
                visit.sending(Address("changes", id, "approve")) {
                    tag("p", .class("hint")) { visit.say(.approveHint) }
                    button(visit.say(.approve), "button-main")
                }
            }
            tag("details", .class("action")) {
                tag("summary") { visit.say(.reject) }
                visit.sending(Address("changes", id, "reject")) {
                    Field(name: "reason", label: visit.say(.reason), isNeeded: true).named(id)
                    button(visit.say(.reject), "button-person")
                }
            }
        }
    }

    private static func table(_ visit: Visit, _ rows: [Json]) -> Html {
        group {
            tag("h2", .class("part")) { visit.say(.endedChanges) }
            DataTable(
                visit.say(.endedChanges),
                [
                    Column(visit.say(.proposedAt)), Column(visit.say(.change)), Column(visit.say(.state)),
                    Column(visit.say(.proposedBy), .wide), Column(visit.say(.endedBy), .wide),
                    Column(visit.say(.reason), .wide),
                ],
                rows: rows.map { row in
                    let state = row["state"]?.text
                    return [
                        visit.formats.moment(row["proposedAt"]?.text), what(visit, row),
                        badge(visit.word(Words.changeState, state), state == "approved" ? .fine : .quiet),
                        code(row["by"]?.text) ?? Html("–"), code(row["endedBy"]?.text) ?? Html("–"),
                        Html(row["reason"]?.text ?? "–"),
                    ]
                }
            ).html
        }
    }

    private static func perform(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let action = visit.path["action"] ?? ""
        let one = path + "/" + visit.segment("change")
        let back = Address("changes")
        let key = visit.filled(Visit.commandKey)
        do throws(Problem) {
            switch action {
            case "approve": _ = try await visit.command(.post, one + "/approve", [:], key: key)
            case "reject":
                let body = Json.compact([("reason", visit.filled("reason").map(Json.string))])
                _ = try await visit.command(.post, one + "/reject", body, key: key)
            default: throw Problem(.routeUnknown, "There is no such action.")
            }
        } catch {
            return ProblemPage(error, visit, back: back).response
        }
        return .seeOther(back.with("done", action))
    }
}
