import Glibc
package import Kernel

/// A property that did not hold, with what is needed to see it again.
package struct PropertyFailure: Error, CustomStringConvertible {
    package let seed: UInt64
    package let run: Int
    package let reason: String

    package var description: String {
        "run \(run) failed: \(reason) (again: PAYSTREAM_SEED=\(seed), one run)"
    }
}

/// Runs `body` with a fresh seeded generator `runs` times; the first failure tells the seed that shows it again.
///
/// `PAYSTREAM_SEED` in the environment replaces the seeds by that one and runs once.
package func forAll(
    runs: Int = 100,
    seed: UInt64,
    _ body: (inout SplitMix64) throws -> Void
) throws(PropertyFailure) {
    let (seeds, count) = propertySeeds(runs: runs, seed: seed)
    for run in 0..<count {
        let own = seeds &+ UInt64(run)
        var random = SplitMix64(seed: own)
        do { try body(&random) } catch { throw PropertyFailure(seed: own, run: run, reason: "\(error)") }
    }
}

/// Does what the other `forAll` does for a body that suspends.
package func forAll(
    runs: Int = 100,
    seed: UInt64,
    _ body: (inout SplitMix64) async throws -> Void
) async throws(PropertyFailure) {
    let (seeds, count) = propertySeeds(runs: runs, seed: seed)
    for run in 0..<count {
        let own = seeds &+ UInt64(run)
        var random = SplitMix64(seed: own)
        do { try await body(&random) } catch { throw PropertyFailure(seed: own, run: run, reason: "\(error)") }
    }
}

private func propertySeeds(runs: Int, seed: UInt64) -> (first: UInt64, count: Int) {
    guard let text = environment("PAYSTREAM_SEED"), let given = UInt64(text) else { return (seed, runs) }
    return (given, 1)
}

/// Reads a variable of the environment; an empty one counts as missing.
package func environment(_ name: String) -> String? {
    guard let raw = getenv(name) else { return nil }
    let text = String(cString: raw)
    return text.isEmpty ? nil : text
}
