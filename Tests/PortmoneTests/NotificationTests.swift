import Http
import Kernel
import Payments
import Portmone
import ProviderKit
import Testing

/// Notifications carry no signature: at most they make us ask.
struct NotificationTests {
    private func verdict(_ request: HttpRequest) -> Authentication {
        Shop.adapter.authenticate(request, Shop.settings(), AccountSecrets(Shop.secrets))
    }

    private func reason(_ request: HttpRequest) -> String? {
        if case .rejected(let reason) = verdict(request) { reason } else { nil }
    }

    @Test func `a notification is a hint that leads to its payment, and moves nothing`() {
        guard case .unsigned(let notification) = verdict(Shop.notice(Shop.noticeXml)) else {
            Issue.record("not taken")
            return
        }
        #expect(notification.events.map { $0.references.map(\.value) } == [["pay-7"]])
        let facts = Shop.adapter.interpret(.notification(body: Array(Shop.noticeXml.utf8)), Shop.context())
        #expect(facts == [])
    }

    @Test func `forged, foreign and broken notifications are rejected with their reason`() {
        #expect(reason(Shop.notice(Shop.noticeXml, target: "/n?key=other")) == "notification_key_mismatch")
        #expect(reason(Shop.notice(Shop.noticeXml, target: "/n")) == "notification_key_mismatch")
        let foreign = Shop.noticeXml.replacing("1185", with: "1186")
        #expect(reason(Shop.notice(foreign)) == "foreign_payee")
        for broken in ["<BILLS><BILL>", "", "{}", "[]", "data=%3C%21DOCTYPE+a%3E%3CBILLS%2F%3E", "<BILLS></BILLS>"] {
            #expect(reason(Shop.notice(broken)) == "malformed_notification", "\(broken)")
        }
    }

    @Test func `each bill of a notification is an event of its own`() {
        let two =
            "[{\"shopBillId\":\"501\",\"shopOrderNumber\":\"pay-7\"},{\"shopBillId\":\"502\",\"shopOrderNumber\":\"pay-8\"}]"
        guard case .unsigned(let notification) = verdict(Shop.notice(two)) else {
            Issue.record("not taken")
            return
        }
        #expect(notification.events.map { $0.references.map(\.value) } == [["pay-7"], ["pay-8"]])
        #expect(notification.events.map { $0.content?["shopBillId"] } == ["501", "502"])
    }

    @Test func `a well-formed notification of an unknown root is acknowledged and told`() {
        for (body, root) in [
            ("<REFUNDS><REFUND/></REFUNDS>", "REFUNDS"), ("data=%3CNEWS%3E1%3C%2FNEWS%3E", "NEWS"),
            ("{\"event\":{\"id\":1}}", "event"),
        ] { #expect(verdict(Shop.notice(body)) == .unrecognised(what: root)) }
    }

    @Test func `the answer has the notification's own form`() {
        let xml = Shop.adapter.reply(.stored, to: Shop.notice(Shop.noticeXml))
        #expect(xml.headers["Content-Type"] == "text/xml")
        #expect(String(decoding: xml.body, as: UTF8.self).contains("<ERROR_CODE>0</ERROR_CODE>"))
        let request = Shop.notice("{\"shopBillId\":\"501\",\"shopOrderNumber\":\"pay-7\"}")
        let json = Shop.adapter.reply(.stored, to: request)
        #expect((try? Json(json.body))?["errorCode"] == "0")
        #expect(json == Shop.adapter.reply(.stored, to: request))
        #expect(Shop.adapter.reply(.unavailable, to: request).status == 503)
        #expect(Shop.adapter.reply(.rejected(reason: "x"), to: request).status == 400)
    }

    @Test func `an app's bill must be of our payee, number and amount`() throws {
        func claim(_ number: String, _ amount: Json, _ status: String = "PAYED", payee: Json = "1185") throws
            -> AppClaim
        {
            let body: Json = [
                "call": "pay", "billNumber": .string(number), "payeeId": payee,
                "bill": ["billId": "501", "status": .string(status), "billAmount": amount, "token": "T"],
            ]
            let issued = IssuedPayment(reference: "pay-7", terms: Shop.terms(), settings: Shop.settings().values)
            return try Shop.adapter.appResult(body, of: issued)
        }
        #expect(try claim("pay-7", "100.0").meaning == .success)
        #expect(try claim("pay-7", 100, "REJECTED").meaning == .declined)
        #expect(throws: ClaimFailure(path: "payeeId", reason: "another_payee")) {
            try claim("pay-7", 100, payee: "1186")
        }
        #expect(throws: ClaimFailure(path: "billNumber", reason: "another_payment")) { try claim("pay-8", 100) }
        #expect(throws: ClaimFailure(path: "bill.billAmount", reason: "another_amount")) { try claim("pay-7", 99) }
        #expect(throws: ClaimFailure(path: "bill.cvv", reason: "unknown_member")) {
            try Shop.adapter.appResult(["call": "pay", "billNumber": "pay-7", "bill": ["cvv": "1"]])
        }
    }
}
