import Glibc
import Http
import Kernel
import Postgres
import Sandbox
import Testing

/// A provider that answers badly, and callbacks that are not what they should be.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct ProviderConductTests {
    @Test func `slow, lost, endless and foreign answers lose nothing`() async throws {
        try await Stage.run("e2eanswers") { stage, daemon in
            var ids: [(Int64, String)] = []
            for cents: Int64 in [7770, 7771, 7772, 7774, 7775] {
                ids.append((cents, try await stage.paid(daemon, "answer-\(cents)", cents)))
            }
            for (cents, id) in ids {
                try await stage.call(daemon, .post, "/v1/payments/\(id)/refund", [:], key: "refund-\(cents)")
            }
            for (cents, id) in ids {
                try await stage.wait(daemon, id, for: "refunded")
                let entries = try await stage.ledger(try await stage.providerName(daemon, id))
                #expect(entries == ["charge \(cents)", "refund \(cents)"])
            }
            try await stage.verifyReplay()
        }
    }

    @Test func `callbacks that are repeated, cut short, forged or a stranger's move nothing`() async throws {
        try await Stage.run("e2ecallbacks") { stage, daemon in
            let id = try await stage.paid(daemon, "callbacks", 7700)
            let name = try await stage.providerName(daemon, id)
            let (url, body) = try await stage.lastCallback(of: name)
            let version = try await stage.payment(daemon, id)["version"]
            #expect(try await stage.post(body, to: url) == 200)
            #expect(try await stage.post(Array(body.dropLast(body.count / 2)), to: url) == 400)
            let genuine = try Json(body)
            let forged = genuine.with(["payment", "status"], "decline").signed(Secret("another-secret"))
            #expect(try await stage.post(forged.compactBytes, to: url) == 400)
            #expect(try await stage.count("paystream.quarantine") == 2)
            let listed = try await stage.command(["quarantine", "list", "--json"])
            let newest = try Json(Array((listed.split(separator: "\n").first ?? "").utf8))
            let number = String(try #require(newest["id"]?.integer))
            let shown = try await stage.command(["quarantine", "show", number, "--json"])
            let inside = try Json(Array((try Json(Array(shown.utf8))["body"]?.text ?? "").utf8))
            #expect(inside.at("payment", "status")?.text == "decline")
            #expect(try await stage.count("paystream.access_record WHERE action = 'quarantine.show'") == 1)

            let key = Secret(Stage.secret)
            let stranger = genuine.with(["payment", "id"], "nobody-1").signed(key)
            #expect(try await stage.post(stranger.compactBytes, to: url) == 200)
            try await stage.until("the stranger is kept") {
                let kept = try await stage.count("paystream.event WHERE type LIKE 'arrival%'")
                return kept == 1 ? .done(()) : .notYet("\(kept)")
            }
            let owed = try await stage.command(["operations", "--operator", "list"])
            #expect(owed.contains("order_unknown") && owed.contains("nobody-1"))
            let payment = try await stage.payment(daemon, id)
            #expect(payment["status"]?.text == "captured")
            #expect(payment["version"] == version)
            #expect(try await stage.ledger(name) == ["charge 7700"])
            try await stage.verifyReplay()
        }
    }

    @Test func `a card number in a callback is cut out and noted`() async throws {
        try await Stage.run("e2ecardnumber") { stage, daemon in
            let id = try await stage.paid(daemon, "card", 7700)
            let (url, body) = try await stage.lastCallback(of: try await stage.providerName(daemon, id))
            let number = "4111111111111111"
            let carrying = try Json(body).with(["payment", "description"], .string(number)).signed(Secret(Stage.secret))
            #expect(try await stage.post(carrying.compactBytes, to: url) == 200)
            #expect(try await stage.count("paystream.input WHERE meta::text LIKE '%findings%'") == 1)
            #expect(try await stage.tablesHolding(number).isEmpty)
            let marked = "SELECT i.id FROM paystream.input i WHERE i.meta::text LIKE '%findings%'"
            #expect(try await stage.count("paystream.input_original o WHERE o.input IN (\(marked))") == 0)
            #expect(try await stage.payment(daemon, id)["status"]?.text == "captured")
        }
    }

    @Test func `a payment expires by proof only, and a late success is booked and flagged`() async throws {
        let times: Json = ["absenceSeconds": 1, "formRetrySeconds": 1, "threeDSecureSeconds": 1]
        try await Stage.run("e2eexpiry", settings: times) { stage, daemon in
            let paid = try await stage.paid(daemon, "paid", 7700)
            let soon = try await stage.time(in: 4)
            let body = Stage.newPayment("unpaid", 7700, more: [("expiresAt", .string(soon))])
            let created = try await stage.call(daemon, .post, "/v1/payments", body, key: "unpaid")
            let id = try #require(created["id"]?.text)
            #expect(try await stage.payment(daemon, id)["status"]?.text != "expired")
            try await stage.wait(daemon, id, for: "expired")
            #expect(try await stage.count("paystream.effect WHERE state IN (1, 2)") == 0)

            let (url, callback) = try await stage.lastCallback(of: try await stage.providerName(daemon, paid))
            let name = try await stage.providerName(daemon, id)
            let late = try Json(callback).with(["payment", "id"], .string(name))
                .with(["operation", "id"], 5_999_999_999_999_999).signed(Secret(Stage.secret))
            #expect(try await stage.post(late.compactBytes, to: url) == 200)
            try await stage.wait(daemon, id, for: "captured")
            #expect(try await stage.count("paystream.event WHERE type = 'payment.late_success.v1'") == 1)
            try await stage.verifyReplay()
        }
    }
}

extension Json {
    /// The same with another value under a path of members.
    fileprivate func with(_ path: [String], _ value: Json) -> Json {
        guard let name = path.first else { return value }
        var object = members ?? JsonObject([])
        object[name] = (self[name] ?? .null).with(Array(path.dropFirst()), value)
        return .object(object)
    }

    /// The same signed with a key.
    fileprivate func signed(_ key: Secret) -> Json {
        with(["signature"], .string(EcommpaySignature.sign(self, key: key)))
    }
}

extension Stage {
    /// Where the last callback about a payment went, and its body.
    fileprivate func lastCallback(of providerName: String) async throws -> (url: String, body: [UInt8]) {
        let list = try await control("/sandbox/callbacks")["callbacks"]?.items ?? []
        guard let last = list.last(where: { $0["payment_id"]?.text == providerName }), let url = last["url"]?.text,
            let id = last["id"]?.integer
        else { throw Failure(description: "no callback about \(providerName)") }
        let body = try await send(.get, "\(sandbox)/sandbox/callbacks/\(id)", HttpHeaders([]), []).body
        return (url, body)
    }

    fileprivate func post(_ body: [UInt8], to url: String) async throws -> Int {
        try await send(.post, url, HttpHeaders([("Content-Type", "application/json")]), body).status
    }

    /// A moment so many seconds ahead, as the API writes it.
    fileprivate func time(in seconds: Int) async throws -> String {
        let times = try await withDatabase { connection in
            try await connection.query(
                """
                SELECT to_char((now() + interval '\(seconds) seconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
                """
            ) { row throws(PostgresFailure) in try row.text(0) }
        }
        return times.first ?? ""
    }
}
