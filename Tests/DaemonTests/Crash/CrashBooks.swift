import Dev
import Kernel
import Testing

/// Holds the books of a run against each other: what the provider moved, and what the log and the read models say of it.
struct CrashBooks {
    let stage: Stage
    let daemon: DaemonProcess

    func compare(_ run: CrashRun) async throws {
        guard run.flow.shop != .bills else { return try await compareBills(run) }
        let resource = run.flow.resource
        let ending = run.isLost ? "failed" : run.flow.ending
        let shown = try await stage.wait(daemon, run.id, for: ending, at: resource)
        let name = try #require(shown.at("attempt", "reference")?.text)
        let entries = try await run.flow.shop.ledger(stage, name)
        #expect(entries == (run.isLost ? [] : run.flow.ledger), "\(run.name)")
        for (column, kinds) in Self.columns {
            let moved = entries.reduce(Int64(0)) { sum, entry in
                let words = entry.split(separator: " ")
                return kinds.contains(String(words[0])) ? sum + (Int64(words[1]) ?? 0) : sum
            }
            #expect(shown.at("amounts", column)?.integer ?? 0 == moved, "\(column) of \(run.name)")
        }
    }

    /// Which entries of a provider's ledger make up a sum of the payment.
    private static let columns: [(String, Set<String>)] = [
        ("authorized", ["hold"]), ("captured", ["charge", "capture"]), ("released", ["release"]),
        ("refunded", ["refund"]), ("transferred", ["transfer"]),
    ]

    /// Holds the ledger's accounts against all that the provider has moved: nothing is booked beside the flows, and nothing lacks.
    func compare(_ shop: CrashShop) async throws {
        let entries = try await stage.control(shop.ledgerPath)["entries"]?.items ?? []
        try await stage.until("the ledger is that of \(shop.rawValue)") { () -> Stage.Look<Void> in
            let rows = try await stage.report(daemon, "balance")
            let found = SandboxBooks.differences(shop.provider, entries: entries, balance: rows)
            return found.isEmpty ? .done(()) : .notYet("\(found)")
        }
    }

    /// Each bill is paid at most once; what the daemon calls paid is, and it knows of every bill unless its message was
    /// under way at the death.
    private func compareBills(_ run: CrashRun) async throws {
        try await stage.waitBatch(daemon, run.id, for: ["completed", "unresolved"])
        let outcomes = try await stage.outcomes(daemon, run.id)
        for bill in run.billIds {
            let entries = try await run.flow.shop.ledger(stage, bill)
            switch outcomes[bill] {
            case "paid": #expect(entries == run.flow.ledger, "\(bill)")
            case "unknown": #expect(run.wasSending && entries.count <= 1, "\(bill) is unknown: \(entries)")
            default: Issue.record("\(bill) is \(outcomes[bill] ?? "missing"): \(entries)")
            }
        }
        #expect(try await stage.control("/portmone/sandbox/bills")["repeated"] == [], "\(run.name)")
    }
}
