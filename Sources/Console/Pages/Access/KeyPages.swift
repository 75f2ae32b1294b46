import Api
import Http
import Kernel

/// API keys of the merchant: who holds what, and what the session's key may do about it.
enum KeyPages {
    static let all: [Page] = [
        .shown("/keys", .audit, by: list),
        .sent("/keys", .admin, by: create),
        .shown("/keys/{key}", .audit, by: show),
        .sent("/keys/{key}/actions/{action}", .admin, by: perform),
    ]

    private static let path = "/v1/keys"

    private static func keys(_ visit: Visit) async throws(Problem) -> [Json] {
        try await visit.read(path)["items"]?.items ?? []
    }

    // MARK: All of them

    private static func list(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let isWhole = visit.parameter("all") == "true"
        let known = try await keys(visit)
        let rows = known.filter { isWhole || !["revoked", "expired"].contains($0["state"]?.text) }
        return Layout(visit, visit.say(.keys), .keys).response {
            heading(visit.say(.keys), visit.say(.keysHint))
            tabs(visit, isWhole ? .allKeys : .keysInUse)
            if visit.may(.admin) { form(visit) }
            if rows.isEmpty {
                emptyState(visit.say(.noKeys), visit.say(.noKeysHint)) {
                    tag("pre", .class("command")) { "paystream keys --merchant NAME --role ROLE create NAME" }
                }
            } else {
                table(visit, rows)
            }
        }
    }

    /// What stands beside keys: those that ended, and what waits for a second person.
    enum Tab: CaseIterable {
        case keysInUse, allKeys, changes, acts

        fileprivate var title: Text {
            switch self {
            case .keysInUse: .keysInUse
            case .allKeys: .allKeys
            case .changes: .changes
            case .acts: .acts
            }
        }

        fileprivate var address: Address {
            switch self {
            case .keysInUse: Address("keys")
            case .allKeys: Address("keys").with("all", "true")
            case .changes: Address("changes")
            case .acts: Address("acts")
            }
        }
    }

    static func tabs(_ visit: Visit, _ open: Tab) -> Html {
        tag("nav", .class("tabs"), .label(visit.say(.keys))) {
            for entry in Tab.allCases {
                tag("a", .href(entry.address), .of("aria-current", entry == open ? "page" : nil)) {
                    visit.say(entry.title)
                }
            }
        }
    }

    private static func table(_ visit: Visit, _ rows: [Json]) -> Html {
        DataTable(
            visit.say(.keys),
            [
                Column(visit.say(.keyName)), Column(visit.say(.state)), Column(visit.say(.role)),
                Column(visit.say(.lastUsed)), Column(visit.say(.expires)), Column(visit.say(.networks), .wide),
            ],
            rows: rows.map { row in
                [
                    tag("a", .class("row-link"), .href(Address("keys", row["id"]?.text ?? ""))) {
                        row["name"]?.text ?? ""
                    },
                    state(visit, row), Html(role(visit, row)), visit.formats.moment(row["lastUsedAt"]?.text),
                    visit.formats.moment(row["expiresAt"]?.text), Html(networks(visit, row)),
                ]
            },
            isWalked: true
        ).html
    }

    private static func state(_ visit: Visit, _ row: Json) -> Html {
        let word = row["state"]?.text
        return group {
            badge(
                visit.word(Words.keyState, word),
                word == "awaits_approval" ? .waits : word == "usable" ? .fine : .quiet
            )
            if row["id"]?.text == visit.session?.caller.keyId.description {
                " "
                badge(visit.say(.thisKey), .quiet)
            }
        }
    }

    /// Its role, or the scopes that were named one by one.
    private static func role(_ visit: Visit, _ row: Json) -> String {
        row["role"]?.text.map { visit.word(Words.role, $0) }
            ?? (row["scopes"]?.items ?? []).compactMap(\.text).joined(separator: ", ")
    }

    private static func networks(_ visit: Visit, _ row: Json) -> String {
        let networks = (row["networks"]?.items ?? []).compactMap(\.text)
        return networks.isEmpty ? visit.say(.fromAnywhere) : networks.joined(separator: ", ")
    }

