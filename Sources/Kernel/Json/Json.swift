/// A JSON value (RFC 8259) that keeps what the text said: numbers as digits, members in their order.
package enum Json: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JsonNumber)
    case string(String)
    case array([Json])
    case object(JsonObject)

    /// Reads a whole document; see `JsonReader` for what is refused.
    package init(_ bytes: [UInt8], limits: JsonLimits = .standard) throws(JsonFailure) {
        self = try JsonReader.read(bytes, limits: limits)
    }

    /// Reads a document that is text already; labelled, because `Json("…")` is a literal string.
    package init(text: String, limits: JsonLimits = .standard) throws(JsonFailure) {
        try self.init(Array(text.utf8), limits: limits)
    }

    /// The member of that name, where `self` is an object that has it.
    package subscript(_ name: String) -> Json? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }

    /// The value under a path of member names.
    package func at(_ path: String...) -> Json? {
        var here: Json? = self
        for name in path { here = here?[name] }
        return here
    }

    package var text: String? { if case .string(let value) = self { value } else { nil } }
    package var flag: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var items: [Json]? { if case .array(let value) = self { value } else { nil } }
    package var members: JsonObject? { if case .object(let value) = self { value } else { nil } }
    package var isNull: Bool { if case .null = self { true } else { false } }

    /// The exact integer, where the number has no fraction, no exponent and fits.
    package var integer: Int64? { if case .number(let value) = self { value.integer } else { nil } }

    /// The digits of a number or the text of a string: for fields that providers send as either.
    package var scalarText: String? {
        switch self {
        case .string(let value): value
        case .number(let value): value.text
        case .null, .bool, .array, .object: nil
        }
    }
}

extension Json {
    /// Equal are values with the same bytes, numbers by their digits and members in whatever order.
    package static func == (left: Json, right: Json) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let one), .bool(let two)): one == two
        case (.number(let one), .number(let two)): one == two
        case (.string(let one), .string(let two)): one.hasSameBytes(as: two)
        case (.array(let one), .array(let two)): one == two
        case (.object(let one), .object(let two)): one == two
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }
}

extension String {
    /// Compares bytes, where `==` takes canonically equivalent texts for the same.
    func hasSameBytes(as other: String) -> Bool {
        withBytes { mine in other.withBytes { theirs in mine.count == theirs.count && mine.elementsEqual(theirs) } }
    }
}

extension Json: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .number(JsonNumber(value)) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: Json...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, Json)...) {
        // Labels of a tuple are no part of its layout; converting the array would copy it.
        self = .object(JsonObject(unsafeBitCast(elements, to: [(name: String, value: Json)].self)))
    }

    package static func integer(_ value: Int64) -> Json { .number(JsonNumber(value)) }

    /// An object of the members that have a value: absent members are left out, not written as `null`.
    package static func compact(_ members: consuming [(String, Json?)]) -> Json {
        members.removeAll { $0.1 == nil }
        // A value and one that may be absent have the same layout, since a value leaves patterns of bits unused.
        assert(MemoryLayout<Json?>.size == MemoryLayout<Json>.size)
        return .object(JsonObject(unsafeBitCast(members, to: [(name: String, value: Json)].self)))
    }
}

/// A number as its source text: nothing is rounded, `1.0` and `1` stay different.
package struct JsonNumber: Hashable, Sendable {
    package let text: String

    package init(_ value: Int64) { text = String(value) }

    /// Trusts the reader, which has checked the grammar.
    init(checked text: String) { self.text = text }

    package var integer: Int64? { text == "-0" ? nil : Int64(text) }
}

/// Members of an object in their order; no name occurs twice, and names are told apart by their bytes.
package struct JsonObject: Hashable, Sendable {
    package private(set) var members: [(name: String, value: Json)]

    /// Takes members whose names differ; a repeated name is a defect of the caller.
    package init(_ members: [(name: String, value: Json)]) {
        self.members = members
        assert(Set(members.map { Array($0.name.utf8) }).count == members.count, "member names differ")
    }

    /// Trusts the reader, which has refused repeated names.
    init(checked members: [(name: String, value: Json)]) { self.members = members }

    package var isEmpty: Bool { members.isEmpty }
    package var count: Int { members.count }
    package var names: [String] { members.map(\.name) }

    /// Reads, replaces, appends or (with `nil`) removes a member.
    package subscript(_ name: String) -> Json? {
        get {
            for member in members where member.name.hasSameBytes(as: name) { return member.value }
            return nil
        }
        set {
            let index = members.firstIndex { $0.name.hasSameBytes(as: name) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// Changes the value of the member at an index.
    mutating func replace(at index: Int, with value: Json) { members[index].value = value }

    package static func == (left: JsonObject, right: JsonObject) -> Bool {
        guard left.members.count == right.members.count else { return false }
        if zip(left.members, right.members).allSatisfy({ $0.name.hasSameBytes(as: $1.name) }) {
            return zip(left.members, right.members).allSatisfy { $0.value == $1.value }
        }
        // A table of names, so that a large object costs no square.
        let values = Dictionary(right.members.map { (Array($0.name.utf8), $0.value) }) { _, last in last }
        return left.members.allSatisfy { values[Array($0.name.utf8)] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        // The order of members doesn't count, so neither may it here.
        hasher.combine(members.reduce(0) { $0 ^ $1.name.hashValue })
    }
}
