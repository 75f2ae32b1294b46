/// Header fields in their order, with names as they stood on the wire; names are compared without regard to case.
package struct HttpHeaders: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package private(set) var fields: [Field]

    /// An answer of ours has no more, so that it grows in its place.
    private static let usualCount = 12

    package init(_ pairs: [(String, String)] = []) {
        fields = []
        fields.reserveCapacity(max(pairs.count, Self.usualCount))
        for (name, value) in pairs { append(name, value) }
    }

    package var isEmpty: Bool { fields.isEmpty }

    /// The value of the first field of that name.
    package subscript(_ name: String) -> String? {
        for field in fields where HttpHeaders.isSame(field.name, name) { return field.value }
        return nil
    }

    /// The values of all fields of that name, in their order.
    package func all(_ name: String) -> [String] {
        fields.lazy.filter { HttpHeaders.isSame($0.name, name) }.map(\.value)
    }

    /// Adds a field behind the others, whether or not the name is there already.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Replaces all fields of that name by one; `nil` removes them.
    package mutating func set(_ name: String, _ value: String?) {
        fields.removeAll { HttpHeaders.isSame($0.name, name) }
        if let value { append(name, value) }
    }

    /// Compares field names: ASCII letters without regard to case, everything else by its bytes.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Whether a name is a token and the value has no control character (RFC 9110, section 5): what may be sent.
    package static func isValid(_ name: String, _ value: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(isTokenByte)
            && value.utf8.allSatisfy { $0 == UInt8(ascii: "\t") || ($0 >= 0x20 && $0 != 0x7F) }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
