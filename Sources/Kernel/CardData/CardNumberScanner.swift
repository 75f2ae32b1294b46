/// Finds card numbers that stand in a text as they are.
///
/// That is, whole runs of digits, in any script, with or without separators.
struct CardNumberScanner {
    /// Digits without anything but invisible characters between them.
    private struct Group {
        var digits: [UInt8]
        /// Scalars from the first digit to behind the last.
        var range: Range<Int>
        /// Only a few separators lie between the group before and this one.
        let joinsPrevious: Bool
    }

    private let scalars: [Unicode.Scalar]

    /// More than this between two groups of digits parts them.
    private static let widestGap = 3

    /// How card numbers are printed in groups; other groupings count only when nothing else adjoins.
    ///
    /// Longer shapes come before those that they start with.
    private static let shapes: [[Int]] = [
        [4, 4, 4, 4, 3], [4, 4, 4, 4, 2], [4, 4, 4, 4, 1], [4, 4, 4, 4], [4, 4, 5], [4, 4, 4], [4, 6, 5], [4, 6, 4],
        [4, 5, 6], [8, 8], [6, 10], [6, 13],
    ]

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// Where card numbers stand, as ranges of scalars, in order and apart from each other.
    func matches() -> [Range<Int>] {
        let groups = self.groups()
        var found: [Range<Int>] = []
        var start = 0
        while start < groups.count {
            var end = start + 1
            while end < groups.count, groups[end].joinsPrevious { end += 1 }
            found += matches(chain: Array(groups[start..<end]))
            start = end
        }
        return found
    }

    /// The text with each match replaced.
    func replacing(_ matches: [Range<Int>], with text: String) -> String {
        var out = String.UnicodeScalarView()
        var index = 0
        for match in matches {
            out.append(contentsOf: scalars[index..<match.lowerBound])
            out.append(contentsOf: text.unicodeScalars)
            index = match.upperBound
        }
        out.append(contentsOf: scalars[index...])
        return String(out)
    }

    private func matches(chain: [Group]) -> [Range<Int>] {
        if isPlausible(chain), isCard(chain[...]) {
            return [chain[0].range.lowerBound..<chain[chain.count - 1].range.upperBound]
        }
        var found: [Range<Int>] = []
        var start = 0
        while start < chain.count {
            if let end = windowEnds(chain, from: start).first(where: { isCard(chain[start..<$0]) }) {
                found.append(chain[start].range.lowerBound..<chain[end - 1].range.upperBound)
                start = end
            } else {
                start += 1
            }
        }
        return found
    }

    /// Dates with times and addresses have many groups of different lengths; numbers that people write have not.
    private func isPlausible(_ chain: [Group]) -> Bool {
        chain.count <= 3 || chain.dropLast().allSatisfy { $0.digits.count == chain[0].digits.count }
    }

    /// Where a card number that starts at a group may end: a single group, a printed shape, or groups of one length.
    private func windowEnds(_ chain: [Group], from start: Int) -> [Int] {
        let length = chain[start].digits.count
        if length >= IssuerRanges.lengths.lowerBound { return [start + 1] }
        func has(_ shape: [Int]) -> Bool {
            start + shape.count <= chain.count
                && shape.indices.allSatisfy { chain[start + $0].digits.count == shape[$0] }
        }
        guard length > 2 else {
            guard start == 0 || chain[start - 1].digits.count != length else { return [] }
            let end = chain[start...].prefix(IssuerRanges.lengths.upperBound + 1).firstIndex {
                $0.digits.count != length
            }
            return [end ?? chain.count]
        }
        return Self.shapes.filter(has).map { start + $0.count }
    }

    private func isCard(_ groups: ArraySlice<Group>) -> Bool {
        var count = 0
        for group in groups {
            count += group.digits.count
            if count > IssuerRanges.lengths.upperBound { return false }
        }
        guard count >= IssuerRanges.lengths.lowerBound else { return false }
        let digits = groups.flatMap(\.digits)
        // A time of day with nanoseconds has the form of a UATP number, which is printed 4-5-6.
        let lengths = groups.map(\.digits.count)
        if digits.count == 15, digits[0] == 1, lengths != [15], lengths != [4, 5, 6] { return false }
        return IssuerRanges.isCardNumber(digits)
    }

