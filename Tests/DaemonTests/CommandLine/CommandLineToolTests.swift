import Cli
import Kernel
import SystemKit
import Testing

struct CommandLineToolTests {
    private let spoken = Locked((output: "", errors: ""))

    private var tool: CommandLineTool {
        CommandLineTool(
            [GreetCommand.self, BreakCommand.self],
            output: { [spoken] text in spoken.withLock { $0.output += text } },
            errors: { [spoken] text in spoken.withLock { $0.errors += text } }
        )
    }

    @Test func `the exit code of a command is the exit code of the process`() async {
        #expect(await tool.run(["greet", "--times", "3"]) == 3)
    }

    @Test func `no word at all prints the commands and is a mistake`() async {
        #expect(await tool.run([]) == CommandLineTool.usageExitCode)
        #expect(spoken.withLock { $0.errors }.contains("greet"))
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]])
    func `the help lists every command with its summary`(words: [String]) async {
        #expect(await tool.run(words) == 0)
        #expect(spoken.withLock { $0.output }.contains("greet  Say hello."))
    }

    @Test(arguments: [["greet", "--help"], ["greet", "--times", "2", "-h"], ["help", "greet"]])
    func `the help of a command explains its options`(words: [String]) async {
        #expect(await tool.run(words) == 0)
        let said = spoken.withLock { $0.output }
        #expect(said.hasPrefix("usage: paystream greet [--times N]"))
        #expect(said.contains("-n, --times N  how often"))
    }

    @Test func `a help option behind two dashes belongs to somebody else`() async {
        #expect(await tool.run(["greet", "--times", "4", "--", "--help"]) == 4)
    }

    @Test func `the version is told`() async {
        #expect(await tool.run(["--version"]) == 0)
        #expect(spoken.withLock { $0.output } == "paystream \(Version.text)\n")
    }

    @Test func `an unknown command ends with code 2 and the nearest name`() async {
        #expect(await tool.run(["great"]) == 2)
        #expect(spoken.withLock { $0.errors }.contains("did you mean 'greet'?"))
    }

    @Test func `a word far from every name gets no hint`() async {
        #expect(await tool.run(["zanzibar"]) == 2)
        #expect(!spoken.withLock { $0.errors }.contains("did you mean"))
    }

    @Test func `a call that makes no sense ends with code 2 and the usage`() async {
        #expect(await tool.run(["greet", "--loud"]) == 2)
        #expect(spoken.withLock { $0.errors }.contains("usage: paystream greet [--times N]"))
    }

    @Test func `a failing command ends with code 1 and its reason`() async {
        #expect(await tool.run(["break"]) == 1)
        #expect(spoken.withLock { $0.errors } == "paystream break: it broke\n")
    }

    @Test func `every command of the table has a name of its own and a summary that ends with a full stop`() {
        #expect(Set(CommandTable.all.map { $0.name }).count == CommandTable.all.count)
        for command in CommandTable.all { #expect(command.summary.hasSuffix("."), "\(command.name)") }
    }
}

private struct GreetCommand: Command {
    static let name = "greet"
    static let summary = "Say hello."
    static let usage = "[--times N]"
    static let options = [CommandOption("times", letter: "n", value: "N", summary: "how often")]

    func run(arguments: [String]) async throws -> Int32 { Int32(try parse(arguments).integer("times") ?? 1) }
}

private struct BreakCommand: Command {
    struct Broken: Error, CustomStringConvertible {
        var description: String { "it broke" }
    }

    static let name = "break"
    static let summary = "Fail."
    static let usage = ""

    func run(arguments: [String]) async throws -> Int32 { throw Broken() }
}
