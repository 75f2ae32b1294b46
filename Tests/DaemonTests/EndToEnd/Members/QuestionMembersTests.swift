import Http
import Kernel
import TestKit
import Testing

/// The members of questions, rules, policies, clocks and acts on schedules, one by one: each changes the answer, is in what the
/// provider is asked, or is kept and shown.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct QuestionMembersTests {
    /// A question that changes nothing: what it needs at least, and what else it may say.
    private struct Question {
        let schema: String
        let path: String
        let least: Json
        let more: [(String, Json)]
    }

    /// Each member tells another answer than the question without it, or is in what the provider was asked.
    private func ask(
        _ question: Question,
        _ stage: Stage,
        _ daemon: DaemonProcess,
        _ provider: ToldProvider?,
        beside others: [Json] = []
    ) async throws {
        let plain = try await stage.exchange(daemon, .post, question.path, question.least)
        #expect(plain.status == 200, "\(question.schema): \(String(decoding: plain.body, as: UTF8.self))")
        for (name, value) in question.more {
            let answer = try await stage.exchange(
                daemon,
                .post,
                question.path,
                question.least.setting([name], value)
            )
            #expect(answer.status == 200, "\(question.schema).\(name): \(String(decoding: answer.body, as: UTF8.self))")
            let word = value.text ?? value["value"]?.canonicalText ?? "\"isRecurring\":true"
            let isAsked = provider.map { provider in
                [word, "isRecurring=\(value.canonicalText)"].contains { !provider.messages(naming: $0).isEmpty }
            }
            #expect(answer.body != plain.body || isAsked == true, "\(question.schema).\(name) says nothing")
        }
        let more = question.more.map { Json.object(JsonObject([$0])) }
        try await stage.holdEvery(daemon, question.schema, [question.least] + more + others)
    }

    @Test func `each member of a question to a provider changes the answer or is asked`() async throws {
        try await Stage.run("e2easkmembers") { stage, daemon in
            let provider = try stage.toldProvider()
            let account = try await stage.addWorldline(daemon, at: provider.address)
            let path = "/v1/accounts/\(account)"
            let saved = try await stage.savedWorldlineCard(daemon, "save")
            let least: Json = ["amount": Stage.euros(1999), "country": "FR"]
            let prefix = least.setting(["digits"], "45673500")
            let fields = least.setting(["values"], ["cardholderName": "Ann 1"])
            let common: [(String, Json)] = [
                ("amount", Stage.euros(2111)), ("country", "BE"), ("recurring", true),
            ]
            let questions = [
                Question(schema: "CardPrefixQuestion", path: "\(path)/card-prefixes", least: prefix, more: common),
                Question(
                    schema: "CheckFields",
                    path: "\(path)/products/1/checks",
                    least: fields,
                    more: common + [
                        ("language", "fr"), ("operation", "Authorization"), ("values", ["cardholderName": "Ann"]),
                    ]
                ),
            ]
            for question in questions { try await ask(question, stage, daemon, provider) }

            let session: Json = ["customer": "cust-1"]
            let other = try await stage.call(daemon, .post, "\(path)/sessions", session)
            #expect(other["customer"] == "cust-1")
            let whole = session.merged(with: [
                "instruments": [.string(saved)], "presentation": ["productGrouping": true],
            ])
            let opened = try await stage.call(daemon, .post, "\(path)/sessions", whole)
            #expect(opened["presentation"] == ["productGrouping": true])
            #expect(provider.messages(naming: "/sessions").contains { $0.text.contains("\"tokens\":[") })
            try await stage.holdEvery(daemon, "OpenSession", [whole])
        }
    }

    @Test func `each member of a question about routes and calendars changes the answer`() async throws {
        try await Stage.run("e2eexplainmembers") { stage, daemon in
            let rule: Json = [
                "name": "only", "when": ["customers": ["cust-1"], "countries": ["LV"], "methods": ["hosted"]],
                "to": [["account": .string(Stage.account), "weight": 1]],
            ]
            try await stage.call(daemon, .put, "/v1/routes", ["rules": [rule]], key: "rules")
            let payment = try await stage.open(daemon, "explained", 700)
            let least: Json = ["amount": Stage.euros(1999), "country": "LV", "customer": "cust-1", "method": "hosted"]
            try await ask(
                Question(
                    schema: "ExplainRoute",
                    path: "/v1/routes/explain",
                    least: least,
                    more: [
                        ("amount", ["currency": "USD", "value": 1999]), ("country", "EE"), ("customer", "cust-2"),
                        ("method", "wallet"), ("mode", "transfer"), ("provider", "portmone"), ("accountMode", "live"),
                    ]
                ),
                stage,
                daemon,
                nil,
                beside: [["payment": .string(payment)]]
            )
            let about: Json = ["payment": .string(payment)]
            let told = try await stage.call(daemon, .post, "/v1/routes/explain", about)
            #expect(told["payment"] == .string(payment))
            let mixed = about.setting(["country"], "LV")
            let refused = try await stage.exchange(daemon, .post, "/v1/routes/explain", mixed)
            #expect(refused.status == 422)
            #expect(try Json(refused.body)["path"] == "country")

            try await holdPreviews(stage, daemon)
        }
    }

    /// Each member of a question about a calendar changes what is shown of it.
    private func holdPreviews(_ stage: Stage, _ daemon: DaemonProcess) async throws {
        let calendar: Json = [
            "end": ["count": 3], "period": "month", "start": "2099-01-31", "time": "10:00", "zone": "Europe/Moscow",
        ]
        let far: Json = ["amount": Stage.euros(700), "mandate": ["minimumDays": 60], "rule": calendar]
        try await stage.call(daemon, .put, "/v1/dunning-policies/gentle", ["giveUp": "cancel"])
        try await ask(
            Question(
                schema: "PreviewSchedule",
                path: "/v1/schedules/preview",
                least: ["amount": Stage.euros(700), "rule": calendar],
                more: [
                    ("amount", Stage.euros(800)), ("mandate", ["expiresOn": "2099-02-01"]),
                    ("policy", ["quiet": ["from": "09:00", "to": "11:00", "zone": "Europe/Moscow"]]),
                    ("policy", ScheduleMembersTests.policy),
                    ("from", 2), ("count", 1), ("rule", calendar.setting(["time"], "11:30")),
                ]
            ),
            stage,
            daemon,
            nil,
            // What each member of a calendar does is tried by ScheduleMembersTests.
            beside: ScheduleMembersTests.rules.map { ["rule": $0] } + [far]
        )
        // What no schedule could keep is refused before one is made.
        for (body, member) in [
            (far, "rule"),
            (["rule": calendar.setting(["anchorDay"], 3).setting(["period"], "week")], "rule.anchorDay"),
            (["rule": ScheduleMembersTests.rules[2].setting(["start"], "2099-03-01")], "rule.start"),
        ] as [(Json, String)] {
            try await stage.refuses(daemon, "/v1/schedules/preview", body, member)
        }
        let bare: Json = ["mandate": ["expiresOn": "2099-02-01"], "rule": calendar]
        let unpriced = try await stage.exchange(daemon, .post, "/v1/schedules/preview", bare)
        #expect(unpriced.status == 422)
        #expect(try Json(unpriced.body)["path"] == "mandate")
    }

    @Test func `what is posted about rules, policies and clocks is kept and shown`() async throws {
        try await Stage.run("e2erulemembers") { stage, daemon in
            let routes: Json = [
                "breaker": [
                    "failures": 7, "pauseSeconds": 33, "percent": 44, "probePercent": 11, "successes": 3,
                    "windowSeconds": 55,
                ],
                "rules": [
                    [
                        "name": "euro", "to": [["account": .string(Stage.account), "weight": 3]],
                        "then": ["worldline-eur"],
                        "when": [
                            "amount": ["below": 900, "currency": "EUR", "from": 5], "countries": ["LV"],
                            "currencies": ["EUR"], "customers": ["cust-7"], "methods": ["hosted"], "modes": ["sale"],
                        ],
                        "fallback": ["attempts": 2, "on": ["soft"]],
                    ]
                ],
            ]
            _ = try await stage.addWorldline(daemon)
            try await stage.call(daemon, .put, "/v1/routes", routes, key: "rules")
            let shown = try await stage.call(daemon, .get, "/v1/routes")
            for (member, value) in routes.members?.members.map({ ($0.name, $0.value) }) ?? [] {
                #expect(value.isWithin(shown[member]), "\(member) is \(shown[member]?.canonicalText ?? "not shown")")
            }
            let number = shown["number"]?.integer ?? 0
            let late = try await stage.exchange(
                daemon,
                .put,
                "/v1/routes",
                routes.setting(["seenNumber"], .integer(number - 1)),
                key: "late"
            )
            #expect(late.status / 100 == 4, "another number was seen")
            try await stage.holdEvery(daemon, "SetRoutes", [routes.setting(["seenNumber"], 1)])
            let order: Json = ["accounts": [.string(Stage.account)]]
            try await stage.call(daemon, .put, "/v1/routing", order, key: "order")
            try await stage.holdEvery(daemon, "SetRouting", [order])

            try await holdPolicies(stage, daemon)
            let own: Json = ["at": "2098-01-01T00:00:00Z"]
            let clock = try await stage.call(daemon, .put, "/v1/clock", own)
            #expect(clock["at"]?.text?.hasPrefix("2098-01-01T00:00:00") == true)
            try await stage.holdEvery(daemon, "OwnClock", [own])
            let onward: Json = ["to": "2098-02-01T00:00:00Z"]
            try await stage.call(daemon, .post, "/v1/clock/advance", onward)
            try await stage.until("the clock is there") {
                let clock = try await stage.call(daemon, .get, "/v1/clock")
                let isThere = clock["at"]?.text?.hasPrefix("2098-02-01T00:00:00") == true
                return isThere ? .done(()) : .notYet(clock.canonicalText)
            }
            try await stage.holdEvery(daemon, "AdvanceClock", [onward])
        }
    }
}

