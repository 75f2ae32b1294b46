import Api
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// What the payer's device gets, and what it may tell.
@Suite struct HandoverTests {
    private static func app() throws -> Json {
        guard case .object(var body) = ApiHarness.sale() else { throw HarnessFailure(what: "sale") }
        body["method"] = "sdk"
        return .object(body)
    }

    @Test func `the payer's address is rendered by the next action and by nothing else`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            let next = try await api.get("/v1/payments/\(id)/next-action").expect(200)
            #expect(next.json["type"] == "redirect")
            #expect(next.json["url"]?.text?.contains("signature=") == true)
            #expect(next.header("Cache-Control") == "no-store")
            for target in ["", "/events", "/read-model"] {
                let shown = try await api.get("/v1/payments/\(id)\(target)")
                #expect(!shown.text.contains("signature"))
                #expect(!shown.text.contains("paymentpage"))
            }
        }
    }

    @Test func `a settled payment asks nothing of the payer`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.paid()
            #expect(try await api.get("/v1/payments/\(id)/next-action").expect(200).json == ["type": "none"])
        }
    }

    @Test func `an app gets its object, and each time is recorded`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create(try Self.app())
            let next = try await api.get("/v1/payments/\(id)/next-action").expect(200)
            #expect(next.json["type"] == "sdk")
            #expect(next.json["url"] == nil)
            let target = try #require(next.json["appParameters"]?.text)
            let given = try await api.post(target).expect(200)
            let shown = GoldenFile("app-parameters.json").difference(from: given.json.canonicalText)
            #expect(shown == nil)
            #expect(given.header("Cache-Control") == "no-store")
            #expect(given.header("Paystream-Mode") == "test")
            try await api.post(target).expect(200)
            #expect(api.tables.accesses.withLock { $0 } == ["app_parameters \(id)", "app_parameters \(id)"])
        }
    }

    @Test func `nothing is given out that could not be recorded`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create(try Self.app())
            api.switches.recordFault = true
            let answer = try await api.post("/v1/payments/\(id)/app-parameters").expect(503)
            #expect(!answer.text.contains("signature"))
        }
    }

    @Test func `a page's payment has no object for an app`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            let answer = try await api.post("/v1/payments/\(id)/app-parameters").expect(409)
            #expect(answer.code == "not_an_app_payment")
            #expect(api.tables.accesses.withLock { $0 }.isEmpty)
        }
    }

    @Test func `a string that names something else is not signed`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create(try Self.app())
            let text = "payment_amount:1;payment_currency:EUR;project_id:42"
            let answer = try await api.post("/v1/payments/\(id)/signature", ["paramsForSignature": .string(text)])
            try answer.expect(422)
            #expect(answer.code == "signature_refused")
            #expect(answer.json["members"]?.items?.isEmpty == false)
            #expect(answer.json["signature"] == nil)
            #expect(api.tables.accesses.withLock { $0 }.isEmpty)
        }
    }

    @Test func `the SDK's own string gets the signature that its object carries`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create(try Self.app())
            let text = try await api.deviceString(id)
            let answer = try await api.post("/v1/payments/\(id)/signature", ["paramsForSignature": .string(text)])
            let object = try await api.post("/v1/payments/\(id)/app-parameters").expect(200)
            #expect(try answer.expect(200).json["signature"] == object.json.at("parameters", "signature"))
            #expect(api.tables.accesses.withLock { $0 } == ["signature \(id)", "app_parameters \(id)"])
        }
    }

    @Test func `a claim asks the provider and decides nothing`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create(try Self.app())
            let target = "/v1/payments/\(id)/confirm"
            let answer = try await api.post(target, ["sdk": "ios", "code": 0], key: "claim").expect(202)
            #expect(answer.json["status"] == "requiresAction")
            let payment = try await api.payment(id)
            #expect(payment.queries.count == 1)
            #expect(payment.amounts.captured == 0)
            let odd = try await api.post(target, ["sdk": "windows", "code": 0], key: "odd").expect(422)
            #expect(odd.code == "claim_malformed")
            #expect(odd.path == "sdk")
            #expect(odd.json["reason"] == "unknown_word")
            // A token may look like a card's number; what is called one may not.
            let token = try await api.post(target, ["token": "4111111111111111"], key: "token").expect(422)
            #expect(token.code == "claim_malformed")
            let card = try await api.post(target, ["bill": ["note": "4111111111111111"]], key: "card").expect(422)
            #expect(card.code == "card_data_refused")
            // A name that only another provider uses for an identifier.
            let foreign = try await api.post(target, ["linkPayment": "4111111111111111"], key: "foreign").expect(422)
            #expect(foreign.code == "card_data_refused" && foreign.path == "linkPayment")
        }
    }

    @Test(arguments: [
        (HandoverFailure.notOpen, 409, "no_action_open"), (.changed, 409, "handover_changed"),
        (.erased, 410, "personal_data_erased"), (.impossible("why"), 409, "handover_impossible"),
        (.paymentUnknown, 404, "payment_unknown"),
        (.refused(SignatureRefusal(members: [], reason: "why")), 422, "signature_refused"),
        (.unavailable("why"), 503, "unavailable"),
    ])
    func `each refusal of a handover has its word`(
        failure: HandoverFailure,
        status: Int,
        code: String
    ) async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create(try Self.app())
            api.switches.handover = failure
            #expect(try await api.post("/v1/payments/\(id)/app-parameters").expect(status).code == code)
            let body: Json = ["paramsForSignature": "a:b"]
            #expect(try await api.post("/v1/payments/\(id)/signature", body).expect(status).code == code)
        }
    }

    @Test(arguments: [
        (HandoverFailure.notOpen, "no_action_open"), (.changed, "handover_changed"),
        (.erased, "personal_data_erased"), (.impossible("why"), "handover_impossible"),
    ])
    func `what will be the same however often it is asked is no next action, and says why`(
        failure: HandoverFailure,
        reason: String
    ) async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            api.switches.handover = failure
            let found = try await api.get("/v1/payments/\(id)/next-action").expect(200)
            #expect(found.json == ["reason": .string(reason), "type": "none"])
            api.switches.handover = .unavailable("why")
            _ = try await api.get("/v1/payments/\(id)/next-action").expect(503)
        }
    }

    // MARK: The browser's way back

    @Test func `the page tells nothing, links the shop and escapes it`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            let payment = try await api.payment(id)
            let place = "/v1/return/1/\(payment.account?.id.compact ?? "")/\(payment.attempt?.reference ?? "")"
            let page = try await api.send(.get, place, token: nil).expect(200)
            #expect(page.text.contains("We are checking your payment"))
            #expect(page.text.contains("href=\"https://shop.example/back?a=1&amp;b=2\""))
            #expect(!page.text.contains(id.text))
            #expect(!page.text.contains("19"))
            #expect(page.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
            await api.reader.wait(for: api.stream(id), past: payment.version, atMost: .seconds(5))
            #expect(try await api.payment(id).queries.count == 1)
        }
    }

    @Test func `strangers see the same page`() async throws {
        try await ApiHarness.run { api throws in
            let nobody = "/v1/return/1/8140c15c3bb95a4193c003f1f45fe70e/nnc4dqleynmmvfimpysjcdsdsa"
            let page = try await api.send(.get, nobody, token: nil).expect(200)
            #expect(page.text.contains("We are checking your payment"))
            #expect(!page.text.contains("href"))
            for target in ["/v1/return/x/y/z", "/v1/return/1/8140c15c3bb95a4193c003f1f45fe70e/%3Cscript%3E"] {
                #expect(try await api.send(.get, target, token: nil).expect(404).code == "route_unknown")
            }
        }
    }

    @Test func `many returns from one address show what strangers see, and posts have a bound of their own`()
        async throws
    {
        try await ApiHarness.run { api throws in
            let payment = try await api.payment(try await api.create())
            let place = "/v1/return/1/\(payment.account?.id.compact ?? "")/\(payment.attempt?.reference ?? "")"
            let nobody = "/v1/return/1/8140c15c3bb95a4193c003f1f45fe70e/nnc4dqleynmmvfimpysjcdsdsa"
            for _ in 0..<Api.returnRate.burst { try await api.send(.get, nobody, token: nil).expect(200) }
            let page = try await api.send(.get, place, token: nil).expect(200)
            #expect(page.text.contains("We are checking your payment"))
            #expect(!page.text.contains("href"))
            #expect(try await api.payment(payment.id).version == payment.version)

            #expect(try await api.send(.post, place, token: nil).expect(200).text.contains("href"))
            for _ in 1..<Api.returnRate.burst { try await api.send(.post, nobody, token: nil).expect(200) }
            let refused = try await api.send(.post, nobody, token: nil).expect(429)
            #expect(refused.code == "rate_limited")
            #expect(refused.header("Retry-After") == "1")
        }
    }

    // MARK: Notifications

    @Test func `a callback with a wrong signature is answered as the provider expects and moves nothing`() async throws
    {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            let payment = try await api.payment(id)
            let operation = CallbackOperation(id: 1, type: "sale", status: "success", minor: 1999)
            let reference = payment.attempt?.reference ?? ""
            let body = try operation.signed(reference: reference, status: "success", key: "wrong")
            let target = "/v1/notifications/ecommpay/1/\(payment.account?.id.compact ?? "")"
            try await api.send(HttpRequest(method: .post, target: target, body: body)).expect(400)
            let good = try operation.signed(reference: reference, status: "success", key: ApiHarness.secretKey)
            try await api.send(HttpRequest(method: .post, target: target, body: Array(good.dropLast(9)))).expect(400)
            // Some providers have everything in the query: what one means is for its adapter to say.
            try await api.send(HttpRequest(method: .get, target: target + "?status=1", body: [])).expect(400)
            #expect(try await api.payment(id) == payment)
            for odd in ["nobody/1/\(payment.account?.id.compact ?? "")", "ecommpay/0/x", "ecommpay/1/x"] {
                let request = HttpRequest(method: .post, target: "/v1/notifications/\(odd)", body: good)
                try await api.send(request).expect(404)
            }
            try await api.send(HttpRequest(method: .post, target: target, body: good)).expect(200)
        }
    }
}

extension ApiHarness {
    /// What `getParamsForSignature` of the SDK gives for `sale()`.
    func deviceString(_ id: PaymentId) async throws -> String {
        let reference = try await payment(id).attempt?.reference ?? ""
        return "customer_id:customer-77;payment_amount:1999;payment_currency:EUR;payment_id:\(reference);project_id:42"
    }
}
