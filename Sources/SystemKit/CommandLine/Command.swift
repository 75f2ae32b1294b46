/// One command of the executable, as a row of the command table.
///
/// `run` is called on the main actor: it must suspend while it waits and never block.
package protocol Command: Sendable {
    /// The word that picks the command on the command line.
    static var name: String { get }
    /// The command in one line, for the list of all commands.
    static var summary: String { get }
    /// The words that may follow the name, as in `start|stop [--directory DIR]`.
    static var usage: String { get }
    /// The options that `--help` explains.
    static var options: [CommandOption] { get }
    /// The text of `--help` behind the options; whole lines.
    static var notes: String { get }

    init()

    /// Does the work and returns the exit code of the process.
    func run(arguments: [String]) async throws -> Int32
}

extension Command {
    package static var options: [CommandOption] { [] }
    package static var notes: String { "" }

    /// Reads the command's own options out of its arguments.
    package func parse(_ arguments: [String]) throws(UsageError) -> CommandArguments {
        try CommandArguments(arguments, options: Self.options)
    }
}

/// One option that a command understands.
package struct CommandOption: Hashable, Sendable {
    /// The long name without its dashes.
    package let name: String
    /// The one-letter form, if there is one.
    package let letter: Character?
    /// The value's name in the help; an option without it is a switch.
    package let value: String?
    package let summary: String

    package init(_ name: String, letter: Character? = nil, value: String? = nil, summary: String) {
        precondition(letter.map { $0.isASCII && $0.isLetter } ?? true, "a one-letter option is an ASCII letter")
        self.name = name
        self.letter = letter
        self.value = value
        self.summary = summary
    }

    /// How the help writes the option.
    package var synopsis: String {
        let short = letter.map { "-\($0), " } ?? "    "
        return value.map { "\(short)--\(name) \($0)" } ?? "\(short)--\(name)"
    }
}

/// The caller wrote something that the command does not understand; the process ends with code 2.
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
