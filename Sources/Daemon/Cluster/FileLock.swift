import Glibc

/// An exclusive lock on a file, held until the value goes away.
struct FileLock: ~Copyable {
    private let file: Int32

    /// Blocks until the lock is had.
    init(_ path: String) throws(ClusterFailure) {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            throw ClusterFailure(.directoryUnusable, "can't open \(path): \(String(cString: strerror(errno)))")
        }
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else {
                close(file)
                throw ClusterFailure(.directoryUnusable, "can't lock \(path)")
            }
        }
    }

    /// Runs `body` while the lock is held.
    borrowing func held<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try body()
    }

    deinit { close(file) }
}
