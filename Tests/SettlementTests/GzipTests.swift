import Kernel
import Settlement
import Testing

/// Packed settlement files.
struct GzipTests {
    /// `header + good` of the reader's tests by `gzip -9`, and again as two members.
    private static let packed = PackedFiles.line

    @Test(arguments: [1, 5, 4096]) func `a packed file is read like a plain one`(piece: Int) throws {
        let (lines, _) = try SettlementReaderTests.read(Self.packed, piece: piece)
        #expect(lines.map(\.amount) == [1999])
        // Members behind each other are one file.
        let rest = PackedFiles.second
        let (both, _) = try SettlementReaderTests.read(Self.packed + rest, piece: piece)
        #expect(both.map(\.number) == [2, 3])
    }

    @Test func `a packed file that is cut is refused wherever it is cut`() {
        for count in 3..<Self.packed.count {
            #expect(throws: SettlementFault(.gzipCut), "\(count)") {
                try SettlementReaderTests.read(Array(Self.packed.prefix(count)))
            }
        }
    }

    @Test func `broken packed bytes are refused`() {
        var broken = Self.packed
        broken[broken.count - 5] ^= 0x40
        #expect(throws: SettlementFault(.gzipBroken)) { try SettlementReaderTests.read(broken) }
        #expect(throws: SettlementFault(.gzipBroken)) {
            try SettlementReaderTests.read(Self.packed + Array("trailing".utf8))
        }
    }

    @Test func `a file that unpacks to more than is taken is refused before it is unpacked`() throws {
        #expect(throws: SettlementFault(.contentTooLarge)) {
            try SettlementReaderTests.read(PackedFiles.bomb, most: 1 << 20)
        }
        #expect(throws: SettlementFault(.headerMissing)) {
            try SettlementReaderTests.read(PackedFiles.bomb, most: 2 << 20)
        }
    }
}
