package import Kernel

/// Holds cases against an adapter's suite, and the suite against each case: what is unknown in a case fails it, and
/// so does what it expects and nothing compares.
package struct CaseJudge: Sendable {
    private let suite: any ConformanceSuite

    package init(_ suite: any ConformanceSuite) { self.suite = suite }

    /// The faults of one case; empty means that it passed.
    ///
    /// `item` is one element of `cases`, `file` the whole document, for members that hold for all cases.
    package func violations(kind: String, item: Json, file: Json) -> [String] {
        guard let form = suite.form(of: kind) else { return ["unknown kind \(kind)"] }
        guard let members = item.members else { return ["the case is no object"] }
        let found = unknown(members, form) + suite.violations(kind: kind, item: item, file: file)
        guard found.isEmpty else { return found }
        return ExpectedMembers(item, form, named: item["compared"] ?? file["compared"])
            .uncompared { suite.violations(kind: kind, item: $0, file: file).isEmpty }
            .map { "\($0): nothing compares it" }
    }

    private func unknown(_ members: JsonObject, _ form: CaseForm) -> [String] {
        let known = form.given.union(form.expected).union(CaseForm.remarks)
        let outside = members.names.filter { !known.contains($0) }
        let inside = form.within.keys.sorted().flatMap { name in
            (members[name]?.members?.names ?? []).filter { form.within[name]?.contains($0) == false }
                .map { "\(name).\($0)" }
        }
        return (outside + inside).map { "\($0): no member of such a case" }
    }
}

/// The values that a case expects: changed one at a time, each has to fail a case that passed.
struct ExpectedMembers {
    private let item: Json
    private let form: CaseForm
    /// The only members that are meant, where a case or its file names them.
    private let named: Set<String>?

    init(_ item: Json, _ form: CaseForm, named: Json?) {
        self.item = item
        self.form = form
        self.named = named?.items.map { Set($0.compactMap(\.text)) }
    }

    /// The places of values that nobody looks at: with another value the case passes, too.
    func uncompared(passes: (Json) -> Bool) -> [String] {
        guard let members = item.members else { return [] }
        var found: [String] = []
        for member in members.members where form.expected.contains(member.name) {
            visit(member.value, [member.name]) { place, changed in
                var other = members
                other[member.name] = changed
                if isMeant(place), passes(.object(other)) { found.append(place.joined(separator: ".")) }
            }
        }
        return found
    }

    private func isMeant(_ place: [String]) -> Bool {
        guard let named else { return true }
        return named.contains(place.count > 1 ? place[1] : place[0])
    }

    /// Gives every value inside `json` with its place, and the whole with that value changed.
    private func visit(_ json: Json, _ place: [String], _ body: ([String], Json) -> Void) {
        switch json {
        case .object(let object):
            for member in object.members where !CaseForm.remarks.subtracting(["id"]).contains(member.name) {
                visit(member.value, place + [member.name]) { inner, changed in
                    var other = object
                    other[member.name] = changed
                    body(inner, .object(other))
                }
            }
        case .array(let items):
            if items.isEmpty { body(place, ["~"]) }
            for (index, item) in items.enumerated() {
                visit(item, place + [String(index)]) { inner, changed in
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
