import Kernel

/// What a case expects, value by value: changed one at a time, each has to be missed by the judge of a case that passed.
struct ExpectedMembers {
    private let item: Json

    init(of item: Json) { self.item = item }

    /// The places of values that the judge does not look at: with another value the case passes, too.
    func uncompared(passes: (Json) -> Bool) -> [String] {
        guard let members = item.members else { return [] }
        let named = item["compared"]?.items?.compactMap(\.text)
        var found: [String] = []
        for member in members.members where Self.holdsExpectations(member.name) {
            visit(member.value, member.name) { place, changed in
                // A case may say which of its members are meant.
                if let named, let first = place.split(separator: ".").dropFirst().first,
                    !named.contains(String(first))
                {
                    return
                }
                var other = members
                other[member.name] = changed
                if passes(.object(other)) { found.append(place) }
            }
        }
        return found
    }

    /// Members that say what must come out, whatever the kind.
    private static func holdsExpectations(_ name: String) -> Bool { name.hasPrefix("expect") }

    /// Members that explain a case to people.
    private static let remarks: Set<String> = ["note", "why", "source"]

    /// Gives every value inside `json` with its place, and the whole with that value changed.
    private func visit(_ json: Json, _ place: String, _ body: (String, Json) -> Void) {
        switch json {
        case .object(let object):
            for member in object.members where !Self.remarks.contains(member.name) {
                visit(member.value, "\(place).\(member.name)") { inner, changed in
                    var other = object
                    other[member.name] = changed
                    body(inner, .object(other))
                }
            }
        case .array(let items):
            for (index, item) in items.enumerated() {
                visit(item, "\(place).\(index)") { inner, changed in
                    var other = items
                    other[index] = changed
                    body(inner, .array(other))
                }
            }
        case .string(let text): body(place, .string(text + "~"))
        case .number(let number): body(place, .integer((Int64(number.text) ?? 0) &+ 7))
        case .bool(let flag): body(place, .bool(!flag))
        case .null: body(place, "~")
        }
    }
}