extension QuestionMembersTests {
    /// Every class of declines with each step that it can have.
    private func holdPolicies(_ stage: Stage, _ daemon: DaemonProcess) async throws {
        let classes = [
            "hard", "soft", "insufficientFunds", "stepUpRequired", "instrumentInvalid", "fraud", "configuration",
            "providerDown", "unknown",
        ]
        let path = "/v1/dunning-policies/gentle"
        var posted: [Json] = []
        for step in [["afterSeconds": [3600, 86_400], "is": "retry"], ["is": "stepUp", "seconds": 7200]] as [Json] {
            let policy: Json = [
                "caps": [["attempts": 3, "days": 30, "scheme": "visa"]], "endsAtNext": false, "giveUp": "mark",
                "steps": .object(JsonObject(classes.map { ($0, step) })),
            ]
            let kept = try await stage.call(daemon, .put, path, policy)
            for member in policy.members?.members ?? [] where member.name != "caps" {
                let shown = kept[member.name]
                #expect(member.value.isWithin(shown), "\(member.name) is \(shown?.canonicalText ?? "not shown")")
            }
            #expect(kept["caps"]?.items?.contains { $0["attempts"] == 3 && $0["days"] == 30 } == true)
            posted.append(policy)
        }
        try await stage.holdEvery(daemon, "KeepDunningPolicy", posted)
    }
}

extension Json {
    /// Whether all that this says is said by the other, too.
    fileprivate func isWithin(_ other: Json?) -> Bool {
        guard let other else { return false }
        if let members = members?.members { return members.allSatisfy { $0.value.isWithin(other[$0.name]) } }
        guard let items, let others = other.items else { return self == other }
        return items.count <= others.count && zip(items, others).allSatisfy { $0.isWithin($1) }
    }
}
