package import Kernel

/// A stored payload that does not have the shape its name promises: a defect or a tampered log.
package struct CodecFailure: Error, Hashable, Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }
}

/// Reads the members of a stored object; a missing or mistyped one is a `CodecFailure` naming it.
package struct Fields {
    /// The object as a tree, or where it stands in its bytes.
    private enum Source {
        case tree(Json)
        case stored(JsonView)
    }

    private let source: Source

    package init(_ json: Json) { source = .tree(json) }

    private init(_ view: JsonView) { source = .stored(view) }

    /// Reads stored bytes where they stand, as far as they are asked for; `nil` where they are no JSON.
    package init?(stored bytes: [UInt8]) {
        if let tape = JsonTape(bytes) {
            source = .stored(tape.root)
        } else {
            guard let json = try? Json(bytes) else { return nil }
            source = .tree(json)
        }
    }

    package var json: Json {
        switch source {
        case .tree(let json): json
        case .stored(let view): view.json
        }
    }

    package func has(_ name: String) -> Bool {
        switch source {
        case .tree(let json): json[name] != nil
        case .stored(let view): view[name] != nil
        }
    }

    /// Reads a member that may be absent, from the tree or from where it stands; present with another type is a failure.
    private func read<Value>(_ name: String, _ tree: (Json) -> Value?, _ stored: (JsonView) -> Value?)
        throws(CodecFailure)
        -> Value?
    {
        switch source {
        case .tree(let json):
            guard let member = json[name] else { return nil }
            guard let value = tree(member) else { throw CodecFailure(name) }
            return value
        case .stored(let view):
            guard let member = view[name] else { return nil }
            guard let value = stored(member) else { throw CodecFailure(name) }
            return value
        }
    }

    /// A member as a tree.
    package func member(_ name: String) -> Json? {
        switch source {
        case .tree(let json): json[name]
        case .stored(let view): view[name]?.json
        }
    }

    package func optionalText(_ name: String) throws(CodecFailure) -> String? { try read(name, \.text, \.text) }
    package func optionalInteger(_ name: String) throws(CodecFailure) -> Int64? { try read(name, \.integer, \.integer) }
    package func optionalInt(_ name: String) throws(CodecFailure) -> Int? { try optionalInteger(name).map { Int($0) } }
    package func optionalInt32(_ name: String) throws(CodecFailure) -> Int32? {
        try parsed(name, try optionalInteger(name)) { Int32(exactly: $0) }
    }
    package func optionalFlag(_ name: String) throws(CodecFailure) -> Bool? { try read(name, \.flag, \.flag) }
    package func optionalMoney(_ name: String) throws(CodecFailure) -> Money? {
        try read(name, Money.init(json:), Money.init(stored:))
    }
    package func optionalTime(_ name: String) throws(CodecFailure) -> Timestamp? {
        try read(name, { $0.text.flatMap { Timestamp($0) } }, \.time)
    }
    package func optionalUuid(_ name: String) throws(CodecFailure) -> Uuid? {
        try read(name, { $0.text.flatMap { Uuid($0) } }, \.uuid)
    }
    package func optionalFields(_ name: String) throws(CodecFailure) -> Fields? {
        try read(name, { Fields($0) }, { Fields($0) })
    }

    private func parsed<Raw, Value>(_ name: String, _ raw: Raw?, _ parse: (Raw) -> Value?) throws(CodecFailure)
        -> Value?
    {
        guard let raw else { return nil }
        guard let value = parse(raw) else { throw CodecFailure(name) }
        return value
    }

    // MARK: Members that must be there

    package func value(_ name: String) throws(CodecFailure) -> Json { try member(name).required(name) }
    package func text(_ name: String) throws(CodecFailure) -> String { try optionalText(name).required(name) }
    package func integer(_ name: String) throws(CodecFailure) -> Int64 { try optionalInteger(name).required(name) }
    package func int(_ name: String) throws(CodecFailure) -> Int { Int(try integer(name)) }
    package func int32(_ name: String) throws(CodecFailure) -> Int32 { try optionalInt32(name).required(name) }
    package func flag(_ name: String) throws(CodecFailure) -> Bool { try optionalFlag(name).required(name) }
    package func uuid(_ name: String) throws(CodecFailure) -> Uuid { try optionalUuid(name).required(name) }
    package func time(_ name: String) throws(CodecFailure) -> Timestamp { try optionalTime(name).required(name) }
    package func money(_ name: String) throws(CodecFailure) -> Money { try optionalMoney(name).required(name) }
    package func fields(_ name: String) throws(CodecFailure) -> Fields { try optionalFields(name).required(name) }

    /// The members of each item of a list.
    package func list(_ name: String) throws(CodecFailure) -> [Fields] {
        try read(name, { $0.items?.map { Fields($0) } }, { $0.items?.map { Fields($0) } }).required(name)
    }
}

// Generic code is slow where another module calls it, unless it is compiled there.
extension Fields {
    /// Reads a member that may be absent; present with another type is a failure.
    @inlinable package func optional<Value>(_ name: String, _ read: (Json) -> Value?) throws(CodecFailure) -> Value? {
        guard let member = member(name) else { return nil }
        guard let value = read(member) else { throw CodecFailure(name) }
        return value
    }

    @inlinable package func optionalWord<Word: RawRepresentable>(_ name: String) throws(CodecFailure) -> Word?
    where Word.RawValue == String {
        guard let text = try optionalText(name) else { return nil }
        guard let word = Word(rawValue: text) else { throw CodecFailure(name) }
        return word
    }

    @inlinable package func word<Word: RawRepresentable>(_ name: String) throws(CodecFailure) -> Word
    where Word.RawValue == String {
        guard let word = Word(rawValue: try text(name)) else { throw CodecFailure(name) }
        return word
    }

    @inlinable package func optionalId<Kind>(_ name: String) throws(CodecFailure) -> Identifier<Kind>? {
        guard let text = try optionalText(name) else { return nil }
        guard let id = Identifier<Kind>(text) else { throw CodecFailure(name) }
        return id
    }

    @inlinable package func id<Kind>(_ name: String) throws(CodecFailure) -> Identifier<Kind> {
        guard let id = Identifier<Kind>(try text(name)) else { throw CodecFailure(name) }
        return id
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
    package var json: Json { ["currency": .string(currency.code), "value": .integer(minor)] }

    package init?(json: Json) {
        guard json.members?.count == 2, let code = json["currency"]?.text, let currency = Currency(code),
            let minor = json["value"]?.integer
        else { return nil }
        self.init(minor, currency)
    }

    init?(stored view: JsonView) {
        guard view.memberCount == 2, let code = view["currency"]?.text, let currency = Currency(code),
            let minor = view["value"]?.integer
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
