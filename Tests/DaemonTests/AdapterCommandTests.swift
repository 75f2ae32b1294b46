import Glibc
import Kernel
import TestKit
import Testing

@testable import Daemon

/// `paystream adapter check` by its exit codes and lines.
struct AdapterCommandTests {
    private let tool = CommandLineTool([AdapterCommand.self], output: { _ in }, errors: { _ in })

    /// Keeps `text` in a file for the length of `body`.
    private func withFile<Value>(_ name: String, _ text: String, _ body: (String) async throws -> Value) async throws
        -> Value
    {
        let path = "/tmp/paystream-\(getpid())-\(name).json"
        try PrivateFile.write(text, to: path)
        defer { unlink(path) }
        return try await body(path)
    }

    private func code(_ words: String...) async -> Int32 { await tool.run(["adapter"] + words) }

    @Test func `an unknown kind, provider or verb is a wrong call`() async throws {
        try await withFile("kinds", #"{"kind":"ecommpay/callbacks","cases":[]}"#) { path in
            #expect(await code("check", "ecommpay", "--kind", "moods", path) == 2)
            #expect(await code("check", "ecommpay", "--kind", "dolyame/callbacks", path) == 2)
            #expect(await code("check", "nobody", "--kind", "callbacks", path) == 2)
            #expect(await code("judge", "ecommpay") == 2)
            #expect(await code("check", "ecommpay", "--kind", "callbacks") == 2)
            #expect(await code("check", "ecommpay", "--kind", "callbacks", path + ".absent") == 2)
        }
    }

    @Test func `a kind may be named with its provider, without it, or by the file alone`() async throws {
        try await withFile("names", #"{"kind":"ecommpay/callbacks","cases":[]}"#) { path in
            #expect(await code("check", "ecommpay", "--kind", "callbacks", path) == 0)
            #expect(await code("check", "ecommpay", "--kind", "ecommpay/callbacks", path) == 0)
            #expect(await code("check", "ecommpay", path) == 0)
        }
    }

    @Test func `a failed case, a file without cases and a broken file fail the check`() async throws {
        for (index, text) in [#"{"kind":"callbacks","cases":[{"id":"a"}]}"#, #"{"kind":"callbacks"}"#, "{"].enumerated()
        {
            try await withFile("bad\(index)", text) { path in
                #expect(await code("check", "ecommpay", "--kind", "callbacks", path) == 1, "\(text)")
            }
        }
    }

    @Test func `every case is one line that names it, whatever its texts hold`() async throws {
        let text = #"{"kind":"callbacks","cases":[{"id":"line\nbreak"},{"id":7},{}]}"#
        try await withFile("lines", text) { path in
            var tally = VectorTally()
            var lines: [String] = []
            let workbench = try #require(Providers.workbenches["ecommpay"])
            let file = try VectorFile(path, kind: nil, provider: "ecommpay", workbench: workbench)
            file.check(&tally) { lines.append($0) }
            #expect(tally == VectorTally(passed: 0, failed: 3))
            #expect(lines.allSatisfy { $0.hasPrefix("FAIL ecommpay/callbacks ") && !$0.contains("\n") })
            #expect(lines[1].contains("callbacks 7:") && lines[2].contains("callbacks #3:"))
        }
    }

    @Test func `the states are printed for every provider`() async {
        #expect(await code("states", "ecommpay") == 0)
        #expect(await code("states", "nobody") == 2)
    }

    @Test func `options may stand before, between and behind words`() throws {
        let options = [CommandOption("kind", value: "K", summary: "")]
        let given = try ScatteredArguments(["a", "--kind", "x", "b", "--", "--kind"], options: options)
        #expect(given.words == ["a", "b", "--kind"])
        #expect(given["kind"] == "x")
    }
}
