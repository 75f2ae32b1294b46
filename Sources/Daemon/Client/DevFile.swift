import Glibc
import Kernel
package import SystemKit

/// `.paystream/dev.env`: where the development daemon is and how to reach it, for other commands and shells.
package enum DevFile {
    package static let folder = ".paystream"
    package static let path = folder + "/dev.env"

    /// The daemon's address and an API key.
    package static let url = "PAYSTREAM_URL"
    package static let key = "PAYSTREAM_KEY"

    private static let export = "export "

    /// Whether the environment names another daemon than the file does.
    package static func isElsewhere(_ given: [String: String], _ left: [String: String]) -> Bool {
        given[url].map { plain($0) != left[url].map(plain) } ?? false
    }

    /// An address without the slash at its end.
    package static func plain(_ address: String) -> String {
        address.hasSuffix("/") ? String(address.dropLast()) : address
    }

    /// The variables in the file; empty where there is none.
    package static func read() -> [String: String] {
        SmallFile.read(path).map { values(in: String(decoding: $0, as: UTF8.self)) } ?? [:]
    }

    /// Writes the file, readable by its owner only: it holds an API key.
    package static func write(_ values: [(String, String)]) throws(UsageError) {
        try PrivateFile.write(text(values), to: path)
    }

    /// One line for each variable, as a shell reads it: quoted, and handed on to what the shell starts.
    package static func text(_ values: [(String, String)]) -> String {
        values.map { "\(export)\($0.0)='\($0.1.replacing("'", with: "'\\''"))'\n" }.joined()
    }

    /// Reads what `text` writes.
    package static func values(in text: String) -> [String: String] {
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
