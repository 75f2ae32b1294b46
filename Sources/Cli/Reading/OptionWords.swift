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

    func refusal(of name: String, _ sentence: String) -> UsageError {
        UsageError("--\(Self.option(name)) \(raw(name).map { "'\($0)': " } ?? "")\(sentence)")
    }

    static func option(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
}
