import Daemon
import Http
import Kernel

/// Bills in bulk: at Portmone, where a bill's id tells what becomes of it.
extension EventTrigger {
    static let batches: [String: Way] = [
        "batch.created": .scene { try await $0.batch([]) },
        "batch.submitted": .scene { try await $0.batch(["w"]) },
        "batch.actionRequired": .scene { try await $0.batch(["secure"]) },
        "batch.paused": .scene { try await $0.batch(stumbling) },
        "batch.resumed": .scene { try await $0.resumedBatch() },
        "batch.completed": .scene { try await $0.batch(["w", "gas"]) },
        "batch.partiallyCompleted": .scene { try await $0.batch(["w", "declined"]) },
        "batch.failed": .scene { try await $0.batch(["declined"]) },
        "batch.claimed": .scene { try await $0.claimedBatch() },
        "batch.unresolved": .scene { try await $0.batch(["w", "blank"]) },
        "batch.updated": .scene { try await $0.batch(["w", "gas", "heat", "tv"]) },
    ]

    static let bills: [String: Way] = [
        "bill.pending": .scene { try await $0.bill("w") },
        "bill.actionRequired": .scene { try await $0.bill("secure") },
        "bill.paid": .scene { try await $0.bill("w") },
        "bill.held": .scene { try await $0.bill("held") },
        "bill.refunded": .never("Portmone's sandbox gives no bill's money back"),
        "bill.cancelled": .scene { try await $0.bill("cancelled") },
        "bill.claimed": .scene { try await $0.claimedBill() },
        "bill.failed": .scene { try await $0.bill("declined") },
        "bill.refused": .never("a bill that is paid or listed already is refused as a line of its batch"),
        "bill.unknown": .scene { try await $0.bill("blank") },
        "bill.updated": .never("nothing here changes a bill in a way that no other type tells"),
    ]

    private static let title = "trigger bills"
    /// A refused message stops a batch that has others to send.
    private static let stumbling = ["broken"] + (1...60).map { "x\($0)" }

    private var scenes: BillScenes { BillScenes(stage(BillScenes.provider)) }

    /// A batch of bills by their words; with none it stays open.
    private func batch(_ words: [String]) async throws -> String {
        let id = try await scenes.begin(Self.title)
        if !words.isEmpty { try await scenes.submit(words, to: id, Self.title) }
        return id
    }

    private func bill(_ word: String) async throws -> String {
        _ = try await batch([word])
        return scenes.bill(word)
    }

    private func wait(batch id: String, for status: String) async throws {
        _ = try await found("\(id) as \(status)") {
            try await api.call(.get, "/v1/bill-batches/\(id)")["status"]?.text == status ? true : nil
        }
    }

    private func command(_ verb: String, _ batch: String, _ body: Json = [:]) async throws {
        let key = stage(BillScenes.provider).key(Self.title, verb)
        try await api.call(.post, "/v1/bill-batches/\(batch)/\(verb)", body, key: key)
    }

    private func resumedBatch() async throws -> String {
        let id = try await batch(Self.stumbling)
        try await wait(batch: id, for: "paused")
        try await command("continue", id)
        return id
    }

    /// The payer's step is done, and only the app says so.
    private func claimedBatch() async throws -> String {
        let id = try await batch(["secure"])
        try await wait(batch: id, for: "requires_action")
        let bill = scenes.bill("secure")
        let told = try await control("/portmone/sandbox/bills", ["bill": .string(bill), "action": "pass"])
        try await command("claims", id, ["bills": told["bills"] ?? []])
        return id
    }

    private func claimedBill() async throws -> String {
        _ = try await claimedBatch()
        return scenes.bill("secure")
    }
}
