import Dev
import Http
import Kernel
import SystemKit
import Testing

/// `paystream verify books`, and what sees a ledger that is not the provider's.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct BooksVerificationTests {
    @Test func `a read model that a stream stands aside of fails its check, and names it`() async throws {
        try await Stage.run("asideview") { stage, daemon in
            _ = try await stage.paid(daemon, "aside", 7700)
            try await stage.command(["replay", "views"])
            try await stage.execute(
                "ALTER TABLE paystream.payment_view ADD CONSTRAINT refused CHECK (reference <> 'aside') NOT VALID"
            )
            let told = try await stage.refused(["replay", "views"])
            #expect(told.contains("of merchant 1 stands aside: constraint refused"), "\(told)")
            #expect(told.contains("instrument_view: "), "the others are checked all the same: \(told)")
            // Nor does it pass where the row is missing before and after.
            let again = try await stage.refused(["replay", "views"])
            #expect(
                again.contains("payment_view: 0:/0:/0: before and after") && again.contains("stands aside"),
                "\(again)"
            )
            try await stage.execute("ALTER TABLE paystream.payment_view DROP CONSTRAINT refused")
            // Its row comes back, which is a difference once.
            _ = try await stage.refused(["replay", "views"])
            try await stage.command(["replay", "views"])
        }
    }

    @Test func `books that somebody changed are told, each by what differs`() async throws {
        try await Stage.run("booksheld") { stage, daemon in
            let sold = try await stage.paid(daemon, "sold", 7700)
            let back: Json = ["amount": Stage.euros(700)]
            try await stage.call(daemon, .post, "/v1/payments/\(sold)/refund", back, key: "back")
            try await stage.wait(daemon, sold, for: "partiallyRefunded")
            try await stage.booked("refunded", 1)
            let clean = try Json(text: try await stage.command(["verify", "books", "--json"]))
            #expect(clean["differences"] == 0 && clean["streams"] == 1 && clean["balances"] == 2, "\(clean)")

            for (change, undo, found) in [
                ("SET amount = 7600 WHERE kind = 'captured'", "SET amount = 7700 WHERE kind = 'captured'", 5),
                ("SET currency = 'USD' WHERE kind = 'refunded'", "SET currency = 'EUR'", 5),
                ("SET kind = 'disputed' WHERE kind = 'refunded'", "SET kind = 'refunded' WHERE kind = 'disputed'", 6),
            ] {
                try await stage.execute("UPDATE paystream.movement \(change)")
                let said = try await stage.refusal(of: ["verify", "books", "--json"])
                #expect(said.last?["differences"]?.integer == Int64(found), "\(change): \(said)")
                #expect(said.count == found + 1, "\(said)")
                #expect(said.dropLast().allSatisfy { $0["difference"]?.text != nil }, "\(said)")
                try await stage.execute("UPDATE paystream.movement \(undo)")
            }
            try await stage.command(["verify", "books"])

            let entries = try await stage.control("/sandbox/ledger")["entries"]?.items ?? []
            let rows = try await stage.report(daemon, "balance")
            #expect(SandboxBooks.differences("ecommpay", entries: entries, balance: rows).isEmpty)
            for number in entries.indices {
                var fewer = entries
                fewer.remove(at: number)
                #expect(SandboxBooks.differences("ecommpay", entries: fewer, balance: rows).count == 1, "\(number)")
            }
        }
    }
}

extension Stage {
    /// The lines of JSON of a command that has to end with 1.
    fileprivate func refusal(of words: [String]) async throws -> [Json] {
        try await refused(words).split(separator: "\n").map { try Json(text: String($0)) }
    }

    /// What a command says that has to end with 1.
    fileprivate func refused(_ words: [String]) async throws -> String {
        let file = "\(folder)/refused-\(next())"
        let child = try ChildProcess.start(
            try DaemonProcess.program(),
            words,
            environment: environment,
            outputFile: file
        )
        let ending = try await DaemonProcess.ending(of: child)
        let text = FileTree.text(file) ?? ""
        guard ending == .exited(1) else { throw Failure(description: "\(words) ended with \(ending): \(text)") }
        return text
    }
}
