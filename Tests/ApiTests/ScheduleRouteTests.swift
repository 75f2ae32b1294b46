import Api
import Engine
import Http
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// Schedules over the API: registered, activated by a payment, paused, resumed, changed, run, cancelled, previewed.
@Suite struct ScheduleRouteTests {
    private static func subscription(_ changed: [(String, Json?)]) -> Json {
        guard case .object(var body) = ApiHarness.subscription else { return .null }
        for (name, value) in changed { body[name] = value }
        return .object(body)
    }

    @Test func `a schedule is registered once, waits for its first payment, and then knows its next day`() async throws
    {
        try await ApiHarness.run { api throws in
            let made = try await api.post("/v1/schedules", ApiHarness.subscription, key: "k").expect(201)
            #expect(made.json["status"] == "registered")
            let again = try await api.post("/v1/schedules", ApiHarness.subscription, key: "k").expect(200)
            #expect(again.header("Idempotent-Replayed") == "true" && again.json["id"] == made.json["id"])
            let id = try await api.schedule(key: "other")
            let shown = try await api.get("/v1/schedules/\(id)").expect(200).json
            #expect(shown["nextAt"] == "2027-01-31T07:00:00.000000Z")
            #expect(shown["occurrences"]?.items?.count == 1)
            #expect(shown["activatedBy"] != nil)
        }
    }

