import Benchmarks
import Kernel
package import SystemKit

/// `paystream bench`: figures beside raw baselines of the same run, one line of JSON each.
package struct BenchCommand: Command {
    package static let name = "bench"
    package static let summary =
        "Measure appends, accepts, lifecycles, latency, growth, nodes, long runs, counts, folds, read models, notifications, webhooks, bills, schedules, settlement, reports, searches, JSON, adapters, the guard."
    package static let usage =
        "[OPTIONS] \(Bench.allCases.map(\.rawValue).joined(separator: "|"))"
    package static let options = [
        CommandOption(
            "url",
            value: "URL",
            summary: "a PostgreSQL server to make a database on (default: one of its own)"
        ),
        CommandOption(
            "flush-delay",
            value: "MS",
            summary: "milliseconds that each flush of the server takes longer, on a server of its own"
        ),
        CommandOption(
            "clients",
            value: "N",
            summary: "clients side by side (default: 8; over HTTP 64; latency and nodes 128)"
        ),
        CommandOption("seconds", value: "N", summary: "length of one round (default: 2, of soak in all: 3600)"),
        CommandOption("rounds", value: "N", summary: "interleaved rounds, whose median counts (default: 5)"),
        CommandOption(
            "payments",
            value: "N",
            summary:
                "payments of the log of growth (default: 1000000), projections (100000), events (20000) and webhooks (3000), and of the book of search (10000000)"
        ),
        CommandOption("armed", value: "N", summary: "schedules that are armed (default: 1000000)"),
        CommandOption("due", value: "N", summary: "schedules that fall due at once (default: a tenth of them)"),
        CommandOption("lines", value: "N", summary: "lines of a settlement file (default: 1000000)"),
        CommandOption("movements", value: "N", summary: "movements that reports are about (default: 10000000)"),
        CommandOption("wrk", summary: "lets the program wrk create payments as well, beside our own load"),
        CommandOption("label", value: "TEXT", summary: "is written into every line"),
    ]

    package init() {}

    package func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 1)
        guard let word = given.words.first, let bench = Bench(rawValue: word) else {
            let known = Bench.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("say what to measure: \(known)")
        }
        for option in Self.options where given.has(option.name) && !bench.reads.contains(option.name) {
            throw UsageError("'\(word)' has no --\(option.name)")
        }
        if given["flush-delay"] != nil, given["url"] != nil {
            throw UsageError("--flush-delay is about a server of its own, and --url names another")
        }
        let plan = BenchPlan(
            url: given["url"],
            flushDelay: try given.integer("flush-delay", in: 1...1000),
            clients: try given.integer("clients", in: 1...256),
            seconds: try given.integer("seconds", in: 1...86_400) ?? 2,
            rounds: try given.integer("rounds", in: 1...99) ?? Contest.rounds,
            isRepeated: bench.reads.contains("rounds"),
            label: given["label"]
        )
        if BenchPlan.isDebugBuild {
            StandardStream.error.write("this is a debug build: its figures are no results, build with -c release\n")
        }
        switch bench {
        case .append: try await AppendBench(plan).run()
        case .accept: try await AcceptBench(plan, besideWrk: given.has("wrk")).run()
        case .lifecycle: try await LifecycleBench(plan).run()
        case .counts: return try await CountsBench(plan).run() ? 0 : 1
        case .fold: try await FoldBench(plan).run()
        case .notify: try await NotifyBench(plan).run()
        case .bills: try await BillsBench(plan).run()
        case .schedules:
            let armed = try given.integer("armed", in: 10_000...10_000_000)
            let due = try given.integer("due", in: 1...(armed ?? 1_000_000))
            try await SchedulesBench(plan, armed: armed, due: due).run()
        case .settlement:
            try await SettlementBench(plan, lines: try given.integer("lines", in: 1000...10_000_000)).run()
        case .reports:
            try await ReportsBench(plan, movements: try given.integer("movements", in: 10_000...100_000_000)).run()
        case .search:
            try await SearchBench(plan, payments: try given.integer("payments", in: 10_000...100_000_000)).run()
        case .latency: try await LatencyBench(plan).run()
        case .growth:
            try await GrowthBench(plan, payments: try given.integer("payments", in: 10_000...10_000_000)).run()
        case .events:
            try await EventsBench(plan, payments: try given.integer("payments", in: 100...10_000_000)).run()
        case .webhooks:
            try await WebhooksBench(plan, payments: try given.integer("payments", in: 100...1_000_000)).run()
        case .projections:
            try await ProjectionsBench(plan, payments: try given.integer("payments", in: 1000...10_000_000)).run()
        case .nodes: try await NodesBench(plan).run()
        case .soak: try await SoakBench(plan, seconds: try given.integer("seconds", in: 60...86_400)).run()
        case .json: try await JsonBench(plan).run()
        case .adapters: try await AdaptersBench(plan).run()
        case .guard: try await GuardBench(plan).run()
        }
        return 0
    }
}

/// A measurement.
enum Bench: String, CaseIterable {
    case append, accept, lifecycle, latency, growth, nodes, soak, counts, fold, projections, events, webhooks, notify,
        bills, schedules, settlement, reports, search, json, adapters, `guard`

    /// The options that it takes.
    var reads: Set<String> {
        let server: Set = ["url", "flush-delay", "label"]
        let load = server.union(["clients", "seconds", "rounds"])
        return switch self {
        case .append, .lifecycle, .latency, .notify: load
        case .accept: load.union(["wrk"])
        case .growth: load.union(["payments"])
        case .events, .webhooks: server.union(["payments", "seconds", "rounds"])
        case .projections: server.union(["payments", "rounds"])
        case .nodes: server.union(["clients", "rounds"])
        case .soak: server.union(["clients", "seconds"])
        case .counts: server.union(["clients"])
        case .bills: server.union(["rounds"])
        case .schedules: server.union(["armed", "due"])
        case .settlement: server.union(["lines"])
        case .reports: server.union(["movements"])
        case .search: server.union(["payments"])
        case .fold, .json, .adapters, .guard: ["rounds", "label"]
        }
    }
}

/// How to measure.
struct BenchPlan: Sendable {
    let url: String?
    /// Milliseconds that each flush of the server takes longer.
    let flushDelay: Int?
    let clients: Int?
    let seconds: Int
    let rounds: Int
    /// Whether the bench is measured in rounds at all.
    let isRepeated: Bool
    let label: String?

    var time: Duration { .seconds(seconds) }

    /// Bare inserts a second on the machine that the targets in milliseconds are of.
    static let usualBare = 18_500.0

    static var isDebugBuild: Bool { Version.build == "debug" }

    /// Writes a figure with what every line tells.
    func report(_ figure: Figure) {
        var figure = isRepeated ? figure.with("rounds", rounds) : figure
        figure = figure.with("build", Version.build)
        if let flushDelay { figure = figure.with("flushDelayMilliseconds", flushDelay) }
        if let label { figure = figure.with("label", label) }
        StandardStream.output.write(figure.line + "\n")
    }
}
