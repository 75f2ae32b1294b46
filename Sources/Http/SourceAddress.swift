/// An address of the internet, version 4 as its place in version 6.
package struct SourceAddress: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Reads a numeric address strictly: no short or octal forms, no blanks, no zone.
    package init?(_ text: String) {
        if let four = Self.version4(text.utf8) {
            bytes = Self.mappedPrefix + four
        } else if let sixteen = Self.version6(text) {
            bytes = sixteen
        } else {
            return nil
        }
    }

    /// The four bytes of an address of version 4, or the sixteen of one of version 6; anything else is `nil`.
    package init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: self.bytes = Self.mappedPrefix + bytes
        case 16: self.bytes = bytes
        default: return nil
        }
    }

    package var isVersion4: Bool { bytes.starts(with: Self.mappedPrefix) }

    /// Whether it is the machine's own: 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        isVersion4 ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    package var description: String {
        if isVersion4 { return "\(bytes[12]).\(bytes[13]).\(bytes[14]).\(bytes[15])" }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }

    /// The range that one sender commands: an address of version 4, or the 64 bits that a line of version 6 is given.
    package var site: [UInt8] { isVersion4 ? bytes : Array(bytes.prefix(8)) }

    private static func version4(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while bytes.count < 4 {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard (1...3).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
                return nil
            }
            let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            guard let byte = UInt8(exactly: number) else { return nil }
            bytes.append(byte)
            rest = rest[digits.endIndex...]
            guard bytes.count < 4 else { break }
            guard rest.popFirst() == UInt8(ascii: ".") else { return nil }
        }
        return rest.isEmpty ? bytes : nil
    }

    private static func version6(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return nil }
        var groups: [[UInt8]] = []
        for half in halves {
            guard let read = half.isEmpty ? [] : self.groups(half) else { return nil }
            groups.append(read)
        }
        let known = groups.reduce(0) { $0 + $1.count }
        if groups.count == 1 { return known == 16 ? groups[0] : nil }
        guard known <= 14 else { return nil }
        return groups[0] + [UInt8](repeating: 0, count: 16 - known) + groups[1]
    }

    private static func groups(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(".") {
                guard let four = version4(part.utf8) else { return nil }
                bytes += four
                continue
            }
            let isHex = (1...4).contains(part.utf8.count) && part.utf8.allSatisfy { $0 != UInt8(ascii: "+") }
            guard isHex, let group = UInt16(part, radix: 16) else { return nil }
            bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
        }
        return bytes
    }
}

/// A range of addresses, as in `91.194.226.0/23`.
package struct SourceNetwork: Hashable, Sendable, CustomStringConvertible {
    private let address: SourceAddress
    private let bits: Int

    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = SourceAddress(String(parts[0])), (1...3).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let bits = Int(parts[1]), bits <= (address.isVersion4 ? 32 : 128)
        else { return nil }
        self.address = address
        self.bits = address.isVersion4 ? bits + 96 : bits
    }

    /// One address as a network of its own.
    package init(_ address: SourceAddress) {
        self.address = address
        bits = 128
    }

    /// As it is read, without the bits of its address that don't count.
    package var description: String {
        let counted = address.bytes.enumerated().map { index, byte in
            byte & UInt8(truncatingIfNeeded: 0xFF00 >> min(8, max(0, bits - index * 8)))
        }
        let isVersion4 = address.isVersion4 && bits >= 96
        guard let first = SourceAddress(bytes: counted) else { return "" }
        return "\(first)/\(isVersion4 ? bits - 96 : bits)"
    }

    /// Whether every address of it is in the other.
    package func isWithin(_ other: SourceNetwork) -> Bool { bits >= other.bits && other.contains(address) }

    package func contains(_ other: SourceAddress) -> Bool {
        for (index, pair) in zip(address.bytes, other.bytes).enumerated() {
            let counted = min(8, max(0, bits - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> counted)
            if (pair.0 ^ pair.1) & mask != 0 { return false }
        }
        return true
    }
}

/// Who sent a request, seen through the proxies that are trusted.
package enum SourceChain {
    /// The peer, or the right-most hop that is no trusted proxy; `nil` where an address can't be read.
    package static func client(peer: String, forwarded: [String], trusted: [SourceNetwork]) -> SourceAddress? {
        guard var here = SourceAddress(peer) else { return nil }
        var hops = forwarded.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        while trusted.contains(where: { $0.contains(here) }), let hop = hops.popLast() {
            guard let next = SourceAddress(String(hop.drop { $0 == " " }).trimmedEnd) else { return nil }
            here = next
        }
        return here
    }
}

extension String {
    /// The text without spaces at its end: the list separator of a header allows them.
    fileprivate var trimmedEnd: String {
        var text = self
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }
}
