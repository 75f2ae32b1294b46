/// Our modules are imported along the arrows of the target table only.
enum ImportRule {
    /// The modules that a file imports, each with its line.
    static func imports(of file: SourceFile) -> [(module: String, line: Int)] {
        let lines = file.code.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().compactMap { index, text in
            let words = text.split { $0 == " " }
            guard let place = words.firstIndex(of: "import"), place + 1 < words.count else { return nil }
            // `import struct Module.Type` names its module in front of the full stop.
            let module = words[words.count - 1].prefix { $0 != "." }
            return (String(module), index + 1)
        }
    }

    static func breaches(in files: [SourceFile]) -> [Breach] {
        let ours = Set(TargetTable.rows.map(\.name)).union(TargetTable.systemModules)
        return files.filter { $0.isSwift && $0.path.hasPrefix("Sources/") }.flatMap { file -> [Breach] in
            guard let row = TargetTable.row(holding: file.path) else {
                return [Breach(path: file.path, line: 1, reason: "no row of the target table has this folder")]
            }
            return imports(of: file).filter { ours.contains($0.module) && !row.mayImport.contains($0.module) }.map {
                Breach(path: file.path, line: $0.line, reason: "\(row.name) may not import \($0.module)")
            }
        }
    }
}

/// Package.swift declares what the target table allows, and the tests import what Package.swift declares.
enum ManifestRule {
    /// The names behind the manifest's shorthands.
    private static let shorthands: [String: Set<String>] = [
        "pure": ["Kernel", "Http", "Crypto", "EventSourcing"],
        "domain": ["Kernel", "Http", "Crypto", "EventSourcing", "Payments", "Schedules", "ProviderKit"],
    ]

    /// The dependencies of each target in the text of a manifest.
    static func dependencies(in manifest: String) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        let list = manifest[(manifest.firstRange(of: "targets: [\n")?.upperBound ?? manifest.startIndex)...]
        for call in ["module(", "tests(", ".executableTarget(", ".target("] {
            for range in list.ranges(of: call) {
                let arguments = balanced(list[range.upperBound...])
                let pieces = arguments.split(separator: "\"", omittingEmptySubsequences: false)
                guard pieces.count > 1 else { continue }
                let name = String(pieces[1])
                // What is of C has no row, and depends on nothing of ours.
                guard call != ".target(" || TargetTable.row(named: name) != nil else { continue }
                let wanted = cut(arguments.dropFirst(pieces[0].count + pieces[1].count + 2))
                var names = Set(quoted(wanted))
                for (word, meaning) in shorthands where words(wanted).contains(word) { names.formUnion(meaning) }
                found[name] = names
            }
        }
        return found
    }

    static func breaches(manifest: String, files: [SourceFile]) -> [Breach] {
        let declared = dependencies(in: manifest)
        let modules = TargetTable.rows.flatMap { row -> [Breach] in
            guard let names = declared[row.name] else { return [breach("\(row.name) is not declared")] }
            return names.subtracting(row.mayImport).sorted().map { breach("\(row.name) may not depend on \($0)") }
        }
        let rowless = declared.keys.filter { TargetTable.row(named: $0) == nil && !isTest($0) }.sorted()
        let ours = Set(TargetTable.rows.map(\.name)).union(TargetTable.systemModules)
        let tests = files.filter { $0.isSwift && $0.path.hasPrefix("Tests/") }.flatMap { file -> [Breach] in
            let target = String(file.path.split(separator: "/")[1])
            return ImportRule.imports(of: file).filter {
                ours.contains($0.module) && declared[target]?.contains($0.module) != true
            }.map { Breach(path: file.path, line: $0.line, reason: "Package.swift gives \(target) no \($0.module)") }
        }
        return modules + rowless.map { breach("\($0) has no row in the target table") } + tests
    }

    private static func isTest(_ name: String) -> Bool { name.hasSuffix("Tests") || name == "Soundness" }

    private static func breach(_ reason: String) -> Breach { Breach(path: "Package.swift", line: 1, reason: reason) }

    /// Everything up to the parenthesis that closes the call.
    private static func balanced(_ text: Substring) -> Substring {
        var depth = 1
        let end = text.firstIndex { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth == 0
        }
        return text[..<(end ?? text.endIndex)]
    }

    /// The dependencies stand before the labelled arguments, except for the label that names them.
    private static func cut(_ text: Substring) -> Substring {
        var rest = text
        for label in ["path:", "resources:", "settings:", "swiftSettings:", "exclude:"] {
            if let range = rest.firstRange(of: label) { rest = rest[..<range.lowerBound] }
        }
        return rest
    }

    private static func quoted(_ text: Substring) -> [String] {
        text.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }

    private static func words(_ text: Substring) -> Set<String> {
        Set(text.split { !$0.isLetter }.map(String.init))
    }
}
