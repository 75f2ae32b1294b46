import Foundation

/// Makes ids that a program knows before it sends what they name: a prefix and a UUID of version 7 (RFC 9562).
public enum NewId {
    public static func payment() -> String { make("pay", at: Date()) }
    public static func transfer() -> String { make("trf", at: Date()) }
    public static func schedule() -> String { make("sch", at: Date()) }
    public static func billBatch() -> String { make("bat", at: Date()) }

    static func make(_ prefix: String, at now: Date) -> String {
        var chance = SystemRandomNumberGenerator()
        let (first, second): (UInt64, UInt64) = (chance.next(), chance.next())
        let milliseconds = UInt64(max(0, now.timeIntervalSince1970 * 1000)) & 0xFFFF_FFFF_FFFF
        let high = milliseconds << 16 | 0x7000 | first & 0x0FFF
        let low = 0x8000_0000_0000_0000 | second & 0x3FFF_FFFF_FFFF_FFFF
        return "\(prefix)_\(digits(high))\(digits(low))"
    }

    private static func digits(_ word: UInt64) -> String {
        let text = String(word, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
