package import SystemKit

/// Picks a command from a table, runs it and turns whatever happens into an exit code.
package struct CommandLineTool: Sendable {
    /// The exit code for a call that makes no sense.
    package static let usageExitCode: Int32 = 2

    private let commands: [any Command.Type]
    private let output: @Sendable (String) -> Void
    private let errors: @Sendable (String) -> Void

    package init(
        _ commands: [any Command.Type] = CommandTable.all,
        output: @escaping @Sendable (String) -> Void = { StandardStream.output.write($0) },
        errors: @escaping @Sendable (String) -> Void = { StandardStream.error.write($0) }
    ) {
        self.commands = commands
        self.output = output
        self.errors = errors
    }

    /// Runs what the words after the program's name ask for.
    package func run(_ words: [String]) async -> Int32 {
        guard let first = words.first else {
            errors(overview)
            return Self.usageExitCode
        }
        let arguments = Array(words.dropFirst())
        switch first {
        case "--help", "-h":
            output(overview)
            return 0
        case "help":
            return help(arguments.first)
        case "--version", "-V":
            output("paystream \(Version.text)\n")
            return 0
        default:
            guard let command = commands.first(where: { $0.name == first }) else { return unknown(first) }
            return await run(command, arguments)
        }
    }

    private func run(_ command: any Command.Type, _ arguments: [String]) async -> Int32 {
        if asksForHelp(arguments) {
            output(Self.help(of: command))
            return 0
        }
        do {
            return try await command.init().run(arguments: arguments)
        } catch let error as UsageError {
            errors("paystream \(command.name): \(Self.plain(error.description))\n\(Self.synopsis(of: command))\n")
            return Self.usageExitCode
        } catch {
            errors("paystream \(command.name): \(Self.plain(FailureText.of(error)))\n")
            return 1
        }
    }

    /// A reason may quote a file or an answer: the terminal shows it and obeys none of it.
    private static func plain(_ reason: String) -> String {
        reason.split(separator: "\n", omittingEmptySubsequences: false).map { ColumnTable.plain(String($0)) }
            .joined(separator: "\n")
    }

    /// Looks for `--help`; what stands behind `--` belongs to somebody else.
    private func asksForHelp(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    private func help(_ name: String?) -> Int32 {
        guard let name else {
            output(overview)
            return 0
        }
        guard let command = commands.first(where: { $0.name == name }) else { return unknown(name) }
        output(Self.help(of: command))
        return 0
    }

    private func unknown(_ word: String) -> Int32 {
        let near = commands.map { ($0.name, EditDistance.between($0.name, word)) }.min { $0.1 < $1.1 }
        let hint = near.flatMap { $0.1 <= 2 ? "; did you mean '\($0.0)'?" : nil } ?? ""
        errors("paystream: no command '\(word)'\(hint)\n'paystream --help' lists them all.\n")
        return Self.usageExitCode
    }

    private var overview: String {
        var text = "usage: paystream COMMAND [ARGUMENT…]\n       paystream --help | --version\n\n"
        let width = commands.map { $0.name.count }.max() ?? 0
        for command in commands { text += "  \(padded(command.name, to: width))  \(command.summary)\n" }
        return text + "\n'paystream COMMAND --help' explains one of them.\n"
    }

    private static func synopsis(of command: any Command.Type) -> String {
        "usage: paystream \(command.name)" + (command.usage.isEmpty ? "" : " \(command.usage)")
    }

    private static func help(of command: any Command.Type) -> String {
        var text = "\(synopsis(of: command))\n\n\(command.summary)\n"
        let width = command.options.map { $0.synopsis.count }.max() ?? 0
        if !command.options.isEmpty { text += "\n" }
        for option in command.options { text += "  \(padded(option.synopsis, to: width))  \(option.summary)\n" }
        if !command.notes.isEmpty { text += "\n\(command.notes)\n" }
        return text
    }
}

private func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
