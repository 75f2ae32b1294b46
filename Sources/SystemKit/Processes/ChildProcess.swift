package import Glibc

/// A child process: how it is started, and how it ended.
package struct ChildProcess: Sendable {
    /// How a process ended.
    package enum Ending: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)

        /// The code by which a shell tells how the process ended.
        package var exitCode: Int32 {
            switch self {
            case .exited(let code): code
            case .signalled(let signal): 128 + signal
            }
        }
    }

    package let id: pid_t

    package init(id: pid_t) {
        self.id = id
    }

    /// Starts a program, which is a path or a name to be looked up on `PATH`.
    ///
    /// The standard streams are inherited unless a file is named that takes what the program prints.
    package static func start(
        _ path: String,
        _ arguments: [String],
        environment: [String: String],
        outputFile: String? = nil
    ) throws(SpawnFailure) -> ChildProcess {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let outputFile {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(
                &actions,
                STDOUT_FILENO,
                outputFile,
                O_WRONLY | O_CREAT | O_APPEND,
                0o600
            )
            posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Dispatch's threads block signals, and a child would start with the caller's mask.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // What the caller ignores, because it waits for it elsewhere, still ends a child.
        var usual = sigset_t()
        sigemptyset(&usual)
        for signal in [SIGTERM, SIGINT] { sigaddset(&usual, signal) }
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for text in words + variables { free(text) }
        }
        var id: pid_t = 0
        let code = posix_spawnp(&id, path, &actions, &attributes, words, variables)
        guard code == 0 else { throw SpawnFailure("\(path): \(String(cString: strerror(code)))") }
        return ChildProcess(id: id)
    }

    /// Blocks until the process ended.
    package func wait() -> Ending {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { return .exited(127) }
        }
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    /// The environment of this process.
    package static var environment: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        return variables
    }
}

/// Why a program could not be started: its path, and the system's words.
package struct SpawnFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
