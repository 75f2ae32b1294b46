/// Options and words in any order, for commands whose first words pick what they do.
///
/// Behind `--` everything is a word.
package struct ScatteredArguments: Sendable {
    private var parts: [CommandArguments] = []
    package private(set) var words: [String] = []

    package init(_ arguments: [String], options: [CommandOption]) throws(UsageError) {
        var left = arguments
        while true {
            let part = try CommandArguments(left, options: options)
            parts.append(part)
            guard let word = part.rest.first else { return }
            let before = left.count - part.rest.count
            if before > 0, left[before - 1] == "--" {
                words += part.rest
                return
            }
            words.append(word)
            left = Array(part.rest.dropFirst())
        }
    }

    /// Tells whether an option was given.
    package func has(_ name: String) -> Bool { parts.contains { $0.has(name) } }

    /// The value given last.
    package subscript(name: String) -> String? { parts.last { $0.has(name) }?[name] }

    /// Every value given, first one first.
    package func all(_ name: String) -> [String] { parts.flatMap { $0.all(name) } }

    /// The value given last as a whole number in a range.
    package func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let number = try parts.last(where: { $0.has(name) })?.integer(name) else { return nil }
        guard range.contains(number) else {
            throw UsageError("--\(name) wants \(range.lowerBound) to \(range.upperBound), not \(number)")
        }
        return number
    }

    /// Refuses more words than a form of the command has.
    package func demand(words count: Int) throws(UsageError) {
        guard words.count > count else { return }
        throw UsageError("'\(words[count])' is one word too many")
    }
}
