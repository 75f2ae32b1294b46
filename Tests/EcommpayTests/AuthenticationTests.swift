import Ecommpay
import Http
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

struct AuthenticationTests {
    private func verdict(_ body: [UInt8], key: String? = Shop.key) -> Authentication {
        Shop.adapter.authenticate(
            Callback.request(body),
            Shop.settings(),
            AccountSecrets(key.map { ["secretKey": Secret($0)] } ?? [:])
        )
    }

    private func notification(_ body: [UInt8]) -> NotifiedEvent? {
        guard case .verified(let found) = verdict(body) else { return nil }
        return found.events.first
    }

    @Test func `a good callback leads to its payment and refund`() throws {
        let payment: Json = ["id": "pay-7", "status": "success", "merchant_refund_id": "op-7-1"]
        let found = try #require(notification(Callback(changes: [("payment", payment)]).signed()))
        #expect(found.references.map(\.kind) == ["payment", "operation"])
        #expect(found.references.map(\.value) == ["pay-7", "op-7-1"])
        #expect(found.deliveryId == nil)
    }

    @Test func `a token callback is signed in general and leads to the token's digest`() throws {
        var callback = Callback(type: nil)
        callback.members = JsonObject([
            ("general", ["project_id": 42]), ("token", "759a1ac5"), ("token_status", "active"),
            ("request", ["id": "18c4b5a13d7"]),
        ])
        let signed = try Json(callback.signed())
        var moved = try #require(signed.members)
        moved["general"] = ["project_id": 42, "signature": signed["signature"] ?? .null]
        moved["signature"] = nil
        let found = try #require(notification(Json.object(moved).compactBytes))
        #expect(found.references.map(\.kind) == ["request", "token"])
        #expect(!found.references.contains { $0.value == "759a1ac5" })
        let request = HttpRequest(method: .post, target: "/n?payment=pay-7", body: Json.object(moved).compactBytes)
        let secrets = AccountSecrets(["secretKey": Secret(Shop.key)])
        guard case .verified(let named) = Shop.adapter.authenticate(request, Shop.settings(), secrets) else {
            Issue.record("not verified")
            return
        }
        #expect(named.events[0].references.first?.kind == "payment")
        #expect(named.events[0].references.first?.value == "pay-7")
    }

    @Test func `a payment callback is not led by its address`() throws {
        let body = Callback(changes: [("token", "x")]).signed()
        let request = HttpRequest(method: .post, target: "/n?payment=pay-8", body: body)
        let secrets = AccountSecrets(["secretKey": Secret(Shop.key)])
        guard case .verified(let found) = Shop.adapter.authenticate(request, Shop.settings(), secrets) else {
            Issue.record("not verified")
            return
        }
        #expect(!found.events[0].references.contains { $0.value == "pay-8" })
    }

    @Test func `a changed amount does not verify`() {
        let body = String(decoding: Callback().signed(), as: UTF8.self).replacing("1999", with: "1998")
        #expect(verdict(Array(body.utf8)) == .rejected(reason: "signature_mismatch"))
    }

    @Test func `another key does not verify`() {
        #expect(verdict(Callback().signed(key: "other")) == .rejected(reason: "signature_mismatch"))
        #expect(verdict(Callback().signed(key: ""), key: "") == .rejected(reason: "secret_missing"))
        #expect(verdict(Callback().signed(), key: nil) == .rejected(reason: "secret_missing"))
    }

    @Test func `a missing and a malformed signature have their own reasons`() throws {
        #expect(verdict(Callback().unsigned) == .rejected(reason: "signature_missing"))
        let callback = Callback(changes: [("signature", 5)])
        #expect(verdict(callback.unsigned) == .rejected(reason: "signature_malformed"))
    }

    @Test func `the project is checked after the signature`() {
        let foreign = Callback(changes: [("project_id", 43)])
        #expect(verdict(foreign.signed()) == .rejected(reason: "foreign_project"))
        #expect(verdict(foreign.unsigned) == .rejected(reason: "signature_missing"))
        #expect(notification(Callback(changes: [("project_id", "42")]).signed()) != nil)
    }

    @Test func `repeated members, broken and truncated bodies are rejected`() {
        let body = Callback().signed()
        let doubled = "{\"project_id\":42," + String(decoding: body.dropFirst(), as: UTF8.self)
        #expect(verdict(Array(doubled.utf8)) == .rejected(reason: "duplicate_member"))
        #expect(verdict(Array(body.dropLast(1))) == .rejected(reason: "malformed_json"))
        #expect(verdict([]) == .rejected(reason: "malformed_json"))
        #expect(verdict(Array("[1]".utf8)) == .rejected(reason: "malformed_json"))
        #expect(verdict([0xFF, 0xFE]) == .rejected(reason: "malformed_json"))
    }

    @Test func `the answer is 200 with a body once stored, 400 for a bad one, 503 when we can't`() {
        let stored = Shop.adapter.reply(.stored)
        #expect(stored.status == 200)
        #expect(!stored.body.isEmpty)
        #expect(Shop.adapter.reply(.rejected(reason: "signature_mismatch")).status == 400)
        #expect(Shop.adapter.reply(.unavailable).status == 503)
    }
}
