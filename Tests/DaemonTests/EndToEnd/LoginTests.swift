import Glibc
import Http
import Kernel
import Postgres
import TestKit
import Testing

/// Logins as an installation has them: the daemon's own, and those of two merchants' backends.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct LoginTests {
    @Test
    func `the daemon works under a login that can't rewrite the log, and a backend's speaks for its merchant alone`()
        async throws
    {
        try await Stage.run("e2elogins") { stage, owner in
            let names = ["daemon", "shop", "rival"].map { "e2e_\(getpid())_\($0)" }
            try await stage.execute("INSERT INTO paystream.merchant (name) VALUES ('rival') ON CONFLICT DO NOTHING")
            for name in names { try await stage.execute("CREATE ROLE \(name) LOGIN") }
            try await stage.execute("GRANT paystream_app TO \(names[0])")
            for (name, merchant) in [(names[1], "demo"), (names[2], "rival")] {
                try await stage.execute("GRANT paystream_enqueue, paystream_read TO \(name)")
                try await stage.execute("SELECT paystream.bind_login('\(name)', '\(merchant)')")
            }
            let outcome: Result<Void, any Error>
            do {
                try await stage.end(owner, SIGTERM)
                let daemon = try await stage.serve(more: ["DATABASE_URL": stage.address + "&user=\(names[0])"])
                try await Self.work(stage, daemon, shop: names[1], rival: names[2])
                try await stage.end(daemon, SIGTERM)
                outcome = .success(())
            } catch { outcome = .failure(error) }
            for name in names {
                try await stage.execute("DROP OWNED BY \(name)")
                try await stage.execute("DROP ROLE \(name)")
            }
            try outcome.get()
        }
    }

    private static func work(_ stage: Stage, _ daemon: DaemonProcess, shop: String, rival: String) async throws {
        let doctor = try await stage.tool(daemon, ["doctor"])
        #expect(doctor.contains("could rewrite the log"), "the tool itself runs as the owner")
        _ = try await stage.paid(daemon, "as-daemon", 7700)
        let body = Stage.newPayment("by-sql", 7701).canonicalText
        let command = "SELECT paystream.enqueue('demo', 'by-sql', 'payment.create', '\(body)')::text"
        let id = try await stage.as(shop, command)
        #expect(try await stage.as(rival, command) == ["PS001"])
        #expect(
            try await stage.as(shop, "SELECT paystream.enqueue('rival', 'k', 'payment.sync', '{}')::text") == ["PS001"]
        )
        let outcome = "SELECT state FROM paystream.outcome('\(id.first ?? "")')"
        try await stage.until("the command is done") {
            let state = try await stage.as(shop, outcome)
            return state == ["done"] ? .done(()) : .notYet("\(state)")
        }
        #expect(try await stage.as(rival, outcome) == ["unknown"])
        for table in ["event", "input", "stream", "payment_view", "decision", "reference"] {
            let count = "SELECT count(*)::text FROM (SELECT merchant FROM paystream.\(table)) t"
            #expect(try await stage.as(shop, count) != ["0"], "\(table)")
            #expect(try await stage.as(rival, count) == ["0"], "\(table)")
        }
        #expect(try await stage.as(shop, "SELECT body::text FROM paystream.input") == ["42501"])
        let sums = "SELECT captured::text FROM paystream.payments WHERE captured > 0"
        let moved = "SELECT movement || amount FROM paystream.movements WHERE movement = 'captured'"
        let turnover = "SELECT captured::text FROM paystream.report_turnover(1, of_mode => NULL)"
        try await stage.until("the views show the payment to its merchant") {
            let seen = [
                try await stage.as(shop, sums), try await stage.as(shop, moved), try await stage.as(shop, turnover),
            ]
            return seen == [["7700"], ["captured7700"], ["7700"]] ? .done(()) : .notYet("\(seen)")
        }
        for sql in [sums, moved, turnover] { #expect(try await stage.as(rival, sql) == [], "\(sql)") }
    }

    @Test func `a daemon with another master key does not start, and nothing is made under it`() async throws {
        try await Stage.run("e2emasterkey") { stage, daemon in
            let file = stage.folder + "/foreign.key"
            try await stage.end(daemon, SIGTERM)
            let foreign = ["PAYSTREAM_MASTER_KEY_FILE": file]
            try await stage.run(["keys", "master", file], more: foreign)
            for words in [["serve"], ["migrate"], ["keys", "create", "stranger"]] {
                let error = await #expect(throws: (any Error).self, "\(words)") {
                    try await stage.run(words, more: foreign)
                }
                #expect("\(error.map { "\($0)" } ?? "")".contains("sealed under a master key"), "\(words)")
            }
            #expect(try await stage.count("paystream.api_key WHERE name = 'stranger'") == 0)
            let doctor = await #expect(throws: (any Error).self) { try await stage.run(["doctor"], more: foreign) }
            #expect("\(doctor.map { "\($0)" } ?? "")".contains("FAIL sealing"))
            _ = try await stage.serve()
        }
    }
}

extension Stage {
    /// What a statement of one text column gives a login, or the SQLSTATE that it ends with.
    func `as`(_ login: String, _ sql: String) async throws -> [String] {
        let connection = try await PostgresConnection.connect(database.options.with(overrides: ["user": login]))
        let told: [String]
        do throws(PostgresFailure) {
            told = try await connection.query(sql) { row throws(PostgresFailure) in try row.text(0) }
        } catch { told = [error.sqlState?.text ?? error.detail] }
        await connection.close()
        return told
    }
}
