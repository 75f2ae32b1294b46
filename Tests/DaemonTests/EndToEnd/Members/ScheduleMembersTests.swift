import Http
import Kernel
import TestKit
import Testing

/// The members of acts on a schedule, one by one: each is shown by the schedule or its occurrence.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct ScheduleMembersTests {
    private static let settings: Json = ["gateTokenPaths": ["sale": "/v2/payment/card/sale/token"]]

    /// A series that begins in a month, active by a first payment with a card that is kept.
    private func subscribe(_ stage: Stage, _ daemon: DaemonProcess, _ name: String) async throws -> (
        schedule: String, card: String
    ) {
        let body: Json = [
            "amount": Stage.euros(7700), "customer": "customer-7", "kind": "regular", "reference": .string(name),
            "details": ["payer": ["email": "payer@example.org"]],
            "rule": try await stage.rule(every: "month", inSeconds: 30 * 86_400),
        ]
        let id = try await stage.schedule(daemon, name, body)
        let first = Stage.newPayment(name, 7700, more: [("customer", "customer-7"), ("schedule", .string(id))])
        let payment = try await stage.call(daemon, .post, "/v1/payments", first, key: "\(name)-first")
        let paid = try #require(payment["id"]?.text)
        try await stage.openPage(daemon, paid)
        try await stage.wait(daemon, paid, for: "captured")
        let active = try await stage.wait(daemon, schedule: id, "is active") { $0["status"] == "active" }
        return (id, try #require(active["instrument"]?.text))
    }

    @Test func `what is posted about a schedule's changes and pauses is shown`() async throws {
        try await Stage.run("e2echangemembers", settings: Self.settings) { stage, daemon in
            let (id, card) = try await subscribe(stage, daemon, "changed")
            let (_, other) = try await subscribe(stage, daemon, "other")
            let path = "/v1/schedules/\(id)"
            let rule: Json = [
                "every": 1, "period": "month", "start": "2099-01-31", "time": "11:30", "zone": "Europe/Moscow",
            ]
            let first = try #require(try await stage.call(daemon, .get, path)["nextAt"]?.text.flatMap { Timestamp($0) })
            let day = String(first.adding(.seconds(5 * 86_400)).description.prefix(10))
            let changes: [(String, Json)] = [
                ("amount", Stage.euros(8800)), ("instrument", .string(other)), ("fallback", .string(card)),
                ("nextDate", .string(day)), ("policy", ["catchUp": ["mode": "none"]]), ("rule", rule),
            ]
            for (member, value) in changes {
                let change = Json.object(JsonObject([(member, value)]))
                try await stage.call(daemon, .post, "\(path)/change", change, key: member)
                let shown = try await stage.call(daemon, .get, path)
                let found: Json? =
                    switch member {
                    case "nextDate": shown["occurrences"]?.items?.first?["date"]
                    case "policy": shown.at("policy", "catchUp", "mode") == "none" ? value : nil
                    case "rule": shown["nextAt"] == "2099-01-31T08:30:00.000000Z" ? value : nil
                    default: shown[member]
                    }
                #expect(found == value, "\(member): \(shown.canonicalText)")
            }
            try await holdRules(stage, daemon, path)
            try await stage.holdEvery(
                daemon,
                "ChangeSchedule",
                [.object(JsonObject(changes)), ["policy": Self.policy]] + Self.rules.map { ["rule": $0] }
            )

            let pause: Json = ["reason": "the shop is closed"]
            try await stage.call(daemon, .post, "\(path)/pause", pause, key: "pause")
            let paused = try await stage.call(daemon, .get, path)
            #expect(paused["status"] == "paused" && paused.canonicalText.contains("the shop is closed"))
            try await stage.holdEvery(daemon, "PauseSchedule", [pause])
            let resume: Json = ["missed": "skip"]
            let unknown = try await stage.exchange(daemon, .post, "\(path)/resume", ["missed": "odd"], key: "odd")
            #expect(unknown.status == 422)
            #expect(try Json(unknown.body)["path"] == "missed")
            try await stage.call(daemon, .post, "\(path)/resume", resume, key: "resume")
            #expect(try await stage.call(daemon, .get, path)["status"] == "active")
            try await stage.holdEvery(daemon, "ResumeSchedule", [resume])
        }
    }

    /// A changed calendar is shown by the schedule's preview as by one of the calendar alone.
    private func holdRules(_ stage: Stage, _ daemon: DaemonProcess, _ path: String) async throws {
        for (index, rule) in Self.rules.enumerated() where rule["businessDays"] == nil {
            let change: Json = ["amount": Stage.euros(700), "rule": rule]
            try await stage.call(daemon, .post, "\(path)/change", change, key: "rule-\(index)")
            let shown = try await stage.call(daemon, .get, "\(path)/preview?count=3")
            let alone: Json = ["amount": Stage.euros(700), "count": 3, "rule": rule]
            let expected = try await stage.call(daemon, .post, "/v1/schedules/preview", alone)
            #expect(Self.days(shown) == Self.days(expected), "\(rule.canonicalText)")
        }
    }

    @Test func `what is posted about a schedule is shown, and its calendar is kept`() async throws {
        try await Stage.run("e2eschedulemembers", settings: Self.settings) { stage, daemon in
            let (_, card) = try await subscribe(stage, daemon, "first")
            let (_, other) = try await subscribe(stage, daemon, "other")
            try await stage.call(daemon, .put, "/v1/dunning-policies/gentle", ["giveUp": "cancel"])
            let sent: Json = [
                "account": .string(Stage.account), "activateBy": "2099-01-02T03:04:05Z", "activation": "authorize",
                "amount": Stage.euros(700), "customer": "customer-7", "description": "Boots by the month",
                "fallback": .string(other), "id": "sch_019000000000700080000000000000c1",
                "instrument": .string(card), "kind": "regular",
                "mandate": ["expiresOn": "2100-01-31", "minimumDays": 28], "metadata": ["shelf": "shelf 4"],
                "policy": Self.policy, "presence": "customerPresent", "reference": "reference-77",
                "rule": Self.rules[0], "runner": "paystream",
            ]
            // What details are told is tried by the payments that a schedule makes.
            let body = sent.setting(["details"], ["payer": ["email": "payer@example.org"]])
            let shown = try await stage.call(
                daemon,
                .get,
                "/v1/schedules/\(try await stage.schedule(daemon, "members", body))"
            )
            for member in sent.members?.members ?? [] where member.name != "rule" {
                let found: Json? =
                    switch member.name {
                    // A schedule names its account by the id.
                    case "account": shown["account"]?.text.flatMap { Uuid($0) } == nil ? nil : member.value
                    case "activateBy":
                        shown["activateBy"]?.text?.hasPrefix("2099-01-02T03:04:05") == true ? member.value : nil
                    case "policy": Self.keeps(shown["policy"]) ? member.value : shown["policy"]
                    default: shown[member.name]
                    }
                #expect(found == member.value, "\(member.name) is \(found?.canonicalText ?? "not shown")")
            }
            for (index, rule) in Self.rules.enumerated() {
                let terms = body.setting(["rule"], rule).removing(["mandate", "minimumDays"]).removing(["id"])
                if rule["businessDays"] != nil {
                    // No calendar of holidays was adopted here; CalendarAdoptionTests shifts by one.
                    try await stage.refuses(daemon, "/v1/schedules", terms, "rule.businessDays")
                    continue
                }
                let id = try await stage.schedule(daemon, "rule-\(index)", terms)
                let kept = try await stage.call(daemon, .get, "/v1/schedules/\(id)/preview?count=3")
                let alone: Json = ["amount": Stage.euros(700), "count": 3, "rule": rule]
                let expected = try await stage.call(daemon, .post, "/v1/schedules/preview", alone)
                #expect(Self.days(kept) == Self.days(expected), "\(rule.canonicalText)")
            }
            try await stage.holdEvery(daemon, "CreateSchedule", [body] + Self.rules.map { ["rule": $0] })
        }
    }

    @Test func `each member of a calendar moves its days`() async throws {
        try await Stage.run("e2ecalendarmembers") { stage, daemon in
            for (plain, member, value) in Self.moves {
                func days(_ rule: Json) async throws -> [Json] {
                    let body: Json = ["amount": Stage.euros(700), "count": 6, "rule": rule]
                    return Self.days(try await stage.call(daemon, .post, "/v1/schedules/preview", body))
                }
                let moved = plain.setting(member.split(separator: ".").map(String.init), value)
                let (before, after) = (try await days(plain), try await days(moved))
                #expect(before != after, "rule.\(member) moves nothing")
            }
        }
    }

    @Test func `what only we could keep is refused of a series that the provider runs`() async throws {
        try await Stage.run("e2eprovidermembers") { stage, daemon in
            let body: Json = [
                "account": .string(Stage.account), "amount": Stage.euros(700), "customer": "customer-7",
                "kind": "regular", "runner": "provider",
                "rule": ["period": "month", "start": "2099-01-31", "zone": "UTC"],
            ]
            for (member, value) in [
                ("fallback", "ins_00000000000070008000000000000001"), ("policy", Self.policy),
                ("presence", "customerPresent"), ("details", ["payer": ["email": "payer@example.org"]]),
                ("rule.skippedHour", "earlier"), ("rule.doubledHour", "second"),
            ] as [(String, Json)] {
                let path = member.split(separator: ".").map(String.init)
                try await stage.refuses(daemon, "/v1/schedules", body.setting(path, value), member)
            }
            let id = try await stage.schedule(daemon, "run", body)
            for (member, value) in [
                ("fallback", "ins_00000000000070008000000000000001"), ("policy", Self.policy),
                ("instrument", "ins_00000000000070008000000000000001"),
            ] as [(String, Json)] {
                let change = Json.object(JsonObject([(member, value)]))
                try await stage.refuses(daemon, "/v1/schedules/\(id)/change", change, member)
            }
        }
    }

    @Test func `what is posted about a run is what is run`() async throws {
        try await Stage.run("e2erunmembers", settings: Self.settings) { stage, daemon in
            let (id, _) = try await subscribe(stage, daemon, "run")
            let run: Json = ["ordinal": 1, "presence": "customerPresent"]
            let path = "/v1/schedules/\(id)/run"
            let twelfth = try await stage.exchange(daemon, .post, path, run.setting(["ordinal"], 12), key: "other")
            #expect(twelfth.status / 100 == 4, "the twelfth is not the next")
            let priced = try await stage.exchange(
                daemon,
                .post,
                path,
                run.setting(["amount"], Stage.euros(6600)),
                key: "priced"
            )
            #expect(priced.status == 422, "a calendar has its own amount")
            #expect(try Json(priced.body)["path"] == "amount")
            try await stage.call(daemon, .post, path, run, key: "run")
            // Where the customer is present they are asked to pay by themselves.
            let asked = try await stage.wait(daemon, schedule: id, "asks its customer") { schedule in
                schedule["occurrences"]?.items?.first?["state"] == "stepUp"
            }
            let first = asked["occurrences"]?.items?.first
            #expect(first?["ordinal"] == 1 && first?.at("nextAction", "is") == "payment", "\(asked.canonicalText)")
            try await stage.holdEvery(daemon, "RunOccurrence", [run.setting(["amount"], Stage.euros(6600))])
        }
    }

    // MARK: Calendars

    static let policy: Json = [
        "catchUp": ["cap": 3, "graceSeconds": 55, "mode": "latest", "spreadSeconds": 77], "dunning": "gentle",
        "quiet": ["from": "09:00", "to": "10:30", "zone": "Europe/Riga"],
    ]

    /// Whether a schedule keeps that policy.
    private static func keeps(_ shown: Json?) -> Bool {
        shown?["catchUp"] == policy["catchUp"] && shown?.at("dunning", "name") == "gentle"
            && shown?["quiet"] == ["from": "09:00:00", "to": "10:30:00", "zone": "Europe/Riga"]
    }

    private static let monthly: Json = [
        "every": 2, "period": "month", "start": "2099-01-31", "time": "10:00", "zone": "Europe/Moscow",
    ]
    private static let listed: Json = [
        "dates": [
            ["amount": Stage.euros(800), "date": "2099-03-08"], ["amount": Stage.euros(900), "date": "2099-04-08"],
        ], "zone": "Europe/Moscow",
    ]
    /// From the night in which clocks are put forward in New York, and from the one in which they are put back.
    private static func nightly(_ start: String, _ time: String) -> Json {
        ["period": "week", "start": .string(start), "time": .string(time), "zone": "America/New_York"]
    }

    /// Calendars that have, all together, every member of a rule.
    static let rules: [Json] = [
        monthly.setting(["anchorDay"], 30).setting(["end"], ["lastDate": "2099-12-01"]),
        monthly.setting(["end"], ["count": 2, "total": Stage.euros(9000)]), listed,
        nightly("2099-03-08", "02:30").setting(["skippedHour"], "earlier"),
        nightly("2099-11-01", "01:30").setting(["doubledHour"], "second"),
        monthly.setting(["businessDays"], ["calendar": "holidays", "shift": "following"]),
    ]

    /// A calendar, a member of it, and another value of the member.
    private static let moves: [(Json, String, Json)] = [
        (monthly, "every", 3), (monthly, "period", "year"), (monthly, "start", "2099-02-28"),
        (monthly, "time", "11:30"),
        (monthly, "zone", "Europe/Riga"), (monthly, "anchorDay", 30), (monthly, "end", ["lastDate": "2099-06-01"]),
        (monthly, "end", ["count": 2]), (monthly, "end", ["total": Stage.euros(1500)]),
        (listed, "dates.0.date", "2099-03-07"), (listed, "dates.0.amount", Stage.euros(801)),
        (nightly("2099-03-08", "02:30"), "skippedHour", "earlier"),
        (nightly("2099-03-08", "02:30"), "skippedHour", "gapEnd"),
        (nightly("2099-11-01", "01:30"), "doubledHour", "second"),
    ]

    /// When each charge of a preview is made, and how much it is.
    private static func days(_ preview: Json) -> [Json] {
        (preview["items"]?.items ?? []).map { item in
            ["amount": item["amount"] ?? .null, "at": item["at"] ?? .null, "date": item["date"] ?? .null]
        }
    }
}
