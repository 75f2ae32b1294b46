import EventSourcing
import Kernel
import Postgres
import Store
import SystemKit

/// `paystream enqueue`: the SQL entrance from a shell.
struct EnqueueCommand: Command {
    static let name = "enqueue"
    static let summary = "Put a command into the database as a backend would, and wait for its outcome if asked."
    static let usage = "[--merchant NAME] [--wait SECONDS] [--json] COMMAND KEY BODY | outcome ID"
    static let options = [
        PaymentsCommand.merchantOption, PaymentsCommand.jsonOption,
        CommandOption("wait", value: "SECONDS", summary: "wait so long for the outcome (default: don't wait)"),
    ]

    private static let pause = Duration.milliseconds(50)

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        let wait = Duration.seconds(try given.integer("wait", in: 0...3600) ?? 0)
        if given.words.first == "outcome" {
            guard given.words.count == 2, let id = Uuid(given.words[1]) else { throw UsageError("outcome wants an id") }
            return try await StoreSession.with { session in
                try await Self.report(id, try await session.merchant(given["merchant"]), wait, session, given)
            }
        }
        guard given.words.count == 3 else {
            throw UsageError("give a command, a key and a body, as in payment.sync order-7 '{\"payment\": \"pay_…\"}'")
        }
        guard (try? Json(Array(given.words[2].utf8), limits: .api))?.members != nil else {
            throw UsageError("the body is no JSON object: quote it whole, as in '{\"payment\": \"pay_…\"}'")
        }
        return try await StoreSession.with { session in
            let merchant = given["merchant"] ?? standardMerchant
            let number = try await session.merchant(merchant)
            let words = given.words
            let id = try await session.enqueue(words[0], key: words[1], body: Array(words[2].utf8), merchant: merchant)
            guard wait > .zero else {
                let shown: Json = ["id": id.json, "state": "pending"]
                StandardStream.output.write(given.has("json") ? shown.canonicalText + "\n" : "\(id)\n")
                return 0
            }
            return try await Self.report(id, number, wait, session, given)
        }
    }

    /// Prints the outcome; the exit code is 0 where the command was done or still waits.
    static func report(
        _ id: Uuid,
        _ merchant: MerchantNumber,
        _ wait: Duration,
        _ session: StoreSession,
        _ given: ScatteredArguments
    ) async throws -> Int32 {
        let deadline = ContinuousClock.now + wait
        while true {
            guard let outcome = try await session.registers.inboxOutcome(id, merchant) else {
                throw CommandFailure("the inbox knows no command '\(id)' of this merchant")
            }
            let state = outcome["state"]?.text ?? ""
            let isFinal = !["pending", "admitted"].contains(state)
            if isFinal || ContinuousClock.now >= deadline {
                var shown = JsonObject([("id", id.json)])
                for member in outcome.members?.members ?? [] { shown[member.name] = member.value }
                DaemonCall.show(.object(shown), given)
                return ["refused", "rejected", "quarantined"].contains(state) ? 1 : 0
            }
            try await Task.sleep(for: Self.pause)
        }
    }
}

extension StoreSession {
    /// Puts a command into the inbox, as a backend would in its own transaction.
    func enqueue(_ name: String, key: String, body: [UInt8], merchant: String) async throws -> Uuid {
        let ids = try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.query(
                "SELECT paystream.enqueue($1, $2, $3, $4)",
                [.text(merchant), .text(key), .text(name), .json(body)]
            ) { row throws(PostgresFailure) in try row.uuid(0) }
        }
        guard let id = ids.first else { throw CommandFailure("the database gave no id") }
        return id
    }
}
