import Http
import Kernel
import Payments
import ProviderKit
import SberPay
import Schedules
import Testing

/// Series at the bank: limits, mandates, and bindings that it still lists.
struct RecurrenceTests {
    private func schedule(days: Int?, expiresOn: String? = nil) throws -> ScheduleTerms {
        ScheduleTerms(
            kind: .autopayment,
            runner: .paystream,
            presence: .unattended,
            account: Uuid(high: 1, low: 2),
            instrument: nil,
            fallback: nil,
            customer: "cust-7",
            reference: nil,
            description: nil,
            amount: nil,
            rule: nil,
            mandate: Mandate(expiresOn: try expiresOn.map { try #require(CivilDate($0)) }, minimumDays: days),
            activation: .verify,
            activateBy: Shop.deadline,
            policy: FiringPolicy(),
            details: [:],
            metadata: [:]
        )
    }

    private func enrolled(_ details: Json, _ schedule: ScheduleTerms) throws -> Json? {
        try Shop.adapter.enrol(Shop.terms(.verify, details: details), in: schedule, Shop.settings()).details[
            "recurrent"
        ]
    }

    @Test func `an account takes series with 1 to 28 days, unattended where it charges bindings by itself`() {
        let limits = Shop.adapter.recurrence(Shop.settings())
        #expect(limits.minimumDays == 1...28 && limits.unattended && limits.runners == [.paystream])
        #expect(!Shop.adapter.recurrence(Shop.settings("legacy")).unattended)
        #expect(Shop.adapter.recurrence(Shop.settings("ecom", [("methods", ["hosted"])])).kinds.isEmpty)
        #expect(Shop.adapter.recurrence(Shop.settings("unknown")).kinds.isEmpty)
    }

    @Test func `the payment that activates a schedule names its mandate to the bank`() throws {
        let wanted = try schedule(days: 14, expiresOn: "2026-12-31")
        #expect(try enrolled([:], wanted) == ["expiry": "20261231", "frequencyDays": 14])
        #expect(try enrolled(["recurrent": ["enabled": true]], wanted) == ["expiry": "20261231", "frequencyDays": 14])
        #expect(try enrolled([:], schedule(days: 7)) == ["frequencyDays": 7])
        let terms = try Shop.adapter.enrol(Shop.terms(.verify), in: wanted, Shop.settings())
        let template = try Shop.plan(Shop.dispatch(.operation(.verify), amount: 0), terms)
        #expect(template.content.at("jsonParams", "recurringFrequency") == "14")
        #expect(template.content.at("jsonParams", "recurringExpiry") == "20261231")
    }

    @Test func `a payment that names other limits than its schedule is refused`() throws {
        let wanted = try schedule(days: 14)
        #expect(throws: PlanFailure.self) { try enrolled(["recurrent": ["frequencyDays": 7]], wanted) }
        #expect(throws: PlanFailure.self) { try enrolled([:], try schedule(days: nil)) }
        #expect(throws: PlanFailure.self) { try enrolled([:], try schedule(days: 29)) }
        #expect(try enrolled(["recurrent": ["frequencyDays": 14]], wanted) == ["frequencyDays": 14])
    }

    // MARK: Bindings

    private func listing(_ body: String, status: Int = 200) throws -> CredentialListing {
        let own = try #require(StatusFingerprint.of("bnd-7"))
        return Shop.adapter.readCheck(.answered(status: status, body: Array(body.utf8)), of: own, Shop.settings())
    }

    @Test(arguments: [
        (#"{"errorCode":"0","bindings":[{"bindingId":"bnd-7","bindingStatus":"1"}]}"#, CredentialListing.listed),
        (#"{"errorCode":"0","bindings":[{"bindingId":"bnd-8"},{"bindingId":"bnd-7"}]}"#, .listed),
        (#"{"errorCode":"0","bindings":[{"bindingId":"bnd-8"}]}"#, .notListed),
        (#"{"errorCode":"0","bindings":[{"bindingId":"bnd-7","bindingStatus":"0"}]}"#, .notListed),
        (#"{"errorCode":"0","bindings":[]}"#, .notListed),
        (#"{"errorCode":"2","errorMessage":"nothing"}"#, .notListed),
        (#"{"errorCode":"0","bindings":[{"bindingId":null}]}"#, .unknown(reason: "a binding without an id")),
        (#"{"errorCode":"0"}"#, .unknown(reason: "no list of bindings")),
        (#"{"errorCode":"5"}"#, .unknown(reason: "HTTP 200, code 5")),
        (#"{"errorCode":"7"}"#, .unknown(reason: "HTTP 200, code 7")),
    ])
    func `only a list without the binding says that it is gone`(body: String, expected: CredentialListing) throws {
        #expect(try listing(body) == expected)
    }

    @Test func `an answer that is none leaves the binding as it is`() throws {
        #expect(try listing(#"{"errorCode":"2"}"#, status: 500) == .unknown(reason: "HTTP 500, code 2"))
        let lost = Shop.adapter.readCheck(.noAnswer(reason: "timeout"), of: "f", Shop.settings())
        #expect(lost == .unknown(reason: "timeout"))
    }

    @Test func `the question names the client, and there is none about a binding of nobody`() throws {
        let token = Shop.sealed("bnd-7")
        let asked = try Shop.adapter.planCheck(SavedCredential(token: token, customer: "cust-7"), Shop.settings())
        let request = try Shop.adapter.finish(try #require(asked), Shop.materials())
        #expect(request.url.hasSuffix("/getBindings.do"))
        let body = try Json(request.body)
        #expect(body["clientId"] == "cust-7" && body["bindingId"] == nil)
        #expect(try Shop.adapter.planCheck(SavedCredential(token: token, customer: nil), Shop.settings()) == nil)
    }
}

/// The fingerprint under which a payment keeps a binding of this id.
enum StatusFingerprint {
    static func of(_ id: String) -> String? {
        let body: Json = [
            "errorCode": "0", "orderNumber": "pay-7", "orderStatus": 2, "actionCode": 0, "amount": 19900,
            "currency": "643", "attributes": ["mdOrder": .string(Shop.orderId)],
            "paymentAmountInfo": ["approvedAmount": 19900, "depositedAmount": 19900, "refundedAmount": 0],
            "bindingInfo": ["bindingId": .string(id), "clientId": "cust-7"],
        ]
        let facts = Shop.answered(body.compactBytes, Shop.context(.sale, order: Shop.opened()))
        return facts.lazy.compactMap { fact in
            if case .instrument(let found) = fact { found.fingerprint } else { nil }
        }.first
    }
}
