import Benchmarks
import Kernel
import SystemKit

/// Half load for long: memory, queues and latency at the end beside those of the beginning, once what the daemon keeps of states
/// has come to its bound.
struct SoakBench {
    private let plan: BenchPlan
    private let time: Duration
    /// The run in equal parts; those of the first third don't count.
    private static let parts = 12
    /// Lifecycles that come before: they are more than the daemon keeps the streams and states of, about 6 kB each.
    private static let filling = 10_000

    init(_ plan: BenchPlan, seconds: Int?) {
        self.plan = plan
        time = .seconds(seconds ?? 3600)
    }

    private struct Part: Sendable {
        let sample: Sample
        let memory: Double
        let queued: Int64
    }

    func run() async throws {
        let clients = plan.clients ?? 64
        try await LifecycleStage.with(plan, clients: clients) { stage in
            let (node, lifecycles) = (stage.node, stage.lifecycles)
            _ = try await ClosedLoad.run(clients: clients, pieces: 0..<Self.filling) { number in
                try await lifecycles.live("fill-\(number)", number)
            }
            let load = try await HalfLoad.on(lifecycles, clients: clients)
            var parts: [Part] = []
            for number in 0..<Self.parts {
                let sample = try await load.run("part-\(number)", for: time / Self.parts)
                let memory = ProcessMemory.of(node.process.id).now
                parts.append(Part(sample: sample, memory: memory, queued: try await node.sum("paystream_queue_depth")))
                report(parts[number], "part \(number + 1) of \(Self.parts)")
            }
            report(parts, load.rate)
        }
    }

    private func report(_ part: Part, _ what: String) {
        plan.report(
            Figure("soak", what).with("lifecycles", part.sample.count).with("daemonMegabytes", part.memory)
                .with("queued", Int(part.queued)).with("p50Microseconds", part.sample.latency(0.5))
                .with("p99Microseconds", part.sample.latency(0.99))
        )
    }

    private func report(_ parts: [Part], _ rate: Double) {
        let third = parts.count / 3
        func median(_ range: Range<Int>, _ pick: (Part) -> Double) -> Double {
            parts[range].map(pick).sorted()[range.count / 2]
        }
        func growth(_ pick: (Part) -> Double) -> Double {
            median(parts.count - third..<parts.count, pick) / max(median(third..<2 * third, pick), 1)
        }
        let (memory, p50) = (growth(\.memory), growth { $0.sample.latency(0.5) })
        let queued = parts.map(\.queued)
        let isFlat = (queued.last ?? 0) <= max(queued[third], Int64(rate))
        plan.report(
            Figure("soak", "the last third beside the second").with("perSecond", rate)
                .with("seconds", Int(time.components.seconds)).with("memoryRatio", memory).with("p50Ratio", p50)
                .with("p99Ratio", growth { $0.sample.latency(0.99) }).with("queuedAtTheEnd", Int(queued.last ?? 0))
                .target("memory and p50 at most 1.1, no queue grows", isMet: memory <= 1.1 && p50 <= 1.1 && isFlat)
        )
    }
}
