import Kernel

/// The operating system's random bytes, which the composition passes to whatever needs them.
///
/// `SystemRandomNumberGenerator` calls `getrandom` on Linux, which suits keys.
package struct SystemRandom: RandomSource {
    package init() {}

    package func word() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    package func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var out: [UInt8] = []
        out.reserveCapacity(count + 7)
        while out.count < count {
            withUnsafeBytes(of: generator.next()) { out.append(contentsOf: $0) }
        }
        out.removeLast(out.count - count)
        return out
    }
}
