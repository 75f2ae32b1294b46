import Kernel

/// A resource of the API as people read it: a line for each fact, a table for each list of things.
enum Sheet {
    static func text(_ json: Json) -> String {
        guard let members = json.members?.members else { return Cell.text(json) + "\n" }
        if let items = json["items"]?.items { return list(items, isMore: json["next"] != nil) }
        let facts = members.flatMap { self.facts($0.name, $0.value) }
        let tables = members.compactMap { table($0.name, $0.value) }
        return ([lines(facts)] + tables).joined(separator: "\n")
    }

    /// Named values below each other, the values in one column.
    static func lines(_ facts: [(name: String, value: String)]) -> String {
        let width = (facts.map(\.name.count).max() ?? 0) + 2
        return facts.map { name, value in
            let gap = String(repeating: " ", count: width - name.count)
            return "\(name)\(gap)\(ColumnTable.plain(value))\n"
        }.joined()
    }

    /// Things below each other, with a column for each simple member that any of them has.
    static func list(_ items: [Json], isMore: Bool = false) -> String {
        guard !items.isEmpty else { return "nothing\n" }
        var names: [String] = []
        for item in items {
            for member in item.members?.members ?? [] where value(member.value) != nil && !names.contains(member.name) {
                names.append(member.name)
            }
        }
        names.removeAll { ["object", "zoneDigest"].contains($0) }
        for first in ["name", "id"] {
            if let place = names.firstIndex(of: first) { names.insert(names.remove(at: place), at: 0) }
        }
        guard !names.isEmpty else { return items.map { Cell.text($0) + "\n" }.joined() }
        var table = ColumnTable(names.map { Cell.words($0).uppercased() })
        for item in items { table.add(names.map { item[$0].flatMap(value) ?? "-" }) }
        return table.text + (isMore ? "there are more; --json shows where they begin\n" : "")
    }

    private static func facts(_ name: String, _ json: Json) -> [(name: String, value: String)] {
        if let value = value(json) { return [(Cell.words(name), value)] }
        guard let members = json.members?.members else { return [] }
        return members.flatMap { member in facts("\(name)_\(member.name)", member.value) }
    }

    private static func table(_ name: String, _ json: Json) -> String? {
        guard value(json) == nil, let items = json.items, !items.isEmpty else { return nil }
        return "\(Cell.words(name).uppercased())\n" + list(items)
    }

    /// The text of one cell; nothing for what has parts of its own.
    private static func value(_ json: Json) -> String? {
        switch json {
        case .string(let text): return Timestamp(text).map(Cell.time) ?? text
        case .number, .bool, .null: return Cell.text(json)
        case .object:
            return json["currency"] != nil && json.members?.members.count == 2 ? Cell.money(json) : nil
        case .array(let items):
            let parts = items.map(value)
            return parts.contains(nil) ? nil : parts.compactMap(\.self).joined(separator: " ")
        }
    }
}
