import Daemon
import Dev
import Engine
import Kernel
import SystemKit

/// `paystream demo`: one payment of every kind against the sandbox, with the proof that the log replays.
struct DemoCommand: Command {
    static let name = "demo"
    static let summary = "Make a payment of every kind against the sandbox, then keep serving."
    static let usage = "[--exit]"
    static let options = [
        CommandOption("exit", summary: "end afterwards; exit code 0 only if every payment ended as it should")
    ]

    func run(arguments: [String]) async throws -> Int32 {
        let parsed = try parse(arguments)
        try parsed.demandNoRest()
        return try await DevSession.run(
            { environment, api, node in
                try await environment.lendOnTime(api, node) { api, merchant in
                    try await Self.play(environment, api, merchant)
                }
            },
            proof: true,
            exitAfter: parsed.has("exit")
        )
    }

    private static func play(_ environment: DevEnvironment, _ api: ApiClient, _ merchant: String) async throws -> Bool {
        let whose = merchant == DevEnvironment.merchant ? "" : " for '\(merchant)': 'demo' has a clock of its own"
        StandardStream.error.write("· making a payment of every kind\(whose)\n")
        let script = DemoScript(environment: environment, api: api, run: "demo-\(WallClock.now().microseconds)")
        let books = try await SandboxBooks.begin(at: environment.sandbox, api)
        let rows = try await script.all()
        print(rows)
        return try await isBooked(books) && rows.allSatisfy(\.isGood)
    }

    /// Holds the ledger against the sandbox's own books and says what came of it.
    private static func isBooked(_ books: SandboxBooks) async throws -> Bool {
        let (entries, differences) = try await books.compare()
        for difference in differences { StandardStream.output.write("DIFFERENT \(difference)\n") }
        let verdict = differences.isEmpty ? "no difference" : "\(differences.count) differences"
        StandardStream.output.write("ledger against \(entries) entries of the sandbox's books: \(verdict)\n")
        return differences.isEmpty
    }

    private static func print(_ rows: [DemoRow]) {
        let cells =
            [["provider", "payment", "amount", "status", "id"]]
            + rows.map {
                [$0.provider, $0.title, $0.amount, $0.isGood ? $0.outcome : "\($0.outcome), not \($0.expected)", $0.id]
            }
        StandardStream.output.write("\n" + TextTable.text(cells) + "\n")
    }
}

/// Text in aligned columns.
enum TextTable {
    static func text(_ rows: [[String]]) -> String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { index, cell in
                index == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
            }
            return cells.joined(separator: "  ") + "\n"
        }.joined()
    }
}
