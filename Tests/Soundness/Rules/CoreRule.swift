/// `make test-core` runs the suite of every pure module, and no other.
enum CoreRule {
    static func breaches(makefile: String, suites: Set<String>) -> [Breach] {
        let lines = makefile.split(separator: "\n", omittingEmptySubsequences: false)
        guard let index = lines.firstIndex(where: { $0.hasPrefix("CORE :=") }),
            let open = lines[index].firstIndex(of: "("), let close = lines[index].firstIndex(of: ")")
        else { return [Breach(path: "Makefile", line: 1, reason: "names no CORE")] }
        let named = Set(lines[index][lines[index].index(after: open)..<close].split(separator: "|").map(String.init))
        let pure = Set(TargetTable.rows.filter { $0.isPure && suites.contains($0.name + "Tests") }.map(\.name))
        func breach(_ reason: String) -> Breach { Breach(path: "Makefile", line: index + 1, reason: reason) }
        return pure.subtracting(named).sorted().map { breach("test-core leaves \($0)Tests out") }
            + named.subtracting(pure).sorted().map { breach("\($0)Tests is no suite of a pure module") }
    }
}
