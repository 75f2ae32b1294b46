import Glibc
import Http
import Kernel
import SystemKit
import Testing

/// Refunds of a file, through the command: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RefundFileFlowTests {
    @Test func `a file is checked first, refunded once, and its journal tells what became of each line`() async throws {
        try await Stage.run("refundfile") { stage, daemon in
            let first = try await stage.paid(daemon, "refund-1", 7700)
            let second = try await stage.paid(daemon, "refund-2", 7700)
            try await stage.listed(daemon, 2)
            let bad = try stage.refunds(
                "bad",
                """
                payment,reference,amount,currency,reason
                \(first),,20.00,EUR,came back
                ,refund-2,80.00,EUR,
                ,nobody,1.00,EUR,
                \(second),,1.00,USD,
                """
            )
            let refused = try await stage.refund(daemon, ["--file", bad])
            #expect(refused.code == 1)
            for word in ["line 3: available are 77.00 EUR", "line 4: no payment has", "line 5: the payment is in EUR"] {
                #expect(refused.text.contains(word), "\(word): \(refused.text)")
            }
            #expect(try await stage.refunded(daemon, first) == 0)
            let checked = try await stage.refund(daemon, ["--file", bad, "--skip-bad", "--check"])
            #expect(checked.code == 1)
            #expect(try await stage.refunded(daemon, first) == 0)
            let good = try stage.refunds(
                "good",
                """
                payment,reference,amount,currency,reason
                \(first),,20.00,EUR,came back
                \(first),,7.00,EUR,and another
                ,refund-2,,,
                """
            )
            for round in 0..<2 {
                let done = try await stage.refund(daemon, ["--file", good, "--wait", "30"])
                #expect(done.code == 0 && done.text.contains("3 refunded"), "round \(round): \(done.text)")
            }
            // Without its journal the keys answer for it.
            unlink(good + ".journal")
            let again = try await stage.refund(daemon, ["--file", good, "--wait", "30"])
            #expect(again.code == 0 && again.text.contains("3 refunded"), "\(again.text)")
            #expect(try await stage.refunded(daemon, first) == 2700)
            #expect(try await stage.refunded(daemon, second) == 7700)
            let journal = DaemonProcess.text(of: good + ".journal").split(separator: "\n").map {
                try? Json(text: String($0))
            }
            #expect(journal.map { $0?["outcome"] } == ["refunded", "refunded", "refunded"])
        }
    }

    @Test func `a key that may send nothing ends the run, and the next one goes on there`() async throws {
        try await Stage.run("refundkey") { stage, daemon in
            let id = try await stage.paid(daemon, "key-1", 7700)
            let file = try stage.refunds(
                "key",
                "payment,amount,currency,key\n\(id),5.00,EUR,own-1\n\(id),6.00,EUR,own-2\n"
            )
            let reader = try await stage.newKey("reader", scopes: "read,audit")
            let refused = try await stage.refund(daemon, ["--file", file], key: reader)
            #expect(refused.code == 1)
            #expect(refused.text.contains("line 2 and those behind it were not sent"), "\(refused.text)")
            #expect(refused.text.contains("scope_missing"), "\(refused.text)")
            let done = try await stage.refund(daemon, ["--file", file, "--wait", "30"])
            #expect(done.code == 0 && done.text.contains("2 refunded"), "\(done.text)")
            #expect(try await stage.refunded(daemon, id) == 1100)
            // Another amount under a key of before is no refund that is done.
            let changed = try stage.refunds("key", "payment,amount,currency,key\n\(id),7.00,EUR,own-1\n")
            let conflict = try await stage.refund(daemon, ["--file", changed, "--wait", "30"])
            #expect(conflict.code == 1 && conflict.text.contains("idempotency_conflict"), "\(conflict.text)")
            #expect(try await stage.refunded(daemon, id) == 1100)
        }
    }

    @Test func `a file that is hostile to a terminal is quoted and not obeyed`() async throws {
        try await Stage.run("refundterminal") { stage, daemon in
            for text in ["payment\n\u{1B}]0;owned\u{7}\n", "pay\u{1B}[2Jment\nx\n"] {
                let said = try await stage.refund(daemon, ["--file", try stage.refunds("escape", text)])
                #expect(said.code != 0 && !said.text.isEmpty && !said.text.contains("\u{1B}"), "\(said.text)")
            }
        }
    }

    @Test func `the good lines of a file go although others are bad, where that is asked for`() async throws {
        try await Stage.run("refundskip") { stage, daemon in
            let id = try await stage.paid(daemon, "skip-1", 7700)
            let unpaid = try await stage.call(
                daemon,
                .post,
                "/v1/payments",
                Stage.newPayment("skip-2", 500),
                key: "skip-2"
            )
            let file = try stage.refunds(
                "skip",
                """
                {"payment": "\(id)", "amount": {"value": 500, "currency": "EUR"}, "key": "refund-of-skip-1"}
                {"payment": "\(unpaid["id"]?.text ?? "")"}
                """
            )
            let done = try await stage.refund(daemon, ["--file", file, "--skip-bad", "--wait", "30", "--json"])
            #expect(done.code == 1)
            #expect(done.text.contains("line 2: nothing of this payment was captured"), "\(done.text)")
            #expect(try await stage.refunded(daemon, id) == 500)
            // The line's own key is the command's.
            let body: Json = ["amount": Stage.euros(500)]
            let path = "/v1/payments/\(id)/refund"
            let known = try await stage.exchange(daemon, .post, path, body, key: "refund-of-skip-1")
            #expect(known.headers["Idempotent-Replayed"] == "true")
        }
    }
}

extension Stage {
    fileprivate func listed(_ daemon: DaemonProcess, _ count: Int) async throws {
        try await until("the list knows all payments") {
            let found = try await self.call(daemon, .get, "/v1/payments?limit=50")["items"]?.items?.count ?? 0
            return found == count ? .done(()) : .notYet("\(found)")
        }
    }

    /// Writes a file of refunds.
    fileprivate func refunds(_ name: String, _ text: String) throws -> String {
        let path = "\(folder)/\(name).csv"
        try PrivateFile.write(text, to: path)
        return path
    }

    /// Runs the command; what it says and its code.
    fileprivate func refund(_ daemon: DaemonProcess, _ words: [String], key: String? = nil) async throws -> (
        code: Int32, text: String
    ) {
        let file = "\(folder)/refund-\(next())"
        let variables = environment.merging(["PAYSTREAM_URL": daemon.address, "PAYSTREAM_KEY": key ?? token]) { $1 }
        let child = try ChildProcess.start(
            try DaemonProcess.program(),
            ["refund"] + words,
            environment: variables,
            outputFile: file
        )
        guard case .exited(let code) = try await DaemonProcess.ending(of: child) else {
            throw Failure(description: "the command was killed: \(DaemonProcess.text(of: file))")
        }
        return (code, DaemonProcess.text(of: file))
    }

    fileprivate func refunded(_ daemon: DaemonProcess, _ id: String) async throws -> Int64 {
        try await payment(daemon, id).at("amounts", "refunded")?.integer ?? -1
    }
}
