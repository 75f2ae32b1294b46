import Crypto
package import Kernel

/// One time zone: what a TZif file says (RFC 9636, versions 1 to 4), named by the digest of its bytes.
///
/// The offset at an instant is that of the last stored transition before it; after the last one the footer's rule holds,
/// and before the first one the first local time type.
package struct ZoneData: Hashable, Sendable {
    /// SHA-256 of the file, in hexadecimal digits: two data sets with equal digests give equal answers.
    package let digest: String
    /// Instants in seconds since 1970 in UTC, ascending.
    let transitions: [Int64]
    /// The offset that each transition begins, in seconds east of UTC.
    let offsets: [Int64]
    /// The offset before the first transition.
    let firstOffset: Int64
    /// The rule after the last transition; `nil` keeps the last offset for ever.
    let footer: PosixZone?

    package static let fileBytes = 64 * 1024

    /// Reads a whole file.
    package init(_ bytes: [UInt8]) throws(ZoneFailure) {
        guard bytes.count <= Self.fileBytes else { throw ZoneFailure(.tooLarge, at: Self.fileBytes) }
        var reader = TzifReader(bytes)
        let block = try reader.file()
        transitions = block.transitions
        offsets = block.kinds.map { block.offsets[$0] }
        firstOffset = block.offsets[0]
        footer = block.footer
        digest = Hex.encode(Digest.sha256(bytes))
    }

    /// Seconds east of UTC at an instant.
    package func offset(at instant: Timestamp) -> Int64 { offset(atSecond: instant.seconds) }

    func offset(atSecond second: Int64) -> Int64 {
        let index = firstTransition(after: second)
        if index == transitions.count, let footer { return footer.offset(atSecond: second) }
        return index == 0 ? firstOffset : offsets[index - 1]
    }

    /// Every change of the offset from one second through another, in order.
    package func changes(from first: Int64, through last: Int64) -> [ZoneChange] {
        first <= last ? changes(in: first...last) : []
    }

    /// Every change of the offset at instants of the range, in order.
    func changes(in range: ClosedRange<Int64>) -> [ZoneChange] {
        var found: [ZoneChange] = []
        var index = firstTransition(after: range.lowerBound - 1)
        var before = index == 0 ? firstOffset : offsets[index - 1]
        while index < transitions.count, transitions[index] <= range.upperBound {
            found.append(ZoneChange(at: transitions[index], before: before, after: offsets[index]))
            before = offsets[index]
            index += 1
        }
        if let footer, index == transitions.count {
            let start = transitions.last.map { max($0 + 1, range.lowerBound) } ?? range.lowerBound
            if start <= range.upperBound {
                found += footer.changes(in: start...range.upperBound, before: offset(atSecond: start - 1))
            }
        }
        return found.filter { $0.before != $0.after }
    }

    private func firstTransition(after second: Int64) -> Int {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= second { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A moment at which clocks of a zone were set.
package struct ZoneChange: Hashable, Sendable {
    /// Seconds since 1970 in UTC: the first one with the new offset.
    package let at: Int64
    package let before: Int64
    package let after: Int64

    package init(at: Int64, before: Int64, after: Int64) {
        self.at = at
        self.before = before
        self.after = after
    }
}
