/// The order of PHP's `strnatcmp`, case-sensitive: runs of digits compare as numbers, everything else byte by byte.
///
/// 1. At the very start of each text, zeros that another digit follows are skipped.
/// 2. White space is skipped before each step.
/// 3. Where both sides stand on a digit: if either digit is zero, the runs compare as fractions, from the left; else the
///    longer run is larger, and equally long runs compare by their first difference.
/// 4. Any other pair compares as bytes; a text that ends first is smaller.
package enum NaturalOrder {
    typealias Text = UnsafeBufferPointer<UInt8>

    /// Negative, zero or positive as `left` precedes, equals or follows `right`.
    static func compare(_ left: Text, _ right: Text) -> Int {
        if let quick = byFirstDifference(left, right) { return quick }
        return Walk(left: left, right: right).compare()
    }

    package static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { right in compare(left, right) } }
    }

    /// Decides where neither numbers nor white space can matter: the texts differ behind a common start without any.
    private static func byFirstDifference(_ left: Text, _ right: Text) -> Int? {
        let shared = min(left.count, right.count)
        var index = 0
        while index < shared, left[index] == right[index] {
            if isDigit(left[index]) || isSpace(left[index]) { return nil }
            index += 1
        }
        guard index < shared else { return nil }
        let (one, two) = (left[index], right[index])
        guard !isDigit(one), !isDigit(two), !isSpace(one), !isSpace(two) else { return nil }
        return one < two ? -1 : 1
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 < 5 }
}

/// One comparison in progress.
private struct Walk {
    let left: NaturalOrder.Text
    let right: NaturalOrder.Text
    private var leftIndex = 0
    private var rightIndex = 0

    init(left: NaturalOrder.Text, right: NaturalOrder.Text) {
        self.left = left
        self.right = right
    }

    consuming func compare() -> Int {
        guard !left.isEmpty, !right.isEmpty else { return (left.count - right.count).signum() }
        leftIndex = Self.afterLeadingZeros(left)
        rightIndex = Self.afterLeadingZeros(right)
        while true {
            Self.skipSpace(left, &leftIndex)
            Self.skipSpace(right, &rightIndex)
            if isDigit(left, leftIndex), isDigit(right, rightIndex) {
                let isFraction =
                    left[leftIndex] == UInt8(ascii: "0") || right[rightIndex] == UInt8(ascii: "0")
                let order = isFraction ? compareFractions() : compareNumbers()
                if order != 0 { return order }
                if let end = endOrder() { return end }
            }
            let (one, two) = (byte(left, leftIndex), byte(right, rightIndex))
            if one != two { return one < two ? -1 : 1 }
            leftIndex += 1
            rightIndex += 1
            if let end = endOrder() { return end }
        }
    }

    /// The verdict where a side has ended: the shorter is smaller.
    private func endOrder() -> Int? {
        switch (leftIndex >= left.count, rightIndex >= right.count) {
        case (true, true): 0
        case (true, false): -1
        case (false, true): 1
        case (false, false): nil
        }
    }

    /// The longer run of digits is larger; equally long ones compare by their first difference.
    private mutating func compareNumbers() -> Int {
        var bias = 0
        while true {
            switch (isDigit(left, leftIndex), isDigit(right, rightIndex)) {
            case (false, false): return bias
            case (false, true): return -1
            case (true, false): return 1
            case (true, true):
                let (one, two) = (left[leftIndex], right[rightIndex])
                if bias == 0, one != two { bias = one < two ? -1 : 1 }
                leftIndex += 1
                rightIndex += 1
            }
        }
    }

    /// The first difference decides, as behind a decimal point.
    private mutating func compareFractions() -> Int {
        while true {
            switch (isDigit(left, leftIndex), isDigit(right, rightIndex)) {
            case (false, false): return 0
            case (false, true): return -1
            case (true, false): return 1
            case (true, true):
                let (one, two) = (left[leftIndex], right[rightIndex])
                if one != two { return one < two ? -1 : 1 }
                leftIndex += 1
                rightIndex += 1
            }
        }
    }

    private func isDigit(_ text: NaturalOrder.Text, _ index: Int) -> Bool {
        index < text.count && NaturalOrder.isDigit(text[index])
    }

    /// The byte there, or zero behind the end.
    private func byte(_ text: NaturalOrder.Text, _ index: Int) -> UInt8 { index < text.count ? text[index] : 0 }

    private static func afterLeadingZeros(_ text: NaturalOrder.Text) -> Int {
        var index = 0
        while index + 1 < text.count, text[index] == UInt8(ascii: "0"), NaturalOrder.isDigit(text[index + 1]) {
            index += 1
        }
        return index
    }

    private static func skipSpace(_ text: NaturalOrder.Text, _ index: inout Int) {
        while index < text.count, NaturalOrder.isSpace(text[index]) { index += 1 }
    }
}
