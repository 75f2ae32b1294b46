import Api
import Engine
import EventSourcing
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

    @Test(arguments: [
        ("skip", ["skipped", "skipped", "skipped", "planned"], "paused"),
        ("catchUp", ["skipped", "skipped", "planned"], "late"),
    ])
    func `a resume says what becomes of the occurrences that fell due in the pause`(
        missed: String,
        states: [String],
        reason: String
    ) async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.schedule(key: "k")
            try await api.post("/v1/schedules/\(id)/pause", key: "1").expect(200)
            let later = try #require(Timestamp("2027-04-10T00:00:00Z"))
            api.clock.advance(by: later.since(api.clock.now))
            let body: Json = ["missed": .string(missed)]
            try await api.post("/v1/schedules/\(id)/resume", body, key: "2").expect(200)
            let items = try await api.get("/v1/schedules/\(id)/occurrences").expect(200).json["items"]?.items ?? []
            #expect(items.map { $0["state"]?.text } == states, "\(items.map(\.canonicalText))")
            #expect(items.first?["reason"] == .string(reason))
            #expect(items[2]["isLate"] == (missed == "catchUp" ? true : nil))
        }
    }

    @Test func `a clock is taken once, and only a moment that it shows is taken for the same wish`() async throws {
        try await ApiHarness.run { api throws in
            let wish: Json = ["at": "2028-01-01T00:00:00Z"]
            let taken = try await api.send(.put, "/v1/clock", wish, key: nil).expect(201)
            #expect(taken.json["at"] == "2028-01-01T00:00:00.000000Z")
            for body in [wish, [:]] { try await api.send(.put, "/v1/clock", body, key: nil).expect(200) }
            let other = try await api.send(.put, "/v1/clock", ["at": "2029-01-01T00:00:00Z"], key: nil).expect(409)
            #expect(other.code == "clock_owned" && other.path == "at")
        }
    }

    @Test func `what schedules are planned by can be read`() async throws {
        try await ApiHarness.run { api throws in
            let zones = try await api.get("/v1/zones").expect(200).json["items"]?.items ?? []
            #expect(zones.map { $0["name"] } == ["Europe/Kyiv"] && zones[0]["digest"]?.text?.utf8.count == 64)
            let calendars = try await api.get("/v1/calendars").expect(200).json["items"]?.items ?? []
            #expect(calendars.map { $0["version"] } == [2] && calendars[0]["weekend"] == [6, 7])
            #expect(calendars[0]["holidays"] == ["2027-01-01"] && calendars[0]["workdays"] == ["2027-01-09"])
        }
    }

    @Test func `a change takes another rule, another next day, or another card`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.schedule(key: "k")
            let path = "/v1/schedules/\(id)/change"
            let moved = try await api.post(path, ["nextDate": "2027-02-05"], key: "1").expect(200).json
            #expect(moved["nextAt"] == "2027-02-05T07:00:00.000000Z")
            let rule: Json = [
                "period": "week", "every": 2, "start": "2027-02-10", "time": "12:00", "zone": "Europe/Moscow",
            ]
            let ruled = try await api.post(path, ["rule": rule], key: "2").expect(200).json
            #expect(ruled["nextAt"] == "2027-02-10T09:00:00.000000Z")
            #expect(ruled["occurrences"]?.items?.map { $0["ordinal"] } == [2])
            let card = try await api.instrument()
            let carded = try await api.post(path, ["instrument": card.json], key: "3").expect(200).json
            #expect(carded["instrument"] == card.json)
            let unknown: Json = ["fallback": "ins_8140c15c3bb95a4193c003f1f45fe70e"]
            let refused = try await api.post(path, unknown, key: "4").expect(422)
            #expect(refused.code == "instrument_unknown" && refused.path == "fallback")
            let both: Json = ["rule": rule, "nextDate": "2027-02-11"]
            #expect(try await api.post(path, both, key: "5").expect(422).code == "date_out_of_order")
            #expect(try await api.post(path, [:], key: "6").expect(422).code == "change_empty")
        }
    }

    @Test func `a run takes the named occurrence, or an amount where there is no calendar`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.schedule(key: "k")
            let named: Json = ["ordinal": 1, "presence": "customerPresent"]
            let ran = try await api.post("/v1/schedules/\(id)/run", named, key: "1").expect(200).json
            // The provider may have asked for its payer already.
            let states = ran["occurrences"]?.items?.compactMap { $0["state"]?.text }
            #expect([["inFlight", "planned"], ["stepUp", "planned"]].contains(states))
            let unknown: Json = ["ordinal": 7, "presence": "customerPresent"]
            let refused = try await api.post("/v1/schedules/\(id)/run", unknown, key: "2").expect(422)
            #expect(refused.code == "occurrence_unknown" && refused.path == "ordinal")
            let absent = try await api.post("/v1/schedules/\(id)/run", ["ordinal": 2], key: "3").expect(422)
            #expect(absent.code == "unattended_not_supported")
            let free = Self.subscription([("kind", "autopayment"), ("rule", nil), ("amount", nil)])
            let asked = try await api.schedule(free, key: "free")
            let amount: Json = ["value": 4321, "currency": "EUR"]
            let body: Json = ["amount": amount, "presence": "customerPresent"]
            let charged = try await api.post("/v1/schedules/\(asked)/run", body, key: "4").expect(200).json
            #expect(charged["occurrences"]?.items?.map { $0["amount"] } == [amount])
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
            (
                [("runner", "provider"), ("presence", nil), ("details", nil)], "zone_not_of_account", "rule.zone"
            ),
            ([("runner", "provider"), ("details", nil)], "value_not_allowed", "presence"),
            ([("activation", "tokenize")], "activation_not_possible", "activation"),
            ([("activateBy", "2027-01-15T08:00:00Z")], "activate_by_in_past", "activateBy"),
            (
                [("instrument", "ins_8140c15c3bb95a4193c003f1f45fe70e"), ("account", "ecommpay-eur")],
                "instrument_unknown", "instrument"
            ),
            ([("fallback", "ins_8140c15c3bb95a4193c003f1f45fe70e")], "instrument_unknown", "fallback"),
            ([("policy", ["giveUp": "mark"])], "member_unknown", "policy.giveUp"),
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
