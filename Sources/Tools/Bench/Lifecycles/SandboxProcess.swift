import Glibc
import SystemKit

/// The simulated providers, in a process of their own.
struct SandboxProcess: Sendable {
    let process: ChildProcess
    let address: String

    /// Starts them, each outcome taking `think` milliseconds, and ends them behind `body`.
    static func with(
        _ database: BenchDatabase,
        think: Int = 0,
        environment more: [String: String] = [:],
        _ body: @Sendable (SandboxProcess) async throws -> Void
    ) async throws {
        let announce = database.folder + "/sandbox.url"
        let process = try ChildProcess.start(
            "/proc/self/exe",
            ["sandbox", "--think", "\(think)", "--announce", announce],
            environment: ChildProcess.environment.merging(more) { $1 },
            outputFile: database.folder + "/sandbox.log"
        )
        // Asked to end, it writes down where it allocated.
        defer { kill(process.id, SIGTERM) }
        for _ in 0..<400 {
            if let line = FileTree.text(announce)?.split(separator: "\n").first {
                return try await body(SandboxProcess(process: process, address: String(line)))
            }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw CommandFailure("the sandbox did not start")
    }
}
