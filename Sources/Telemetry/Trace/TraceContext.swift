package import Kernel

/// Where a request stands in a distributed trace (W3C Trace Context, level 1).
package struct TraceContext: Hashable, Sendable, CustomStringConvertible {
    /// Sixteen bytes that all requests of one trace share.
    package let traceId: Uuid
    /// Eight bytes that name the caller's step.
    package let spanId: UInt64
    package let flags: UInt8
    /// The state that other systems want carried along, unread.
    package let state: String?

    package init?(traceId: Uuid, spanId: UInt64, flags: UInt8, state: String? = nil) {
        guard traceId != Uuid(high: 0, low: 0), spanId != 0 else { return nil }
        self.traceId = traceId
        self.spanId = spanId
        self.flags = flags
        self.state = state
    }

    /// Reads the headers; a `traceparent` that breaks the rules is `nil`, a bad `tracestate` is left out.
    package init?(traceparent: String, tracestate: String? = nil) {
        let bytes = Array(traceparent.utf8)
        guard bytes.count >= 55, bytes[2] == Self.dash, bytes[35] == Self.dash, bytes[52] == Self.dash,
            let version = Self.number(bytes[0..<2]), version != 0xFF, let flags = Self.number(bytes[53..<55]),
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
            let span = Self.number(bytes[36..<52])
        else { return nil }
        guard bytes.count == 55 || (version > 0 && bytes[55] == Self.dash) else { return nil }
        self.init(
            traceId: Uuid(high: high, low: low),
            spanId: span,
            flags: version == 0 ? UInt8(flags) : UInt8(flags) & Self.sampled,
            state: tracestate.flatMap { Self.isCarried($0) ? $0 : nil }
        )
    }

    /// Starts a trace, unsampled.
    package static func new(from random: some RandomSource) -> TraceContext {
        while true {
            let id = Uuid(high: random.word(), low: random.word())
            if let context = TraceContext(traceId: id, spanId: random.word(), flags: 0) { return context }
        }
    }

    /// A step of our own in the same trace.
    package func child(from random: some RandomSource) -> TraceContext {
        while true {
            let span = random.word()
            if let context = TraceContext(traceId: traceId, spanId: span, flags: flags, state: state) { return context }
        }
    }

    package var traceparent: String {
        String(ascii: 55) { out in
            out.initialize(repeating: Self.dash)
            Self.write(0, digits: 2, into: out, at: 0)
            Self.write(traceId.high, digits: 16, into: out, at: 3)
            Self.write(traceId.low, digits: 16, into: out, at: 19)
            Self.write(spanId, digits: 16, into: out, at: 36)
            Self.write(UInt64(flags), digits: 2, into: out, at: 53)
        }
    }

    private static func write(
        _ number: UInt64,
        digits: Int,
        into out: UnsafeMutableBufferPointer<UInt8>,
        at place: Int
    ) {
        for index in 0..<digits {
            out[place + index] = Hex.digit(UInt8(truncatingIfNeeded: number >> UInt64(4 * (digits - 1 - index))) & 15)
        }
    }

    package var description: String { traceparent }

    private static let dash = UInt8(ascii: "-")
    private static let sampled: UInt8 = 1

    /// Lower-case digits only, as the standard has it.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit), let nibble = Hex.value(of: digit) else {
                return nil
            }
            value = value << 4 | UInt64(nibble)
        }
        return value
    }

    private static func isCarried(_ state: String) -> Bool {
        !state.isEmpty && state.utf8.count <= Limits.tracestateBytes
            && state.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
    }
}
