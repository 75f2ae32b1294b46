import Api
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// Accounts, routing, instruments and the inbox.
@Suite struct ConfigurationTests {
    private static let account: Json = [
        "name": "second", "provider": "ecommpay", "mode": "live",
        "settings": ["currencies": ["EUR", "USD"], "projectId": 43],
        "secrets": ["secretKey": "very secret"],
    ]

    private static func account(_ changed: [(String, Json?)]) -> Json {
        guard case .object(var body) = account else { return account }
        for (name, value) in changed { body[name] = value }
        return .object(body)
    }

    @Test func `an account is made, listed and never shows its secrets`() async throws {
        try await ApiHarness.run { api throws in
            let made = try await api.post("/v1/accounts", Self.account, key: "k").expect(200)
            #expect(made.header("Paystream-Mode") == "live")
            let list = try await api.get("/v1/accounts").expect(200)
            let items = list.json["items"]?.items ?? []
            #expect(items.map { $0["name"] } == ["ecommpay-eur", "second"])
            #expect(items.last?["secrets"] == ["secretKey"])
            let id = Uuid(made.json["id"]?.text ?? "") ?? Uuid(high: 0, low: 0)
            let stored = try await api.store.load([(StreamName(api.merchant, .account, id), 0)])[0].flatMap(\.data)
            for text in [made.text, list.text, String(decoding: stored, as: UTF8.self)] {
                #expect(!text.contains("very secret"))
            }
        }
    }

    @Test func `a new configuration keeps the secrets where it names none`() async throws {
        try await ApiHarness.run { api throws in
            try await api.post("/v1/accounts", Self.account, key: "k").expect(200)
            let changed = Self.account([("settings", ["currencies": ["EUR"], "projectId": 44]), ("secrets", nil)])
            try await api.post("/v1/accounts", changed, key: "k2").expect(200)
            let shown = try await api.get("/v1/accounts").json["items"]?.items?.last
            #expect(shown?.at("settings", "projectId") == 44)
            #expect(shown?["secrets"] == ["secretKey"])
            #expect(shown?["version"] == 2)
        }
    }

    @Test(
        arguments: [
            ([("provider", "nobody")], "provider_unknown", "provider"),
            ([("settings", ["currencies": ["EUR"], "projectId": "x"])], "settings_invalid", "settings.projectId"),
            ([("secrets", nil)], "secret_missing", "secrets"),
            ([("secrets", [:])], "secret_missing", "secrets.secretKey"),
            ([("secrets", ["secretKey": "a", "other": "b"])], "member_unknown", "secrets.other"),
            ([("secrets", ["secretKey": ""])], "text_empty", "secrets.secretKey"),
            ([("mode", "prod")], "word_unknown", "mode"),
            ([("currencies", ["EUR", "EUX"])], "currency_unknown", "currencies.1"),
            ([("currencies", [])], "settings_invalid", "currencies"),
            ([("name", "Bad Name")], "settings_invalid", "name"),
            ([("colour", "red")], "member_unknown", "colour"),
        ] as [([(String, Json?)], String, String)]
    )
    func `a bad account has its code`(changed: [(String, Json?)], code: String, path: String) async throws {
        try await ApiHarness.run { api throws in
            let answer = try await api.post("/v1/accounts", Self.account(changed), key: "k").expect(422)
            #expect(answer.code == code)
            #expect(answer.path == path)
        }
    }

    @Test func `an account keeps its mode`() async throws {
        try await ApiHarness.run { api throws in
            try await api.post("/v1/accounts", Self.account, key: "k").expect(200)
            let answer = try await api.post("/v1/accounts", Self.account([("mode", "test")]), key: "k2").expect(422)
            #expect(answer.code == "account_fixed")
            #expect(answer.path == "mode")
        }
    }

