import CZlib

/// Unpacks gzip bytes that come piece by piece; several members behind each other count as one.
///
/// It owns zlib's state, which is freed once.
@safe struct GzipContent: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether a member has ended and no other one begun.
    private var isBetween = false

    /// Bytes that come out at once.
    private static let portion = 64 * 1024
    /// Asks zlib for a gzip header, and no other.
    private static let windowBits: Int32 = 15 + 16

    init() throws(SettlementFault) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let status = unsafe inflateInit2_(
            stream,
            Self.windowBits,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard status == Z_OK else { throw SettlementFault(.gzipBroken) }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Unpacks a piece and lends out what comes of it.
    mutating func take(_ piece: [UInt8], _ body: ([UInt8]) throws(SettlementFault) -> Void) throws(SettlementFault) {
        var piece = piece
        var done = 0
        // A full portion may have more behind it, though all bytes are taken.
        var mayHoldMore = false
        while done < piece.count || mayHoldMore {
            if isBetween {
                guard done < piece.count else { return }
                guard unsafe inflateReset(stream) == Z_OK else { throw SettlementFault(.gzipBroken) }
                isBetween = false
            }
            let (output, used) = try step(&piece, from: done)
            done += used
            mayHoldMore = output.count == Self.portion
            if !output.isEmpty { try body(output) }
        }
    }

    private mutating func step(_ piece: inout [UInt8], from start: Int) throws(SettlementFault)
        -> (output: [UInt8], used: Int)
    {
        var status = Z_OK
        var left = 0
        let count = piece.count - start
        let stream = unsafe self.stream
        let output = unsafe piece.withUnsafeMutableBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: Self.portion) { buffer, filled in
                unsafe stream.pointee.next_in = input.baseAddress?.advanced(by: start)
                unsafe stream.pointee.avail_in = UInt32(count)
                unsafe stream.pointee.next_out = buffer.baseAddress
                unsafe stream.pointee.avail_out = UInt32(Self.portion)
                status = unsafe inflate(stream, Z_NO_FLUSH)
                left = Int(unsafe stream.pointee.avail_in)
                filled = Self.portion - Int(unsafe stream.pointee.avail_out)
            }
        }
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw SettlementFault(.gzipBroken)
        }
        guard status != Z_BUF_ERROR || !output.isEmpty || left < count || count == 0 else {
            throw SettlementFault(.gzipBroken)
        }
        isBetween = status == Z_STREAM_END
        return (output, count - left)
    }

    /// Refuses content that has not ended.
    func end() throws(SettlementFault) {
        guard isBetween else { throw SettlementFault(.gzipCut) }
    }
}
