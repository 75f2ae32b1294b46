import Api
import EventSourcing
import Http
import Kernel

/// Where a person shows an API key and gets a session for it, and where sessions end.
enum SignInPage {
    static let all: [Page] = [
        .open(.get, "/sign-in") { (visit) async throws(Problem) in form(visit, failure: nil, status: 200) },
        .open(.post, "/sign-in", by: signIn),
        .sent("/sign-out", nil, by: signOut),
        .sent("/sign-out-everywhere", nil, by: signOutEverywhere),
    ]

    private static func form(_ visit: Visit, failure: String?, status: Int) -> HttpResponse {
        let next = visit.field("next") ?? visit.parameter("next")
        return Layout(visit, visit.say(.signIn)).response(status) {
            tag("div", .class("sign-in")) {
                tag("p", .class("brand")) {
                    Icon.mark
                    tag("span") { "Paystream" }
                }
                tag("h1") { visit.say(.signIn) }
                tag("p", .class("muted")) { visit.say(.signInWith) }
                if visit.parameter("done") == "out" {
                    tag("p", .class("notice"), .of("role", "status")) { visit.say(.signedOut) }
                }
                if let failure { tag("p", .class("failure"), .of("role", "alert")) { failure } }
                tag("form", .class("form"), .of("method", "post"), .action(Address("sign-in"))) {
                    if let next, let there = Address(returning: next) { hidden("next", there.text) }
                    Field(name: "key", label: visit.say(.apiKey), type: "password", isNeeded: true).html
                    button(visit.say(.signIn), "button-main")
                }
                tag("p", .class("hint")) { visit.say(.signInHint) }
                tag("pre", .class("command")) { "paystream keys --scopes read,audit create NAME" }
                PreferencePage.languages(visit)
            }
        }
    }

    private static func signIn(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let console = visit.console
        if let pause = console.attempts.pause(visit.peer.address, at: console.now) {
            var answer = form(visit, failure: visit.say(.tooManyAttempts), status: 429)
            answer.headers.set("Retry-After", String(max(1, pause.components.seconds + 1)))
            return answer
        }
        var caller: Caller?
        if let token = Api.token(visit.field("key") ?? "") { caller = try await console.api.caller(of: token) }
        guard let caller else {
            console.attempts.failed(visit.peer.address, at: console.now)
            return form(visit, failure: visit.say(.keyNotTaken), status: 401)
        }
        // A session of before is left behind: nobody can have put it there for this person.
        if let old = console.origin.session(in: visit.request.headers) {
            try await console.kept { () async throws(StoreFailure) in try await console.sessions.end(old) }
        }
        let token = Secret(Base64.encode(console.random.bytes(32), .url))
        try await console.kept { () async throws(StoreFailure) in
            try await console.sessions.begin(token, for: caller, address: visit.peer.address)
        }
        let next = visit.field("next").flatMap { Address(returning: $0) } ?? Address()
        return HttpResponse.seeOther(next).with("Set-Cookie", console.origin.cookie(session: token))
    }

    private static func signOut(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let console = visit.console
        if let token = console.origin.session(in: visit.request.headers) {
            try await console.kept { () async throws(StoreFailure) in try await console.sessions.end(token) }
        }
        return left(visit)
    }

    private static func signOutEverywhere(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let console = visit.console
        if let key = visit.session?.caller.keyId {
            try await console.kept { () async throws(StoreFailure) in try await console.sessions.endAll(of: key) }
        }
        return left(visit)
    }

    private static func left(_ visit: Visit) -> HttpResponse {
        HttpResponse.seeOther(Address("sign-in").with("done", "out"))
            .with("Set-Cookie", visit.console.origin.endedSession)
            // What other tabs of this browser still show is forgotten as well.
            .with("Clear-Site-Data", "\"cache\"")
    }
}
