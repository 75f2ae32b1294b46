import Api
import EventSourcing
import Http
import Kernel

/// How a person reads the console, and the sessions of the key.
enum PreferencePage {
    static let all: [Page] = [
        .shown("/preferences", nil, by: show),
        .open(.post, "/preferences", by: keep),
    ]

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        guard let session = visit.session else { return visit.unknown }
        let open = try await visit.console.kept { () async throws(StoreFailure) in
            try await visit.console.sessions.count(of: session.caller.keyId)
        }
        return Layout(visit, visit.say(.preferences)).response {
            heading(visit.say(.preferences))
            visit.notice(["kept": .preferencesKept])
            if visit.parameter("zone_unknown") != nil {
                tag("p", .class("failure"), .of("role", "alert")) { visit.say(.zoneUnknown) }
            }
            panel(visit.say(.reading)) { readingForm(visit) }
            panel(visit.say(.thisKey)) {
                facts([
                    (visit.say(.merchant), Html(session.caller.merchantName)),
                    (visit.say(.apiKey), Html(session.caller.name)),
                    (
                        visit.say(.scopes),
                        group {
                            for scope in Scope.allCases where session.caller.scopes.contains(scope) {
                                badge(scope.rawValue, .quiet)
                                " "
                            }
                        }
                    ),
                    (visit.say(.signedInSince), visit.formats.moment(session.begunAt.description)),
                    (visit.say(.openSessions), Html(visit.formats.number(open))),
                ])
                tag("div", .class("row")) {
                    visit.sending(Address("sign-out"), "inline") { button(visit.say(.signOut)) }
                    visit.sending(Address("sign-out-everywhere"), "inline") {
                        button(visit.say(.signOutEverywhere), "button-person")
                    }
                }
            }
        }
    }

    private static func readingForm(_ visit: Visit) -> Html {
        visit.sending(Address("preferences")) {
            choice(
                "language",
                visit.say(.language),
                Language.allCases.map { ($0.rawValue, $0.name) },
                visit.language.rawValue
            )
            Field(
                name: "zone",
                label: visit.say(.zone),
                value: visit.reading.chosenZone ?? visit.reading.zone.name,
                hint: visit.say(.zoneHint),
                most: 64
            ).html
            choice(
                "theme",
                visit.say(.theme),
                [("auto", visit.say(.themeAuto)), ("light", visit.say(.themeLight)), ("dark", visit.say(.themeDark))],
                visit.reading.theme.rawValue
            )
            button(visit.say(.keep), "button-main")
        }
    }

    /// Links of the languages where nobody is signed in yet.
    static func languages(_ visit: Visit) -> Html {
        tag("form", .class("languages"), .of("method", "post"), .action(Address("preferences"))) {
            hidden("next", visit.address.text)
            for language in Language.allCases {
                tag(
                    "button",
                    .of("type", "submit"),
                    .of("name", "language"),
                    .of("value", language.rawValue),
                    .of("lang", language.rawValue),
                    .class("plain"),
                    .of("aria-pressed", language == visit.language ? "true" : "false")
                ) { language.name }
            }
        }
    }

    /// Keeps them in a cookie: they are the browser's, and hold nothing of a merchant.
    private static func keep(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let old = visit.reading
        let language = visit.field("language").flatMap { Language(rawValue: $0) } ?? old.chosenLanguage
        let theme = visit.field("theme").flatMap { Reading.Theme(rawValue: $0) } ?? old.theme
        var zone = old.chosenZone
        var next = visit.field("next").flatMap { Address(returning: $0) } ?? Address("preferences").with("done", "kept")
        if let asked = visit.filled("zone") {
            if await visit.console.zones.zone(asked) != nil {
                zone = asked
            } else {
                next = Address("preferences").with("zone_unknown", "1")
            }
        }
        var pairs = [(name: "theme", value: theme.rawValue)]
        if let language { pairs.append(("language", language.rawValue)) }
        if let zone { pairs.append(("zone", zone)) }
        return HttpResponse.seeOther(next).with("Set-Cookie", visit.console.origin.cookie(preferences: pairs))
    }
}
