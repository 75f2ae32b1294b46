/// Finds card numbers that stand in a text as they are.
///
/// That is, whole runs of digits, in any script, with or without separators. The text is UTF-8, of which broken parts
/// hold nothing; each byte is looked at a bounded number of times.
struct CardNumberScanner {
    /// Digits without anything but invisible characters between them.
    private struct Group {
        /// Where its digits begin among all digits, and how many they are.
        let first: Int
        var count: Int
        /// Bytes from the first digit to behind the last.
        var range: Range<Int>
        /// Only a few separators lie between the group before and this one.
        let joinsPrevious: Bool

        /// Takes one more digit.
        mutating func end(at index: Int) {
            count += 1
            range = range.lowerBound..<index
        }
    }

    private let bytes: [UInt8]
    private let isReference: Bool
    private var digits: [UInt8] = []
    private var groups: [Group] = []

    /// More than this between two groups of digits parts them.
    private static let widestGap = 3

    /// How card numbers are printed in groups; other groupings count only when nothing else adjoins.
    ///
    /// Longer shapes come before those that they start with.
    private static let shapes: [Shape] = [
        [4, 4, 4, 4, 3], [4, 4, 4, 4, 2], [4, 4, 4, 4, 1], [4, 4, 4, 4], [4, 4, 5], [4, 4, 4], [4, 6, 5], [4, 6, 4],
        [4, 5, 6], [8, 8], [6, 10], [6, 13],
    ].map(Shape.init)
    private static let longestShape = 5

    /// Longer than an EAN.
    private static let shortestInReference = 14

    /// The lengths of groups that follow each other, four bits each, the first in the lowest: compared in one step.
    private struct Shape {
        let lengths: UInt32
        let count: Int

        init(_ lengths: [Int]) {
            self.lengths = lengths.reversed().reduce(0) { $0 << 4 | UInt32(min($1, 15)) }
            count = lengths.count
        }

        /// Tells whether a longer row of lengths begins with these.
        func begins(_ row: UInt32) -> Bool { row & (1 << UInt32(4 * count) - 1) == lengths }
    }

    /// Groups the digits; where somebody's own name for something stands, an order's number or an EAN is no card's, nor are
    /// digits that only a dash brings together.
    init(_ bytes: [UInt8], isReference: Bool = false) {
        self.bytes = bytes
        self.isReference = isReference
        if Self.mayMatch(bytes) { group() }
    }

    /// Tells whether there is a chain of groups that is long enough for a number.
    private static func mayMatch(_ bytes: [UInt8]) -> Bool {
        let known = ScalarKind.known
        var (digits, gap, index) = (0, 0, 0)
        while index < bytes.count {
            let (kind, width) = ScalarKind.read(bytes, at: index, known)
            index += width
            if kind.digit != nil {
                digits += 1
                gap = 0
                if digits >= IssuerRanges.lengths.lowerBound { return true }
            } else if kind != .invisible {
                gap += 1
                if gap > widestGap || kind != .separator { digits = 0 }
            }
        }
        return false
    }

    private mutating func group() {
        let known = ScalarKind.known
        var identifiers = HexIdentifiers(bytes)
        var open: Group?
        // How many separators stand since the last digit; `nil` after anything else.
        var gap: Int?
        var index = 0
        while index < bytes.count {
            let (kind, width) = ScalarKind.read(bytes, at: index, known)
            if let digit = kind.digit, !identifiers.contains(index) {
                if gap != 0 {
                    if let open { groups.append(open) }
                    let joins = gap.map { $0 <= Self.widestGap } ?? false
                    open = Group(first: digits.count, count: 0, range: index..<index, joinsPrevious: joins)
                }
                digits.append(digit)
                open?.end(at: index + width)
                gap = 0
            } else if kind == .separator {
                gap = gap.map { $0 + 1 }
            } else if kind != .invisible {
                gap = nil
            }
            index += width
        }
        if let open { groups.append(open) }
    }

    /// Tells whether there is a card number.
    var hasMatch: Bool { !matches(atMost: 1).isEmpty }

