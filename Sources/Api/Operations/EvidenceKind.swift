import Http

/// A kind of file that a bank takes about a dispute, in the words of media types; its content proves it.
enum EvidenceKind: String, CaseIterable {
    case pdf = "application/pdf"
    case png = "image/png"
    case jpeg = "image/jpeg"
    case text = "text/plain"

    /// Says nothing of a file: its content tells.
    static let untold = "application/octet-stream"
    static let words = allCases.map(\.rawValue).joined(separator: ", ")

    private static let pngMark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let jpegMark: [UInt8] = [0xFF, 0xD8, 0xFF]
    private static let pdfMark = Array("%PDF-".utf8)
    /// Readers of PDF look for its mark so far.
    private static let pdfReach = 1024

    /// The kind of a file that says nothing of itself; `nil` where it is none.
    init?(of bytes: [UInt8]) {
        if bytes.starts(with: Self.pdfMark) {
            self = .pdf
        } else if let kind = [EvidenceKind.png, .jpeg, .text].first(where: { $0.holds(bytes) }) {
            self = kind
        } else {
            return nil
        }
    }

    /// Whether a file is of this kind, as far as its first bytes say; text of any encoding has none that control something.
    func holds(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .png: bytes.starts(with: Self.pngMark)
        case .jpeg: bytes.starts(with: Self.jpegMark)
        case .pdf: Array(bytes.prefix(Self.pdfReach)).firstRange(of: Self.pdfMark) != nil
        case .text: Self.isWide(bytes) || bytes.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
        }
    }

    /// UTF-16 by its mark of the byte order.
    private static func isWide(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    }
}

/// Files about disputes on their way in and out: a few in memory at once, each of the kind that it says it is.
extension Api {
    /// Keeps a file about a dispute once its content is known to be what the headers say, or tells what they don't.
    func takeDisputeEvidence(_ call: Call) async throws(Problem) -> HttpResponse {
        let type = call.headers.mediaType ?? ""
        let named = EvidenceKind.allCases.first { HttpHeaders.isSame($0.rawValue, type) }
        // Another type is refused before the file is read.
        guard named != nil || HttpHeaders.isSame(EvidenceKind.untold, type) else {
            return try await addDisputeEvidence(call)
        }
        try takeFile(call)
        defer { uploads.release(call.merchant) }
        let bytes = try await evidence(call.upload)
        guard let kind = named ?? EvidenceKind(of: bytes), kind.holds(bytes) else {
            let wanted = named?.rawValue ?? "one of \(EvidenceKind.words)"
            throw Problem(.mediaTypeUnsupported, "The content of the file is not \(wanted).", path: "body")
        }
        var whole = call
        whole.headers.set("Content-Type", kind.rawValue)
        whole.upload = WholeBody(bytes)
        return try await addDisputeEvidence(whole)
    }

    /// Takes a place for a file in memory; whoever has one gives it back.
    func takeFile(_ call: Call) throws(Problem) {
        guard uploads.take(call.merchant) else {
            throw .tooMany(.seconds(1), "This merchant has as many files in hand as it may.")
        }
    }
}