    private func groups() -> [Group] {
        let identifiers = HexIdentifiers(scalars)
        var groups: [Group] = []
        // How many separators stand since the last digit; `nil` after anything else.
        var gap: Int?
        for (index, scalar) in scalars.enumerated() {
            if let digit = Self.digit(scalar), !identifiers.contains(index) {
                if gap == 0 {
                    groups[groups.count - 1].digits.append(digit)
                    groups[groups.count - 1].range = groups[groups.count - 1].range.lowerBound..<index + 1
                } else {
                    let joins = gap.map { $0 <= Self.widestGap } ?? false
                    groups.append(Group(digits: [digit], range: index..<index + 1, joinsPrevious: joins))
                }
                gap = 0
            } else if Self.isInvisible(scalar) {
                continue
            } else if Self.isSeparator(scalar) {
                gap = gap.map { $0 + 1 }
            } else {
                gap = nil
            }
        }
        return groups
    }

    private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        if scalar.isASCII {
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? byte - UInt8(ascii: "0") : nil
        }
        if scalar.properties.numericType == .decimal || scalar.properties.numericType == .digit,
            let value = scalar.properties.numericValue, value >= 0, value <= 9
        {
            return UInt8(value)
        }
        return nil
    }

    /// Tells whether a text in any script has enough digits for a number.
    static func mayMatch(_ text: String) -> Bool {
        var digits = 0
        for scalar in text.unicodeScalars where digit(scalar) != nil { digits += 1 }
        return digits >= IssuerRanges.lengths.lowerBound
    }

    /// Tells whether the plain bytes hold a chain of groups that is long enough for a number.
    static func mayMatch(ascii bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var digits = 0
        var gap = 0
        for byte in bytes {
            if byte &- UInt8(ascii: "0") <= 9 {
                digits += 1
                gap = 0
                if digits >= IssuerRanges.lengths.lowerBound { return true }
            } else {
                gap += 1
                if gap > widestGap || !isSeparator(byte) { digits = 0 }
            }
        }
        return false
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: ","),
            UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "\\"), UInt8(ascii: "+"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return false }
        switch scalar.properties.generalCategory {
        case .format, .nonspacingMark, .enclosingMark: return true
        default: return false
        }
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return isSeparator(UInt8(truncatingIfNeeded: scalar.value)) }
        return scalar.properties.isWhitespace || scalar.properties.generalCategory == .dashPunctuation
            || "\u{00B7}\u{2022}\u{2044}\u{2212}\u{2215}\u{FF0E}\u{FF0F}\u{30FB}".unicodeScalars.contains(scalar)
    }
}

/// Digits inside UUIDs and hexadecimal digests, which are no card numbers.
private struct HexIdentifiers {
    /// For each scalar whether it belongs to one.
    private var covered: [Bool]
    private static let digestLengths: Set<Int> = [32, 40, 64, 96, 128]
    private static let uuidShape = [8, 4, 4, 4, 12]

    init(_ scalars: [Unicode.Scalar]) {
        covered = Array(repeating: false, count: scalars.count)
        guard scalars.count >= 32 else { return }
        var tokens: [Range<Int>] = []
        var start: Int?
        for index in 0...scalars.count {
            let isWord = index < scalars.count && Self.isWord(scalars[index])
            if isWord, start == nil { start = index }
            if !isWord, let first = start {
                tokens.append(first..<index)
                start = nil
            }
        }
        for (index, token) in tokens.enumerated() {
            if Self.digestLengths.contains(token.count), Self.isMixedHex(scalars[token]) { cover(token) }
            let five = tokens[index...].prefix(Self.uuidShape.count)
            guard five.map(\.count) == Self.uuidShape, let last = five.last else { continue }
            let whole = token.lowerBound..<last.upperBound
            let hyphens = zip(five, five.dropFirst()).allSatisfy { left, right in
                right.lowerBound == left.upperBound + 1 && scalars[left.upperBound] == "-"
            }
            if hyphens, Self.isMixedHex(scalars[whole].filter { $0 != "-" }[...]) { cover(whole) }
        }
    }

    func contains(_ index: Int) -> Bool { covered[index] }

    private mutating func cover(_ range: Range<Int>) {
        for index in range { covered[index] = true }
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else { return false }
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Hexadecimal digits with a letter among them: digits alone may be a disguise.
    private static func isMixedHex(_ scalars: ArraySlice<Unicode.Scalar>) -> Bool {
        var hasLetter = false
        for scalar in scalars {
            guard Hex.value(of: UInt8(truncatingIfNeeded: scalar.value)) != nil else { return false }
            if scalar.value > 0x39 { hasLetter = true }
        }
        return hasLetter
    }
}
