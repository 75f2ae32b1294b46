package import Glibc
package import SystemKit

/// The account that runs PostgreSQL, which refuses to run with the rights of root.
package struct ServerAccount: Hashable, Sendable {
    /// Accounts that root steps down to, best first: Debian's package makes `postgres`, `nobody` is always there.
    package static let unprivileged = ["postgres", "nobody"]

    package let user: uid_t
    package let group: gid_t
    /// Whether this process is root and has to step down.
    package let stepsDown: Bool

    /// Finds the account for the calling process.
    package static func current() throws(ClusterFailure) -> ServerAccount {
        guard geteuid() == 0 else { return ServerAccount(user: geteuid(), group: getegid(), stepsDown: false) }
        for name in unprivileged {
            if let entry = getpwnam(name), entry.pointee.pw_uid != 0 {
                return ServerAccount(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid, stepsDown: true)
            }
        }
        throw ClusterFailure(.accountMissing, "root needs one of: \(unprivileged.joined(separator: ", "))")
    }

    /// Runs a program as this account, with `more` in its environment, and waits for its end; the file takes what it prints.
    package func run(
        _ path: String,
        _ arguments: [String],
        environment more: [String: String] = [:],
        directory: String,
        outputFile: String
    ) throws(ClusterFailure) -> ChildProcess.Ending {
        let own = ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": directory, "LC_ALL": "C.UTF-8", "TZ": "UTC"]
        let steppingDown = ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(group)", "--clear-groups", "--"]
        // The caller's own folder may be one that the account can't enter.
        let words = (stepsDown ? steppingDown : []) + ["/usr/bin/env", "--chdir=\(directory)", path] + arguments
        return try ClusterFailure.starting(
            words[0],
            Array(words.dropFirst()),
            environment: own.merging(more) { $1 },
            outputFile: outputFile
        ).wait()
    }

    /// Tells whether this account can pass through a directory, or execute a file.
    package func canReach(_ path: String) throws(ClusterFailure) -> Bool {
        guard stepsDown else { return access(path, X_OK) == 0 }
        return try run("/usr/bin/test", ["-x", path], directory: "/", outputFile: "/dev/null") == .exited(0)
    }
}
