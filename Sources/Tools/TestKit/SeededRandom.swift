import Kernel

/// A source of bytes that gives the same ones in every run with the same seed.
package final class SeededRandom: RandomSource {
    private let generator: Locked<SplitMix64>

    package init(seed: UInt64) { generator = Locked(SplitMix64(seed: seed)) }

    package func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    }
}
