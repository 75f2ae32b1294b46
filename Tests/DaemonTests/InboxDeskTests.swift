import Api
import Crypto
import Daemon
import EventSourcing
import Http
import HttpClient
import Kernel
import Payments
import Postgres
import ProviderKit
import Schedules
import Store
import TestKit
import Testing

/// Commands that a backend enqueues inside its own transaction.
@Suite(.timeLimit(.minutes(2)))
struct InboxDeskTests {
    private static let payment = """
        {"mode":"sale","amount":{"value":1999,"currency":"EUR"},"reference":"order-7","customer":"cust-7",
         "details":{"payer":{"email":"payer@example.org"}}}
        """

    @Test func `a command lives and dies with the backend's transaction`() async throws {
        try await NodeHarness.run("inboxtx") { harness in
            try await harness.backend.script("BEGIN")
            let lost = try await harness.enqueue("lost", "payment.create", Self.payment)
            try await harness.backend.script("ROLLBACK")

            try await harness.backend.script("BEGIN")
            let kept = try await harness.enqueue("kept", "payment.create", Self.payment)
            let other = try await PostgresConnection.connect(harness.database.options)
            let outside = try await other.query(
                "SELECT paystream.enqueue($1, 'outside', 'payment.create', $2)",
                [.text(NodeHarness.merchantName), .json(Array(Self.payment.utf8))]
            ) { row throws(PostgresFailure) in try row.uuid(0) }
            await other.close()
            let passed = try await harness.finalOutcome(try #require(outside.first))
            #expect(passed["state"]?.text == "done", "an open transaction stalls nobody: \(passed.canonicalText)")
            #expect(try await harness.outcome(kept)["state"]?.text == "unknown")
            try await harness.backend.script("COMMIT")

            let done = try await harness.finalOutcome(kept)
            #expect(done["state"]?.text == "done", "\(done.canonicalText)")
            #expect(try await harness.outcome(lost)["state"]?.text == "unknown")
            let stream = try #require(done["stream"]?.text.flatMap { Uuid($0) })
            let history = try await harness.node.store.load([(StreamName(harness.merchant, .payment, stream), 0)])[0]
            #expect(history.first?.type.hasPrefix("payment.created") == true)
            let created = String(decoding: history.first?.data ?? [], as: UTF8.self)
            #expect(!created.contains("payer@example.org"), "personal fields are sealed")
        }
    }

    @Test func `bad syntax is refused in the backend's own statement`() async throws {
        try await NodeHarness.run("inboxsyntax") { harness in
            let calls = [
                ("nobody", "k", "payment.create", "{}", "PS001"), (NodeHarness.merchantName, "k", "pay", "{}", "PS002"),
                (NodeHarness.merchantName, "k", "payment.create", "[]", "PS003"),
                (NodeHarness.merchantName, "", "payment.create", "{}", "PS004"),
                (NodeHarness.merchantName, "a b", "payment.create", "{}", "PS004"),
                (NodeHarness.merchantName, "k", "payment.create", #"{"reference":"4111 1111 1111 1111"}"#, "PS006"),
                (
                    NodeHarness.merchantName, "k", "payment.create",
                    "{\"a\":\"\(String(repeating: "x", count: 65_536))\"}", "PS005"
                ),
            ]
            for (merchant, key, name, body, expected) in calls {
                do throws(PostgresFailure) {
                    try await harness.backend.execute(
                        "SELECT paystream.enqueue($1, $2, $3, $4)",
                        [.text(merchant), .text(key), .text(name), .json(Array(body.utf8))]
                    )
                    Issue.record("\(expected) was not raised")
                } catch { #expect(error.sqlState?.text == expected) }
            }
        }
    }

    @Test(arguments: Node.adapters.ids)
    func `no declared identifier is refused as a card's number by SQL or by who takes the command`(provider: String)
        async throws
    {
        let adapter = try #require(Node.adapters[provider])
        let given = adapter.declaration.given
        try await NodeHarness.run("inboxgiven\(provider)") { harness in
            let drawn = Locked(0)
            @Sendable func enqueue(_ name: String, _ body: Json) async throws -> Uuid {
                let number = drawn.withLock { count in
                    count += 1
                    return count
                }
                return try await harness.enqueue("drawn-\(number)", name, body.canonicalText)
            }
            @Sendable func take(_ name: String, _ body: Json, _ path: JsonPath) async throws {
                let told = try await harness.finalOutcome(try await enqueue(name, body)).canonicalText
                #expect(!told.contains("card_data_refused"), "\(name) \(path): \(told)")
            }
            try await forAll(runs: 3, seed: 48) { random in
                let digits = DrawnIdentifier.number(&random)
                for path in given.details {
                    let details = DrawnIdentifier.document(path.steps, digits)
                    let body: Json = [
                        "mode": "sale", "provider": .string(provider), "details": details,
                        "amount": ["value": 1, "currency": "EUR"],
                    ]
                    for name in ["payment.create", "schedule.create", "transfer.create"] {
                        try await take(name, body, path)
                    }
                }
                for path in adapter.bills?.identifiers ?? [] {
                    let bill = DrawnIdentifier.document(path.steps, digits)
                    let kept = try await enqueue("bill_batch.page", ["batch": "k", "page": 1, "bills": [bill]])
                    // It waits for its batch; what comes behind it is told once it was read.
                    try await take("payment.create", ["mode": "?"], path)
                    let told = try await harness.outcome(kept)
                    #expect(told["state"] == "pending", "\(path): \(told.canonicalText)")
                }
            }
        }
    }

    @Test func `what the forms and guards refuse over HTTP they refuse here, by the same codes`() async throws {
        try await NodeHarness.run("inboxforms") { harness in
            let unknown = "pay_018f0000-0000-7000-8000-000000000001"
            let cases = [
                ("payment.create", #"{"mode":"sale"}"#, "amount_missing"),
                (
                    "payment.create", #"{"mode":"sale","amount":{"value":1,"currency":"EUR"},"colour":1}"#,
                    "member_unknown"
                ),
                ("payment.create", #"{"mode":"sale","mode":"sale"}"#, "json_malformed"),
                ("payment.capture", #"{"amount":{"value":1,"currency":"EUR"}}"#, "member_missing"),
                ("payment.refund", #"{"payment":7}"#, "type_wrong"),
                ("payment.sync", #"{"payment":"\#(unknown)"}"#, "payment_unknown"),
                ("payment.add_evidence", #"{"payment":"\#(unknown)"}"#, "payment_unknown"),
            ]
            for (index, (name, body, code)) in cases.enumerated() {
                let outcome = try await harness.finalOutcome(try await harness.enqueue("bad-\(index)", name, body))
                #expect(outcome["state"]?.text == "refused")
                #expect(outcome["code"]?.text == code, "\(body): \(outcome.canonicalText)")
            }
        }
    }

    @Test func `a schedule is registered and steered in SQL as over HTTP, and read in a view`() async throws {
        try await NodeHarness.run("inboxschedules") { harness in
            let body = """
                {"kind":"regular","presence":"customerPresent","customer":"cust-7","reference":"sub-1",
                 "amount":{"value":1999,"currency":"EUR"},"details":{"payer":{"email":"payer@example.org"}},
                 "rule":{"period":"month","start":"2099-01-31","time":"10:00","zone":"Europe/Moscow"}}
                """
            let made = try await harness.finalOutcome(try await harness.enqueue("sub", "schedule.create", body))
            #expect(made["state"]?.text == "done", "\(made.canonicalText)")
            let stream = try #require(made["stream"]?.text.flatMap { Uuid($0) }, "\(made.canonicalText)")
            let id = ScheduleId(stream).text
            let change = #"{"schedule":"\#(id)","amount":{"value":2500,"currency":"EUR"}}"#
            let changed = try await harness.finalOutcome(try await harness.enqueue("chg", "schedule.change", change))
            #expect(changed["state"]?.text == "done", "\(changed.canonicalText)")
            let unnamed = try await harness.finalOutcome(try await harness.enqueue("p", "schedule.pause", "{}"))
            #expect(unnamed["code"]?.text == "member_missing", "\(unnamed.canonicalText)")
            let paused = try await harness.enqueue("p2", "schedule.pause", #"{"schedule":"\#(id)"}"#)
            let refused = try await harness.finalOutcome(paused)
            #expect(refused["code"]?.text == "schedule_not_active", "\(refused.canonicalText)")
            var rows: [String] = []
            for _ in 0..<200 where rows != ["\(id) registered cust-7 2500"] {
                rows = try await harness.backend.query(
                    "SELECT schedule, status, customer, amount FROM paystream.schedules WHERE reference = 'sub-1'"
                ) { row throws(PostgresFailure) in
                    "\(try row.text(0)) \(try row.text(1)) \(try row.text(2)) \(try row.int64(3))"
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(rows == ["\(id) registered cust-7 2500"])
        }
    }

    @Test func `an active schedule is paused, resumed, run and cancelled in SQL, and its occurrences are read there`()
        async throws
    {
        try await NodeHarness.run("inboxsteering") { harness in
            let body = """
                {"kind":"regular","presence":"customerPresent","customer":"cust-7","reference":"sub-2",
                 "amount":{"value":1999,"currency":"EUR"},"details":{"payer":{"email":"payer@example.org"}},
                 "rule":{"period":"month","start":"2099-01-31","time":"10:00","zone":"Europe/Moscow"}}
                """
            let made = try await harness.finalOutcome(try await harness.enqueue("sub", "schedule.create", body))
            let stream = try #require(made["stream"]?.text.flatMap { Uuid($0) }, "\(made.canonicalText)")
            let id = ScheduleId(stream).text
            let first = PaymentId(Uuid(high: 1, low: 1))
            let activate = ScheduleCommand.activate(
                Activation(payment: first, mode: .verify, instrument: nil, series: nil)
            )
            let name = StreamName(harness.merchant, .schedule, stream)
            try await harness.submit(name, activate.name.rawValue, activate.json)
            func send(_ verb: String, _ more: String) async throws -> Json {
                let body = #"{"schedule":"\#(id)"\#(more)}"#
                return try await harness.finalOutcome(try await harness.enqueue(verb, "schedule.\(verb)", body))
            }
            let wanted = [
                ("pause", #","reason":"holiday""#, "paused"), ("resume", #","missed":"catchUp""#, "active"),
                ("change", #","nextDate":"2099-02-03","policy":{"dunning":"standard"}"#, "active"),
                ("run", #","ordinal":1,"presence":"customerPresent""#, "active"), ("cancel", "", "cancelled"),
            ]
            for (verb, more, status) in wanted {
                let done = try await send(verb, more)
                #expect(done["state"]?.text == "done", "\(verb): \(done.canonicalText)")
                let log = try await harness.node.store.load([(name, 0)])[0]
                let events = try log.map { try ScheduleEvent($0) }
                #expect(Schedule.fold(ScheduleId(stream), events).status.rawValue == status, "\(verb)")
            }
            let sql = """
                SELECT ordinal, state, date::text, amount, attempts, payment IS NOT NULL AS paid, customer
                  FROM paystream.schedule_occurrences WHERE schedule = $1 ORDER BY ordinal
                """
            let expected = ["1 stepUp 2099-02-03 1999 1 true cust-7", "2 dropped 2099-02-28 1999 0 false cust-7"]
            var rows: [String] = []
            for _ in 0..<200 where rows != expected {
                rows = try await harness.backend.query(sql, [.text(id)]) { row throws(PostgresFailure) in
                    let date = try row.text(2)
                    return "\(try row.int32(0)) \(try row.text(1)) \(date) \(try row.int64(3)) \(try row.int32(4)) "
                        + "\(try row.bool(5)) \(try row.text(6))"
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(rows == expected)
        }
    }

    @Test func `one key is one command, over HTTP and SQL together`() async throws {
        try await NodeHarness.run("inboxkeys") { harness in
            let token = "psk_inbox-test"
            let facts = KeyFacts(
                id: Uuid(high: 1, low: 1),
                name: "test",
                role: nil,
                scopes: ["commands", "read"],
                networks: [],
                expiresAt: nil
            )
            _ = try await harness.node.registers.insertKey(
                facts,
                merchant: harness.merchant,
                hash: Secret(token).withBytes { harness.node.ring.codes(.apiKey, $0)[0] }
            )
            let client = HttpClient()
            let outcomes = try await harness.shareKey(client, token, Self.payment)
            await client.stop()
            #expect(outcomes.replayed == 200)
            #expect(outcomes.conflicting == 409)
            #expect(outcomes.afterwards["state"]?.text == "done")
            #expect(outcomes.other["code"]?.text == "idempotency_conflict")
            #expect(outcomes.payments == 1)
        }
    }

    @Test func `a command may follow its payment's creation in one transaction`() async throws {
        try await NodeHarness.run("inboxorder") { harness in
            let input = DerivedNames.input(harness.merchant, key: "first")
            let id = DerivedNames.payment(createdBy: input)
            try await harness.backend.script("BEGIN")
            let create = try await harness.enqueue("first", "payment.create", Self.payment)
            let cancel = try await harness.enqueue("second", "payment.void", #"{"payment":"\#(id)"}"#)
            try await harness.backend.script("COMMIT")
            #expect(try await harness.finalOutcome(create)["state"]?.text == "done")
            let cancelled = try await harness.finalOutcome(cancel)
            #expect(cancelled["state"]?.text == "done", "\(cancelled.canonicalText)")
        }
    }
}

/// What one key came to over both entrances.
private struct SharedKey {
    let replayed: Int
    let conflicting: Int
    let afterwards: Json
    let other: Json
    let payments: Int
}

extension NodeHarness {
    /// SQL first, then HTTP with the same words, HTTP with others, SQL with the same, SQL with others.
    fileprivate func shareKey(_ client: HttpClient, _ token: String, _ body: String) async throws -> SharedKey {
        _ = try await finalOutcome(try await enqueue("shared", "payment.create", body))
        let changed = body.replacing("1999", with: "2000")
        let replayed = try await post(client, token, body)
        let conflicting = try await post(client, token, changed)
        let afterwards = try await finalOutcome(try await enqueue("shared", "payment.create", body))
        let other = try await finalOutcome(try await enqueue("shared", "payment.create", changed))
        let payments = try await backend.query("SELECT count(*) FROM paystream.stream WHERE kind = 1") {
            row throws(PostgresFailure) in try row.int64(0)
        }
        return SharedKey(
            replayed: replayed,
            conflicting: conflicting,
            afterwards: afterwards,
            other: other,
            payments: Int(payments.first ?? 0)
        )
    }

    private func post(_ client: HttpClient, _ token: String, _ body: String) async throws -> Int {
        let outcome = await client.send(
            OutgoingRequest(
                method: .post,
                url: node.address + "/v1/payments",
                headers: HttpHeaders([
                    ("Authorization", "Bearer \(token)"), ("Content-Type", "application/json"),
                    ("Idempotency-Key", "shared"),
                ]),
                body: Array(body.utf8),
                deadline: .seconds(10)
            )
        )
        guard case .answered(let response) = outcome else { throw Failure(what: "\(outcome)") }
        return response.status
    }
}
