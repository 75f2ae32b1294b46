import Cli
import Kernel
import SystemKit
import Testing

/// `paystream bench`: what it refuses before it measures anything.
struct BenchOptionTests {
    @Test(arguments: [
        ("settlement", "rounds"), ("append", "movements"), ("json", "url"), ("reports", "clients"),
        ("fold", "flush-delay"), ("counts", "seconds"),
    ])
    func `a bench refuses an option that it does not take`(bench: String, option: String) async {
        let said = Locked("")
        let tool = CommandLineTool(output: { _ in }, errors: { text in said.withLock { $0 += text } })
        #expect(await tool.run(["bench", bench, "--\(option)", "1"]) == CommandLineTool.usageExitCode)
        #expect(said.withLock { $0 }.contains("'\(bench)' has no --\(option)"))
    }

    @Test func `a bench that nobody knows is refused`() async {
        let said = Locked("")
        let tool = CommandLineTool(output: { _ in }, errors: { text in said.withLock { $0 += text } })
        #expect(await tool.run(["bench", "speed"]) == CommandLineTool.usageExitCode)
        #expect(said.withLock { $0 }.contains("settlement, reports"))
    }
}
