/// Where unpredictable bytes come from.
///
/// Pure targets make none: the shell owns the source (`SystemRandom` in Daemon) and passes it in; tests pass a seeded
/// one.
package protocol RandomSource: Sendable {
    func bytes(_ count: Int) -> [UInt8]

    /// Sixty-four unpredictable bits.
    func word() -> UInt64
}

extension RandomSource {
    package func word() -> UInt64 { bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// A version 7 value, for ids outside decisions.
    package func uuid(at time: Timestamp) -> Uuid { Uuid.version7(at: time, random: (word(), word())) }
}
