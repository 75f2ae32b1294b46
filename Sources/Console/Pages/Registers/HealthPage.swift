import Api
import Http
import Kernel

/// Whether the daemon serves, how each read model stands to the log, and how far a copy is that is built.
///
/// The daemon may not build one: the page says what is to be run.
enum HealthPage {
    static let all: [Page] = [.shown("/health", by: show)]

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let answer = await visit.send(.get, "/readyz")
        let state = (try? Json(answer.body)) ?? .null
        let models = try await visit.read("/v1/projections")["items"]?.items ?? []
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
                table(visit, models)
            }
            tag("p", .class("hint")) { visit.say(.rebuildHint) }
        }
    }

    private static func table(_ visit: Visit, _ models: [Json]) -> Html {
        DataTable(
            visit.say(.readModels),
            [
                Column(visit.say(.readModels)), Column(visit.say(.state)), Column(visit.say(.version), .number),
                Column(visit.say(.position), .number), Column(visit.say(.behind), .number),
                Column(visit.say(.setAside), .number), Column(visit.say(.copy)), Column(visit.say(.command), .wide),
            ],
            rows: models.map { model in
                let (text, tone) = state(model)
                let aside = model["streamsAside"]?.integer ?? 0
                return [
                    code(model["name"]?.text) ?? Html("–"), badge(visit.say(text), tone),
                    Html(model["shown"]?["version"]?.integer.map { visit.formats.number($0) } ?? "–"),
                    Html(model["shown"]?["position"]?.integer.map { visit.formats.number($0) } ?? "–"),
                    Html(visit.formats.duration(milliseconds: model["lagMilliseconds"]?.integer ?? 0)),
                    group {
                        visit.formats.number(aside)
                        for stream in model["ownAside"]?.items ?? [] {
                            tag("p") { code(stream.text) ?? .empty }
                        }
                    }, copy(visit, model), code(command(model)) ?? .empty,
                ]
            }
        ).html
    }

    private static func state(_ model: Json) -> (Text, Tone) {
        if let shown = model["shown"]?["version"]?.integer, shown != model["wanted"]?.integer {
            return (.isOtherVersion, .person)
        }
        if model["streamsAside"]?.integer ?? 0 > 0 { return (.hasStreamsAside, .person) }
        return model["lagMilliseconds"]?.integer ?? 0 > 10_000 ? (.isBehind, .waits) : (.isCurrent, .fine)
    }

    /// How far the copy is, in hundredths of the log; a person looks at it while it is built.
    private static func copy(_ visit: Visit, _ model: Json) -> Html {
        guard let copy = model["copy"], let version = copy["version"]?.integer else { return Html("–") }
        let share = share(of: copy, model)
        let text = "\(visit.say(.version)) \(visit.formats.number(version)) · \(visit.formats.number(share))\u{202F}%"
        return group {
            tag("p") { text }
            tag("progress", .of("max", "100"), .of("value", "\(share)"), .label(text)) { Html.empty }
        }
    }

    private static func share(of copy: Json, _ model: Json) -> Int64 {
        let (position, end) = (copy["position"]?.integer ?? 0, model["logEnd"]?.integer ?? 0)
        return end > 0 ? Int64(min(100, Double(position) * 100 / Double(end))) : 100
    }

    /// What the owner of the schema runs: a copy that stands is shown, and any other is built.
    private static func command(_ model: Json) -> String {
        let name = model["name"]?.text ?? ""
        let isBuilt = model["copy"].map { share(of: $0, model) == 100 } ?? false
        return "paystream projections \(isBuilt ? "swap" : "rebuild") \(name)"
    }
}
