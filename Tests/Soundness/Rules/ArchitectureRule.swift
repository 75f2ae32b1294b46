/// The table of docs/ARCHITECTURE.md is written from Package.swift and the target table, and stays as it is written.
///
/// Names and imports come from the manifest, levels and stars from the target table. What a target holds is prose: it
/// stands in the page alone and is kept.
enum ArchitectureRule {
    static let begin = "<!-- targets: `make docs` writes this table, apart from what each target holds -->\n"
    static let end = "<!-- end of targets -->\n"
    private static let head = "| level | target | holds | also imports |\n| --- | --- | --- | --- |\n"

    /// The page as it has to be; nothing where it has no place for the table.
    static func written(_ page: String, manifest: String) -> String? {
        guard let first = page.firstRange(of: begin), let last = page.firstRange(of: end),
            first.upperBound <= last.lowerBound
        else { return nil }
        let holds = holds(in: page[first.upperBound..<last.lowerBound])
        let declared = ManifestRule.dependencies(in: manifest)
        let rows = TargetTable.rows.enumerated().sorted { order($0) < order($1) }.map(\.element)
        let libraries = TargetTable.systemModules.sorted().map { line("C", $0, holds[$0], []) }
        let modules = rows.map { row in
            let name = row.name + (row.isPure ? "*" : "")
            return line((row.isTool ? "T" : "") + String(row.level), name, holds[row.name], imports(row, declared))
        }
        return page[..<first.upperBound] + head + (libraries + modules).joined() + page[last.lowerBound...]
    }

    static func breaches(page: SourceFile, manifest: String) -> [Breach] {
        guard let wanted = written(page.text, manifest: manifest) else {
            return [Breach(path: page.path, line: 1, reason: "has no table of targets")]
        }
        let lines = wanted.split(separator: "\n", omittingEmptySubsequences: false)
        if let place = zip(page.lines, lines).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset {
            return [Breach(path: page.path, line: place + 1, reason: "is stale: `make docs` writes \(lines[place])")]
        }
        return lines.enumerated().compactMap { index, line in
            guard line.hasPrefix("| "), cells(line).count == 4, cells(line)[2].isEmpty else { return nil }
            return Breach(path: page.path, line: index + 1, reason: "nobody says what \(cells(line)[1]) holds")
        }
    }

    /// The product from below to above, and then the tools.
    private static func order(_ row: (offset: Int, element: TargetTable.Row)) -> Int {
        (row.element.isTool ? 1_000_000 : 0) + row.element.level * 1000 + row.offset
    }

    private static func imports(_ row: TargetTable.Row, _ declared: [String: Set<String>]) -> [String] {
        (declared[row.name] ?? []).subtracting(row.level >= 2 ? TargetTable.base : []).sorted()
    }

    private static func line(_ level: String, _ name: String, _ holds: String?, _ imports: [String]) -> String {
        let cells = [level, name, holds ?? "", imports.joined(separator: ", ")]
        return "|" + cells.map { $0.isEmpty ? " " : " \($0) " }.joined(separator: "|") + "|\n"
    }

    /// What the page says that each target holds.
    private static func holds(in table: Substring) -> [String: String] {
        table.split(separator: "\n").map(cells).reduce(into: [:]) { holds, cells in
            guard cells.count == 4 else { return }
            holds[cells[1].filter { $0 != "*" }] = cells[2]
        }
    }

    private static func cells(_ line: Substring) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { cell in
            String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }
}
