/// Which files about disputes are kept.
package enum EvidenceFile {
    /// The media types that are taken.
    package static let types = [pdf, png, jpeg, text]
    /// Says nothing of a file: its content tells.
    static let untold = "application/octet-stream"

    private static let pdf = "application/pdf"
    private static let png = "image/png"
    private static let jpeg = "image/jpeg"
    private static let text = "text/plain"

    private static let pdfMark = Array("%PDF-".utf8)
    /// Readers of PDF look for its mark so far.
    private static let pdfReach = 1024
    private static let beginnings: [(type: String, bytes: [UInt8])] = [
        (pdf, pdfMark), (png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (jpeg, [0xFF, 0xD8, 0xFF]),
    ]
    /// UTF-16 by its mark of the byte order.
    private static let wideMarks: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF]]

    /// The media type that a file's own bytes tell; `nil` where it is none that is kept.
    package static func mediaType(of bytes: [UInt8]) -> String? {
        if let found = beginnings.first(where: { bytes.starts(with: $0.bytes) }) { return found.type }
        if wideMarks.contains(where: { bytes.starts(with: $0) }) { return text }
        return !bytes.isEmpty && !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil ? text : nil
    }

    /// Whether a file can be what its sender says: text in an encoding of its own is text, too, and something may stand before a
    /// document's mark.
    static func mayBe(_ type: String, _ bytes: [UInt8]) -> Bool {
        switch mediaType(of: bytes) {
        case type?: true
        case nil where type == text: bytes.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
        case nil where type == pdf, text? where type == pdf:
            Array(bytes.prefix(pdfReach)).firstRange(of: pdfMark) != nil
        default: false
        }
    }
}
