/// The place of a value in a document, as in `payment.description` or `operations.0.id`; `*` stands for any one step.
package struct JsonPath: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// Member names and array indexes, outermost first.
    package let steps: [String]

    package static let root = JsonPath(steps: [])

    package init(steps: [String]) { self.steps = steps }

    /// Splits at dots; the empty text is the root.
    package init(_ text: String) { steps = text.isEmpty ? [] : text.split(separator: ".").map(String.init) }
    package init(stringLiteral value: String) { self.init(value) }

    /// Tells whether this path, read as a pattern, covers a place.
    package func covers(_ place: JsonPath) -> Bool {
        steps.count == place.steps.count && zip(steps, place.steps).allSatisfy { $0 == "*" || $0 == $1 }
    }

    /// The same place in a member of that name.
    package func below(_ name: String) -> JsonPath { JsonPath(steps: [name] + steps) }

    package func appending(_ step: String) -> JsonPath { JsonPath(steps: steps + [step]) }

    package var description: String { steps.joined(separator: ".") }
}

extension Json {
    /// Whether there is a value that `pattern` covers.
    package func holds(_ pattern: JsonPath) -> Bool { holds(pattern.steps[...]) }

    private func holds(_ steps: ArraySlice<String>) -> Bool {
        guard let step = steps.first else { return true }
        let rest = steps.dropFirst()
        switch self {
        case .null, .bool, .number, .string: return false
        case .array(let items):
            return items.indices.contains { (step == "*" || step == String($0)) && items[$0].holds(rest) }
        case .object(let object):
            return object.members.contains { (step == "*" || step == $0.name) && $0.value.holds(rest) }
        }
    }

    /// Replaces each value that `pattern` covers; `change` gets its place.
    package func replacing<Failure: Error>(
        _ pattern: JsonPath,
        _ change: (Json, JsonPath) throws(Failure) -> Json
    ) throws(Failure) -> Json {
        // What is not there costs no copy of what is around it.
        guard holds(pattern) else { return self }
        var way: [String] = []
        way.reserveCapacity(pattern.steps.count)
        return try replacing(pattern.steps[...], &way, change)
    }

    private func replacing<Failure: Error>(
        _ steps: ArraySlice<String>,
        _ way: inout [String],
        _ change: (Json, JsonPath) throws(Failure) -> Json
    ) throws(Failure) -> Json {
        guard let step = steps.first else { return try change(self, JsonPath(steps: way)) }
        let rest = steps.dropFirst()
        switch self {
        case .null, .bool, .number, .string: return self
        case .array(var items):
            for index in items.indices where step == "*" || step == String(index) {
                way.append(String(index))
                defer { way.removeLast() }
                items[index] = try items[index].replacing(rest, &way, change)
            }
            return .array(items)
        case .object(var object):
            for (index, member) in object.members.enumerated() where step == "*" || step == member.name {
                way.append(member.name)
                defer { way.removeLast() }
                object.replace(at: index, with: try member.value.replacing(rest, &way, change))
            }
            return .object(object)
        }
    }
}
