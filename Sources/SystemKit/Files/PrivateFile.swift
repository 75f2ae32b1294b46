import Glibc

/// Files that only their owner reads.
package enum PrivateFile {
    package static func write(_ text: String, to path: String) throws(UsageError) {
        let fresh = path + ".new"
        unlink(fresh)
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw UsageError("'\(path)' can't be written") }
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        guard count == bytes.count, rename(fresh, path) == 0 else { throw UsageError("'\(path)' can't be written") }
    }

    /// Writes a file that is not there yet; what stands at the path stays.
    package static func make(_ bytes: [UInt8], at path: String) throws(UsageError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw UsageError(errno == EEXIST ? "'\(path)' is there already" : "'\(path)' can't be written")
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        guard close(descriptor) == 0, rest.isEmpty else {
            unlink(path)
            throw UsageError("'\(path)' can't be written")
        }
    }
}
