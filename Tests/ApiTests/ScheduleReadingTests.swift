import Api
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import Schedules
import TestKit
import Testing

/// What a schedule did and what it is going to do, as the API tells it.
@Suite struct ScheduleReadingTests {
    private static func subscription(_ changed: [(String, Json?)]) -> Json {
        guard case .object(var body) = ApiHarness.subscription else { return .null }
        for (name, value) in changed { body[name] = value }
        return .object(body)
    }

    private static func rule(_ start: String, _ more: [(String, Json)] = []) -> Json {
        .object(
            JsonObject(
                [
                    ("period", "month"), ("start", .string(start)), ("time", "10:00"), ("zone", "Europe/Moscow"),
                ] + more
            )
        )
    }

    private func occurrences(_ api: ApiHarness, _ id: ScheduleId, _ query: String = "") async throws -> [Json] {
        try await api.get("/v1/schedules/\(id)/occurrences\(query)").expect(200).json["items"]?.items ?? []
    }

    /// Charges the next occurrence with the payer present, and has the provider say what became of it.
    private func run(_ api: ApiHarness, _ id: ScheduleId, _ status: String, key: String) async throws -> PaymentId {
        let body: Json = ["presence": "customerPresent"]
        let ran = try await api.post("/v1/schedules/\(id)/run", body, key: key).expect(200).json
        let text = ran["occurrences"]?.items?.first?["payment"]?.text
        let payment = try #require(text.flatMap { PaymentId($0) }, "\(ran.canonicalText)")
        for _ in 0..<200 where try await api.get("/v1/payments/\(payment)").status == 404 {
            try await Task.sleep(for: .milliseconds(10))
        }
        let sale = CallbackOperation(id: 9001, type: "sale", status: status, minor: 1999)
        try await api.deliver(payment, sale, status)
        return payment
    }

