import Kernel

/// Builds time zone files byte by byte.
struct Tzif {
    var version: UInt8 = UInt8(ascii: "3")
    var transitions: [(at: Int64, kind: UInt8)] = []
    var offsets: [Int32] = [0]
    var footer = ""
    /// How the counts of the second header are changed: utc flags, standard flags, leaps, transitions, types, characters.
    var counts: ([UInt32]) -> [UInt32] = { $0 }

    var bytes: [UInt8] {
        guard version != 0 else {
            return header([0, 0, 0, UInt32(transitions.count), UInt32(offsets.count), 4]) + block(4)
        }
        let first = header([0, 0, 0, 0, 1, 4]) + Self.number(0, 4) + [0, 0] + Array("AAA\0".utf8)
        let second = header(counts([0, 0, 0, UInt32(transitions.count), UInt32(offsets.count), 4])) + block(8)
        return first + second + Array("\n\(footer)\n".utf8)
    }

    private func header(_ counts: [UInt32]) -> [UInt8] {
        Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15) + counts.flatMap { Self.number(Int64($0), 4) }
    }

    private func block(_ width: Int) -> [UInt8] {
        var out = transitions.flatMap { Self.number($0.at, width) } + transitions.map(\.kind)
        for offset in offsets { out += Self.number(Int64(offset), 4) + [0, 0] }
        return out + Array("AAA\0".utf8)
    }

    private static func number(_ value: Int64, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> Int64(8 * (width - 1 - $0))) }
    }
}
