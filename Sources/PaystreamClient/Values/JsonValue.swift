/// A value of JSON whose members the API leaves to a provider or to a later version.
public enum JsonValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JsonValue])
    case object([String: JsonValue])

    public subscript(name: String) -> JsonValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The text, where it is one.
    public var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The whole number, where it is one.
    public var whole: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }
}

extension JsonValue: Codable {
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let items = try? value.decode([JsonValue].self) {
            self = .array(items)
        } else {
            self = .object(try value.decode([String: JsonValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let bool): try value.encode(bool)
        case .integer(let integer): try value.encode(integer)
        case .number(let number): try value.encode(number)
        case .string(let text): try value.encode(text)
        case .array(let items): try value.encode(items)
        case .object(let members): try value.encode(members)
        }
    }
}

extension JsonValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral text: String) { self = .string(text) }
    public init(integerLiteral integer: Int64) { self = .integer(integer) }
    public init(booleanLiteral bool: Bool) { self = .bool(bool) }
    public init(arrayLiteral items: JsonValue...) { self = .array(items) }
    public init(dictionaryLiteral members: (String, JsonValue)...) {
        self = .object(Dictionary(members) { $1 })
    }
}