    // MARK: One of them

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let id = visit.path["key"]
        guard let key = try await keys(visit).first(where: { $0["id"]?.text == id }) else {
            throw Problem(.apiKeyUnknown, "There is no such key.")
        }
        return Layout(visit, key["name"]?.text ?? "", .keys).response {
            tag("p", .class("crumb")) { link(visit.say(.keys), Address("keys")) }
            visit.notice(["revoke": .doneRevoked])
            heading(key["name"]?.text ?? "", role(visit, key)) { state(visit, key) }
            if visit.may(.admin), key["state"]?.text != "revoked" { forms(visit, key) }
            panel(visit.say(.details)) {
                facts([
                    (visit.say(.idOfPayment), code(key["id"]?.text)),
                    (visit.say(.scopes), scopes(key)), (visit.say(.networks), Html(networks(visit, key))),
                    (visit.say(.created), visit.formats.moment(key["createdAt"]?.text)),
                    (visit.say(.expires), visit.formats.moment(key["expiresAt"]?.text)),
                    (visit.say(.lastUsed), visit.formats.moment(key["lastUsedAt"]?.text)),
                    (visit.say(.oldTokenUntil), key["oldTokenUntil"]?.text.map { visit.formats.moment($0) }),
                    (visit.say(.revokedAt), key["revokedAt"]?.text.map { visit.formats.moment($0) }),
                ])
            }
        }
    }

    private static func scopes(_ key: Json) -> Html {
        group {
            for scope in (key["scopes"]?.items ?? []).compactMap(\.text) {
                badge(scope, .quiet)
                " "
            }
        }
    }

    private static func forms(_ visit: Visit, _ key: Json) -> Html {
        let id = key["id"]?.text ?? ""
        return panel(visit.say(.actions), "actions") {
            tag("details", .class("action")) {
                tag("summary") { visit.say(.rotateKey) }
                visit.sending(Address("keys", id, "actions", "rotate")) {
                    tag("p", .class("hint")) { visit.say(.rotateKeyHint) }
                    visit.overlapChoice("overlap")
                    button(visit.say(.rotateKey), "button-main")
                }
            }
            tag("details", .class("action")) {
                tag("summary") { visit.say(.revokeKey) }
                visit.sending(Address("keys", id, "actions", "revoke")) {
                    tag("p", .class("hint")) { visit.say(.revokeKeyHint) }
                    Field(name: "reason", label: visit.say(.reason)).html
                    button(visit.say(.revokeKey), "button-person")
                }
            }
        }
    }

    // MARK: Making one

    private static func form(_ visit: Visit) -> Html {
        let own = visit.session?.caller.scopes ?? []
        let roles = Role.allCases.filter { own.isSuperset(of: $0.scopes) }.map(\.rawValue)
        return tag("details", .class("fold")) {
            tag("summary") { visit.say(.makeKey) }
            panel(nil) {
                visit.sending(Address("keys")) {
                    tag("p", .class("hint")) { visit.say(.makeKeyHint) }
                    Field(name: "name", label: visit.say(.keyName), isNeeded: true, most: 100).html
                    choice("role", visit.say(.role), roles.map { ($0, visit.word(Words.role, $0)) }, "developer")
                    Field(name: "networks", label: visit.say(.networks), hint: visit.say(.networksHint), most: 2000)
                        .html
                    Field(name: "expires", label: visit.say(.expires), type: "date", hint: visit.say(.expiresHint)).html
                    button(visit.say(.makeKey), "button-main")
                }
            }
        }
    }

    private static func create(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let back = Address("keys")
        do throws(Problem) {
            var end: String?
            if let text = visit.filled("expires") {
                guard let day = CivilDate(text) else {
                    throw Problem(.queryInvalid, "A day is written as 2026-11-21.", path: "expires")
                }
                end = visit.reading.zone.start(of: day).description
            }
            let networks = visit.words("networks")
            let body: Json = .compact([
                ("name", .string(visit.field("name") ?? "")), ("role", visit.filled("role").map(Json.string)),
                ("networks", networks.isEmpty ? nil : .array(networks.map(Json.string))),
                ("expiresAt", end.map(Json.string)),
            ])
            let made = try await visit.command(.post, path, body, key: visit.filled(Visit.commandKey))
            return token(visit, made)
        } catch {
            return ProblemPage(error, visit, back: back).response
        }
    }

    private static func token(_ visit: Visit, _ key: Json) -> HttpResponse {
        ShownOncePage.response(
            visit,
            .keys,
            .keyToken,
            secret: key["token"]?.text,
            note: key["state"]?.text == "awaits_approval" ? .keyAwaits : nil,
            next: Address("keys", key["id"]?.text ?? "")
        )
    }

    private static func perform(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let action = visit.path["action"] ?? ""
        let one = path + "/" + visit.segment("key")
        let back = Address("keys", visit.path["key"] ?? "")
        let key = visit.filled(Visit.commandKey)
        do throws(Problem) {
            switch action {
            case "rotate":
                let overlap = visit.filled("overlap").flatMap { Int64($0) }
                let body = Json.compact([("overlapSeconds", overlap.map(Json.integer))])
                return token(visit, try await visit.command(.post, one + "/rotate", body, key: key))
            case "revoke":
                let body = Json.compact([("reason", visit.filled("reason").map(Json.string))])
                _ = try await visit.command(.post, one + "/revoke", body, key: key)
            default: throw Problem(.routeUnknown, "There is no such action.")
            }
        } catch {
            return ProblemPage(error, visit, back: back).response
        }
        return .seeOther(back.with("done", action))
    }
}
