/// The pure modules decide from what they are given: they do no I/O and read no clock, chance or environment.
enum PurityRule {
    /// Modules of the system that a file may import all the same.
    private static let allowedImports = ["Sources/Kernel/Locked.swift": "Glibc"]
    /// The ports are implemented by modules that do suspend.
    private static let portFolder = "Sources/EventSourcing/Port/"

    private static let suspending: Set<Substring> = ["async", "await", "Task"]
    private static let impure: Set<Substring> = [
        "Date", "SystemRandomNumberGenerator", "ContinuousClock", "SuspendingClock", "ProcessInfo", "getenv", "print",
        "fopen", "FileManager",
    ]
    private static let impureMembers: Set<Substring> = ["random", "shuffled", "randomElement"]

    static func breaches(in files: [SourceFile]) -> [Breach] {
        files.filter { $0.isSwift && TargetTable.row(holding: $0.path)?.isPure == true }.flatMap { file in
            foreignImports(of: file) + impureWords(of: file)
        }
    }

    private static func foreignImports(of file: SourceFile) -> [Breach] {
        let ours = Set(TargetTable.rows.map(\.name)).union(TargetTable.systemModules)
        return ImportRule.imports(of: file).filter {
            !ours.contains($0.module) && allowedImports[file.path] != $0.module
        }.map { Breach(path: file.path, line: $0.line, reason: "a pure module imports \($0.module)") }
    }

    private static func impureWords(of file: SourceFile) -> [Breach] {
        let tokens = file.tokens
        let mayBeAsync = file.path.hasPrefix(portFolder)
        return tokens.indices.compactMap { index in
            let word = tokens[index].text
            let next = index + 1 < tokens.count ? tokens[index + 1].text : ""
            let before = index > 0 ? tokens[index - 1].text : ""
            let breaks =
                (suspending.contains(word) && !mayBeAsync && before != ".")
                || (word == "actor" && next.first?.isUppercase == true)
                || (impure.contains(word) && next == "(" && before != "func")
                || (impure.contains(word) && next == ".")
                || word == "SystemRandomNumberGenerator"
                || (impureMembers.contains(word) && before == "." && next == "(" && !takesGenerator(tokens, index + 1))
            guard breaks else { return nil }
            return Breach(path: file.path, line: tokens[index].line, reason: "a pure module says '\(word)'")
        }
    }

    /// Tests draw from a generator with a seed, so that what failed once can be seen again.
    static func chance(in files: [SourceFile]) -> [Breach] {
        files.filter { $0.isSwift && isTest($0.path) }.flatMap { file in
            let tokens = file.tokens
            return tokens.indices.dropFirst().dropLast().compactMap { index -> Breach? in
                let word = tokens[index].text
                guard impureMembers.contains(word), tokens[index - 1].text == ".", tokens[index + 1].text == "(",
                    !takesGenerator(tokens, index + 1)
                else { return nil }
                return Breach(
                    path: file.path,
                    line: tokens[index].line,
                    reason: "a test draws '\(word)' without a seed"
                )
            }
        }
    }

    private static func isTest(_ path: String) -> Bool {
        path.hasPrefix("Tests/") || path.hasPrefix("Sources/Tools/TestKit/")
            || path.hasPrefix("Sources/Tools/Simulation/")
    }

    /// Chance that is handed in (`using:`) is an argument like any other.
    private static func takesGenerator(_ tokens: [SwiftToken], _ open: Int) -> Bool {
        var depth = 0
        for token in tokens[open...] {
            if token.text == "(" { depth += 1 }
            if token.text == ")" { depth -= 1 }
            if depth == 0 { return false }
            if depth == 1, token.text == "using" { return true }
        }
        return false
    }
}
