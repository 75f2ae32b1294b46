/// Which files about disputes are kept.
package enum EvidenceFile {
    /// The media types that are taken.
    package static let types = ["application/pdf", "image/png", "image/jpeg", "text/plain"]

    private static let beginnings: [(type: String, bytes: [UInt8])] = [
        ("application/pdf", Array("%PDF-".utf8)), ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        ("image/jpeg", [0xFF, 0xD8, 0xFF]),
    ]

    /// The media type that a file's own bytes tell; `nil` where it is none that is kept.
    package static func mediaType(of bytes: [UInt8]) -> String? {
        if let found = beginnings.first(where: { bytes.starts(with: $0.bytes) }) { return found.type }
        return !bytes.isEmpty && !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
            ? "text/plain" : nil
    }
}
