package import Kernel

/// Compares what a case expects with what the adapter concluded.
package enum Comparison {
    /// Compares each expected member that `compared` names (all where it is absent); `null` and absence are equal.
    package static func violations(expected: Json?, actual: [String: Json], compared: Json? = nil) -> [String] {
        guard let members = expected?.members else { return ["the case expects nothing"] }
        let names = compared?.items?.compactMap(\.text)
        return members.members.compactMap { member in
            if let names, !names.contains(member.name) { return nil }
            let value = actual[member.name] ?? .null
            if isSame(member.value, value) { return nil }
            return "\(member.name): expected \(member.value.canonicalText), got \(value.canonicalText)"
        }
    }

    /// Lists are compared without regard to their order.
    private static func isSame(_ left: Json, _ right: Json) -> Bool {
        if let one = left.items, let two = right.items {
            return one.map(\.canonicalText).sorted() == two.map(\.canonicalText).sorted()
        }
        return left.canonical == right.canonical
    }

    package static func text(_ name: String, expected: Json?, actual: String) -> [String] {
        guard let expected = expected?.text else { return [] }
        return Array(expected.utf8) == Array(actual.utf8) ? [] : ["\(name): expected \(expected), got \(actual)"]
    }
}
