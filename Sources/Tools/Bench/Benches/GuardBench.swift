import Benchmarks
import Kernel

/// The card-data guard over the dearest texts that we know, beside reading JSON of the same size, on one core.
struct GuardBench {
    private let plan: BenchPlan
    private static let bytes = 64 * 1024
    private static let repetitions = 20
    private static let target = 10.0

    init(_ plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        let document = GuardCorpus.document(bytes: Self.bytes)
        let texts = GuardCorpus.texts(bytes: Self.bytes)
        let guards = (texts + [("a provider's document", document)]).map { name, text -> Contest.Contender in
            (name, { Self.bytes(text) { CardGuard.scan(bytes: $0).count } })
        }
        let parse: Contest.Contender = ("parse", { try Self.bytes(document) { try Json($0).items?.count ?? 0 } })
        let contest = try await Contest.run(rounds: plan.rounds, guards + [parse])
        for (name, _) in guards {
            let ratio = contest.rate("parse") / contest.rate(name)
            plan.report(
                Figure("guard", name).with("nanosecondsPerByte", 1e9 / contest.rate(name))
                    .with("parseJsonAlone", 1e9 / contest.rate("parse")).with("toParse", ratio)
                    .target("10 times reading JSON", isMet: ratio <= Self.target)
            )
        }
    }

    /// Does something with a text again and again; counts bytes.
    private static func bytes(_ text: [UInt8], _ work: ([UInt8]) throws -> Int) rethrows -> Sample {
        var kept = 0
        let start = ContinuousClock.now
        for _ in 0..<repetitions { kept += try work(text) }
        let elapsed = start.duration(to: .now)
        precondition(kept >= 0, "the work is not thrown away")
        return Sample(count: repetitions * text.count, elapsed: elapsed)
    }
}
