package import Crypto
import Glibc
import Kernel
package import SystemKit

/// The file that holds the master key: made once, readable by its owner only.
package enum MasterKeyFile {
    /// Reads the key ring; a file that others may read is refused.
    package static func read(_ path: String) throws(UsageError) -> KeyRing {
        var status = stat()
        guard stat(path, &status) == 0 else { throw UsageError("the master key file '\(path)' can't be read") }
        guard status.st_mode & 0o077 == 0 else {
            throw UsageError("the master key file '\(path)' must not be readable by others (chmod 600)")
        }
        guard let bytes = SmallFile.read(path) else { throw UsageError("the master key file '\(path)' can't be read") }
        do throws(CryptoFailure) { return try KeyRing(file: Secret(bytes)) } catch {
            throw UsageError("the master key file '\(path)' holds no master key")
        }
    }

    /// Makes a file with a new key unless there is one.
    package static func make(_ path: String) throws(UsageError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0, errno == EEXIST { return }
        guard descriptor >= 0 else { throw UsageError("the master key file '\(path)' can't be made") }
        defer { close(descriptor) }
        guard fill(descriptor, MasterKey.newLine(from: SystemRandom())) else {
            throw UsageError("the master key file '\(path)' can't be written")
        }
    }

    /// Adds a new key, which seals from then on, behind all others: the whole new file takes the old one's place.
    package static func append(to path: String) throws(UsageError) {
        let failure = UsageError("the master key file '\(path)' can't be written")
        var status = stat()
        guard stat(path, &status) == 0, let old = SmallFile.read(path) else { throw failure }
        let text = MasterKey.newLine(from: SystemRandom()).withBytes { line in
            Secret(old + (old.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]) + line)
        }
        let fresh = path + ".new"
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw UsageError("'\(fresh)' can't be made; remove it where an earlier attempt has left it")
        }
        defer { close(descriptor) }
        // The daemon's user must be able to read it afterwards, whoever runs this.
        let isOwned =
            (status.st_uid, status.st_gid) == (geteuid(), getegid())
            || fchown(descriptor, status.st_uid, status.st_gid) == 0
        guard isOwned, fill(descriptor, text), rename(fresh, path) == 0, syncFolder(of: path) else {
            unlink(fresh)
            throw failure
        }
    }

    private static func fill(_ descriptor: Int32, _ text: Secret) -> Bool {
        let isWritten = text.withBytes { bytes in
            bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == bytes.count
        }
        return isWritten && fsync(descriptor) == 0
    }

    private static func syncFolder(of path: String) -> Bool {
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }
}
