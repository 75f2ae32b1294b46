import Cluster
import Glibc
import Kernel
import SystemKit

/// `paystream dev` in a folder of its own, and commands beside it.
struct DevStage: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    let folder: String
    private let world: [String: String]
    private let daemon = Locked<ChildProcess?>(nil)

    private init(_ name: String) throws {
        folder = "/tmp/paystream-dev-\(getpid())-\(name)"
        guard FileTree.makeFolder(folder, mode: 0o755) else { throw Failure(description: "no folder \(folder)") }
        var world = ["PATH": ChildProcess.environment["PATH"] ?? "/usr/bin:/bin", "PAYSTREAM_LISTEN": "127.0.0.1:0"]
        world["PAYSTREAM_PG_BIN"] = ChildProcess.environment["PAYSTREAM_PG_BIN"]
        self.world = world
    }

    /// Runs `body` beside the daemon, and leaves nothing.
    static func run(_ name: String, _ body: (DevStage) async throws -> Void) async throws {
        let stage = try DevStage(name)
        let outcome: Result<Void, any Error>
        do {
            try await stage.serve()
            outcome = .success(try await body(stage))
        } catch { outcome = .failure(error) }
        await stage.endDaemon()
        _ = try await stage.run(["dev", "--stop"])
        try await OwnThread.run { [folder = stage.folder] () throws(ClusterFailure) in
            try EmbeddedCluster(checkout: folder, name: ClusterCommand.developmentName).remove()
        }
        FileTree.remove(stage.folder)
        try outcome.get()
    }

    /// Starts the daemon and waits until it serves.
    private func serve() async throws {
        let said = folder + "/said"
        let child = try start(["dev"], output: said)
        daemon.withLock { $0 = child }
        let deadline = ContinuousClock.now + Duration.seconds(120)
        while ContinuousClock.now < deadline {
            if (FileTree.text(said) ?? "").contains("Ctrl-C stops") { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(description: "the daemon does not serve: \(FileTree.text(said) ?? "")")
    }

    /// Ends the daemon, unless that was done before.
    func endDaemon() async {
        let running = daemon.withLock { daemon -> ChildProcess? in
            defer { daemon = nil }
            return daemon
        }
        guard let running else { return }
        kill(running.id, SIGINT)
        _ = await OwnThread.run { running.wait() }
    }

    /// Runs a command to its end, whatever that is; `input` is what somebody types.
    func run(_ words: [String], input: String? = nil) async throws -> (text: String, code: Int32) {
        let output = "\(folder)/out-\(SystemRandom().uuid(at: WallClock.now()).compact)"
        defer { unlink(output) }
        let child = try start(words, input: input, output: output)
        let ending = await OwnThread.run { child.wait() }
        return (FileTree.text(output) ?? "", ending.exitCode)
    }

    private func start(_ words: [String], input: String? = nil, output: String) throws -> ChildProcess {
        let script = input.map { "printf '%s\\n' '\($0)' | exec \"$0\" \"$@\"" } ?? "exec \"$0\" \"$@\" </dev/null"
        return try ChildProcess.start(
            "/usr/bin/env",
            ["--chdir=\(folder)", "sh", "-c", script, try DaemonProcess.program()] + words,
            environment: world,
            outputFile: output
        )
    }
}