    @Test func `pause, resume, change, run and cancel do what they say`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.schedule(key: "k")
            let paused = try await api.post("/v1/schedules/\(id)/pause", ["reason": "holiday"], key: "1").expect(200)
            #expect(paused.json["status"] == "paused" && paused.json["nextAt"] == nil)
            let resumed = try await api.post("/v1/schedules/\(id)/resume", nil, key: "2").expect(200)
            #expect(resumed.json["status"] == "active")
            let amount: Json = ["amount": ["value": 2499, "currency": "EUR"]]
            let changed = try await api.post("/v1/schedules/\(id)/change", amount, key: "3").expect(200)
            #expect(changed.json.at("amount", "value") == 2499)
            let run: Json = ["presence": "customerPresent"]
            let ran = try await api.post("/v1/schedules/\(id)/run", run, key: "4").expect(200)
            let payment = ran.json["occurrences"]?.items?.first?["payment"]?.text ?? ""
            for _ in 0..<200 where try await api.get("/v1/payments/\(payment)").status == 404 {
                try await Task.sleep(for: .milliseconds(10))
            }
            let asked = try await api.get("/v1/payments/\(payment)").expect(200)
            #expect(asked.json.at("amount", "value") == 2499)
            let over = try await api.post("/v1/schedules/\(id)/cancel", nil, key: "5").expect(200)
            #expect(over.json["status"] == "cancelled")
            let late = try await api.post("/v1/schedules/\(id)/pause", nil, key: "6").expect(422)
            #expect(late.code == "schedule_over")
        }
    }

    @Test
    func `a payment can't activate a schedule that is over, nor by saving a card; one that was taken in is answered`()
        async throws
    {
        try await ApiHarness.run { api throws in
            func first(_ mode: String, _ schedule: Json?) -> Json {
                .compact([
                    ("mode", .string(mode)), ("method", "hosted"), ("customer", "customer-77"),
                    ("amount", mode == "verify" ? ["value": 0, "currency": "EUR"] : nil), ("schedule", schedule),
                    ("details", ["payer": ["email": "ann@example.org"]]),
                ])
            }
            let made = try await api.post("/v1/schedules", ApiHarness.subscription, key: "k").expect(201).json["id"]
            let saving = try await api.post("/v1/payments", first("tokenize", made), key: "0").expect(422)
            #expect(saving.code == "activation_not_possible", "\(saving.json.canonicalText)")
            let paid = try await api.post("/v1/payments", first("verify", made), key: "1").expect(202)
            try await api.post("/v1/schedules/\(made?.text ?? "")/cancel", nil, key: "2").expect(200)
            let late = try await api.post("/v1/payments", first("verify", made), key: "3").expect(422)
            #expect(late.code == "schedule_over" && late.json["path"] == "schedule")
            let again = try await api.post("/v1/payments", first("verify", made), key: "1").expect(200)
            #expect(again.json["id"] == paid.json["id"])
        }
    }

    @Test func `a list is narrowed by state, customer and next run, and paged by what comes soonest`() async throws {
        try await ApiHarness.run { api throws in
            var ids: [String] = []
            for (key, day) in [("a", "2027-03-31"), ("b", "2027-01-31"), ("c", "2027-02-28")] {
                let rule: Json = ["period": "month", "start": .string(day), "time": "10:00", "zone": "Europe/Moscow"]
                ids.append(try await api.schedule(Self.subscription([("rule", rule)]), key: key).text)
            }
            try await api.post("/v1/schedules/\(ids[2])/pause", key: "pause").expect(200)
            func list(_ query: String) async throws -> [String] {
                let items = try await api.get("/v1/schedules?\(query)").expect(200).json["items"]?.items ?? []
                return items.compactMap { $0["id"]?.text }
            }
            #expect(try await list("order=nextRun") == [ids[1], ids[0]], "a paused one waits for nothing")
            #expect(try await list("status=paused") == [ids[2]])
            #expect(try await list("customer=customer-77&nextBefore=2027-02-01T00:00:00Z") == [ids[1]])
            #expect(try await list("customer=somebody").isEmpty)
            let first = try await api.get("/v1/schedules?order=nextRun&limit=1").expect(200).json
            let next = try #require(first["next"]?.text)
            #expect(try await list("order=nextRun&limit=1&cursor=\(next)") == [ids[0]])
            #expect(try await api.get("/v1/schedules?instrument=pay_1").expect(422).code == "identifier_malformed")
        }
    }

    @Test func `a preview shows days, instants and reasons before anything is registered`() async throws {
        try await ApiHarness.run { api throws in
            let body: Json = ["count": 3, "rule": ApiHarness.subscription["rule"] ?? .null]
            let items = try await api.post("/v1/schedules/preview", body).expect(200).json["items"]?.items ?? []
            #expect(items.map { $0["date"] } == ["2027-01-31", "2027-02-28", "2027-03-31"])
            #expect(items.map { $0["reasons"] } == [[], ["shortMonth"], []])
            let rule: Json = ["period": "month", "start": "2027-01-31", "zone": "Mars/Olympus"]
            #expect(try await api.post("/v1/schedules/preview", ["rule": rule]).expect(422).code == "zone_unknown")
        }
    }

    @Test(
        arguments: [
            ([("runner", "provider")], "zone_not_of_account", "rule.zone"),
            ([("activation", "tokenize")], "activation_not_possible", "activation"),
            ([("mandate", ["expiresOn": "2020-01-01"])], "expiry_in_past", "mandate.expiresOn"),
            ([("amount", nil)], "amount_missing", "amount"),
            (
                [("rule", ["period": "month", "start": "2020-01-31", "zone": "Europe/Moscow"])], "start_in_past",
                "rule.start"
            ),
            (
                [("rule", ["period": "month", "start": "2027-02-30", "zone": "Europe/Moscow"])], "time_malformed",
                "rule.start"
            ),
            ([("rule", ["period": "fortnight", "start": "2027-02-01", "zone": "UTC"])], "word_unknown", "rule.period"),
            ([("policy", ["catchUp": ["mode": "all", "cap": 32]])], "number_out_of_range", "policy.catchUp.cap"),
            ([("colour", "red")], "member_unknown", "colour"), ([("kind", nil)], "member_missing", "kind"),
        ] as [([(String, Json?)], String, String)]
    )
    func `what can't be is refused with its place`(changed: [(String, Json?)], code: String, path: String) async throws
    {
        try await ApiHarness.run { api throws in
            let answer = try await api.post("/v1/schedules", Self.subscription(changed), key: "k").expect(422)
            #expect(answer.code == code)
            #expect(answer.json["path"] == .string(path))
        }
    }
}