    private func wait(_ api: ApiHarness, _ id: ScheduleId, _ holds: ([Json]) -> Bool) async throws -> [Json] {
        for _ in 0..<200 {
            let items = try await occurrences(api, id)
            if holds(items) { return items }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw HarnessFailure(what: "\(try await occurrences(api, id).map(\.canonicalText))")
    }

    @Test func `each occurrence tells its payment, what became of it and why it was left out`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.schedule(key: "k")
            let payment = try await run(api, id, "success", key: "run")
            let paid = try await wait(api, id) { $0.first?["state"] == "succeeded" }
            #expect(paid.first?["payment"] == payment.json && paid.first?["date"] == "2027-01-31")
            let one = try #require(paid.first?["tries"]?.items?.first)
            #expect(one["payment"] == payment.json && one["outcome"] == "succeeded" && one["attempt"] == 1)
            #expect(one["presence"] == "customerPresent" && one["endedAt"] == paid.first?["endedAt"])
            let rule: Json = ["rule": Self.rule("2027-06-15")]
            try await api.post("/v1/schedules/\(id)/change", rule, key: "change").expect(200)
            let all = try await occurrences(api, id)
            #expect(all.map { $0["state"] } == ["succeeded", "skipped", "planned"])
            #expect(all[1]["reason"] == "changed" && all[2]["date"] == "2027-06-15")
            try await api.post("/v1/schedules/\(id)/cancel", ["reason": "moved away"], key: "end").expect(200)
            #expect(try await occurrences(api, id).map { $0["state"] } == ["succeeded", "skipped", "dropped"])
            let shown = try await api.get("/v1/schedules/\(id)").expect(200).json
            #expect(shown.at("cause", "reason") == "moved away" && shown.at("cause", "by") != nil)
        }
    }

    @Test func `a decline shows its class, the policy that decided, and when the next try begins`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.schedule(key: "k")
            let payment = try await run(api, id, "decline", key: "run")
            let items = try await wait(api, id) { $0.first?["tries"]?.items?.first?["decline"] != nil }
            let first = try #require(items.first)
            #expect(first["state"] == "waiting" && first["payment"] == payment.json, "\(first.canonicalText)")
            #expect(first.at("policy", "name") == "standard" && first.at("policy", "version") == 1)
            #expect(first["reason"] == first["tries"]?.items?.first?.at("decline", "kind"))
            #expect(first["startAt"] != first["dueAt"])
        }
    }

    @Test func `occurrences and events are read page by page`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.schedule(key: "k")
            let change: Json = ["rule": Self.rule("2027-06-15")]
            try await api.post("/v1/schedules/\(id)/change", change, key: "change").expect(200)
            let first = try await api.get("/v1/schedules/\(id)/occurrences?limit=1").expect(200).json
            #expect(first["items"]?.items?.map { $0["ordinal"] } == [1] && first["next"] == "1")
            #expect(try await occurrences(api, id, "?limit=1&after=1").map { $0["ordinal"] } == [2])
            let page = try await api.get("/v1/schedules/\(id)/occurrences?after=1").expect(200).json
            #expect(page["next"] == nil)
            let events = try await api.get("/v1/schedules/\(id)/events?limit=2").expect(200).json
            let types = events["items"]?.items?.map { $0["type"] }
            #expect(types == ["schedule.registered.v1", "schedule.activated.v1"] && events["next"] == "2")
            let rest = try await api.get("/v1/schedules/\(id)/events?after=2").expect(200).json["items"]?.items ?? []
            #expect(rest.first?["type"] == "occurrence.planned.v1" && rest.last?["type"] == "occurrence.planned.v1")
            let sealed = try await api.get("/v1/schedules/\(id)/events?limit=1").expect(200).text
            #expect(!sealed.contains("ann@example.org"), "personal fields are sealed")
            let stranger = try await api.send(.get, "/v1/schedules/\(id)/occurrences", token: "psk_other")
            #expect(stranger.status == 404)
        }
    }

    @Test func `a preview of a schedule shows its policy, its moved day, its amounts and what holds it`() async throws {
        try await ApiHarness.run { api throws in
            try await api.send(.put, "/v1/dunning-policies/gentle", ["giveUp": "mark"]).expect(200)
            let body = Self.subscription([
                ("policy", ["dunning": "gentle"]), ("rule", Self.rule("2027-01-31", [("end", ["count": 3])])),
            ])
            let id = try await api.schedule(body, key: "k")
            let path = "/v1/schedules/\(id)/preview"
            try await api.post("/v1/schedules/\(id)/change", ["nextDate": "2027-02-03"], key: "1").expect(200)
            let shown = try await api.get(path).expect(200).json
            let items = shown["items"]?.items ?? []
            #expect(items.map { $0["date"] } == ["2027-02-03", "2027-02-28", "2027-03-31"])
            #expect(items.map { $0["reasons"] } == [["moved"], ["shortMonth"], []])
            #expect(items.allSatisfy { $0.at("amount", "value") == 1999 })
            #expect(
                shown.at("policy", "dunning", "name") == "gentle" && shown.at("policy", "dunning", "giveUp") == "mark"
            )
            #expect(shown["end"] == "over" && shown["holds"] == nil && shown["schedule"] == id.json)
            try await api.post("/v1/schedules/\(id)/pause", key: "2").expect(200)
            let paused = try await api.get("\(path)?count=1").expect(200).json
            #expect(paused["holds"] == ["paused"] && paused["items"]?.items?.count == 1)
        }
    }

    @Test func `a preview of a rule shows the policy that would be taken, and ends where the total does`() async throws
    {
        try await ApiHarness.run { api throws in
            let total: Json = ["total": ["value": 5000, "currency": "EUR"]]
            let rule = Self.rule("2027-01-31", [("end", total)])
            let bare = try await api.post("/v1/schedules/preview", ["rule": rule, "count": 3]).expect(200).json
            #expect(bare["items"]?.items?.count == 3 && bare.at("policy", "dunning", "name") == "standard")
            try await api.send(.put, "/v1/dunning-policies/default", ["giveUp": "cancel"]).expect(200)
            let amount: Json = ["value": 1999, "currency": "EUR"]
            let quiet: Json = ["from": "22:00", "to": "08:00", "zone": "Europe/Moscow"]
            let body: Json = ["rule": rule, "amount": amount, "policy": ["quiet": quiet]]
            let full = try await api.post("/v1/schedules/preview", body).expect(200).json
            #expect(full["items"]?.items?.map { $0["date"] } == ["2027-01-31", "2027-02-28"])
            #expect(full["items"]?.items?.first?["amount"] == amount && full["end"] == "over")
            #expect(full.at("policy", "dunning", "giveUp") == "cancel", "the merchant's usual policy")
            #expect(full.at("policy", "quiet", "zone") == "Europe/Moscow")
        }
    }

    @Test func `a list is narrowed by instrument, account, reference and the earliest next run`() async throws {
        try await ApiHarness.run { api throws in
            let card = try await api.instrument()
            let own = Self.subscription([("instrument", card.json), ("reference", "sub-card")])
            let first = try await api.schedule(own, key: "a").text
            let spare = Self.subscription([("fallback", card.json), ("rule", Self.rule("2027-05-31"))])
            let second = try await api.schedule(spare, key: "b").text
            let third = try await api.schedule(key: "c").text
            func list(_ query: String) async throws -> Set<String> {
                let items = try await api.get("/v1/schedules?\(query)").expect(200).json["items"]?.items ?? []
                return Set(items.compactMap { $0["id"]?.text })
            }
            #expect(try await list("instrument=\(card)") == [first, second], "charged, or held in reserve")
            #expect(try await list("account=ecommpay-eur") == [first, second, third])
            #expect(try await list("account=nobody").isEmpty)
            #expect(try await list("reference=sub-card") == [first])
            #expect(try await list("nextFrom=2027-03-01T00:00:00Z") == [second])
            #expect(try await list("nextFrom=2027-01-01T00:00:00Z&nextBefore=2027-02-01T00:00:00Z") == [first, third])
        }
    }
}

