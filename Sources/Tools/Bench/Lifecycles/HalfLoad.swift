import Benchmarks
import Http
import Kernel
import Payments
import SystemKit

/// Lifecycles at half the rate that closed clients reach, each timed from its capture to the capture's outcome.
struct HalfLoad: Sendable {
    private let lifecycles: Lifecycles
    /// Lifecycles a second.
    let rate: Double
    private static let warmUp = 400
    private static let patience = "10"

    /// Finds the rate: half of what `clients` reach that each do one lifecycle after the other.
    static func on(_ lifecycles: Lifecycles, clients: Int) async throws -> HalfLoad {
        let reached = Locked(0.0)
        for round in 0..<2 {
            let sample = try await ClosedLoad.run(clients: clients, pieces: 0..<warmUp) { number in
                try await lifecycles.live("warm-\(round)-\(number)", number)
            }
            reached.withLock { $0 = sample.rate }
        }
        return HalfLoad(lifecycles: lifecycles, rate: reached.withLock { $0 } / 2)
    }

    /// Lives for a while; the latencies are those of captures that the caller waits for.
    func run(_ name: String, for time: Duration) async throws -> Sample {
        try await PacedLoad.run(rate: rate, for: time) { number in
            let id = try await lifecycles.authorize("\(name)-\(number)", number)
            let begun = ContinuousClock.now
            let answer = try await lifecycles.node.expect(
                200,
                .post,
                "/v1/payments/\(id)/capture",
                [:],
                client: number,
                key: "\(name)-\(number)-capture",
                headers: [("Prefer", "wait=\(Self.patience)")]
            )
            let status = answer.json["status"]?.text
            guard status == PaymentStatus.captured.rawValue else {
                throw CommandFailure("\(id) is \(status ?? "unknown") behind its capture")
            }
            return begun.duration(to: .now)
        }
    }
}
