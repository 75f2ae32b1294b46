import Glibc

/// An exclusive lock on a file, which processes of one account wait for each other on.
package enum FileLock {
    /// Blocks until the lock is had, and holds it while `body` runs.
    package static func holding(_ path: String, _ body: () throws(ClusterFailure) -> Void) throws(ClusterFailure) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            throw ClusterFailure(.directoryUnusable, "can't open \(path): \(String(cString: strerror(errno)))")
        }
        // The lock goes with the file.
        defer { close(file) }
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else { throw ClusterFailure(.directoryUnusable, "can't lock \(path)") }
        }
        try body()
    }
}
