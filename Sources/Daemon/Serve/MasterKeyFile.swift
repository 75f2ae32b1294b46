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
        let isWritten = MasterKey.newLine(from: SystemRandom()).withBytes { bytes in
            bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == bytes.count
        }
        guard isWritten, fsync(descriptor) == 0 else {
            throw UsageError("the master key file '\(path)' can't be written")
        }
    }
}
