import Glibc

/// A file that is read piece by piece, however large it is.
package final class FilePieces: @unchecked Sendable {
    // One thread at a time reads it: whoever it was given to.
    private let descriptor: Int32
    /// Its length when it was opened.
    package let bytes: Int64

    /// `nil` where it can't be read, or is no file whose length is known.
    package init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        bytes = Int64(facts.st_size)
    }

    deinit { close(descriptor) }

    /// The next bytes; `nil` at the end.
    package func next(_ most: Int) -> [UInt8]? {
        let piece = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            repeat { count = max(-1, read(descriptor, buffer.baseAddress, most)) } while count < 0 && errno == EINTR
            count = max(0, count)
        }
        return piece.isEmpty ? nil : piece
    }

    /// Goes back to the first byte.
    package func rewind() { lseek(descriptor, 0, SEEK_SET) }
}
