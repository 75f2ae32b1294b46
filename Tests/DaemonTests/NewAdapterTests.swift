import Glibc
import SystemKit
import Testing

@testable import Cli

/// `paystream adapter new`: what it writes, where, and what it refuses.
struct NewAdapterTests {
    /// This checkout.
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        .joined(separator: "/")

    /// A folder that looks like a checkout, for the length of `body`.
    private func withCheckout<Value>(_ name: String, _ body: (String) async throws -> Value) async throws -> Value {
        let root = "/tmp/paystream-new-\(getpid())-\(name)"
        defer { FileTree.remove(root) }
        for folder in ["", "/Sources", "/Sources/ProviderKit"] {
            #expect(FileTree.makeFolder(root + folder, mode: 0o755))
        }
        for path in Set(AdapterSkeleton("Acme")?.insertions.map(\.path) ?? []) {
            var folder = root
            for part in path.split(separator: "/").dropLast() {
                folder += "/\(part)"
                #expect(FileTree.makeFolder(folder, mode: 0o755))
            }
            try PrivateFile.write(FileTree.text("\(Self.root)/\(path)") ?? "", to: "\(root)/\(path)")
        }
        return try await body(root)
    }

    private func run(_ name: String, into root: String, isDry: Bool = false) throws -> [String] {
        var lines: [String] = []
        try NewAdapter(name, into: root).run(isDry: isDry) { lines.append($0) }
        return lines
    }

    @Test func `every place that must know an adapter takes one more`() async throws {
        try await withCheckout("places") { root in
            let lines = try run("Acme", into: root)
            #expect(!lines.contains { $0.contains("by hand") }, "\(lines.filter { $0.contains("by hand") })")
            let node = FileTree.text("\(root)/Sources/Daemon/Serve/Node.swift") ?? ""
            #expect(node.contains("\n        AcmeAdapter(),\n") && node.hasPrefix("import Acme\n"))
            let manifest = FileTree.text("\(root)/Package.swift") ?? ""
            #expect(manifest.contains("module(\"Acme\", domain, path: \"Sources/Providers/Acme\"),"))
        }
    }

    @Test func `what it writes is Swift, in lines that the house takes`() async throws {
        let name = "ALongNameOfAProvider"
        try await withCheckout("swift") { root in
            _ = try run(name, into: root)
            let skeleton = try #require(AdapterSkeleton(name))
            for path in Set(skeleton.insertions.map(\.path)) {
                let text = try #require(FileTree.text("\(root)/\(path)"), "\(path)")
                #expect(text.split(separator: "\n").allSatisfy { !$0.contains(name) || $0.count <= 120 }, "\(path)")
            }
            let files = skeleton.files.map { "\(root)/\($0.path)" }
            for file in files {
                let text = try #require(FileTree.text(file), "\(file)")
                #expect(!text.lowercased().contains("acme"), "\(file)")
                #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 }, "\(file)")
            }
            let words = ["-parse", "-swift-version", "6"] + files
            let compiler = try ChildProcess.start("swiftc", words, environment: ChildProcess.environment)
            #expect(compiler.wait().exitCode == 0)
        }
    }

    @Test func `a dry run writes nothing`() async throws {
        try await withCheckout("dry") { root in
            let lines = try run("Acme", into: root, isDry: true)
            #expect(lines.contains("would write Sources/Providers/Acme/AcmeAdapter.swift"))
            #expect(FileTree.folder("\(root)/Sources/Providers/Acme") == nil)
            #expect(FileTree.text("\(root)/Package.swift") == FileTree.text("\(Self.root)/Package.swift"))
        }
    }

    @Test func `a name that is none, a second adapter of the name and another folder are refused`() async throws {
        let tool = CommandLineTool([AdapterCommand.self], output: { _ in }, errors: { _ in })
        try await withCheckout("refused") { root in
            for name in ["acme", "A", "Acme Pay", "Äcme", "../Acme", String(repeating: "A", count: 25)] {
                #expect(throws: UsageError.self) { try run(name, into: root) }
            }
            _ = try run("Acme", into: root)
            #expect(throws: UsageError("'Sources/Providers/Acme' is there already")) { try run("Acme", into: root) }
            #expect(await tool.run(["adapter", "new", "Acme", "--into", root]) == 2)
        }
        #expect(throws: UsageError.self) { try run("Acme", into: "/tmp") }
        #expect(await tool.run(["adapter", "new"]) == 2)
    }

    @Test func `a place that is not as expected is left to be done by hand`() async throws {
        try await withCheckout("hand") { root in
            try PrivateFile.write("// another manifest\n", to: "\(root)/Package.swift")
            let lines = try run("Acme", into: root)
            #expect(lines.filter { $0.hasPrefix("add to Package.swift by hand: ") }.count == 5)
        }
    }
}
