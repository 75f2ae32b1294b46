import Glibc
import Http
import Kernel
import Postgres
import Testing

/// What the API promises its callers, held by the real program.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct HttpPromisesTests {
    @Test func `a key answers its own command again and no other`() async throws {
        try await Stage.run("e2ekeys") { stage, daemon in
            let body = Stage.newPayment("keys", 7700)
            let first = try await stage.exchange(daemon, .post, "/v1/payments", body, key: "one")
            let again = try await stage.exchange(daemon, .post, "/v1/payments", body, key: "one")
            let other = Stage.newPayment("keys", 7701)
            let conflict = try await stage.exchange(daemon, .post, "/v1/payments", other, key: "one")
            #expect(first.headers["Idempotent-Replayed"] == nil)
            #expect(again.headers["Idempotent-Replayed"] == "true")
            #expect(try Json(again.body)["id"] == Json(first.body)["id"])
            #expect(conflict.status == 409)
            #expect(try Json(conflict.body)["code"]?.text == "idempotency_conflict")
            #expect(try await stage.count("paystream.stream WHERE kind = 1") == 1)
        }
    }

    @Test func `a correlation id is checked on every route, of bills too`() async throws {
        try await Stage.run("e2ecorrelation") { stage, daemon in
            for path in ["/v1/payments", "/v1/bill-batches"] {
                let long = [("Correlation-Id", String(repeating: "c", count: Limits.identifierBytes + 1))]
                let refused = try await stage.exchange(daemon, .post, path, [:], key: "long", headers: long)
                #expect(refused.status == 400)
                #expect(try Json(refused.body)["code"]?.text == "header_invalid", "\(path)")
            }
        }
    }

    @Test func `a refusal of the form leaves the key free`() async throws {
        try await Stage.run("e2eform") { stage, daemon in
            let bad = Stage.newPayment("form", -1)
            let refused = try await stage.exchange(daemon, .post, "/v1/payments", bad, key: "one")
            #expect(refused.status == 422)
            let good = Stage.newPayment("form", 7700)
            let taken = try await stage.exchange(daemon, .post, "/v1/payments", good, key: "one")
            #expect((200..<300).contains(taken.status))
            #expect(taken.headers["Idempotent-Replayed"] == nil)
        }
    }

    @Test func `a client that prefers to wait is given the outcome`() async throws {
        try await Stage.run("e2ewait") { stage, daemon in
            let id = try await stage.paid(daemon, "wait", 7700, mode: "authorize")
            let path = "/v1/payments/\(id)/capture"
            let headers = [("Prefer", "wait=10")]
            let answer = try await stage.exchange(daemon, .post, path, [:], key: "capture", headers: headers)
            #expect(answer.status == 200)
            #expect(try Json(answer.body)["status"]?.text == "captured")
            #expect(answer.headers["Preference-Applied"] == "wait=10")
        }
    }

    @Test func `a row of the read model says how far it has come`() async throws {
        try await Stage.run("e2erow") { stage, daemon in
            let id = try await stage.paid(daemon, "row", 7700)
            let events = try await stage.call(daemon, .get, "/v1/payments/\(id)/events")
            let last = try #require(events["items"]?.items?.last?["position"]?.integer)
            try await stage.until("the row is at \(last)") {
                let answer = try await stage.exchange(daemon, .get, "/v1/payments/\(id)/read-model")
                let row = try Json(answer.body)
                let isThere = row["position"]?.integer == last && row["status"]?.text == "captured"
                return isThere ? .done(()) : .notYet(row.canonicalText)
            }
        }
    }

    @Test func `nothing personal and no secret stands in the database, and views are built again the same`()
        async throws
    {
        try await Stage.run("e2eprivate") { stage, daemon in
            let details: Json = ["payer": ["email": "very.private@example.org"]]
            let app = Stage.newPayment("app", 7700, more: [("method", "sdk"), ("details", details)])
            let created = try await stage.call(daemon, .post, "/v1/payments", app, key: "app")
            let id = try #require(created["id"]?.text)
            let rendered = try await stage.call(daemon, .post, "/v1/payments/\(id)/app-parameters", [:])
            let signature = try #require(rendered.at("parameters", "signature")?.text)
            let play: Json = ["sdk": "ios", "parameters": rendered["parameters"] ?? .null, "scenario": "approve"]
            try await stage.control("/sandbox/app/ecommpay", play)
            try await stage.wait(daemon, id, for: "captured")
            for needle in ["very.private@example.org", Stage.secret, signature, stage.token] {
                #expect(try await stage.tablesHolding(needle).isEmpty)
            }
            #expect(try await stage.tablesHolding(String(id.dropFirst(4))).contains("event"), "the search finds things")
            try await stage.end(daemon, SIGTERM)
            try await stage.verifyViews()
        }
    }

    @Test func `an input that can't be decided goes to quarantine and its neighbours go on`() async throws {
        try await Stage.run("e2epoison") { stage, daemon in
            let id = try await stage.paid(daemon, "poison", 7700)
            let neighbour = try await stage.paid(daemon, "neighbour", 7700)
            try await stage.execute(
                """
                SELECT paystream.admit(ARRAY[merchant], ARRAY[id], ARRAY[kind::int], ARRAY[gen_random_uuid()],
                    ARRAY[2], ARRAY['poison'], ARRAY['[]'::json], ARRAY['\\x00'::bytea], ARRAY[now()])
                  FROM paystream.stream WHERE id = '\(id.dropFirst(4))'
                """
            )
            try await stage.until("the input is in quarantine") {
                try await stage.count("paystream.input_quarantine") == 1 ? .done(()) : .notYet("none")
            }
            let input = try await stage.text("SELECT input::text FROM paystream.input_quarantine")
            #expect(try await stage.command(["operations", "--operator", "list"]).contains(input))
            // Decided once more it is as undecidable as before, and back.
            let first = try await stage.text("SELECT at::text FROM paystream.input_quarantine")
            try await stage.command(["quarantine", "retry", input])
            try await stage.until("the input is in quarantine again") {
                let again = try await stage.count("paystream.input_quarantine WHERE at > '\(first)'")
                return again == 1 ? .done(()) : .notYet("not yet")
            }
            for payment in [id, neighbour] {
                try await stage.call(daemon, .post, "/v1/payments/\(payment)/refund", [:], key: "refund-\(payment)")
                try await stage.wait(daemon, payment, for: "refunded")
            }
            try await stage.verifyReplay()
        }
    }
}

extension Stage {
    /// The tables of which a row holds these words, as text or as the hexadecimal of bytes.
    func tablesHolding(_ words: String) async throws -> [String] {
        try await withDatabase { connection in
            let tables = try await connection.query(
                """
                SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = 'paystream' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                """
            ) { row throws(PostgresFailure) in try row.text(0) }
            var holding: [String] = []
            for table in tables {
                let found = try await connection.query(
                    """
                    SELECT EXISTS (SELECT FROM paystream.\(table) x WHERE position($1 in x::text) > 0
                        OR position(encode(convert_to($1, 'UTF8'), 'hex') in x::text) > 0)
                    """,
                    [.text(words)]
                ) { row throws(PostgresFailure) in try row.bool(0) }
                if found.first == true { holding.append(table) }
            }
            return holding
        }
    }
}
