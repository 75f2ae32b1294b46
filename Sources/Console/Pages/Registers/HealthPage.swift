import Api
import Http
import Kernel

/// Whether the daemon serves, and how far each read model is behind the log.
enum HealthPage {
    static let all: [Page] = [.shown("/health", by: show)]

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let answer = await visit.send(.get, "/readyz")
        let state = (try? Json(answer.body)) ?? .null
        let followers = state["followers"]?.items ?? []
        return Layout(visit, visit.say(.health), .health, refresh: 5).response {
            heading(visit.say(.health), visit.say(.healthHint))
            tag("div", .id("live"), .flag("data-live")) {
                panel(visit.say(.daemon)) {
                    tag("p") {
                        badge(
                            visit.say(answer.status == 200 ? .isReady : .isNotReady),
                            answer.status == 200 ? .fine : .person
                        )
                        if answer.status != 200 { " \(state["detail"]?.text ?? "")" }
                    }
                }
                if !followers.isEmpty { table(visit, followers) }
            }
        }
    }

    private static func table(_ visit: Visit, _ followers: [Json]) -> Html {
        DataTable(
            visit.say(.readModels),
            [
                Column(visit.say(.readModels)), Column(visit.say(.state)), Column(visit.say(.behind), .number),
                Column(visit.say(.setAside), .number),
            ],
            rows: followers.map { follower in
                let lag = follower["lagMilliseconds"]?.integer ?? 0
                let aside = follower["streamsAside"]?.integer ?? 0
                let tone: Tone = aside > 0 ? .person : lag > 10_000 ? .waits : .fine
                let text: Text = aside > 0 ? .hasStreamsAside : lag > 10_000 ? .isBehind : .isCurrent
                return [
                    code(follower["name"]?.text) ?? Html("–"), badge(visit.say(text), tone),
                    Html(visit.formats.duration(milliseconds: lag)), Html(visit.formats.number(aside)),
                ]
            }
        ).html
    }
}
