import Http
import Kernel
import ProviderKit
import TestKit
import Testing
import WorldlineDirect

/// Whether an event is the provider's own, and what a check of our address gets.
struct AuthenticationTests {
    private let secrets = AccountSecrets(["webhookKeys": Secret(Shop.webhookKeys)])
    private let body = Message.event("payment.captured", Message.payment("CAPTURED", 9)).compactBytes

    private func verdict(_ request: HttpRequest) -> Authentication {
        Shop.adapter.authenticate(request, Shop.settings(), secrets)
    }

    @Test(arguments: [("key-1", "old-secret"), ("key-2", "new-secret")])
    func `both keys of a rotation verify and are named`(_ pair: (String, String)) {
        guard case .verified(let proved) = verdict(Message.request(body, keyId: pair.0, secret: pair.1)) else {
            Issue.record("not verified")
            return
        }
        #expect(proved.keyId == pair.0)
        #expect(proved.events[0].references.first?.kind == "payment")
        #expect(proved.events[0].references.first?.value == Shop.reference)
        #expect(proved.events[0].references.last?.value == Shop.paymentId)
    }

    @Test func `a forged event, a foreign key and the key of the other id are refused`() {
        var forged = Message.request(body)
        forged.body[5] ^= 1
        #expect(verdict(forged) == .rejected(reason: "invalid_signature"))
        #expect(verdict(Message.request(body, keyId: "key-3")) == .rejected(reason: "unknown_key"))
        #expect(verdict(Message.request(body, keyId: "key-1")) == .rejected(reason: "invalid_signature"))
        #expect(verdict(HttpRequest(method: .post, target: "/", body: body)) == .rejected(reason: "missing_header"))
    }

    @Test func `another version, another merchant and what is no event are refused`() {
        let payment = Message.payment("CAPTURED", 9)
        let old = Message.event("payment.captured", payment, version: "v0").compactBytes
        #expect(verdict(Message.request(old)) == .rejected(reason: "api_version_mismatch"))
        #expect(verdict(Message.request(Array("[]".utf8))) == .rejected(reason: "malformed_json"))
        #expect(verdict(Message.request(Array("no".utf8))) == .rejected(reason: "malformed_json"))
        let settings = Shop.settings([("merchantId", "OTHER")])
        let foreign = Shop.adapter.authenticate(Message.request(body), settings, secrets)
        #expect(foreign == .rejected(reason: "foreign_merchant"))
        let keyless = Shop.adapter.authenticate(Message.request(body), Shop.settings(), AccountSecrets([:]))
        #expect(keyless == .rejected(reason: "secret_missing"))
    }

    @Test func `each event of a delivery is known by its own id, routed and stored alone`() throws {
        let events: [Json] = [
            Message.event("payment.captured", Message.payment("CAPTURED", 9), id: "e-1"),
            Message.event("payment.captured", Message.payment("CAPTURED", 9, reference: "pay-8"), id: "e-2"),
        ]
        guard case .verified(let both) = verdict(Message.request(Json.array(events).compactBytes)),
            case .verified(let again) = verdict(Message.request(events[1].compactBytes))
        else {
            Issue.record("not verified")
            return
        }
        #expect(both.events.map(\.deliveryId) == ["e-1", "e-2"])
        #expect(both.events.map(\.content) == events)
        #expect(both.events.map { $0.references.first { $0.kind == "payment" }?.value } == ["pay-7", "pay-8"])
        #expect(again.events == [both.events[1]], "a repetition is known whatever it comes with")
    }

    @Test func `the check of an address is echoed and nothing else is`() {
        let check = HttpRequest(
            method: .get,
            target: "/",
            headers: HttpHeaders([("X-GCS-Webhooks-Endpoint-Verification", "b6ca-1")])
        )
        #expect(EndpointVerification.answer(check)?.body == Array("b6ca-1".utf8))
        #expect(EndpointVerification.answer(Message.request(body)) == nil)
        #expect(EndpointVerification.answer(HttpRequest(method: .get, target: "/")) == nil)
    }

    @Test func `the provider repeats what was not stored`() {
        #expect(Shop.adapter.reply(.stored).status == 200)
        #expect(Shop.adapter.reply(.rejected(reason: "x")).status == 400)
        #expect(Shop.adapter.reply(.unavailable).status == 503)
    }
}
