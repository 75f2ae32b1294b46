import Glibc
import Http
import Kernel
import TestKit
import Testing

/// The master key is replaced while payments go on, and nothing that was sealed or said under the old one is lost.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct KeyRotationTests {
    @Test func `a new master key takes over beside running payments, and what was said under the old one still holds`()
        async throws
    {
        try await Stage.run("e2erotation") { stage, first in
            try await stage.addWorldline(first)
            let before = try await stage.worldline(first, "before", 1000)
            // Its answer has come, and with it its payer's key.
            try await stage.wait(first, before, for: "requiresAction")
            let erased = try await stage.paid(first, "erased", 7700)
            try await Self.eraseNewest(stage)
            let open = try await stage.open(first, "repeated", 7700)
            let sql = try await Self.enqueued(stage)
            #expect(await Self.fails(stage, ["keys", "rotate"]), "one key")

            try await stage.command(["keys", "--append", "rotate"])
            var status = stat()
            #expect(stat(stage.folder + "/master.key", &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(await Self.fails(stage, ["keys", "rotate"]), "no daemon knows the newest key")
            #expect(await Self.fails(stage, ["keys", "--append", "rotate"]), "the newest key was never used")

            try await stage.end(first, SIGTERM)
            let second = try await stage.serve(onPortOf: first)
            async let paid = Self.pay(stage, second)
            let told = try await stage.command(["keys", "--json", "rotate"]).split(separator: "\n").map {
                try Json(text: String($0))
            }
            try await paid
            #expect(told.contains { $0["what"] == "subject keys" && ($0["count"]?.integer ?? 0) > 0 }, "\(told)")
            let keys = told.filter { $0["object"] == "master_key" }
            #expect(keys.map { $0["isNewest"] } == [.bool(false), .bool(true)])
            let uses = keys[0]["uses"]?.items?.compactMap { $0["what"]?.text } ?? []
            #expect(Set(uses) == ["secrets in the log", "API keys", "commands"], "\(uses)")

            let again = try await stage.command(["keys", "rotate"])
            #expect(again.contains("subject keys: 0 sealed again"), "\(again)")
            #expect(try await stage.count("paystream.subject_key WHERE wrapped IS NULL") == 1)
            #expect(try await Self.keys(stage).count == 1)

            try await stage.end(second, SIGTERM)
            let third = try await stage.serve(onPortOf: second)
            try await stage.pressWorldline(third, before, ["approve"])
            try await stage.wait(third, before, for: "captured")
            #expect(try await stage.payment(third, erased)["status"] == "captured")
            let body = Stage.newPayment("repeated", 7700)
            let repeated = try await stage.exchange(third, .post, "/v1/payments", body, key: "repeated-create")
            #expect(try Json(repeated.body)["id"]?.text == open, "\(String(decoding: repeated.body, as: UTF8.self))")
            let other = Stage.newPayment("repeated", 7701)
            #expect(try await stage.exchange(third, .post, "/v1/payments", other, key: "repeated-create").status == 409)
            #expect(try await Self.enqueued(stage) == sql)
            try await stage.verifyReplay()
        }
    }

    /// Destroys the key of the payer who came last, as an operator does.
    private static func eraseNewest(_ stage: Stage) async throws {
        try await stage.execute(
            """
            UPDATE paystream.subject_key SET wrapped = NULL, destroyed_at = now()
             WHERE key = (SELECT key FROM paystream.subject_key ORDER BY created_at DESC LIMIT 1)
            """
        )
    }

    /// Enqueues always the same command by SQL; answers what became of it.
    private static func enqueued(_ stage: Stage) async throws -> String {
        let body = Stage.newPayment("by-sql", 7701).canonicalText
        let id = try await stage.text("SELECT paystream.enqueue('demo', 'by-sql', 'payment.create', '\(body)')::text")
        return try await stage.until("the command is done") {
            let outcome = try await stage.text(
                "SELECT state || ' ' || coalesce(stream::text, '') FROM paystream.outcome('\(id)')"
            )
            return outcome.hasPrefix("done") ? .done(outcome) : .notYet(outcome)
        }
    }

    private static func pay(_ stage: Stage, _ daemon: DaemonProcess) async throws {
        for number in 1...10 { _ = try await stage.paid(daemon, "during-\(number)", 7700) }
    }

    /// The master keys that subject keys are wrapped by.
    private static func keys(_ stage: Stage) async throws -> Set<String> {
        let found = try await stage.text(
            "SELECT string_agg(DISTINCT encode(substr(wrapped, 2, 16), 'hex'), ' ') FROM paystream.subject_key"
        )
        return Set(found.split(separator: " ").map(String.init))
    }

    private static func fails(_ stage: Stage, _ words: [String]) async -> Bool {
        do {
            try await stage.command(words)
            return false
        } catch { return true }
    }
}
