/// Left-over marks, names that say nothing, doors too wide and paths of one machine stay out.
enum WordRule {
    /// Marks in capitals; put together here, so that this file may name what it forbids.
    private static let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
    /// Words in any case, also inside longer ones.
    private static let words = ["place" + "holder"]
    /// Words in any case that are whole.
    private static let wholeWords = ["st" + "ub", "st" + "ubs", "st" + "ubbed"]
    /// Parts of names that tell nobody what lies behind them.
    static let emptyNames: Set<String> = ["Util", "Utils", "Utility", "Helper", "Helpers", "Manager", "Common"]
    private static let openings = ["/wo" + "rk/", "/ho" + "me/", "/Us" + "ers/", "/fa" + "rm/"]
    private static let declaring: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]

    static func breaches(in files: [SourceFile]) -> [Breach] {
        files.flatMap { marks(in: $0) + names(in: $0) + accesses(in: $0) }
    }

    private static func marks(in file: SourceFile) -> [Breach] {
        file.lines.enumerated().flatMap { index, line -> [Breach] in
            let low = line.lowercased()
            let split = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            let found =
                marks.filter { split.contains(Substring($0)) } + words.filter { low.contains($0) }
                + wholeWords.filter { word in split.contains { $0.lowercased() == word } }
                + openings.filter { opens(line, with: $0) }
            return found.map { Breach(path: file.path, line: index + 1, reason: "forbidden: '\($0)'") }
        }
    }

    /// A machine's path begins a word; inside a longer path the same letters are somebody's own folder.
    private static func opens(_ line: Substring, with path: String) -> Bool {
        line.ranges(of: path).contains { range in
            guard range.lowerBound > line.startIndex else { return true }
            let before = line[line.index(before: range.lowerBound)]
            return !(before.isLetter || before.isNumber || ".-_}*".contains(before))
        }
    }

    private static func names(in file: SourceFile) -> [Breach] {
        let inPath = file.path.split(separator: "/").flatMap { camelWords($0.prefix { $0 != "." }) }
        let paths = inPath.filter(emptyNames.contains).map {
            Breach(path: file.path, line: 1, reason: "'\($0)' in a path says nothing")
        }
        guard file.isSwift else { return paths }
        let tokens = file.tokens
        return paths
            + zip(tokens, tokens.dropFirst()).compactMap { before, name in
                guard declaring.contains(before.text), camelWords(name.text).contains(where: emptyNames.contains)
                else { return nil }
                return Breach(path: file.path, line: name.line, reason: "the name '\(name.text)' says nothing")
            }
    }

    /// Splits `KeyStoreManager` into its words.
    private static func camelWords(_ text: Substring) -> [String] {
        text.reduce(into: [String]()) { words, character in
            if words.isEmpty || character.isUppercase || !character.isLetter { words.append("") }
            words[words.count - 1].append(character)
        }
    }

    /// What programs of others import is public; nothing else is.
    private static let product = "Sources/PaystreamClient/"

    private static func accesses(in file: SourceFile) -> [Breach] {
        guard file.isSwift else { return [] }
        let isProduct = file.path.hasPrefix(product)
        let isDaemonTest = file.path.hasPrefix("Tests/DaemonTests/")
        return file.tokens.indices.compactMap { index in
            let token = file.tokens[index]
            guard token.text == "public" || token.text == "@testable" else { return nil }
            // Nothing stands above daemon and command line, so their inner parts are no other module's business; their
            // tests look inside.
            let words = file.tokens[index...].prefix(3).map(\.text)
            if isDaemonTest, [["@testable", "import", "Daemon"], ["@testable", "import", "Cli"]].contains(words) {
                return nil
            }
            if isProduct, token.text == "public" { return nil }
            return Breach(path: file.path, line: token.line, reason: "'\(token.text)': the package level is the widest")
        }
    }
}
