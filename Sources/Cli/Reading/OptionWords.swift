import Kernel
import Projections
import SystemKit

/// The options of a command as the words of a question: `created-from` is the API's `createdFrom`.
struct OptionWords: QuestionWords {
    typealias Failure = UsageError

    let given: ScatteredArguments

    func raw(_ name: String) -> String? { given[Self.option(name)] }

    func text(_ name: String, bytes: Int) throws(UsageError) -> String? {
        guard let text = raw(name) else { return nil }
        guard (1...bytes).contains(text.utf8.count) else {
            throw refusal(of: name, "A text of 1 to \(bytes) bytes of UTF-8.")
        }
        return text
    }

    func flag(_ name: String) -> Bool? { given.has(Self.option(name)) }

    /// Pairs as `--metadata channel=web`, where a name has no `=`.
    func members(of name: String) throws(UsageError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for text in given.all(Self.option(name)) {
            let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else { throw refusal(of: name, "A label is written as NAME=VALUE.") }
            pairs.append((String(halves[0]), String(halves[1])))
        }
        return pairs
    }

    func refusal(of name: String, _ sentence: String) -> UsageError {
        UsageError("--\(Self.option(name)) \(raw(name).map { "'\($0)': " } ?? "")\(sentence)")
    }

    static func option(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
}
