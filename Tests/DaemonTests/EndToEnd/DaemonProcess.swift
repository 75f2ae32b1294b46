import Glibc
import Kernel
import SystemKit

/// The real program of this build, run as a child; whoever starts one ends it.
struct DaemonProcess: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    let child: ChildProcess
    let address: String
    let port: String
    let outputFile: String

    /// How long a daemon may take until it listens, a command to end, a drain to finish; a storm leaves much to verify.
    private static let patience = Duration.seconds(ChildProcess.environment["PAYSTREAM_STORM"] == nil ? 40 : 3600)

    // MARK: The program

    /// The program beside the test bundle, or where `PAYSTREAM_BINARY` says.
    static func program() throws -> String {
        if let given = ChildProcess.environment["PAYSTREAM_BINARY"] { return given }
        var folders: [String] = []
        for word in CommandLine.arguments where word.contains(".xctest") {
            folders.append(folder(of: String(word.split(separator: "=").last ?? "")))
        }
        if let own = realpath("/proc/self/exe", nil) {
            folders.append(folder(of: String(cString: own)))
            free(own)
        }
        let candidates = folders.map { $0 + "/paystream" }
        guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
            let places = candidates.joined(separator: ", ")
            throw Failure(description: "no program at \(places): build it, or name it in PAYSTREAM_BINARY")
        }
        return found
    }

    private static func folder(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let bundle = parts.firstIndex { $0.hasSuffix(".xctest") } ?? max(0, parts.count - 1)
        return bundle == 0 ? "." : parts[..<bundle].joined(separator: "/")
    }

    // MARK: Running

    /// Runs a command to its end and gives what it printed.
    static func run(
        _ words: [String],
        _ environment: [String: String],
        output file: String,
        within time: Duration = patience
    ) async throws -> String {
        unlink(file)
        let child = try ChildProcess.start(try program(), words, environment: environment, outputFile: file)
        let ending = try await ending(of: child, within: time)
        let text = text(of: file)
        guard ending == .exited(0) else { throw Failure(description: "\(words): \(ending) \(text)") }
        return text
    }

    /// Starts `paystream serve` and waits until it listens; `files` is how many it may have open.
    static func serve(
        _ environment: [String: String],
        output file: String,
        files: Int? = nil
    ) async throws -> DaemonProcess {
        unlink(file)
        let words = files.map { ["/bin/sh", "-c", "ulimit -n \($0); exec \"$0\" serve"] } ?? []
        let line = words + [try program()] + (files == nil ? ["serve"] : [])
        let child = try ChildProcess.start(line[0], Array(line[1...]), environment: environment, outputFile: file)
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            let words = text(of: file).split(separator: "\n").first { $0.contains(" listens on ") }
            if let address = words?.split(separator: " ").last.map(String.init),
                let port = address.split(separator: ":").last.map(String.init)
            {
                return DaemonProcess(child: child, address: address, port: port, outputFile: file)
            }
            if kill(child.id, 0) != 0 { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        kill(child.id, SIGKILL)
        _ = try await ending(of: child)
        throw Failure(description: "the daemon does not listen: \(text(of: file))")
    }

    /// Sends a signal and waits for the end, which a kill makes sure of.
    @discardableResult
    func end(_ signal: Int32) async throws -> ChildProcess.Ending {
        kill(child.id, signal)
        return try await Self.ending(of: child)
    }

    /// Waits for the end; what takes too long is killed.
    static func ending(of child: ChildProcess, within time: Duration = patience) async throws -> ChildProcess.Ending {
        let timer = Task {
            try await Task.sleep(for: time)
            kill(child.id, SIGKILL)
        }
        let ending = await OwnThread.run { child.wait() }
        timer.cancel()
        return ending
    }

    static func text(of file: String) -> String {
        FileTree.text(file) ?? ""
    }
}
