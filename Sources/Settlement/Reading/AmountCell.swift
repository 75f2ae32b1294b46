import Kernel

/// Reads amounts of cells exactly: no exponent, no plus, no rounding.
struct AmountCell {
    let decimal: UInt8
    let grouping: [UInt8]
    let units: SettlementMapping.Units

    /// Reads cells of an encoding, in which what stands between thousands may have other bytes.
    init(_ mapping: SettlementMapping, _ encoding: SettlementMapping.Encoding) {
        decimal = mapping.decimal.utf8.first ?? UInt8(ascii: ".")
        grouping = CellText.bytes(mapping.grouping, encoding)
        units = mapping.units
    }

    /// Minor units, below zero behind a minus.
    func read(_ cell: ArraySlice<UInt8>, _ currency: Currency) -> Result<Int64, SettlementFault.Code> {
        var rest = cell
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        let parts = rest.split(separator: decimal, maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap(ungrouped), !whole.isEmpty else { return .failure(.amountMalformed) }
        var fraction = parts.count > 1 ? Array(parts[1]) : []
        let scale = units == .minor ? 0 : currency.exponent
        guard parts.count == 1 || units == .major && !fraction.isEmpty, Self.areDigits(whole), Self.areDigits(fraction)
        else { return .failure(.amountMalformed) }
        // Three digits of a currency that has fewer may be a thousand, as in `1.000`; other zeros say nothing.
        guard fraction.count != 3 || scale >= 3 else { return .failure(.amountScale) }
        while fraction.count > scale, fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        guard fraction.count <= scale else { return .failure(.amountScale) }
        fraction += Array(repeating: UInt8(ascii: "0"), count: scale - fraction.count)
        var value: Int64 = 0
        for digit in whole + fraction {
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isOver) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            guard !isTooLarge, !isOver else { return .failure(.amountOverflow) }
            value = sum
        }
        // A zero below zero is somebody's mistake.
        guard !isNegative || value != 0 else { return .failure(.amountMalformed) }
        return .success(isNegative ? -value : value)
    }

    /// The digits without what stands between thousands; `nil` where that stands elsewhere.
    private func ungrouped(_ whole: ArraySlice<UInt8>) -> [UInt8]? {
        guard let mark = grouping.first, let first = whole.firstIndex(of: mark) else { return Array(whole) }
        var digits = Array(whole[..<first])
        guard (1...3).contains(digits.count) else { return nil }
        var rest = whole[first...]
        while !rest.isEmpty {
            let group = rest.dropFirst(grouping.count).prefix(3)
            guard rest.starts(with: grouping), group.count == 3 else { return nil }
            digits += group
            rest = rest.dropFirst(grouping.count + 3)
        }
        return digits
    }

    private static func areDigits(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension SettlementFault.Code: Error {}
