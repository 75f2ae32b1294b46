import Glibc
import SystemKit
import TestKit
import Testing

@testable import Cli

/// What shells read to complete is read by a shell.
struct CompletionTests {
    private func completed(_ words: [String]) throws -> String {
        let line = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(CompletionCommand.bash)
            COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); _paystream; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let file = "/tmp/paystream-completion-\(getpid())-\(words.joined(separator: "-"))"
        let child = try ChildProcess.start(
            "/bin/bash",
            ["-c", script],
            environment: ["PATH": "/usr/bin:/bin"],
            outputFile: file
        )
        #expect(child.wait().exitCode == 0)
        defer { unlink(file) }
        return FileTree.text(file) ?? ""
    }

    @Test func `bash completes commands and their options`() throws {
        #expect(try completed(["paystream", "merch"]) == "merchants\n")
        #expect(try completed(["paystream", "keys", "--ro"]) == "--role\n")
        for command in CommandTable.all {
            let known = try completed(["paystream", command.name, "--"])
            for option in command.options { #expect(known.contains("--\(option.name)\n"), "\(command.name)") }
        }
    }

    @Test func `fish has a line for each command and option`() {
        let lines = CompletionCommand.fish.split(separator: "\n")
        #expect(lines.count == CommandTable.all.reduce(0) { $0 + 1 + $1.options.count })
        #expect(lines.allSatisfy { $0.hasPrefix("complete -c paystream -n ") && $0.hasSuffix("'") })
    }
}
