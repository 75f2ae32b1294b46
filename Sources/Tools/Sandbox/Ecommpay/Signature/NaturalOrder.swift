/// The order in which a person would list texts with numbers: digit runs count as numbers, the rest byte by byte.
///
/// Written from the rules of the provider reference: zeros at the very start that another digit follows are skipped,
/// white space is skipped at every step, digit runs without a leading zero compare by length and then by first
/// difference, runs with a leading zero compare like fractions, everything else as unsigned bytes.
package enum NaturalOrder {
    /// Negative, zero or positive, as `left` comes before, with or after `right`.
    package static func compare(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return left.count - right.count }
        var here = afterLeadingZeros(left)
        var there = afterLeadingZeros(right)
        while true {
            skipSpace(left, &here)
            skipSpace(right, &there)
            if let difference = endings(left, here, right, there) { return difference }
            if isDigit(left[here]), isDigit(right[there]) {
                let fraction = left[here] == zero || right[there] == zero
                let difference =
                    fraction
                    ? compareFractions(left, &here, right, &there) : compareNumbers(left, &here, right, &there)
                if difference != 0 { return difference }
            } else {
                if left[here] != right[there] { return left[here] < right[there] ? -1 : 1 }
                here += 1
                there += 1
            }
            if let difference = endings(left, here, right, there) { return difference }
        }
    }

    private static let zero = UInt8(ascii: "0")

    private static func isDigit(_ byte: UInt8) -> Bool { (zero...UInt8(ascii: "9")).contains(byte) }

    private static func digit(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt8? {
        index < bytes.endIndex && isDigit(bytes[index]) ? bytes[index] : nil
    }

    private static func afterLeadingZeros(_ bytes: ArraySlice<UInt8>) -> Int {
        var index = bytes.startIndex
        while bytes[index] == zero, digit(bytes, index + 1) != nil { index += 1 }
        return index
    }

    private static func skipSpace(_ bytes: ArraySlice<UInt8>, _ index: inout Int) {
        while index < bytes.endIndex, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) { index += 1 }
    }

    /// Decides where at least one side has ended: the shorter one is smaller.
    private static func endings(
        _ left: ArraySlice<UInt8>,
        _ here: Int,
        _ right: ArraySlice<UInt8>,
        _ there: Int
    ) -> Int? {
        switch (here >= left.endIndex, there >= right.endIndex) {
        case (true, true): 0
        case (true, false): -1
        case (false, true): 1
        case (false, false): nil
        }
    }

    /// The longer run is larger; runs of one length differ by their first different digit.
    private static func compareNumbers(
        _ left: ArraySlice<UInt8>,
        _ here: inout Int,
        _ right: ArraySlice<UInt8>,
        _ there: inout Int
    ) -> Int {
        var bias = 0
        while true {
            switch (digit(left, here), digit(right, there)) {
            case (nil, nil): return bias
            case (nil, _): return -1
            case (_, nil): return 1
            case (let first?, let second?):
                if bias == 0, first != second { bias = first < second ? -1 : 1 }
            }
            here += 1
            there += 1
        }
    }

    /// The first different digit decides; a run that ends first is smaller.
    private static func compareFractions(
        _ left: ArraySlice<UInt8>,
        _ here: inout Int,
        _ right: ArraySlice<UInt8>,
        _ there: inout Int
    ) -> Int {
        while true {
            switch (digit(left, here), digit(right, there)) {
            case (nil, nil): return 0
            case (nil, _): return -1
            case (_, nil): return 1
            case (let first?, let second?):
                if first != second { return first < second ? -1 : 1 }
            }
            here += 1
            there += 1
        }
    }
}