    /// Where card numbers stand, as ranges of bytes, in order and apart from each other.
    func matches(atMost limit: Int = .max) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        while start < groups.count, found.count < limit {
            var end = start + 1
            while end < groups.count, groups[end].joinsPrevious { end += 1 }
            find(in: start..<end, &found, atMost: limit)
            start = end
        }
        return found
    }

    /// The text with each match replaced.
    func replacing(_ matches: [Range<Int>], with text: String) -> [UInt8] {
        var out: [UInt8] = []
        var index = 0
        for match in matches {
            out += bytes[index..<match.lowerBound]
            out += text.utf8
            index = match.upperBound
        }
        return out + bytes[index...]
    }

    private func find(in chain: Range<Int>, _ found: inout [Range<Int>], atMost limit: Int) {
        if !isReference, isPlausible(chain), isCard(chain) {
            found.append(bytes(of: chain))
            return
        }
        var start = chain.lowerBound
        while start < chain.upperBound, found.count < limit {
            if let end = numberEnd(chain, from: start) {
                found.append(bytes(of: start..<end))
                start = end
            } else {
                start += 1
            }
        }
    }

    private func bytes(of window: Range<Int>) -> Range<Int> {
        groups[window.lowerBound].range.lowerBound..<groups[window.upperBound - 1].range.upperBound
    }

    /// Dates with times and addresses have many groups of different lengths; numbers that people write have not.
    private func isPlausible(_ chain: Range<Int>) -> Bool {
        if chain.count <= 3 { return true }
        guard chain.count <= IssuerRanges.lengths.upperBound else { return false }
        let first = groups[chain.lowerBound].count
        return groups[chain].dropLast().allSatisfy { $0.count == first }
    }

    /// Where a number that starts at a group ends: behind that group, a printed shape, or groups of one length.
    private func numberEnd(_ chain: Range<Int>, from start: Int) -> Int? {
        let length = groups[start].count
        switch length {
        case IssuerRanges.lengths.lowerBound...: return isCard(start..<start + 1) ? start + 1 : nil
        case 4, 6, 8:
            var row: UInt32 = 0
            for place in (start..<min(start + Self.longestShape, chain.upperBound)).reversed() {
                row = row << 4 | UInt32(min(groups[place].count, 15))
            }
            for shape in Self.shapes where shape.begins(row) && isCard(start..<start + shape.count) {
                return start + shape.count
            }
            return nil
        case 1, 2:
            guard start == chain.lowerBound || groups[start - 1].count != length else { return nil }
            var end = start + 1
            while end < chain.upperBound, end - start <= IssuerRanges.lengths.upperBound, groups[end].count == length {
                end += 1
            }
            return isCard(start..<end) ? end : nil
        default: return nil
        }
    }

    private func isCard(_ window: Range<Int>) -> Bool {
        let (first, end) = (groups[window.lowerBound].first, groups[window.upperBound - 1])
        let last = end.first + end.count
        guard IssuerRanges.lengths.contains(last - first), !isReference || last - first >= Self.shortestInReference
        else {
            return false
        }
        // A time of day with nanoseconds has the form of a UATP number, which is printed 4-5-6.
        if last - first == 15, digits[first] == 1, window.count > 1, groups[window].map(\.count) != [4, 5, 6] {
            return false
        }
        return IssuerRanges.isCardNumber(digits[first..<last])
    }
}

/// Digits inside UUIDs and hexadecimal digests, which are no card numbers.
private struct HexIdentifiers {
    /// Where they stand, in order.
    private var covered: [Range<Int>] = []
    /// The first that may still lie ahead.
    private var next = 0
    private static let digestLengths = [32, 40, 64, 96, 128]
    /// Where a UUID has its hyphens, and where it ends.
    private static let hyphens = [8, 13, 18, 23]
    private static let uuidLength = 36

    init(_ bytes: [UInt8]) {
        guard bytes.count >= 32 else { return }
        var start = 0
        for index in 0...bytes.count where index == bytes.count || !Self.isWord(bytes[index]) {
            if index - start == 8, Self.isUuid(bytes, at: start) {
                covered.append(start..<start + Self.uuidLength)
            } else if Self.digestLengths.contains(index - start), Self.isMixedHex(bytes[start..<index]) {
                covered.append(start..<index)
            }
            start = index + 1
        }
    }

    /// Asked for indexes in their order.
    mutating func contains(_ index: Int) -> Bool {
        while next < covered.count, covered[next].upperBound <= index { next += 1 }
        return next < covered.count && covered[next].contains(index)
    }

    private static func isUuid(_ bytes: [UInt8], at start: Int) -> Bool {
        let end = start + uuidLength
        guard end <= bytes.count, end == bytes.count || !isWord(bytes[end]),
            hyphens.allSatisfy({ bytes[start + $0] == UInt8(ascii: "-") })
        else { return false }
        return isMixedHex(bytes[start..<end], hyphens: hyphens.count)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Hexadecimal digits with a letter among them: digits alone may be a disguise.
    private static func isMixedHex(_ bytes: ArraySlice<UInt8>, hyphens: Int = 0) -> Bool {
        var (hasLetter, marks) = (false, 0)
        for byte in bytes {
            if Hex.value(of: byte) == nil {
                marks += 1
                guard byte == UInt8(ascii: "-"), marks <= hyphens else { return false }
            } else if byte > UInt8(ascii: "9") {
                hasLetter = true
            }
        }
        return hasLetter
    }
}
