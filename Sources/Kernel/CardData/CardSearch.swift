/// Looks for card numbers in the texts of one document, also behind encodings.
///
/// What it costs is bounded by the size of the texts: readings of what is encoded are made only so long as there is room
/// for them, those that lie nearest first.
package struct CardSearch {
    /// Encodings inside encodings that are looked through.
    static let encodingDepth = 3
    /// Bytes of readings for each byte of text, and beside that for each document.
    package static let roomPerByte = 1
    package static let freeRoom = 4096

    /// Bytes of readings that may still be made.
    private var room = Self.freeRoom
    /// Bytes that were looked at, encoded or not: what the search costs.
    package private(set) var visited = 0

    package init() {}

    package mutating func contains(_ text: String, isReference: Bool = false) -> Bool {
        mayHide(in: text) && contains(Array(text.utf8), isReference: isReference)
    }

    /// Reads a text as something else; that costs a look, too.
    mutating func reading<Value>(_ text: String, _ read: (String) -> Value) -> Value {
        visited += text.utf8.count
        return read(text)
    }

    /// Rules out quickly what is too short or too plain.
    mutating func mayHide(in text: String) -> Bool {
        var text = text
        visited += text.utf8.count
        return text.withUTF8(Self.mayHide)
    }

    mutating func contains(_ bytes: [UInt8], isReference: Bool = false) -> Bool {
        visited += bytes.count
        room += Self.roomPerByte * bytes.count
        guard !Self.isPhoneNumber(bytes[...]) else { return false }
        if CardNumberScanner(bytes, isReference: isReference).hasMatch { return true }
        var level = bytes
        for _ in 0..<Self.encodingDepth {
            level = EncodedText.readings(of: level, atMost: room)
            guard !level.isEmpty else { return false }
            room -= level.count
            visited += level.count
            if holdsNumber(level, isReference) { return true }
        }
        return false
    }

    /// Readings stand behind each other; one of them that is a telephone's number is none of a card.
    private func holdsNumber(_ readings: [UInt8], _ isReference: Bool) -> Bool {
        let scanner = CardNumberScanner(readings, isReference: isReference)
        return scanner.matches().contains { match in
            let start = readings[..<match.lowerBound].lastIndex(of: EncodedText.mark).map { $0 + 1 } ?? 0
            let end = readings[match.upperBound...].firstIndex(of: EncodedText.mark) ?? readings.count
            return !Self.isPhoneNumber(readings[start..<end])
        }
    }

    private static func mayHide(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= IssuerRanges.lengths.lowerBound else { return false }
        var (digits, word) = (0, 0)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                word += 1
                if digits >= IssuerRanges.lengths.lowerBound { return true }
            case 0x80..., UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "\\"): return true
            case ...0x20, UInt8(ascii: ","): word = 0
            default: word += 1
            }
            if word >= 16 { return true }
        }
        return false
    }

    /// A plus and at most fifteen digits (ITU-T E.164), and nothing else.
    private static func isPhoneNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: "+") && (8...16).contains(bytes.count)
            && bytes.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
