import FoundationEssentials
import Glibc

/// Whatever lies in a checkout is committed, or ignored by name.
enum CommittedRule {
    /// What git says of a checkout; nothing where there is no git or no checkout.
    static func status(of root: String) -> String? {
        guard FileManager.default.fileExists(atPath: root + "/.git") else { return nil }
        let quoted = root.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        // The checkout may belong to another user than the one who runs the tests.
        let command = "git -c safe.directory='*' -C '\(quoted)' status --porcelain --untracked-files=all 2>/dev/null"
        guard let stream = popen(command, "re") else { return nil }
        var bytes: [UInt8] = []
        var byte = fgetc(stream)
        while byte != EOF {
            bytes.append(UInt8(truncatingIfNeeded: byte))
            byte = fgetc(stream)
        }
        return pclose(stream) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }

    static func breaches(status: String) -> [Breach] {
        status.split(separator: "\n").filter { $0.hasPrefix("?? ") }.map {
            Breach(path: String($0.dropFirst(3)), line: 1, reason: "neither committed nor ignored")
        }
    }
}
