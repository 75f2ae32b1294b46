import EventSourcing
import Kernel
import Store
import SystemKit

/// `paystream recover`: tells the log that its newest part may be missing.
struct RecoverCommand: Command {
    static let name = "recover"
    static let summary =
        "After a restore: begin a recovery epoch, so that nothing is sent before the providers were asked."
    static let usage = "[--by NAME] [--reason TEXT] [--json] [begin|status]"
    static let options = [
        CommandOption("by", value: "NAME", summary: "who begins it (default: operator)"),
        CommandOption("reason", value: "TEXT", summary: "why, for the record (default: restored)"),
        PaymentsCommand.jsonOption,
    ]
    /// Epochs that are listed.
    private static let listed = 20

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 1)
        let begins: Bool
        switch given.words.first {
        case "begin": begins = true
        case "status": begins = false
        case let verb?: throw UsageError("recover knows no '\(verb)'; say 'begin' or 'status'")
        case nil: throw UsageError("say 'begin' or 'status'")
        }
        let (by, reason) = (given["by"] ?? "operator", given["reason"] ?? "restored")
        let (epochs, unasked) = try await StoreSession.with { session in
            let rows = RecoveryRows(session.store)
            if begins { try await Self.begin(rows, by, reason) }
            return (try await rows.epochs(limit: begins ? 1 : Self.listed), try await rows.unasked())
        }
        StandardStream.output.write(given.has("json") ? json(epochs, unasked) : text(epochs, unasked))
        return 0
    }

    /// Begins an epoch, and tells how long that takes by now: where there are many payments it is minutes.
    private static func begin(_ rows: RecoveryRows, _ by: String, _ reason: String) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let (line, begun) = (ProgressLine("recover"), ContinuousClock.now)
                defer { line.clear() }
                while !Task.isCancelled {
                    let seconds = begun.duration(to: .now).components.seconds
                    line.tell("waking the payments of \(RecoveryRows.askedDays) days, \(seconds) s by now")
                    try? await Task.sleep(for: .milliseconds(500))
                }
            }
            try await rows.begin(by: by, reason: reason)
            group.cancelAll()
        }
    }

    private func json(_ epochs: [RecoveryReport], _ unasked: Int64) -> String {
        let lines = epochs.map { report -> Json in
            [
                "begunAt": report.epoch.begunAt.json, "by": .string(report.by),
                "doubted": .integer(Int64(report.doubted)), "number": .integer(Int64(report.epoch.number)),
                "reason": .string(report.reason), "woken": .integer(report.woken),
            ]
        }
        return (lines + [["unasked": .integer(unasked)]]).map { $0.canonicalText + "\n" }.joined()
    }

    private func text(_ epochs: [RecoveryReport], _ unasked: Int64) -> String {
        var table = ColumnTable(["EPOCH", "BEGAN", "BY", "IN DOUBT", "WOKEN", "REASON"])
        for report in epochs {
            table.add([
                "\(report.epoch.number)", Cell.time(report.epoch.begunAt), report.by, "\(report.doubted)",
                "\(report.woken)",
                report.reason,
            ])
        }
        return table.text(orSay: "the log was never in doubt") + "payments to ask about: \(unasked)\n"
    }
}
