import Foundation
import PaystreamClient
import Testing

/// The Swift of docs/clients.md, put together as a program would and held against the library by the compiler.
struct DocumentedClientTests {
    @Test func `every block of Swift on the page of clients compiles`() async throws {
        let blocks = try Self.blocks()
        #expect(blocks.count >= 5)
        let body = blocks.joined(separator: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
        let program = """
            import Foundation
            import PaystreamClient

            func fulfil(_ reference: String?) async throws {}
            func keep(_ text: String?) {}

            func example(secret: String, headers: [String: String], body: Data) async throws {
            \(body)
            }
            """
        let folder = FileManager.default.temporaryDirectory.appending(path: "paystream-docs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appending(path: "clients.swift")
        try Data(program.utf8).write(to: source)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-I", try Self.modules(), source.path()]
        let output = Pipe()
        compiler.standardError = output
        compiler.standardOutput = output
        try compiler.run()
        let told = output.fileHandleForReading.readDataToEndOfFile()
        compiler.waitUntilExit()
        #expect(compiler.terminationStatus == 0, "\(String(decoding: told, as: UTF8.self))")
    }

    /// The page's blocks of Swift but the one of a manifest.
    private static func blocks() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/clients.md"), encoding: .utf8)
        return page.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }.filter { !$0.contains(".package(url:") }
    }

    /// The folder of this build's modules, beside the test bundle.
    private static func modules() throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }
            .compactMap { $0.split(separator: "=").last.map(String.init) }
        for file in bundles + [own] {
            var folder = URL(filePath: file).deletingLastPathComponent()
            for _ in 0..<5 {
                let modules = folder.appending(path: "Modules")
                if FileManager.default.fileExists(atPath: modules.appending(path: "PaystreamClient.swiftmodule").path())
                {
                    return modules.path()
                }
                folder = folder.deletingLastPathComponent()
            }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
