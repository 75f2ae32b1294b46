import Kernel

/// A form as `multipart/form-data`, in which files come along (RFC 7578).
package struct MultipartForm: Sendable {
    package struct Part: Sendable {
        package let name: String
        /// The name of the file that it is, as its sender says; `nil` for a field.
        package let fileName: String?
        package var isFile: Bool { fileName != nil }
        package let body: ArraySlice<UInt8>
    }

    /// In the order in which they came.
    package let parts: [Part]

    /// A form has few fields; a file of many parts is none.
    package static let mostParts = 16
    /// Bytes of a part's head.
    package static let headBytes = 1024
    /// Of a boundary, by RFC 2046.
    private static let boundaryCharacters = 1...70
    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    /// Reads a body by the boundary that its media type names; `nil` where it is no whole form, or one that could be read in two ways.
    package init?(_ body: [UInt8], contentType: String) {
        guard let boundary = Self.boundary(of: contentType) else { return nil }
        let mark = Array("--\(boundary)".utf8)
        guard body.starts(with: mark) else { return nil }
        var parts: [Part] = []
        var rest = body[mark.count...]
        while true {
            if rest.starts(with: Array("--".utf8)) {
                guard rest.dropFirst(2).isEmpty || rest.dropFirst(2).elementsEqual(Self.lineEnd) else { return nil }
                self.parts = parts
                return
            }
            guard parts.count < Self.mostParts, rest.starts(with: Self.lineEnd) else { return nil }
            rest = rest.dropFirst(2)
            guard let end = Self.position(of: Self.lineEnd + Self.lineEnd, in: rest.prefix(Self.headBytes)),
                let head = String(validating: rest[rest.startIndex..<end], as: UTF8.self),
                let (name, fileName) = Self.disposition(in: head)
            else { return nil }
            rest = rest[(end + 4)...]
            guard let next = Self.position(of: Self.lineEnd + mark, in: rest) else { return nil }
            parts.append(Part(name: name, fileName: fileName, body: rest[rest.startIndex..<next]))
            rest = rest[(next + 2 + mark.count)...]
        }
    }

    private static func boundary(of contentType: String) -> String? {
        let words = contentType.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        guard let type = words.first, HttpHeaders.isSame(type, "multipart/form-data") else { return nil }
        let named = words.dropFirst().compactMap { word -> String? in
            let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, HttpHeaders.isSame(String(halves[0]), "boundary") else { return nil }
            let value = halves[1]
            return value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 1
                ? String(value.dropFirst().dropLast()) : String(value)
        }
        guard named.count == 1, boundaryCharacters.contains(named[0].utf8.count), named[0].utf8.allSatisfy(isMark)
        else {
            return nil
        }
        return named[0]
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "'()+_,-./:=?".utf8.contains(byte)
        }
    }

    /// What a part's head says of itself; one that says it twice says nothing.
    private static func disposition(in head: String) -> (name: String, fileName: String?)? {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).filter { line in
            HttpHeaders.isSame(String(line.prefix { $0 != ":" }), "Content-Disposition")
        }
        guard lines.count == 1, let line = lines.first else { return nil }
        var rest = line.drop { $0 != ":" }.dropFirst()
        guard HttpHeaders.isSame(trimmed(rest.prefix { $0 != ";" }), "form-data") else { return nil }
        rest = rest.drop { $0 != ";" }
        var values: [String: String] = [:]
        while rest.first == ";" {
            rest = rest.dropFirst()
            let word = trimmed(rest.prefix { $0 != "=" }).lowercased()
            rest = rest.drop { $0 != "=" }.dropFirst()
            guard rest.first == "\"", let value = quoted(&rest), values.updateValue(value, forKey: word) == nil else {
                return nil
            }
            rest = rest.drop { $0 == " " }
        }
        guard rest.isEmpty, let name = values["name"], !name.isEmpty else { return nil }
        return (name, values["filename"])
    }

    /// Takes a text in quotes from the beginning.
    private static func quoted(_ rest: inout Substring) -> String? {
        rest = rest.dropFirst()
        var value = ""
        while let next = rest.popFirst() {
            if next == "\"" { return value }
            guard next == "\\", let escaped = rest.popFirst() else {
                value.append(next)
                continue
            }
            value.append(escaped)
        }
        return nil
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// Where a pattern that begins with a line's end stands first.
    private static func position(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var from = bytes.startIndex
        while let found = bytes[from...].firstIndex(of: pattern[0]) {
            if bytes[found...].starts(with: pattern) { return found }
            from = found + 1
        }
        return nil
    }
}
