import SystemKit

/// `paystream completion`: what a shell reads to complete commands and options, made from the table of commands.
struct CompletionCommand: Command {
    static let name = "completion"
    static let summary = "Print what a shell reads to complete commands and options."
    static let usage = "bash | zsh | fish"
    static let notes = """
        For this shell:  source <(paystream completion bash)      paystream completion fish | source
        For every one:   paystream completion bash > /etc/bash_completion.d/paystream
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 1)
        switch given.words.first {
        case "bash": StandardStream.output.write(Self.bash)
        case "zsh": StandardStream.output.write("autoload -U +X bashcompinit && bashcompinit\n" + Self.bash)
        case "fish": StandardStream.output.write(Self.fish)
        case let shell?: throw UsageError("there is no completion for '\(shell)'; there is for bash, zsh and fish")
        case nil: throw UsageError("name the shell: bash, zsh or fish")
        }
        return 0
    }

    private static var names: [String] { CommandTable.all.map { $0.name } }

    private static func options(of command: any Command.Type) -> [String] {
        (command.options.map(\.name) + ["help"]).map { "--\($0)" }
    }

    static var bash: String {
        let cases = CommandTable.all.map {
            "        \($0.name)) words='\(options(of: $0).joined(separator: " "))' ;;\n"
        }
        return """
            _paystream() {
                local words command=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]}
                if [ "$COMP_CWORD" -eq 1 ]; then
                    words='\(names.joined(separator: " ")) help --help --version'
                else
                    case $command in
            \(cases.joined())        esac
                fi
                COMPREPLY=($(compgen -W "$words" -- "$current"))
                if [ "$COMP_CWORD" -gt 1 ] && [ "${#COMPREPLY[@]}" -eq 0 ]; then
                    COMPREPLY=($(compgen -f -- "$current"))
                fi
            }
            complete -F _paystream paystream

            """
    }

    static var fish: String {
        CommandTable.all.reduce(into: "") { text, command in
            text +=
                "complete -c paystream -n __fish_use_subcommand -f -a \(command.name) -d \(quoted(command.summary))\n"
            for option in command.options {
                text += "complete -c paystream -n '__fish_seen_subcommand_from \(command.name)' -l \(option.name)"
                text += " -d \(quoted(option.summary))\n"
            }
        }
    }

    /// In single quotes, as fish reads them.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
