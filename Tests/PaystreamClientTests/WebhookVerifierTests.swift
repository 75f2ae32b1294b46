import Foundation
import PaystreamClient
import Testing

@Suite struct WebhookVerifierTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let body = Data(
        """
        {"id":"evt_1","object":"event","type":"payment.captured","createdAt":"2027-01-15T08:00:00.25Z","sequence":3,
         "resource":{"object":"payment","id":"pay_1"},"data":{"id":"pay_1"},"more":true}
        """.utf8
    )

    private static func headers(_ body: Data, secret: String = secret, id: String = "evt_1", at: Date = now) -> [String:
        String]
    {
        let time = String(Int64(at.timeIntervalSince1970))
        let key = Array(Data(base64Encoded: String(secret.dropFirst(6))) ?? Data())
        let code = Sha256.hmac(Array("\(id).\(time).".utf8) + Array(body), key: key)
        return [
            "Webhook-Id": id, "Webhook-Timestamp": time,
            "Webhook-Signature": "v1,AAAA v1," + Data(code).base64EncodedString(),
        ]
    }

    @Test func `the example of the standard is good`() throws {
        let headers = [
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ]
        let verifier = try WebhookVerifier(secrets: [Self.secret])
        let then = Date(timeIntervalSince1970: 1_614_265_330)
        // Signed, and nothing of ours.
        #expect(throws: WebhookFailure.noEvent) {
            try verifier.verify(headers: headers, body: Data(#"{"test": 2432232314}"#.utf8), now: then)
        }
        #expect(throws: WebhookFailure.signatureWrong) {
            try verifier.verify(headers: headers, body: Data(#"{"test": 2432232315}"#.utf8), now: then)
        }
    }

    @Test func `a good delivery gives its event`() throws {
        let verifier = try WebhookVerifier(secrets: [Self.secret])
        let event = try verifier.verify(headers: Self.headers(Self.body), body: Self.body, now: Self.now)
        #expect(event.type == "payment.captured")
        #expect(event.resource.id == "pay_1")
        #expect(event.createdAt == Date(timeIntervalSince1970: 1_800_000_000.25))
    }

    @Test func `either secret is good while one takes the other's place`() throws {
        let new = "whsec_" + Data("another secret of 24 byt".utf8).base64EncodedString()
        let verifier = try WebhookVerifier(secrets: [new, Self.secret])
        for secret in [Self.secret, new] {
            let headers = Self.headers(Self.body, secret: secret)
            #expect(try verifier.verify(headers: headers, body: Self.body, now: Self.now).id == "evt_1")
        }
        let old = try WebhookVerifier(secrets: [Self.secret])
        #expect(throws: WebhookFailure.signatureWrong) {
            try old.verify(headers: Self.headers(Self.body, secret: new), body: Self.body, now: Self.now)
        }
    }

    @Test(arguments: [-301.0, 301])
    func `a delivery of another time is refused`(age: Double) throws {
        let verifier = try WebhookVerifier(secrets: [Self.secret])
        let headers = Self.headers(Self.body, at: Self.now.addingTimeInterval(age))
        #expect(throws: WebhookFailure.tooOld) {
            try verifier.verify(headers: headers, body: Self.body, now: Self.now)
        }
    }

    @Test func `what is not signed as a whole is refused`() throws {
        let verifier = try WebhookVerifier(secrets: [Self.secret])
        var moved = Self.headers(Self.body)
        moved["Webhook-Id"] = "evt_2"
        #expect(throws: WebhookFailure.signatureWrong) {
            try verifier.verify(headers: moved, body: Self.body, now: Self.now)
        }
        var later = Self.headers(Self.body)
        later["Webhook-Timestamp"] = "1800000001"
        #expect(throws: WebhookFailure.signatureWrong) {
            try verifier.verify(headers: later, body: Self.body, now: Self.now)
        }
        #expect(throws: WebhookFailure.headersMissing) {
            try verifier.verify(headers: [:], body: Self.body, now: Self.now)
        }
        #expect(throws: WebhookFailure.secretMalformed) { try WebhookVerifier(secrets: ["whsec_%"]) }
    }

    @Test func `a signature by a key pair goes to the caller's verifier`() throws {
        let verifier = try WebhookVerifier(secrets: []) { message, signature in
            message.starts(with: Data("evt_1.1800000000.".utf8)) && signature == Data("good".utf8)
        }
        var headers = Self.headers(Self.body)
        headers["Webhook-Signature"] = "v1a," + Data("good".utf8).base64EncodedString()
        #expect(try verifier.verify(headers: headers, body: Self.body, now: Self.now).id == "evt_1")
        headers["Webhook-Signature"] = "v1a," + Data("baad".utf8).base64EncodedString()
        #expect(throws: WebhookFailure.signatureWrong) {
            try verifier.verify(headers: headers, body: Self.body, now: Self.now)
        }
    }
}
