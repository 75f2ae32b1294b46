package import Kernel

/// A value that does not fit a closed schema: where, and why in a stable word.
package struct SchemaFailure: Error, Hashable, Sendable {
    package let path: String
    /// As in `missing`, `unknown_member`, `not_text`, `out_of_range`.
    package let reason: String
    /// The members that are known there, where an unknown one was given.
    package let known: [String]

    package init(path: String, reason: String, known: [String] = []) {
        self.path = path
        self.reason = reason
        self.known = known
    }
}

/// An object whose member names are all known: members are taken one by one, and `end` refuses what is left over.
///
/// A member that is `null` counts as absent.
package struct ClosedObject {
    package let path: String
    private let members: JsonObject
    private var known: [String] = []

    package init(_ json: Json, path: String = "") throws(SchemaFailure) {
        guard let members = json.members else { throw SchemaFailure(path: path, reason: "not_an_object") }
        self.members = members
        self.path = path
        known.reserveCapacity(Self.usualCount)
    }

    /// Few schemas name more members.
    private static let usualCount = 16

    /// The path of a member.
    package func path(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    package func failure(_ name: String, _ reason: String) -> SchemaFailure {
        SchemaFailure(path: path(name), reason: reason)
    }

    /// Takes a member as it stands.
    package mutating func value(_ name: String) -> Json? {
        known.append(name)
        guard let value = members[name], !value.isNull else { return nil }
        return value
    }

    package mutating func text(_ name: String, atMost bytes: Int) throws(SchemaFailure) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw failure(name, "not_text") }
        guard text.utf8.count <= bytes else { throw failure(name, "too_long") }
        return text
    }

    package mutating func flag(_ name: String, default fallback: Bool) throws(SchemaFailure) -> Bool {
        guard let value = value(name) else { return fallback }
        guard let flag = value.flag else { throw failure(name, "not_a_flag") }
        return flag
    }

    package mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(SchemaFailure) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let integer = value.integer else { throw failure(name, "not_an_integer") }
        guard range.contains(integer) else { throw failure(name, "out_of_range") }
        return integer
    }

    package mutating func object(_ name: String) throws(SchemaFailure) -> ClosedObject? {
        guard let value = value(name) else { return nil }
        return try ClosedObject(value, path: path(name))
    }

    package mutating func items(_ name: String, atMost count: Int) throws(SchemaFailure) -> [Json]? {
        guard let value = value(name) else { return nil }
        guard let items = value.items else { throw failure(name, "not_a_list") }
        guard items.count <= count else { throw failure(name, "too_many") }
        return items
    }

    /// Takes one word of an enumeration.
    package mutating func word<Word: RawRepresentable<String>>(
        _ name: String,
        default fallback: Word
    ) throws(SchemaFailure) -> Word {
        guard let value = value(name) else { return fallback }
        guard let word = value.text.flatMap({ Word(rawValue: $0) }) else { throw failure(name, "unknown_word") }
        return word
    }

    /// Refuses members that nobody took.
    package func end() throws(SchemaFailure) {
        for member in members.members where !known.contains(member.name) {
            throw SchemaFailure(path: path(member.name), reason: "unknown_member", known: known.sorted())
        }
    }
}
