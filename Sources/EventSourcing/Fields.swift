package import Kernel

/// A stored payload that does not have the shape its name promises: a defect or a tampered log.
package struct CodecFailure: Error, Hashable, Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }
}

/// Reads the members of a stored object; a missing or mistyped one is a `CodecFailure` naming it.
package struct Fields {
    package let json: Json

    package init(_ json: Json) { self.json = json }

    package func has(_ name: String) -> Bool { json[name] != nil }

    package func value(_ name: String) throws(CodecFailure) -> Json { try optional(name, { $0 }).required(name) }
    package func text(_ name: String) throws(CodecFailure) -> String { try optional(name, \.text).required(name) }
    package func integer(_ name: String) throws(CodecFailure) -> Int64 { try optional(name, \.integer).required(name) }
    package func int(_ name: String) throws(CodecFailure) -> Int { Int(try integer(name)) }
    package func int32(_ name: String) throws(CodecFailure) -> Int32 {
        try optional(name) { $0.integer.flatMap { Int32(exactly: $0) } }.required(name)
    }
    package func flag(_ name: String) throws(CodecFailure) -> Bool { try optional(name, \.flag).required(name) }
    package func uuid(_ name: String) throws(CodecFailure) -> Uuid {
        try optional(name) { $0.text.flatMap { Uuid($0) } }.required(name)
    }
    package func time(_ name: String) throws(CodecFailure) -> Timestamp {
        try optional(name) { $0.text.flatMap { Timestamp($0) } }.required(name)
    }
    package func money(_ name: String) throws(CodecFailure) -> Money {
        try optional(name, Money.init(json:)).required(name)
    }
    package func id<Kind>(_ name: String) throws(CodecFailure) -> Identifier<Kind> {
        try optional(name) { $0.text.flatMap { Identifier<Kind>($0) } }.required(name)
    }
    package func word<Word: RawRepresentable>(_ name: String) throws(CodecFailure) -> Word
    where Word.RawValue == String {
        try optional(name) { $0.text.flatMap { Word(rawValue: $0) } }.required(name)
    }
    package func fields(_ name: String) throws(CodecFailure) -> Fields { Fields(try value(name)) }

    /// Reads a member that may be absent; present with another type is a failure.
    package func optional<Value>(_ name: String, _ read: (Json) -> Value?) throws(CodecFailure) -> Value? {
        guard let json = json[name] else { return nil }
        guard let value = read(json) else { throw CodecFailure(name) }
        return value
    }

    package func optionalText(_ name: String) throws(CodecFailure) -> String? { try optional(name, \.text) }
    package func optionalInt(_ name: String) throws(CodecFailure) -> Int? {
        try optional(name) { $0.integer.map { Int($0) } }
    }
    package func optionalInt32(_ name: String) throws(CodecFailure) -> Int32? {
        try optional(name) { $0.integer.flatMap { Int32(exactly: $0) } }
    }
    package func optionalMoney(_ name: String) throws(CodecFailure) -> Money? { try optional(name, Money.init(json:)) }
    package func optionalTime(_ name: String) throws(CodecFailure) -> Timestamp? {
        try optional(name) { $0.text.flatMap { Timestamp($0) } }
    }
    package func optionalWord<Word: RawRepresentable>(_ name: String) throws(CodecFailure) -> Word?
    where Word.RawValue == String {
        try optional(name) { $0.text.flatMap { Word(rawValue: $0) } }
    }
    package func optionalId<Kind>(_ name: String) throws(CodecFailure) -> Identifier<Kind>? {
        try optional(name) { $0.text.flatMap { Identifier<Kind>($0) } }
    }
}

extension Optional {
    fileprivate func required(_ name: String) throws(CodecFailure) -> Wrapped {
        guard let self else { throw CodecFailure(name) }
        return self
    }
}

extension Money {
    /// `{"currency": "EUR", "value": 1999}`: minor units, as stored and as the API shows it.
    package var json: Json { .object(JsonObject([("currency", .string(currency.code)), ("value", .integer(minor))])) }

    package init?(json: Json) {
        guard json.members?.count == 2, let code = json["currency"]?.text, let currency = Currency(code),
            let minor = json["value"]?.integer
        else { return nil }
        self.init(minor, currency)
    }
}

extension Timestamp {
    package var json: Json { .string(description) }
}

extension Uuid {
    package var json: Json { .string(description) }
}

extension Identifier {
    package var json: Json { .string(text) }
}
