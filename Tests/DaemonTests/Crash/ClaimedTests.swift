import Drill
import Glibc
import Http
import Kernel
import Postgres
import Testing

/// A claim is a lease and proves nothing: what was claimed and not marked goes out under the same licence.
@Suite(.timeLimit(.minutes(4)), .serialized)
struct ClaimedTests {
    private static let count = 50

    @Test func `a daemon killed after claiming fifty effects leaves only the marked ones in doubt`() async throws {
        try await Stage.run("claimed", settings: ["absenceSeconds": 2]) { stage, first in
            let ids = try await sold(stage, first)
            try await stage.end(first, SIGTERM)
            try await makeReady(stage, first, ids)
            let ready = Set(try await stage.effects(in: 0))
            #expect(ready.count == Self.count)

            // Twenty effects are a page, and thirty-two of an account are under way at once. Two claims leave and their answers
            // are slow; the third, for the first places that fall free, is not marked.
            let crash = ["PAYSTREAM_CRASH": "\(CrashPoint.sendingBefore.rawValue):3"]
            let victim = try await stage.serve(onPortOf: first, more: crash)
            try await stage.waitForDeath(of: victim)
            let claimed = try await stage.effects(in: 1)
            // Those that were answered before it died have no row any more.
            let marked = try await stage.marks().keys.count { ready.contains($0) }
            #expect((1...20).contains(claimed.count))
            #expect((20...40).contains(marked))
            let doubtful = try await stage.effects(in: 2)
            print(
                "killed with 50 effects claimed: \(claimed.count) unmarked, \(doubtful.count) marked without an answer"
            )

            try await stage.passLeases()
            let last = try await stage.serve(onPortOf: first)
            for id in ids {
                try await stage.wait(last, id, for: "refunded")
                let entries = try await stage.ledger(try await stage.providerName(last, id))
                #expect(entries == ["charge 7770", "refund 7770"])
            }
            // The unmarked ones went out once, under the licence that they had; only marked ones were ever in doubt.
            let marks = try await stage.marks()
            for effect in claimed { #expect(marks[effect] == [1], "\(effect)") }
            let lost = try await stage.count(
                "paystream.input WHERE name = 'effect.no_answer' AND NOT (meta->>'effect' = ANY ('{\(doubtful.sqlList)}'))"
            )
            #expect(lost == 0)
            #expect(try await stage.command(["operations", "--operator", "--json"]).isEmpty)
            try await stage.verifyReplay()
        }
    }

    /// Paid sales whose refunds the provider answers slowly.
    private func sold(_ stage: Stage, _ daemon: DaemonProcess) async throws -> [String] {
        var ids: [String] = []
        for number in 0..<Self.count { ids.append(try await stage.open(daemon, "claimed-\(number)", 7770)) }
        for id in ids { try await stage.wait(daemon, id, for: "captured") }
        return ids
    }

    /// Leaves a licensed refund of each payment that no sender has: the daemon that decides them stops at its first claim.
    private func makeReady(_ stage: Stage, _ first: DaemonProcess, _ ids: [String]) async throws {
        let crash = [
            "PAYSTREAM_CRASH": "\(CrashPoint.effectsClaimed.rawValue):1",
            "PAYSTREAM_CRASH_HALT": stage.folder + "/halt",
        ]
        let halted = try await stage.serve(onPortOf: first, more: crash)
        for id in ids { try await stage.call(halted, .post, "/v1/payments/\(id)/refund", [:], key: "refund-\(id)") }
        try await stage.end(halted, SIGKILL)
        try await stage.passLeases()
        try await stage.execute("SELECT paystream.reclaim_effects()")
    }
}

extension Stage {
    /// The effects in a state, as the log spells them.
    func effects(in state: Int) async throws -> [String] {
        try await withDatabase { connection in
            try await connection.query("SELECT id FROM paystream.effect WHERE state = $1", [.int32(Int32(state))]) {
                row throws(PostgresFailure) in "eff_" + (try row.uuid(0)).compact
            }
        }
    }

    /// The licences that were used, by effect.
    func marks() async throws -> [String: [Int32]] {
        let rows = try await withDatabase { connection in
            try await connection.query("SELECT effect, ordinal FROM paystream.sending_mark ORDER BY ordinal") {
                row throws(PostgresFailure) in ("eff_" + (try row.uuid(0)).compact, try row.int32(1))
            }
        }
        return Dictionary(rows.map { ($0.0, [$0.1]) }) { $0 + $1 }
    }
}

extension [String] {
    /// The elements of an array literal; ids need no quotes.
    fileprivate var sqlList: String { joined(separator: ",") }
}
