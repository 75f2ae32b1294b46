import Glibc
import Kernel

/// `.paystream/dev.env`: where the development daemon is and how to reach it, for other commands and shells.
enum DevFile {
    static let folder = ".paystream"
    static let path = folder + "/dev.env"

    /// The variables in the file; empty where there is none.
    static func read() -> [String: String] {
        guard let bytes = SmallFile.read(path) else { return [:] }
        var values: [String: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let halves = line.split(separator: "=", maxSplits: 1)
            if halves.count == 2 { values[String(halves[0])] = String(halves[1]) }
        }
        return values
    }

    /// Writes the file, readable by its owner only: it holds an API key.
    static func write(_ values: [(String, String)]) throws(UsageError) {
        let text = values.map { "\($0.0)=\($0.1)\n" }.joined()
        try PrivateFile.write(text, to: path)
    }
}

/// Files that only their owner reads.
enum PrivateFile {
    static func write(_ text: String, to path: String) throws(UsageError) {
        let fresh = path + ".new"
        unlink(fresh)
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw UsageError("'\(path)' can't be written") }
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        guard count == bytes.count, rename(fresh, path) == 0 else { throw UsageError("'\(path)' can't be written") }
    }
}