/// What the record of an occurrence says beside what a walk through the API meets.
struct OccurrenceRecordTests {
    private let id = ScheduleId(Uuid(high: 1, low: 1))
    private let at = Timestamp(seconds: 1_800_000_000)

    private func payment(_ low: UInt64) -> PaymentId { PaymentId(Uuid(high: 2, low: low)) }

    private func planned(_ ordinal: Int) throws -> ScheduleEvent {
        .planned(
            OccurrencePlan(
                ordinal: ordinal,
                date: CivilDate(daysSinceEpoch: 20_000),
                dueAt: at,
                startAt: at,
                amount: Money(500, try #require(Currency("EUR"))),
                zoneDigest: nil,
                reasons: [],
                isLate: false
            )
        )
    }

    private func started(_ ordinal: Int, _ attempt: Int) throws -> ScheduleEvent {
        .started(
            OccurrenceTry(
                ordinal: ordinal,
                attempt: attempt,
                payment: payment(UInt64(attempt)),
                amount: Money(500, try #require(Currency("EUR"))),
                instrument: nil,
                presence: .unattended,
                origin: .paystream,
                at: at
            )
        )
    }

    private func records(_ events: [ScheduleEvent]) -> [OccurrenceRecord] { OccurrenceHistory(id, events).records }

    @Test
    func `after a step-up decline the customer's next action is another try with them, before that their payment`()
        throws
    {
        let policy = ScheduleEvent.PolicyVersion(name: "p", version: 2)
        let asked = ScheduleEvent.stepUpRequested(ordinal: 1, payment: payment(1), deadline: at, policy: policy)
        let waiting = try records([planned(1), started(1, 1), asked])[0]
        #expect(waiting.json.at("nextAction", "is") == "payment")
        #expect(waiting.json.at("nextAction", "payment") == payment(1).json)
        let failure = ScheduleEvent.Failure(kind: .stepUpRequired, code: "10104")
        let declined = ScheduleEvent.failed(ordinal: 1, payment: payment(1), failure, at: at)
        let stepUp = try records([planned(1), started(1, 1), declined, asked])[0]
        #expect(stepUp.state == .stepUp && stepUp.reason == "stepUpRequired" && stepUp.policy == policy)
        #expect(
            stepUp.json["nextAction"]
                == ["is": "run", "ordinal": 1, "presence": "customerPresent", "until": at.json]
        )
        let next = try records([planned(1), started(1, 1), declined, asked, started(1, 2)])[0]
        #expect(next.json["nextAction"] == nil && next.state == .inFlight && next.tries.count == 2)
    }

    @Test func `success after giving up counts, a second one is named, and a card that ends is noted`() throws {
        let policy = ScheduleEvent.PolicyVersion(name: "p", version: 2)
        let money = Money(500, try #require(Currency("EUR")))
        let failure = ScheduleEvent.Failure(kind: .soft, code: nil)
        let given = try [
            planned(1),
            .expiryNoticed(InstrumentId(Uuid(high: 3, low: 3)), CardExpiry(year: 2027, month: 1), ordinal: 1, at: at),
            started(1, 1), .failed(ordinal: 1, payment: payment(1), failure, at: at),
            .gaveUp(ordinal: 1, .mark, policy: policy, at: at),
        ]
        let before = records(given)[0]
        #expect(before.state == .givenUp && before.json["gaveUp"] == "mark" && before.reason == "soft")
        #expect(before.json.at("cardEnds", "month") == 1)
        let paid = ScheduleEvent.succeeded(ordinal: 1, payment: payment(1), amount: money, at: at)
        let twice = ScheduleEvent.paidTwice(ordinal: 1, payment: payment(2), amount: money, at: at)
        let after = records(given + [paid, twice])[0]
        #expect(after.state == .succeeded && after.payment == payment(1) && after.paidTwice == [payment(2)])
        #expect(after.reason == nil)
    }

    @Test func `what never had a payment shows its failure, what was skipped in a row one record each`() throws {
        let failure = ScheduleEvent.Failure(kind: .instrumentInvalid, code: nil)
        let events = try [
            planned(1), ScheduleEvent.failed(ordinal: 1, payment: nil, failure, at: at),
            .skipped(first: 2, last: 4, .late, at: at), planned(5), .cancelled(reason: nil, by: "a", at: at),
        ]
        let found = records(events)
        #expect(found.map(\.ordinal) == [1, 2, 3, 4, 5])
        #expect(found[0].tries.count == 1 && found[0].payment == nil && found[0].reason == "instrumentInvalid")
        #expect(found[1...3].allSatisfy { $0.state == .skipped && $0.reason == "late" && $0.json["date"] == nil })
        #expect(found[4].state == .dropped)
        #expect(found.map(\.version) == [5, 3, 3, 3, 5], "the end of the series changes what was open alone")
    }
}
