import Glibc
import Kernel

/// `.paystream/dev.env`: where the development daemon is and how to reach it, for other commands and shells.
enum DevFile {
    static let folder = ".paystream"
    static let path = folder + "/dev.env"

    /// The daemon's address and an API key.
    static let url = "PAYSTREAM_URL"
    static let key = "PAYSTREAM_KEY"

    private static let export = "export "

    /// Whether the environment names another daemon than the file does.
    static func isElsewhere(_ given: [String: String], _ left: [String: String]) -> Bool {
        given[url].map { plain($0) != left[url].map(plain) } ?? false
    }

    /// An address without the slash at its end.
    static func plain(_ address: String) -> String { address.hasSuffix("/") ? String(address.dropLast()) : address }

    /// The variables in the file; empty where there is none.
    static func read() -> [String: String] {
        SmallFile.read(path).map { values(in: String(decoding: $0, as: UTF8.self)) } ?? [:]
    }

    /// Writes the file, readable by its owner only: it holds an API key.
    static func write(_ values: [(String, String)]) throws(UsageError) { try PrivateFile.write(text(values), to: path) }

    /// One line for each variable, as a shell reads it: quoted, and handed on to what the shell starts.
    static func text(_ values: [(String, String)]) -> String {
        values.map { "\(export)\($0.0)='\($0.1.replacing("'", with: "'\\''"))'\n" }.joined()
    }

    /// Reads what `text` writes.
    static func values(in text: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let halves = line.trimmingPrefix(export).split(separator: "=", maxSplits: 1)
            guard halves.count == 2 else { continue }
            let value = halves[1].replacing("'\\''", with: "\u{0}").filter { $0 != "'" }.replacing("\u{0}", with: "'")
            values[String(halves[0])] = value
        }
        return values
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
