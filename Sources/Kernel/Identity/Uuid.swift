/// A 128-bit universally unique identifier (RFC 9562), printed in lower case.
package struct Uuid: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The first eight bytes, big-endian.
    package let high: UInt64
    /// The last eight bytes, big-endian.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads exactly sixteen bytes in network order.
    package init?(bytes: [UInt8]) { self.init(sixteen: bytes) }
    package init?(bytes: ArraySlice<UInt8>) { self.init(sixteen: bytes) }

    // Generic code is slow where another module calls it, so what they call is concrete and the core is not.
    private init?(sixteen bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
        }
        self.init(high: high, low: low)
    }

    /// Parses 32 hexadecimal digits, with hyphens at the RFC's places or without any.
    package init?(_ text: String) { self.init(digits: text.utf8) }
    package init?(_ text: Substring) { self.init(digits: text.utf8) }

    init?(text: UnsafeBufferPointer<UInt8>) { self.init(digits: text) }

    private init?(digits bytes: some Collection<UInt8>) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var digits = 0
        let hyphenated = bytes.count == 36
        guard hyphenated || bytes.count == 32 else { return nil }
        for (index, byte) in bytes.enumerated() {
            if hyphenated, index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let nibble = Hex.value(of: byte) else { return nil }
            if digits < 16 { high = high << 4 | UInt64(nibble) } else { low = low << 4 | UInt64(nibble) }
            digits += 1
        }
        self.init(high: high, low: low)
    }

    /// Builds a version 7 value from a time and 74 random bits that the caller's source gives.
    package static func version7(at time: Timestamp, random: (UInt64, UInt64)) -> Uuid {
        let milliseconds = UInt64(bitPattern: time.microseconds / 1000) & 0xFFFF_FFFF_FFFF
        return Uuid(
            high: milliseconds << 16 | 0x7000 | (random.0 & 0x0FFF),
            low: 0x8000_0000_0000_0000 | (random.1 & 0x3FFF_FFFF_FFFF_FFFF)
        )
    }

    /// Stamps version 5 and the RFC variant on the first sixteen bytes of a SHA-1 digest.
    package static func version5(digest: [UInt8]) -> Uuid? {
        guard let raw = Uuid(bytes: digest.prefix(16)) else { return nil }
        return Uuid(
            high: raw.high & 0xFFFF_FFFF_FFFF_0FFF | 0x5000,
            low: raw.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }

    /// The version nibble.
    package var version: Int { Int(high >> 12 & 0xF) }

    /// Whether it is a version 7 value of RFC 9562, as clients make: what derives from something else is version 5.
    package var isVersion7: Bool { version == 7 && low >> 62 == 0b10 }

    /// The sixteen bytes in network order.
    package var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { out, count in
            for index in 0..<16 {
                let word = index < 8 ? high : low
                out[index] = UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
            }
            count = 16
        }
    }

    /// 32 hexadecimal digits without hyphens.
    package var compact: String { String(ascii: 32) { out in write(into: out, at: 0) } }

    package var description: String {
        String(ascii: 36) { out in
            var place = 0
            for index in 0..<32 {
                if Self.isBehindHyphen(index) {
                    out[place] = UInt8(ascii: "-")
                    place += 1
                }
                out[place] = Hex.digit(nibble(index))
                place += 1
            }
        }
    }

    /// Appends `description`.
    func write(into out: inout [UInt8]) {
        for index in 0..<32 {
            if Self.isBehindHyphen(index) { out.append(UInt8(ascii: "-")) }
            out.append(Hex.digit(nibble(index)))
        }
    }

    /// Appends `compact`.
    package func writeCompact(into out: inout [UInt8]) { for index in 0..<32 { out.append(Hex.digit(nibble(index))) } }

    private static func isBehindHyphen(_ index: Int) -> Bool {
        index == 8 || index == 12 || index == 16 || index == 20
    }

    /// Writes 32 hexadecimal digits.
    func write(into out: UnsafeMutableBufferPointer<UInt8>, at place: Int) {
        for index in 0..<32 { out[place + index] = Hex.digit(nibble(index)) }
    }

    private func nibble(_ index: Int) -> UInt8 {
        let word = index < 16 ? high : low
        return UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4)) & 15
    }

    package static func < (left: Uuid, right: Uuid) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

extension [UInt8] {
    /// Adds the sixteen bytes in network order.
    package mutating func append(_ uuid: Uuid) {
        append(word: uuid.high)
        append(word: uuid.low)
    }

    private mutating func append(word: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
}