    @Test func `an account is closed for good, and nothing new begins at it`() async throws {
        try await ApiHarness.run { api throws in
            let made = try await api.post("/v1/payments", ApiHarness.sale(), key: "before").expect(202)
            let schedule = try await api.post("/v1/schedules", ApiHarness.subscription, key: "schedule").expect(201)
            let closed = try await api.post("/v1/accounts/ecommpay-eur/close", [:], key: "close").expect(200)
            #expect(closed.json["open"] == false)
            #expect(closed.json["version"] == 2)
            #expect(closed.header("Paystream-Mode") == "test")
            let id = closed.json["id"]?.text ?? ""
            #expect(try await api.post("/v1/accounts/\(id)/close", key: "again").expect(200).json == closed.json)
            let repeated = try await api.post("/v1/accounts/ecommpay-eur/close", [:], key: "close").expect(200)
            #expect(repeated.json == closed.json)
            #expect(repeated.header("Idempotent-Replayed") == "true")
            #expect(try await api.get("/v1/accounts").json["items"]?.items?.first?["open"] == false)
            for (target, body) in [("/v1/payments", ApiHarness.sale()), ("/v1/schedules", ApiHarness.subscription)] {
                guard case .object(var body) = body else { continue }
                body["account"] = "ecommpay-eur"
                let refused = try await api.post(target, .object(body), key: "after-\(body.names.count)").expect(422)
                #expect(refused.code == "account_closed")
                #expect(refused.path == "account")
            }
            #expect(try await api.post("/v1/payments", ApiHarness.sale(), key: "before").json["id"] == made.json["id"])
            #expect(schedule.json["status"] == "registered")
            #expect(
                try await api.post("/v1/accounts/nobody/close", key: "nobody").expect(404).code == "account_unknown"
            )
        }
    }

    @Test func `payments go to the first account of the routing that takes them`() async throws {
        try await ApiHarness.run { api throws in
            let dollars = Self.account([("currencies", ["USD"]), ("mode", "test"), ("name", "dollars")])
            try await api.post("/v1/accounts", dollars, key: "k").expect(200)
            let routing: Json = ["accounts": ["dollars", "ecommpay-eur"]]
            let set = try await api.send(.put, "/v1/routing", routing, key: "r").expect(200)
            #expect(set.json["accounts"]?.items?.map { $0["name"] } == ["dollars", "ecommpay-eur"])
            #expect(try await api.get("/v1/routing").expect(200).json == set.json)
            let euro = try await api.post("/v1/payments", ApiHarness.sale(), key: "e").expect(202)
            #expect(euro.json.at("account", "name") == "ecommpay-eur")
            #expect(euro.header("Paystream-Mode") == "test")
            var body = ApiHarness.sale().members ?? JsonObject([])
            body["amount"] = ["value": 5, "currency": "USD"]
            let dollar = try await api.post("/v1/payments", .object(body), key: "d").expect(202)
            #expect(dollar.json.at("account", "name") == "dollars")
            #expect(dollar.header("Paystream-Mode") == "test")
            let unknown = try await api.send(.put, "/v1/routing", ["accounts": ["x"]], key: "r2").expect(422)
            #expect(unknown.code == "account_unknown")
            #expect(unknown.path == "accounts.0")
        }
    }

    @Test func `a repeated create finds its payment though the routing has changed`() async throws {
        try await ApiHarness.run { api throws in
            let first = try await api.post("/v1/payments", ApiHarness.sale(), key: "k").expect(202)
            try await api.send(.put, "/v1/routing", ["accounts": []], key: "r").expect(200)
            let again = try await api.post("/v1/payments", ApiHarness.sale(), key: "k").expect(200)
            #expect(again.json == first.json)
            let other = try await api.post("/v1/payments", ApiHarness.sale(), key: "k2").expect(422)
            #expect(other.code == "no_account_for_payment")
        }
    }

    @Test func `an instrument is shown masked and removed once`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.instrument()
            let shown = try await api.get("/v1/instruments/\(id)").expect(200)
            #expect(shown.json["masked"] == "431422******0056")
            #expect(shown.json["usable"] == true)
            #expect(!shown.text.contains("token"))
            let removed = try await api.send(.delete, "/v1/instruments/\(id)", key: "k").expect(200)
            #expect(removed.json["usable"] == false)
            let again = try await api.send(.delete, "/v1/instruments/\(id)", key: "k").expect(200)
            #expect(again.header("Idempotent-Replayed") == "true")
            var body = ApiHarness.sale().members ?? JsonObject([])
            body["method"] = "instrument"
            body["instrument"] = id.json
            let answer = try await api.post("/v1/payments", .object(body), key: "pay").expect(422)
            #expect(answer.code == "instrument_removed")
        }
    }

    @Test func `a payment of another customer, or of none, may not use an instrument`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.instrument()
            for (key, customer) in [("other", Json.string("customer-78")), ("none", nil)] {
                var body = ApiHarness.sale().members ?? JsonObject([])
                body["instrument"] = id.json
                body["customer"] = customer
                // The page would take the token by any method.
                let hosted = try await api.post("/v1/payments", .object(body), key: key).expect(422)
                #expect(hosted.code == "instrument_not_owned")
                #expect(hosted.path == "instrument")
                let again = try await api.post("/v1/payments", .object(body), key: key).expect(422)
                #expect(again.header("Idempotent-Replayed") == "true")
            }
        }
    }

    @Test func `a payment by instrument goes to the instrument's account`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.instrument()
            try await api.send(.put, "/v1/routing", ["accounts": []], key: "r").expect(200)
            var body = ApiHarness.sale().members ?? JsonObject([])
            body["method"] = "instrument"
            body["instrument"] = id.json
            let made = try await api.post("/v1/payments", .object(body), key: "pay").expect(202)
            #expect(made.json["instrument"] == id.json)
            #expect(made.json.at("account", "name") == "ecommpay-eur")
        }
    }

    @Test func `what came in by SQL is told by its inbox id`() async throws {
        try await ApiHarness.run { api throws in
            let id = Uuid(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0007)
            #expect(try await api.get("/v1/inbox/\(id)").expect(404).code == "inbox_unknown")
            api.store.enqueue(merchant: api.merchant, key: "k", name: "payment.sync", body: [], id: id)
            _ = try await api.store.takeInbox(limit: 1) { rows in
                rows.map { _ in .refuse(code: "command_malformed", detail: "no body") }
            }
            #expect(try await api.get("/v1/inbox/\(id)").expect(200).json["code"] == "command_malformed")
        }
    }
}

