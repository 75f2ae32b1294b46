/// A limit that nobody reads promises what nothing holds.
enum LimitRule {
    private static let path = "Sources/Kernel/Limits.swift"

    static func breaches(in files: [SourceFile]) -> [Breach] {
        guard let declared = files.first(where: { $0.path == path }) else { return [] }
        let lines = declared.text.split(separator: "\n", omittingEmptySubsequences: false)
        let sources = files.filter { $0.path.hasPrefix("Sources/") && $0.isSwift }
        return lines.enumerated().compactMap { index, line in
            guard let name = name(in: line), !sources.contains(where: { reads("Limits.\(name)", in: $0.text) }) else {
                return nil
            }
            return Breach(path: path, line: index + 1, reason: "nobody reads the limit \(name)")
        }
    }

    private static func name(in line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "let"), words.count > place + 2, words[place + 2] == "=",
            words.contains("static")
        else { return nil }
        // Limits of a kind, as those of JSON, are read without the type's name.
        return words.contains { $0.hasPrefix("JsonLimits") } ? nil : String(words[place + 1])
    }

    private static func reads(_ name: String, in text: String) -> Bool {
        text.ranges(of: name).contains { range in
            guard range.upperBound < text.endIndex else { return true }
            let next = text[range.upperBound]
            return !next.isLetter && !next.isNumber
        }
    }
}
