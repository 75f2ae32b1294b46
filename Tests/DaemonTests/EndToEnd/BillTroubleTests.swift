import Http
import Kernel
import Postgres
import Testing

/// What stops a batch of bills, and how it goes on.
@Suite(.timeLimit(.minutes(4)), .serialized)
struct BillTroubleTests {
    @Test func `a payer in the middle stops the walk, and the rest is paid when the payer is done`() async throws {
        try await Stage.run("e2ebillspayer") { stage, daemon in
            let source = try await stage.addBills(daemon, ["perCall": 4, "callsInFlight": 1, "spacingMs": 0])
            let ids = ["p-1", "secure-1", "p-2", "p-3", "p-4"]
            let batch = try await stage.submitBills(daemon, source, ids, name: "secure")
            let waiting = try await stage.waitBatch(daemon, batch, for: ["requires_action"])
            #expect(waiting["requiresAction"] == "secure-1")
            let action = try await stage.call(daemon, .get, "/v1/bill-batches/\(batch)/next-action")
            #expect(action.at("parameters", "md") == "md-secure-1")
            #expect(action["bill"] == "secure-1")
            // Nothing behind the payer was sent meanwhile.
            #expect(try await stage.control("/portmone/sandbox/bills")["paid"] == 1)
            let said = try await stage.control(
                "/portmone/sandbox/bills",
                ["bill": "secure-1", "action": "pass"]
            )
            try await stage.call(
                daemon,
                .post,
                "/v1/bill-batches/\(batch)/claims",
                ["bills": said["bills"] ?? []],
                key: "claim-1"
            )
            // Four by the provider's answers; what became of the fifth the app alone has said.
            let ended = try await stage.waitBatch(daemon, batch, for: ["claimed"])
            #expect(ended.at("tally", "counts") == ["claimed": 1, "paid": 4])
            #expect(try await stage.control("/portmone/sandbox/bills")["repeated"] == [])
            try await stage.verifyReplay()
        }
    }

    @Test func `a changed password stops the batch, marks the credentials, and new ones let it go on`() async throws {
        try await Stage.run("e2ebillsstale") { stage, daemon in
            let source = try await stage.addBills(
                daemon,
                ["perCall": 2, "callsInFlight": 1, "spacingMs": 400, "credentialCodesProveUnpaid": true]
            )
            let ids = (1...8).map { "s-\($0)" }
            let batch = try await stage.submitBills(daemon, source, ids, name: "stale")
            try await stage.waitPaid(2)
            try await stage.control("/portmone/sandbox/users", ["login": "Login", "password": "Changed"])
            let paused = try await stage.waitBatch(daemon, batch, for: ["paused"])
            #expect(paused["trouble"] == "credentials_stale")
            let old = try await stage.call(daemon, .get, "/v1/instruments/\(source.credentials)")
            #expect(old["usable"] == false)
            let refused = try await stage.exchange(
                daemon,
                .post,
                "/v1/bill-batches/\(batch)/continue",
                [:],
                key: "too-early"
            )
            #expect(refused.status == 422)
            let wrong = try await stage.exchange(
                daemon,
                .post,
                "/v1/bill-credentials",
                ["account": .string(Stage.billAccount), "login": "Login", "password": "Password"],
                key: "cred-wrong"
            )
            #expect(try Json(wrong.body)["code"] == "credentials_refused")
            let fresh = try await stage.credentials(daemon, "Changed", key: "cred-2")
            #expect(fresh == source.credentials)
            try await stage.call(daemon, .post, "/v1/bill-batches/\(batch)/continue", [:], key: "go-on")
            let ended = try await stage.waitBatch(daemon, batch, for: ["completed"])
            #expect(ended.at("tally", "counts", "paid") == 8)
            #expect(try await stage.control("/portmone/sandbox/bills")["repeated"] == [])
            try await stage.verifyReplay()
        }
    }

    @Test func `a refused message leaves its bills unknown and stops; two persons settle one`() async throws {
        try await Stage.run("e2ebillsbroken") { stage, daemon in
            let source = try await stage.addBills(daemon, ["perCall": 2, "callsInFlight": 1, "spacingMs": 0])
            let batch = try await stage.submitBills(daemon, source, ["x-1", "broken-1", "x-2"], name: "broken")
            let paused = try await stage.waitBatch(daemon, batch, for: ["paused"])
            #expect(paused["trouble"] == "provider_refused")
            #expect(paused.at("tally", "counts", "unknown") == 2)
            try await stage.call(daemon, .post, "/v1/bill-batches/\(batch)/continue", [:], key: "on")
            try await stage.waitBatch(daemon, batch, for: ["unresolved"])
            // Another batch may not pay what nobody knows about.
            let again = try await stage.submitBills(daemon, source, ["x-1", "x-9"], name: "again")
            try await stage.waitBatch(daemon, again, for: ["partially_completed"])
            #expect(try await stage.outcomes(daemon, again) == ["x-1": "refused", "x-9": "paid"])

            let path = "/v1/bill-batches/\(batch)/bills/x-1"
            let bill = try await stage.call(daemon, .get, path)
            let proposed = try await stage.call(
                daemon,
                .post,
                path + "/resolutions",
                ["outcome": "paid", "evidence": "the cabinet shows it", "seenVersion": bill["version"] ?? .null],
                key: "propose"
            )
            let proposal = try #require(proposed["resolutions"]?.items?.first?["id"]?.text)
            let own = try await stage.exchange(
                daemon,
                .post,
                path + "/resolutions/\(proposal)/approve",
                ["seenVersion": proposed["version"] ?? .null],
                key: "approve-own"
            )
            #expect(try Json(own.body)["code"] == "second_person_needed")
            let approved = try await stage.asSecondPerson(
                daemon,
                path + "/resolutions/\(proposal)/approve",
                ["seenVersion": proposed["version"] ?? .null]
            )
            #expect(approved["outcome"] == "paid")
            // The verdict reaches the sums of the batch; the other bill is still unknown.
            try await stage.waitTally(daemon, batch, "paid", 2)
            #expect(try await stage.call(daemon, .get, "/v1/bill-batches/\(batch)")["status"] == "unresolved")
            try await stage.verifyReplay()
            try await stage.verifyViews()
        }
    }

