import Glibc

/// A file under version control that holds what the code must produce, byte for byte.
///
/// With `UPDATE_GOLDEN=1` in the environment the file is written instead of compared; read `git diff` then.
package struct GoldenFile: Sendable {
    package let path: String

    /// Names a file in the folder `Golden` beside the test source that asks.
    package init(_ name: String, source: String = #filePath) {
        let folder = source.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        path = folder + "/Golden/" + name
    }

    /// Compares, and answers the first difference in words, or `nil` when there is none.
    package func difference(from actual: [UInt8]) -> String? {
        if environment("UPDATE_GOLDEN") == "1" { return write(actual) }
        guard let expected = try? FileBytes.read(path) else {
            return "\(path) is missing; write it with UPDATE_GOLDEN=1"
        }
        guard expected != actual else { return nil }
        let (old, new) = (lines(expected), lines(actual))
        let row = zip(old, new).prefix { $0 == $1 }.count
        let (was, now) = (row < old.count ? old[row] : "‹end›", row < new.count ? new[row] : "‹end›")
        return "\(path):\(row + 1): expected \(was.prefix(200)), got \(now.prefix(200))"
    }

    /// Compares a text.
    package func difference(from actual: String) -> String? { difference(from: Array(actual.utf8)) }

    private func lines(_ bytes: [UInt8]) -> [Substring] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    private func write(_ bytes: [UInt8]) -> String? {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        mkdir(folder, 0o755)
        do { try FileBytes.write(bytes, to: path) } catch { return "\(error)" }
        return nil
    }
}

/// Whole files, read and written at once.
package enum FileBytes {
    package struct Failure: Error, CustomStringConvertible {
        package let path: String
        package let code: Int32
        package var description: String { "\(path): \(String(cString: strerror(code)))" }
    }

    /// Reads a file to its end.
    package static func read(_ path: String) throws(Failure) -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw Failure(path: path, code: errno) }
        defer { fclose(file) }
        var out: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { return out }
            out.append(contentsOf: chunk.prefix(count))
        }
    }

    /// Creates or replaces a file.
    package static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        guard let file = fopen(path, "wb") else { throw Failure(path: path, code: errno) }
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else { throw Failure(path: path, code: errno) }
    }
}
