/// Cuts bytes that come piece by piece into lines of a bounded length.
struct LineCutter {
    /// The beginning of a line whose end has not come yet.
    private var rest: [UInt8] = []
    /// Lines that were handed on.
    private(set) var count = 0

    /// Hands on each whole line with its end and its number.
    mutating func take(_ piece: [UInt8], _ body: (ArraySlice<UInt8>, _ number: Int) throws(SettlementFault) -> Void)
        throws(SettlementFault)
    {
        var start = 0
        while let end = piece[start...].firstIndex(of: UInt8(ascii: "\n")) {
            try hand(piece[start...end], body)
            start = end + 1
        }
        try check(rest.count + piece.count - start)
        rest.append(contentsOf: piece[start...])
    }

    /// Hands on what the last piece left.
    mutating func end(_ body: (ArraySlice<UInt8>, _ number: Int) throws(SettlementFault) -> Void)
        throws(SettlementFault)
    {
        guard !rest.isEmpty else { return }
        try hand([], body)
    }

    private mutating func hand(
        _ tail: ArraySlice<UInt8>,
        _ body: (ArraySlice<UInt8>, _ number: Int) throws(SettlementFault) -> Void
    )
        throws(SettlementFault)
    {
        try check(rest.count + tail.count)
        count += 1
        guard !rest.isEmpty else { return try body(tail, count) }
        rest.append(contentsOf: tail)
        try body(rest[...], count)
        rest.removeAll(keepingCapacity: true)
    }

    private func check(_ bytes: Int) throws(SettlementFault) {
        guard bytes <= SettlementLimits.lineBytes else { throw SettlementFault(.lineTooLong, line: count + 1) }
    }
}
