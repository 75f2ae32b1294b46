/// Reads JSON strictly (RFC 8259).
///
/// Refused: bytes that are not UTF-8, lone surrogates, repeated member names, control characters in strings, numbers
/// outside the grammar, anything after the value, and documents beyond the limits.
struct JsonReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JsonLimits
    private var index = 0
    private var depth = 0

    static func read(_ bytes: [UInt8], limits: JsonLimits) throws(JsonFailure) -> Json {
        guard bytes.count <= limits.bytes else { throw JsonFailure(code: .tooLarge, offset: limits.bytes) }
        let outcome = bytes.withUnsafeBufferPointer { buffer -> Result<Json, JsonFailure> in
            var reader = JsonReader(bytes: buffer, limits: limits)
            do throws(JsonFailure) { return .success(try reader.document()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, limits: JsonLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    private mutating func document() throws(JsonFailure) -> Json {
        skipSpace()
        let value = try self.value()
        skipSpace()
        guard index == bytes.count else { throw failure(.trailingBytes) }
        return value
    }

    private func failure(_ code: JsonFailure.Code) -> JsonFailure { JsonFailure(code: code, offset: index) }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    private func peek() throws(JsonFailure) -> UInt8 {
        guard index < bytes.count else { throw failure(.unexpectedEnd) }
        return bytes[index]
    }

    private mutating func expect(_ byte: UInt8) throws(JsonFailure) {
        guard try peek() == byte else { throw failure(.unexpectedByte) }
        index += 1
    }

    private mutating func value() throws(JsonFailure) -> Json {
        switch try peek() {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw failure(.unexpectedByte)
        }
    }

    private mutating func literal(_ text: StaticString, _ value: Json) throws(JsonFailure) -> Json {
        for offset in 0..<text.utf8CodeUnitCount { try expect(text.utf8Start[offset]) }
        return value
    }

    private mutating func enter() throws(JsonFailure) {
        index += 1
        depth += 1
        guard depth <= limits.depth else { throw failure(.tooDeep) }
        skipSpace()
    }

    private mutating func array() throws(JsonFailure) -> Json {
        try enter()
        var items: [Json] = []
        if try peek() != UInt8(ascii: "]") {
            while true {
                items.append(try value())
                skipSpace()
                guard try peek() == UInt8(ascii: ",") else { break }
                index += 1
                skipSpace()
            }
        }
        try expect(UInt8(ascii: "]"))
        depth -= 1
        return .array(items)
    }

    private mutating func object() throws(JsonFailure) -> Json {
        try enter()
        var members: [(name: String, value: Json)] = []
        var indexes: [[UInt8]: Int] = [:]
        if try peek() != UInt8(ascii: "}") {
            members.reserveCapacity(8)
            while true {
                let start = index
                let name = try string()
                let earlier = Self.index(of: name, among: members, &indexes)
                guard earlier == nil || limits.takesEqualRepeats else {
                    throw JsonFailure(code: .duplicateName, offset: start)
                }
                skipSpace()
                try expect(UInt8(ascii: ":"))
                skipSpace()
                let value = try value()
                if let earlier {
                    guard Self.sayTheSame(members[earlier].value, value) else {
                        throw JsonFailure(code: .duplicateName, offset: start)
                    }
                } else {
                    members.append((name, value))
                }
                skipSpace()
                guard try peek() == UInt8(ascii: ",") else { break }
                index += 1
                skipSpace()
            }
        }
        try expect(UInt8(ascii: "}"))
        depth -= 1
        return .object(JsonObject(checked: members))
    }

    /// Equal values, and the two ways to say nothing: `null` and the empty text.
    private static func sayTheSame(_ one: Json, _ other: Json) -> Bool {
        one == other || [one, other].allSatisfy { $0.isNull || $0 == "" }
    }

    /// Where a member of that name stands already; notes a new one as the next.
    ///
    /// Compares bytes, not canonical equivalence; large objects switch to a table so that a hostile one costs no square.
    private static func index(
        of name: String,
        among members: [(name: String, value: Json)],
        _ indexes: inout [[UInt8]: Int]
    ) -> Int? {
        if members.count < 16 { return members.firstIndex { $0.name.hasSameBytes(as: name) } }
        if indexes.isEmpty { for (index, member) in members.enumerated() { indexes[Array(member.name.utf8)] = index } }
        let key = Array(name.utf8)
        if let index = indexes[key] { return index }
        indexes[key] = members.count
        return nil
    }

    private mutating func number() throws(JsonFailure) -> JsonNumber {
        let start = index
        if try peek() == UInt8(ascii: "-") { index += 1 }
        if try peek() == UInt8(ascii: "0") { index += 1 } else { try digits() }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            let sign = try peek()
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
        if index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
            throw failure(.badNumber)
        }
        return JsonNumber(checked: String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func digits() throws(JsonFailure) {
        let start = index
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
        guard index > start else { throw failure(index < bytes.count ? .badNumber : .unexpectedEnd) }
    }

    private mutating func string() throws(JsonFailure) -> String {
        try expect(UInt8(ascii: "\""))
        let start = index
        var ascii = true
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                let slice = UnsafeBufferPointer(rebasing: bytes[start..<index])
                index += 1
                if ascii { return String(decoding: slice, as: UTF8.self) }
                guard let text = String(validating: slice, as: UTF8.self) else {
                    throw JsonFailure(code: .badUnicode, offset: start)
                }
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            if byte < 0x20 { throw failure(.controlCharacter) }
            if byte >= 0x80 { ascii = false }
            index += 1
        }
        throw failure(.unexpectedEnd)
    }

    /// Continues a string at its first escape.
    private mutating func escapedString(from start: Int) throws(JsonFailure) -> String {
        var out = Array(bytes[start..<index])
        while true {
            let byte = try peek()
            if byte < 0x20 { throw failure(.controlCharacter) }
            index += 1
            if byte == UInt8(ascii: "\"") { break }
            guard byte == UInt8(ascii: "\\") else {
                out.append(byte)
                continue
            }
            try escape(into: &out)
        }
        guard let text = String(validating: out, as: UTF8.self) else {
            throw JsonFailure(code: .badUnicode, offset: start)
        }
        return text
    }

    private mutating func escape(into out: inout [UInt8]) throws(JsonFailure) {
        let letter = try peek()
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(letter)
        case UInt8(ascii: "b"): out.append(0x08)
        case UInt8(ascii: "f"): out.append(0x0C)
        case UInt8(ascii: "n"): out.append(0x0A)
        case UInt8(ascii: "r"): out.append(0x0D)
        case UInt8(ascii: "t"): out.append(0x09)
        case UInt8(ascii: "u"):
            var code = try fourDigits()
            if (0xD800..<0xDC00).contains(code) {
                guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
                else { throw failure(.badUnicode) }
                index += 2
                let low = try fourDigits()
                guard (0xDC00..<0xE000).contains(low) else { throw failure(.badUnicode) }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw failure(.badUnicode) }
            out.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
        default: throw JsonFailure(code: .badEscape, offset: index - 1)
        }
    }

    private mutating func fourDigits() throws(JsonFailure) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let nibble = Hex.value(of: try peek()) else { throw failure(.badEscape) }
            code = code << 4 | UInt32(nibble)
            index += 1
        }
        return code
    }
}
