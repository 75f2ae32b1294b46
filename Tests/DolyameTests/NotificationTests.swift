import Dolyame
import Http
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

struct NotificationTests {
    private func request(_ body: String, from peer: String?, chain: [String] = []) -> HttpRequest {
        var request = HttpRequest(
            method: .post,
            target: "/",
            headers: HttpHeaders(chain.map { ("X-Forwarded-For", $0) }),
            body: Array(body.utf8)
        )
        request.peerAddress = peer
        return request
    }

    private func verdict(_ request: HttpRequest, _ settings: AccountSettings = Shop.settings()) -> Authentication {
        Shop.adapter.authenticate(request, settings, AccountSecrets([:]))
    }

    private let body = "{\"id\":\"\(Shop.reference)\",\"status\":\"approved\",\"amount\":7000.00}"

    @Test func `a notification is a hint that leads to its payment`() {
        guard case .unsigned(let found) = verdict(request(body, from: "91.194.226.250")) else {
            Issue.record("not taken")
            return
        }
        #expect(found.events[0].references.map(\.kind) == ["payment"])
        #expect(found.events[0].references.map(\.value) == [Shop.reference])
        #expect(verdict(request(" \(body) ", from: "::ffff:91.194.227.1")) == .unsigned(found))
    }

    @Test(arguments: [
        nil, "", "8.8.8.8", "91.194.228.0", "91.194.226.0250", "091.194.226.250", " 91.194.226.250", "1540547322",
        "::1", "2a00::1",
    ])
    func `a forged one is refused by its address`(_ peer: String?) {
        #expect(verdict(request(body, from: peer)) == .rejected(reason: "source_address"))
        #expect(Shop.adapter.reply(.rejected(reason: "source_address")).status == 403)
    }

    @Test func `only hops of trusted proxies are believed`() {
        let settings = Shop.settings([("trustedProxies", ["10.0.0.0/8", "fd00::/8"])])
        let genuine = "91.194.226.100"
        #expect(
            verdict(request(body, from: "8.8.8.8", chain: [genuine]), settings) == .rejected(reason: "source_address")
        )
        #expect(
            verdict(request(body, from: "10.0.0.1", chain: ["\(genuine), 8.8.8.8"]), settings)
                == .rejected(reason: "source_address")
        )
        guard
            case .unsigned = verdict(
                request(body, from: "fd00::7", chain: ["8.8.8.8, \(genuine)", "10.1.1.1"]),
                settings
            )
        else {
            Issue.record("not taken")
            return
        }
    }

    @Test(arguments: ["status=approved", "[]", "{}", "{\"id\":\"x\"}", ""])
    func `what is no notification is refused`(_ body: String) {
        #expect(verdict(request(body, from: "91.194.226.1")) == .rejected(reason: "malformed_json"))
        #expect(Shop.adapter.reply(.rejected(reason: "malformed_json")).status == 400)
        #expect(Shop.adapter.reply(.stored).status == 200)
        #expect(Shop.adapter.reply(.unavailable).status == 503)
    }

    @Test func `a demo order never moves a live payment`() {
        let demo = "{\"id\":\"\(Shop.reference)\",\"status\":\"committed\",\"demo\":true}"
        func facts(_ settings: AccountSettings) -> [Fact] {
            Shop.adapter.interpret(.notification(body: Array(demo.utf8)), Shop.context(Shop.terms(), settings))
        }
        #expect(facts(Shop.settings()).contains(.unrecognised(what: "demo", value: "true")))
        #expect(facts(Shop.settings()).contains { if case .contradiction(.identity, _) = $0 { true } else { false } })
        let word = [Fact.attempt(.reading(.moneyWithoutOperation("committed")))]
        #expect(facts(Shop.settings(mode: .test)) == word)
        #expect(facts(Shop.settings([("acceptDemo", true)])) == word)
    }

    @Test func `claims of an app decide nothing and name what went wrong`() throws {
        func claim(_ body: Json) throws -> AppClaim { try Shop.adapter.appResult(body) }
        #expect(try claim(["result": "success"]) == AppClaim(meaning: .success, code: "result:success"))
        #expect(try claim(["result": "dismissed"]).meaning == .cancelled)
        #expect(try claim(["result": "novel"]).meaning == .unknown)
        let events = [
            "lessThanRuble": "defect", "haveSumDifference": "defect", "haveItemsDifference": "task",
            "wrongPersonData": "task", "noPartnerForClient": "configuration", "novel": "unknown",
        ]
        for (event, kind) in events {
            let read = try claim(["unexpectedEvent": .string(event)])
            // A word that nobody knows is a task, too.
            let concern = ClaimConcern(rawValue: kind) ?? .task
            #expect(read == AppClaim(meaning: .error, code: "event:\(event):\(kind)", concern: concern))
        }
        for body: Json in [
            [:], ["result": 1], ["result": "success", "unexpectedEvent": "x"], ["result": "success", "a": 1], [],
        ] {
            #expect(throws: ClaimFailure.self) { try claim(body) }
        }
    }
}