    @Test func `a lost answer is unknown and is not sent again`() async throws {
        try await Stage.run("e2ebillslost") { stage, daemon in
            let source = try await stage.addBills(daemon, ["perCall": 2, "callsInFlight": 1, "spacingMs": 0])
            try await stage.control(
                "/portmone/sandbox/faults",
                ["fault": "html", "on": "payBillsSdk", "times": 1]
            )
            let batch = try await stage.submitBills(daemon, source, ["l-1", "l-2", "l-3"], name: "lost")
            try await stage.waitBatch(daemon, batch, for: ["unresolved"])
            #expect(
                try await stage.outcomes(daemon, batch) == ["l-1": "unknown", "l-2": "unknown", "l-3": "paid"]
            )
            #expect(try await stage.control("/portmone/sandbox/bills")["paid"] == 1)
            try await stage.verifyReplay()
        }
    }

    @Test func `prices come first where the account wants them, and unknown bills end the batch unpaid`() async throws {
        try await Stage.run("e2ebillspriced") { stage, daemon in
            let source = try await stage.addBills(
                daemon,
                ["perCall": 2, "callsInFlight": 1, "spacingMs": 0, "priced": true]
            )
            let good = try await stage.submitBills(daemon, source, ["m-1", "m-2", "m-3"], name: "good")
            let ended = try await stage.waitBatch(daemon, good, for: ["completed"])
            #expect(ended["expectedCommission"] == Stage.hryvnias(150))
            let bad = try await stage.submitBills(daemon, source, ["m-4", "unknown-1"], name: "bad")
            let failed = try await stage.waitBatch(daemon, bad, for: ["failed"])
            #expect(failed["priceRefused"] == "unknown_bills")
            #expect(try await stage.control("/portmone/sandbox/bills")["paid"] == 3)
            try await stage.verifyReplay()
        }
    }

    /// The app would pay by a card that is no more: next action and app parameters agree that nothing can be handed over.
    @Test func `bills that wait for an app are handed over to none once their card was removed`() async throws {
        try await Stage.run("e2ebillsremoved") { stage, daemon in
            let source = try await stage.addBills(daemon, mode: "sdk", ["perCall": 3])
            let batch = try await stage.newBatch(daemon, source, name: "sdk")
            try await stage.upload(daemon, batch, ["app-1"])
            let path = "/v1/bill-batches/\(batch)"
            try await stage.call(daemon, .post, path + "/submit", [:], key: "sdk-submit")
            _ = try await stage.untilParameters(daemon, batch)
            #expect(try await stage.call(daemon, .get, path + "/next-action")["type"] == "sdk")

            try await stage.call(daemon, .delete, "/v1/instruments/\(source.instrument)", key: "remove")
            let next = try await stage.call(daemon, .get, path + "/next-action")
            #expect(next["type"] == "none" && next["appParameters"] == nil, "\(next.canonicalText)")
            let given = try await stage.exchange(daemon, .post, path + "/app-parameters", [:])
            let said = try Json(given.body)
            #expect(given.status == 409 && said["code"] == next["reason"], "\(given.status) \(said.canonicalText)")
            try await stage.verifyReplay()
        }
    }

    @Test func `what an app says was paid is a claim until two persons confirm it`() async throws {
        try await Stage.run("e2ebillssdk") { stage, daemon in
            let source = try await stage.addBills(daemon, mode: "sdk", ["perCall": 3])
            let batch = try await stage.newBatch(daemon, source, name: "sdk")
            let most = try await stage.put(daemon, batch, Stage.lines(["a", "b", "c", "d"]))
            #expect(try Json(most.body)["code"] == "too_many_bills")
            try await stage.upload(daemon, batch, ["app-1", "declined-9"])
            try await stage.call(daemon, .post, "/v1/bill-batches/\(batch)/submit", [:], key: "sdk-submit")
            try await stage.waitBatch(daemon, batch, for: ["requires_action"])
            let given = try await stage.untilParameters(daemon, batch)
            try await stage.wait(daemon, openItems: ["\(batch) payer waiting_for_app"])
            let said = try await stage.control("/portmone/sandbox/bills", ["parameters": given])
            try await stage.call(
                daemon,
                .post,
                "/v1/bill-batches/\(batch)/claims",
                ["bills": said["bills"] ?? []],
                key: "sdk-claim"
            )
            let claimed = try await stage.waitBatch(daemon, batch, for: ["claimed"])
            #expect(try await stage.outcomes(daemon, batch) == ["app-1": "claimed", "declined-9": "failed"])
            #expect(claimed.at("tally", "counts") == ["claimed": 1, "failed": 1])
            #expect(claimed.at("tally", "charged", "value") == 0)
            #expect(claimed.at("tally", "claimed", "value")?.integer ?? 0 > 0)
            #expect(try await stage.tool(daemon, ["bills", "list"]).contains("CLAIMED"))
            // A person is asked when the provider's statement must have it.
            try await stage.wait(daemon, openItems: [])
            try await stage.end(batch, earlier: "23 hours 55 minutes")
            #expect(try await stage.openItems(daemon) == [])
            try await stage.end(batch, earlier: "6 minutes")
            #expect(try await stage.openItems(daemon) == ["\(batch)/app-1 operator app_claim_unconfirmed"])
            let listed = try await stage.tool(daemon, ["operations", "list", "--operator"])
            #expect(listed.contains("app-1") && listed.contains("app_claim_unconfirmed"), "\(listed)")

            let path = "/v1/bill-batches/\(batch)/bills/app-1"
            let bill = try await stage.call(daemon, .get, path)
            #expect(bill["outcome"] == "claimed")
            #expect(bill.at("standing", "claimed") == "paid")
            let proposed = try await stage.call(
                daemon,
                .post,
                path + "/resolutions",
                ["outcome": "paid", "evidence": "the provider's statement", "seenVersion": bill["version"] ?? .null],
                key: "propose-claimed"
            )
            let proposal = try #require(proposed["resolutions"]?.items?.first?["id"]?.text)
            _ = try await stage.asSecondPerson(
                daemon,
                path + "/resolutions/\(proposal)/approve",
                ["seenVersion": proposed["version"] ?? .null]
            )
            let confirmed = try await stage.waitBatch(daemon, batch, for: ["partially_completed"])
            #expect(confirmed.at("tally", "charged", "value")?.integer ?? 0 > 0)
            #expect(confirmed.at("tally", "claimed", "value") == 0)
            try await stage.wait(daemon, openItems: [])
            try await stage.verifyReplay()
        }
    }

    @Test func `a broken upload is repeated, a changed one refused, and a batch comes from a table`() async throws {
        try await Stage.run("e2ebillsupload") { stage, daemon in
            let source = try await stage.addBills(daemon, ["perCall": 50, "callsInFlight": 4, "spacingMs": 0])
            let batch = try await stage.newBatch(daemon, source, name: "upload")
            let ids = (1...1200).map { "u-\($0)" }
            let bad = try await stage.put(daemon, batch, Stage.lines(ids) + Array("nonsense\n".utf8))
            let problem = try Json(bad.body)
            #expect(problem["line"] == 1201)
            #expect(problem["page"] == 3)
            #expect(try await stage.call(daemon, .get, "/v1/bill-batches/\(batch)")["bills"] == 1000)
            let whole = try await stage.upload(daemon, batch, ids)
            #expect(whole["bills"] == 1200)
            #expect(try await stage.upload(daemon, batch, ids) == whole)
            let other = try await stage.put(daemon, batch, Stage.lines(["z-1"]))
            #expect(try Json(other.body)["code"] == "page_differs")

            try await stage.enqueueBills(source, count: 900)
            try await stage.waitPaid(900)
            #expect(try await stage.control("/portmone/sandbox/bills")["repeated"] == [])
            try await stage.verifyReplay()
        }
    }
}

extension Stage {
    /// What is unresolved beside payments, with its owner and reason.
    func openItems(_ daemon: DaemonProcess) async throws -> [String] {
        let page = try await call(daemon, .get, "/v1/operations/unresolved")
        return (page["matters"]?.items ?? []).map { openItem in
            ["id", "owner", "reason"].map { openItem[$0]?.text ?? "?" }.joined(separator: " ")
        }
    }

    func wait(_ daemon: DaemonProcess, openItems wanted: [String]) async throws {
        try await until("what is unresolved is \(wanted)") { () -> Look<Void> in
            let seen = try await openItems(daemon)
            return seen == wanted ? .done(()) : .notYet("\(seen)")
        }
    }

    /// Lets a batch have ended earlier, in the read model that lists what is unresolved.
    fileprivate func end(_ batch: String, earlier: String) async throws {
        _ = try await withDatabase { connection in
            try await connection.execute(
                """
                UPDATE paystream.bill_batch_view
                   SET document = jsonb_set(document::jsonb, '{endedAt}',
                       to_jsonb((document ->> 'endedAt')::timestamptz - interval '\(earlier)'))::json
                 WHERE document ->> 'id' = '\(batch)'
                """
            )
        }
    }
}
