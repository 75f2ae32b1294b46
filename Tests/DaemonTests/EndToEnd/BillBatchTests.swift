import EventSourcing
import Glibc
import Http
import Kernel
import Postgres
import TestKit
import Testing

/// Bills in bulk through the simulated Portmone and the real daemon.
@Suite(.timeLimit(.minutes(4)), .serialized)
struct BillBatchTests {
    private static let brisk: Json = ["perCall": 3, "callsInFlight": 2, "spacingMs": 0]

    @Test func `every bill ends as the documents say and the rest of the batch goes on`() async throws {
        try await Stage.run("e2ebills") { stage, daemon in
            let source = try await stage.addBills(daemon, Self.brisk)
            let ids = [
                "a-1", "declined-1", "cancelled-1", "blank-1", "missing-1", "twice-1", "foreign-1", "zero-1", "short-1",
                "held-1", "a-2",
            ]
            let batch = try await stage.submitBills(daemon, source, ids, name: "mixed")
            let ended = try await stage.waitBatch(daemon, batch, for: ["unresolved"])
            #expect(ended.at("tally", "charged") == Stage.hryvnias(4 * 1000 + 900))
            #expect(ended.at("tally", "differing") == 2)
            let outcomes = try await stage.outcomes(daemon, batch)
            #expect(
                outcomes == [
                    "a-1": "paid", "a-2": "paid", "declined-1": "failed", "cancelled-1": "cancelled",
                    "blank-1": "unknown", "missing-1": "unknown", "twice-1": "paid", "foreign-1": "paid",
                    "zero-1": "paid", "short-1": "paid", "held-1": "held",
                ]
            )
            let books = try await stage.control("/portmone/sandbox/bills")
            #expect(books["repeated"] == [])
            let rest = try await stage.call(daemon, .get, "/v1/bill-batches/\(batch)/bills?outcome=unknown")
            #expect(rest["items"]?.items?.count == 2)
            let path = "/v1/bill-batches/\(batch)/bills"
            #expect(try await stage.call(daemon, .get, path + "?outcome=pending")["items"] == [])
            let odd = try await stage.exchange(daemon, .get, path + "?outcome=zzz")
            #expect(try odd.status == 400 && Json(odd.body)["code"] == "query_invalid", "\(odd)")
            // Nothing asks the provider again: a person looks, and settles what was held, too.
            let owed = [("blank-1", "answer_lost"), ("held-1", "money_held"), ("missing-1", "answer_lost")]
            let openItems = try await stage.openItems(daemon)
            #expect(openItems.sorted() == owed.map { "\(batch)/\($0.0) operator \($0.1)" })
            try await stage.verifyReplay()
            try await stage.verifyViews()
        }
    }

    @Test func `batches are listed by pages, and a page's place is its list's alone`() async throws {
        try await Stage.run("e2ebillpages") { stage, daemon in
            let source = try await stage.addBills(daemon, Self.brisk)
            var made: [String] = []
            for number in 1...3 { made.append(try await stage.newBatch(daemon, source, name: "page-\(number)")) }
            try await stage.until("all of them are listed") {
                let page = try await stage.call(daemon, .get, "/v1/bill-batches")
                return page["items"]?.items?.count == 3 ? .done(()) : .notYet(page.canonicalText)
            }
            var (found, place): ([String], String?) = ([], nil)
            repeat {
                let more = place.map { "&cursor=" + FormEncoding.escape($0) } ?? ""
                let page = try await stage.call(daemon, .get, "/v1/bill-batches?limit=2" + more)
                found += (page["items"]?.items ?? []).compactMap { $0["id"]?.text }
                place = page["next"]?.text
                if let place {
                    let foreign = try await stage.exchange(
                        daemon,
                        .get,
                        "/v1/instruments?cursor=" + FormEncoding.escape(place)
                    )
                    #expect(foreign.status == 400)
                }
            } while place != nil
            #expect(found == made.reversed())
        }
    }

    @Test func `a batch is made, filled, submitted and read from the command line`() async throws {
        try await Stage.run("e2ebillscli") { stage, daemon in
            let source = try await stage.addBills(daemon, Self.brisk)
            let (head, bills) = (stage.folder + "/head.json", stage.folder + "/bills.ndjson")
            let terms: Json = [
                "account": .string(Stage.billAccount), "credentials": .string(source.credentials),
                "customer": "cust-1", "instrument": .string(source.instrument), "reference": "June",
            ]
            try FileBytes.write(terms.compactBytes, to: head)
            try FileBytes.write(Stage.lines(["c-1", "declined-1", "c-2"]), to: bills)
            func bill(_ words: String...) async throws -> String { try await stage.tool(daemon, ["bills"] + words) }
            let made = try Json(text: try await bill("--json", "create", head))
            let batch = try #require(made["id"]?.text)
            let taken = try Json(text: try await bill("--json", "upload", batch, bills))
            #expect(taken["bills"] == 3)
            // An upload that is repeated changes nothing.
            #expect(try Json(text: try await bill("--json", "upload", batch, bills))["bills"] == 3)
            _ = try await bill("submit", batch)
            try await stage.waitBatch(daemon, batch, for: ["partially_completed"])
            _ = try await stage.outcomes(daemon, batch)
            let paid = try await bill("export", "--outcome", "paid", batch)
            #expect(paid.split(separator: "\n").count == 2)
            let listed = try await bill("list").split(separator: "\n").map { $0.split(separator: " ") }
            #expect(listed.count == 2)
            #expect(listed.last?.prefix(4) == [Substring(batch), "partially_completed", "3", "2"])
            #expect(try await bill("show", batch).contains("partially_completed"))
        }
    }

    @Test func `two batches of one account keep its spacing together`() async throws {
        try await Stage.run("e2ebillspacing") { stage, daemon in
            let source = try await stage.addBills(daemon, ["perCall": 1, "callsInFlight": 1, "spacingMs": 600])
            let one = try await stage.submitBills(daemon, source, ["s-1", "s-2", "s-3"], name: "one")
            let two = try await stage.submitBills(daemon, source, ["s-4", "s-5", "s-6"], name: "two")
            for batch in [one, two] { try await stage.waitBatch(daemon, batch, for: ["completed"]) }
            let gaps = try await stage.gapsBetweenChunks()
            #expect(gaps.count == 5)
            // A message leaves at its turn or later, and the next turn is counted from the turn.
            #expect(gaps.reduce(0, +) >= 4 * 600, "\(gaps)")
        }
    }

    @Test func `a daemon killed between chunks goes on and pays no bill twice`() async throws {
        try await Stage.run("e2ebillskill") { stage, first in
            let source = try await stage.addBills(first, ["perCall": 2, "callsInFlight": 1, "spacingMs": 300])
            let ids = (1...24).map { "k-\($0)" }
            let batch = try await stage.submitBills(first, source, ids, name: "kill")
            var daemon = first
            for paid: Int64 in [4, 10, 16] {
                try await stage.waitPaid(paid)
                try await stage.end(daemon, SIGKILL)
                daemon = try await stage.serve()
                // What was on the wire counts as lost once its sender's lease is over.
                try await stage.passLeases()
            }
            let ended = try await stage.waitBatch(daemon, batch, for: ["completed", "unresolved"])
            let books = try await stage.control("/portmone/sandbox/bills")
            #expect(books["repeated"] == [])
            // A message that was on the wire at the kill is unknown and is not sent again; everything else is paid.
            let paid = ended.at("tally", "counts", "paid")?.integer ?? 0
            let unknown = ended.at("tally", "counts", "unknown")?.integer ?? 0
            #expect(paid + unknown == 24)
            #expect(books["paid"]?.integer ?? 0 >= paid)
            try await stage.verifyReplay()
        }
    }
}

extension Stage {
    /// Milliseconds from each message that pays bills to the next, by their marks.
    func gapsBetweenChunks() async throws -> [Int64] {
        try await withDatabase { connection in
            try await connection.query(
                """
                SELECT (extract(epoch FROM gap) * 1000)::bigint
                  FROM (SELECT at - lag(at) OVER (ORDER BY at) AS gap FROM paystream.sending_mark
                         WHERE stream_kind = \(StreamKind.chunk.rawValue)) AS marks
                 WHERE gap IS NOT NULL
                """
            ) { row throws(PostgresFailure) in try row.int64(0) }
        }
    }

    /// Waits until the provider has so many paid bills.
    func waitPaid(_ count: Int64) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            let books = try await control("/portmone/sandbox/bills")
            if books["paid"]?.integer ?? 0 >= count { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failure(description: "\(count) bills were never paid")
    }
}
