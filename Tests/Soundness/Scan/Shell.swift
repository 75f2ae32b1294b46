import Glibc

/// Commands of the shell in a checkout.
enum Shell {
    /// What a command prints; nothing where it fails.
    static func output(_ command: String, in folder: String) -> String? {
        let quoted = folder.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        guard let stream = popen("cd '\(quoted)' && \(command)", "re") else { return nil }
        var bytes: [UInt8] = []
        var byte = fgetc(stream)
        while byte != EOF {
            bytes.append(UInt8(truncatingIfNeeded: byte))
            byte = fgetc(stream)
        }
        return pclose(stream) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