extension ApiHarness {
    /// Saves an instrument as a payment's evidence does.
    func instrument(ofPortmone: Bool = false, of named: String? = nil) async throws -> InstrumentId {
        let name = named ?? (ofPortmone ? "portmone-uah" : "ecommpay-eur")
        let account = try await reader.accounts(merchant: merchant).first { $0.configuration?.name == name }
        guard let account else { throw HarnessFailure(what: "account") }
        let token = vault.seal(secrets: ["token": Secret("t-1")], account: account.id, merchant: merchant)["token"]
        let saved = SavedInstrument(
            fact: InstrumentFact(
                token: token ?? .null,
                fingerprint: "f-1",
                masked: "431422******0056",
                scheme: "visa",
                expiryYear: 2030,
                expiryMonth: 12
            ),
            account: account.id,
            customer: "customer-77",
            payment: nil
        )
        let id = InstrumentId(Uuid(high: 1, low: 2))
        let command = InstrumentCommand.save(saved)
        let submission = Submission(
            merchant: merchant,
            key: "save",
            stream: StreamName(merchant, .instrument, id.uuid),
            name: command.name.rawValue,
            body: command.canonical,
            fingerprint: command.json,
            actor: Actor(id: "test", isOperator: false),
            account: nil,
            traceparent: nil,
            correlation: nil
        )
        guard case .accepted = await api.take(submission) else { throw HarnessFailure(what: "instrument") }
        return id
    }
}
