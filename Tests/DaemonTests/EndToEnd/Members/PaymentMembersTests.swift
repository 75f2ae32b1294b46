import Http
import Kernel
import Testing

/// The members of a payment and of what is done to it, one by one: each is in the resource, in what the payer's side gets, or is
/// refused by its name.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct PaymentMembersTests {
    static let calendar: Json = [
        "amount": Stage.euros(2500), "expiry": "2100-02-03", "kind": "regular", "reference": "SERIES-77",
        "calendar": ["interval": 3, "period": "week", "start": "2099-01-31", "time": "10:20:30"],
    ]
    static let dates: Json = [
        "dates": [["amount": Stage.euros(2600), "date": "2099-03-31"]], "kind": "regular", "reference": "SERIES-78",
    ]

    @Test func `what is posted about a payment is in its resource`() async throws {
        try await Stage.run("e2epaymentmembers") { stage, daemon in
            let expiry = "2099-01-02T03:04:05Z"
            let sent: Json = [
                "account": .string(Stage.account), "accountMode": "test", "amount": Stage.euros(1999),
                "country": "LV", "customer": "customer-77", "description": "Boots of seven leagues",
                "expiresAt": .string(expiry), "id": "pay_019000000000700080000000000000c1",
                "metadata": ["shelf": "shelf 4"], "method": "sdk", "mode": "authorize",
                "provider": "ecommpay", "recurring": Self.calendar, "reference": "reference-77",
            ]
            // What details are told is tried by AcceptedMembersTests.
            let body = sent.setting(["details"], ["payer": ["email": "payer@example.org"]])
            let made = try await stage.call(daemon, .post, "/v1/payments", body, key: "all")
            let id = try #require(made["id"]?.text)
            let shown = try await stage.payment(daemon, id)
            for member in sent.members?.members ?? [] {
                let found: Json? =
                    switch member.name {
                    case "account": shown.at("account", "name")
                    case "accountMode": shown.at("account", "mode")
                    case "provider": shown.at("account", "provider")
                    case "expiresAt":
                        shown["expiresAt"]?.text?.hasPrefix(expiry.dropLast()) == true ? member.value : nil
                    default: shown[member.name]
                    }
                #expect(found == member.value, "\(member.name) is \(found?.canonicalText ?? "not shown")")
            }
            let given = try await stage.call(daemon, .post, "/v1/payments/\(id)/app-parameters", [:])
            let series = given.at("parameters", "recurrentInfo")?.canonicalText ?? ""
            for word in ["2500", "2100", "\"W\"", "\"interval\":3", "31-01-2099", "10:20:30", "SERIES-77"] {
                #expect(series.contains(word), "\(word) is not in \(series)")
            }
            let listed = Stage.newPayment("listed", 1999, more: [("customer", "c"), ("recurring", Self.dates)])
            let other = try await stage.call(daemon, .post, "/v1/payments", listed, key: "dates")
            #expect(try await stage.payment(daemon, other["id"]?.text ?? "?")["recurring"] == Self.dates)
            let both = Self.calendar.merged(with: Self.dates)
            try await stage.refuses(daemon, "/v1/payments", listed.setting(["recurring"], both), "recurring.dates")
            try await stage.activate(daemon)
            // By any other method this provider asks for a card, and the saved one would stay where it is.
            _ = try await stage.addWorldline(daemon)
            for method in ["hosted", "sdk", "wallet"] {
                let card: [(String, Json)] = [
                    ("account", "worldline-eur"), ("customer", "c"), ("details", [:]),
                    ("instrument", "ins_00000000000070008000000000000001"),
                    ("method", .string(method)),
                ]
                let saved = Stage.newPayment("saved", 1999, more: card)
                let answer = try await stage.exchange(daemon, .post, "/v1/payments", saved, key: "saved-\(method)")
                let told = try Json(answer.body)
                #expect(told["code"] == "value_not_allowed" && told["path"] == "instrument", "\(told.canonicalText)")
            }
            let whole = body.setting(["instrument"], "ins_").setting(["schedule"], "sch_")
            try await stage.holdEvery(daemon, "CreatePayment", [whole, listed])
        }
    }

    @Test func `what is posted about captures, refunds, disputes and evidence is in the resource`() async throws {
        try await Stage.run("e2eactmembers") { stage, daemon in
            let id = try await stage.paid(daemon, "acts", 7700, mode: "authorize")
            let path = "/v1/payments/\(id)"
            let acts = Acts(stage: stage, daemon: daemon, path: path)
            try await acts.act("capture", "Capture", ["amount": Stage.euros(5000), "reason": "because captured"])
            try await stage.waitForCaptured(daemon, id, 5000)
            let capture = try await stage.payment(daemon, id)["operations"]?.items?.first { $0["kind"] == "capture" }
            let target = capture?["id"] ?? .null
            let refund: Json = ["amount": Stage.euros(1000), "capture": target, "reason": "because refunded"]
            try await acts.act("refund", "Refund", refund)
            let dispute: Json = [
                "amount": Stage.euros(700), "answerBy": "2099-01-02T03:04:05.000000Z", "capture": target,
                "reason": "because disputed",
            ]
            try await acts.act("disputes", "OpenDispute", dispute)
            try await acts.act("evidence", "AddEvidence", ["evidence": "seen in the bank's statement"])
            let opened = try await stage.payment(daemon, id)["disputes"]?.items?.first
            let end = "disputes/\(opened?["id"]?.text ?? "?")/lost"
            try await acts.act(end, "EndDispute", ["amount": Stage.euros(300), "reason": "because lost"])
            #expect(try await stage.payment(daemon, id).at("amounts", "chargedBack") == 300)
            for strange in ["capture", "refund"] {
                try await stage.refuses(daemon, "\(path)/\(strange)", ["details": ["items": []]], "details.")
            }
            let delivered: Json = ["details": ["items": []]]
            try await stage.refuses(daemon, "\(path)/complete-delivery", delivered, "details.")
            try await stage.holdEvery(daemon, "Delivery", [delivered])

            let held = try await stage.paid(daemon, "held", 7700, mode: "authorize")
            let void: Json = ["amount": Stage.euros(7700), "reason": "because voided"]
            try await Acts(stage: stage, daemon: daemon, path: "/v1/payments/\(held)").act("void", "Part", void)
        }
    }

    /// Posts what is done to one payment; every word and amount of it is then in the resource.
    private struct Acts {
        let stage: Stage
        let daemon: DaemonProcess
        let path: String

        func act(_ name: String, _ schema: String, _ body: Json) async throws {
            try await stage.call(daemon, .post, "\(path)/\(name)", body, key: "\(path)-\(name)")
            let shown = try await stage.call(daemon, .get, path).canonicalText
            for member in body.members?.members ?? [] {
                let word = member.value["value"] ?? member.value
                #expect(shown.contains(word.canonicalText), "\(name): \(member.name) is not in \(shown)")
            }
            // Details of operations are refused where their provider's form has none.
            let isWithDetails = ["Capture", "Refund"].contains(schema)
            let whole = isWithDetails ? body.setting(["details"], [:]) : body
            try await stage.holdEvery(daemon, schema, [whole])
        }
    }

    @Test func `what is posted about a verdict and an app's string is compared, shown or refused`() async throws {
        try await Stage.run("e2everdictmembers") { stage, daemon in
            let body = Stage.newPayment("asked", 7700, more: [("customer", "customer-7"), ("method", "sdk")])
            let created = try await stage.call(daemon, .post, "/v1/payments", body, key: "asked")
            let id = try #require(created["id"]?.text)
            let path = "/v1/payments/\(id)"
            let name = try await stage.providerName(daemon, id)
            let terms = "customer_id:customer-7;payment_amount:7700;payment_currency:EUR;payment_id:\(name)"
            let text = "\(terms);project_id:\(Stage.project)"
            let device: Json = ["paramsForSignature": .string(text)]
            let signed = try await stage.call(daemon, .post, "\(path)/signature", device)
            let given = try await stage.call(daemon, .post, "\(path)/app-parameters", [:])
            #expect(signed["signature"] == given.at("parameters", "signature"))
            let other: Json = ["paramsForSignature": .string(text.replacing("7700", with: "7701"))]
            try await stage.refuses(daemon, "\(path)/signature", other)
            try await stage.holdEvery(daemon, "DeviceString", [device])

            let shown = try await stage.payment(daemon, id)
            let operation = try #require(shown["operations"]?.items?.first?["id"])
            let proposal: Json = [
                "verdict": ["is": "succeeded", "operation": operation, "amount": Stage.euros(7700)],
                "evidence": "in the statement", "seenVersion": shown["version"] ?? .null,
            ]
            for (member, value) in [
                ("seenVersion", 99), ("verdict.is", "odd"), ("verdict.amount.currency", "USD"),
                ("verdict.operation", "op_00000000000070008000000000000001"),
            ] as [(String, Json)] {
                let changed = proposal.setting(member.split(separator: ".").map(String.init), value)
                try await stage.refuses(daemon, "\(path)/resolutions", changed)
            }
            let proposed = try await stage.call(daemon, .post, "\(path)/resolutions", proposal, key: "propose")
            let resolution = proposed["resolutions"]?.items?.first
            for word in ["succeeded", operation.text ?? "", "7700", "in the statement"] {
                #expect(resolution?.canonicalText.contains(word) == true, "\(word) is not in \(proposed.canonicalText)")
            }
            try await stage.holdEvery(daemon, "Proposal", [proposal])
            let approve = "\(path)/resolutions/\(resolution?["id"]?.text ?? "?")/approve"
            try await stage.refuses(daemon, approve, ["seenVersion": 99])
            let seen: Json = ["seenVersion": proposed["version"] ?? .null]
            let second = HttpHeaders([
                ("Authorization", "Bearer \(try await stage.newKey("second"))"), ("Content-Type", "application/json"),
                ("Idempotency-Key", "second"),
            ])
            let approved = try await stage.send(.post, daemon.address + approve, second, seen.compactBytes)
            #expect(approved.status / 100 == 2, "\(approved.status)")
            #expect(try await stage.payment(daemon, id)["status"] == "captured")
            try await stage.holdEvery(daemon, "Approval", [seen])
        }
    }

    @Test func `what is posted about an account is in its resource, used or refused`() async throws {
        try await Stage.run("e2eaccountmembers") { stage, daemon in
            let account: Json = [
                "currencies": ["EUR"], "mode": "test", "name": "shop-77", "provider": "sberpay",
                "secrets": ["apiSecret": "secret-77"],
                "settings": ["callbackMode": "none", "clientName": "Shop", "dialect": "ecom", "userName": "new"],
            ]
            let made = try await stage.call(daemon, .post, "/v1/accounts", account, key: "account-77")
            for member in account.members?.members ?? [] {
                let isKept =
                    member.name == "secrets" ? made["secrets"] == ["apiSecret"] : member.value == made[member.name]
                #expect(isKept, "\(member.name) is \(made[member.name]?.canonicalText ?? "not shown")")
            }
            #expect(try await stage.tablesHolding("secret-77").isEmpty)
            let roubles = Stage.newPayment(
                "roubles",
                700,
                more: [
                    ("account", "shop-77"), ("amount", Stage.roubles(700)),
                ]
            )
            try await stage.refuses(daemon, "/v1/payments", roubles, "amount.currency")
            try await stage.holdEvery(daemon, "ConfigureAccount", [account])
        }
    }
}

extension Stage {
    /// A payment that names a schedule is shown with it.
    fileprivate func activate(_ daemon: DaemonProcess) async throws {
        let terms: Json = [
            "amount": Self.euros(700), "customer": "customer-77", "details": ["payer": ["email": "payer@example.org"]],
            "kind": "regular", "presence": "customerPresent",
            "rule": try await rule(every: "month", inSeconds: 3600),
        ]
        let id = try await schedule(daemon, "named", terms)
        let first: [(String, Json)] = [("customer", "customer-77"), ("schedule", .string(id))]
        let body = Self.newPayment("first", 700, more: first)
        let made = try await call(daemon, .post, "/v1/payments", body, key: "first")
        #expect(try await payment(daemon, made["id"]?.text ?? "?")["schedule"] == .string(id))
    }
}
