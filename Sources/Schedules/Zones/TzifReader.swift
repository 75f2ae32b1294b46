/// Reads the layout of RFC 9636, checking every count before it is used; any bytes end in a value or a failure.
struct TzifReader {
    /// The newest block of the file.
    struct Block {
        let transitions: [Int64]
        /// For each transition the index into `offsets`.
        let kinds: [Int]
        /// Seconds east of UTC of each local time type; never empty.
        let offsets: [Int64]
        var footer: PosixZone?
    }

    private struct Header {
        let version: UInt8
        let utcFlags, standardFlags, leaps, transitions, types, characters: Int

        func bytes(timeBytes: Int) -> Int {
            transitions * (timeBytes + 1) + types * 6 + characters + leaps * (timeBytes + 4) + standardFlags + utcFlags
        }
    }

    /// Twice what the longest-lived zone needs.
    private static let maximalTransitions = 4096
    private static let maximalTypes = 256
    /// No earlier moment than the Big Bang, as zic writes it, and none later than as far ahead.
    private static let farthest: Int64 = 1 << 59
    /// RFC 9636 allows less than 25 hours west and 26 hours east.
    private static let offsetRange: ClosedRange<Int64> = -89_999...93_599

    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func file() throws(ZoneFailure) -> Block {
        let first = try header()
        guard first.version != 0 else {
            let block = try block(first, timeBytes: 4)
            guard at == bytes.count else { throw ZoneFailure(.trailingBytes, at: at) }
            return block
        }
        // The first block serves readers of version 1; only its length is of interest.
        try skip(first.bytes(timeBytes: 4))
        let second = try header()
        guard second.version != 0 else { throw ZoneFailure(.versionUnknown, at: at - 40) }
        var block = try block(second, timeBytes: 8)
        block.footer = try footer()
        return block
    }

    private mutating func header() throws(ZoneFailure) -> Header {
        let start = at
        guard bytes.count - at >= 44 else {
            throw ZoneFailure(bytes.starts(with: Array("TZif".utf8)) ? .cutShort : .notTzif, at: start)
        }
        guard Array(bytes[at..<at + 4]) == Array("TZif".utf8) else { throw ZoneFailure(.notTzif, at: start) }
        let version = bytes[at + 4]
        switch version {
        case 0, UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4"): break
        default: throw ZoneFailure(.versionUnknown, at: start + 4)
        }
        at += 20
        var counts: [Int] = []
        for _ in 0..<6 { counts.append(Int(try number(4) & 0xFFFF_FFFF)) }
        let header = Header(
            version: version,
            utcFlags: counts[0],
            standardFlags: counts[1],
            leaps: counts[2],
            transitions: counts[3],
            types: counts[4],
            characters: counts[5]
        )
        guard counts.allSatisfy({ $0 <= ZoneData.fileBytes }) else { throw ZoneFailure(.countsInvalid, at: start + 20) }
        return header
    }

    private mutating func block(_ header: Header, timeBytes: Int) throws(ZoneFailure) -> Block {
        let start = at
        guard header.bytes(timeBytes: timeBytes) <= bytes.count - at else { throw ZoneFailure(.cutShort, at: at) }
        guard (1...Self.maximalTypes).contains(header.types), header.transitions <= Self.maximalTransitions,
            header.characters > 0, header.standardFlags == 0 || header.standardFlags == header.types,
            header.utcFlags == 0 || header.utcFlags == header.types
        else { throw ZoneFailure(.countsInvalid, at: start) }
        guard header.leaps == 0 else { throw ZoneFailure(.leapSeconds, at: start) }
        let transitions = try times(header.transitions, timeBytes)
        var kinds: [Int] = []
        for _ in 0..<header.transitions {
            let kind = Int(bytes[at])
            guard kind < header.types else { throw ZoneFailure(.typeUnknown, at: at) }
            kinds.append(kind)
            at += 1
        }
        let offsets = try types(header)
        try skip(header.characters)
        for _ in 0..<header.standardFlags + header.utcFlags {
            guard bytes[at] <= 1 else { throw ZoneFailure(.typeInvalid, at: at) }
            at += 1
        }
        return Block(transitions: transitions, kinds: kinds, offsets: offsets, footer: nil)
    }

    private mutating func times(_ count: Int, _ width: Int) throws(ZoneFailure) -> [Int64] {
        var times: [Int64] = []
        times.reserveCapacity(count)
        for _ in 0..<count {
            let start = at
            let time = try number(width)
            guard (-Self.farthest...Self.farthest).contains(time) else { throw ZoneFailure(.timeOutOfRange, at: start) }
            if let last = times.last, time <= last { throw ZoneFailure(.transitionsUnordered, at: start) }
            times.append(time)
        }
        return times
    }

    private mutating func types(_ header: Header) throws(ZoneFailure) -> [Int64] {
        var offsets: [Int64] = []
        let names = at + header.types * 6
        for _ in 0..<header.types {
            let start = at
            let offset = try number(4)
            let (isDaylight, name) = (bytes[at], Int(bytes[at + 1]))
            at += 2
            guard Self.offsetRange.contains(offset) else { throw ZoneFailure(.timeOutOfRange, at: start) }
            guard isDaylight <= 1, name < header.characters,
                bytes[(names + name)..<(names + header.characters)].contains(0)
            else { throw ZoneFailure(.typeInvalid, at: start) }
            offsets.append(offset)
        }
        return offsets
    }

    /// The rule between two line feeds; an empty one says nothing about the future.
    private mutating func footer() throws(ZoneFailure) -> PosixZone? {
        let start = at
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\n"),
            let end = bytes[(at + 1)...].firstIndex(of: UInt8(ascii: "\n"))
        else { throw ZoneFailure(at < bytes.count ? .footerMalformed : .cutShort, at: start) }
        guard end == bytes.count - 1 else { throw ZoneFailure(.trailingBytes, at: end + 1) }
        let text = Array(bytes[(start + 1)..<end])
        guard !text.isEmpty else { return nil }
        guard let zone = PosixZone(text) else { throw ZoneFailure(.footerMalformed, at: start + 1) }
        return zone
    }

    /// A big-endian number in two's complement.
    private mutating func number(_ width: Int) throws(ZoneFailure) -> Int64 {
        guard bytes.count - at >= width else { throw ZoneFailure(.cutShort, at: at) }
        var value: Int64 = bytes[at] & 0x80 == 0 ? 0 : -1
        for byte in bytes[at..<at + width] { value = value << 8 | Int64(byte) }
        at += width
        return value
    }

    private mutating func skip(_ count: Int) throws(ZoneFailure) {
        guard count <= bytes.count - at else { throw ZoneFailure(.cutShort, at: at) }
        at += count
    }
}
