/// A file and a function stay short enough to be read in one go.
enum LengthRule {
    static let fileLines = 400
    static let functionLines = 60
    private static let endings = [".swift", ".c", ".h", ".sql", ".py", ".sh"]

    static func breaches(in files: [SourceFile]) -> [Breach] {
        files.filter { file in endings.contains { file.path.hasSuffix($0) } }.flatMap { file -> [Breach] in
            let lines = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
            let whole =
                lines > fileLines ? [Breach(path: file.path, line: 1, reason: "\(lines) lines in one file")] : []
            guard file.isSwift else { return whole }
            return whole
                + SwiftFunction.all(in: file.tokens).filter { $0.length > functionLines }.map {
                    Breach(path: file.path, line: $0.firstLine, reason: "'\($0.name)' has \($0.length) lines")
                }
        }
    }
}
