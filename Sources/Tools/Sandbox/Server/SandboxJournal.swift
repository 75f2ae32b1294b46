import Glibc
package import Kernel

/// Why a journal can't be used.
package struct SandboxJournalFailure: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable {
        case unreadable, unwritable
        /// The file does not begin as a journal does.
        case notAJournal
        /// It was written with other projects or timings, so that its inputs would lead elsewhere.
        case otherConfiguration
        /// A line before the last can't be read.
        case damaged
    }

    package let code: Code
    package let path: String
    /// The line, counted from one, where there is one to name.
    package var line: Int?
}

/// A file of everything that came into a simulator: fed in again, it gives the same state.
///
/// Each input is written before its actions leave, so that the process can be killed at any moment: a half-written
/// last line is an input that had no effect outside, and is cut off. Touched by its owning actor only.
package struct SandboxJournal: ~Copyable {
    private let file: Int32
    private let path: String

    /// Reads the file's first line; `nil` where it is new.
    package static func startOf(_ path: String) throws(SandboxJournalFailure) -> (at: Timestamp, fingerprint: String)? {
        guard access(path, F_OK) == 0 else { return nil }
        let bytes = try read(path)
        guard let end = bytes.firstIndex(of: newline) else { return nil }
        guard let json = try? Json(Array(bytes[..<end])), let micros = json["started_at"]?.integer,
            let fingerprint = json["fingerprint"]?.text, json["paystream_sandbox"] == 1
        else { throw SandboxJournalFailure(code: .notAJournal, path: path, line: 1) }
        return (Timestamp(microseconds: micros), fingerprint)
    }

    /// Opens a journal to write on, after feeding what it holds to `feed`.
    ///
    /// 1. A new file gets its first line: the start and the fingerprint of the configuration.
    /// 2. An old one must have the same fingerprint; each line is fed in.
    /// 3. A torn last line is cut off.
    package init(
        path: String,
        startedAt: Timestamp,
        fingerprint: String,
        feed: (SandboxInput, Timestamp) -> Void
    ) throws(SandboxJournalFailure) {
        let known = try SandboxJournal.startOf(path)
        if let known, known.fingerprint != fingerprint {
            throw SandboxJournalFailure(code: .otherConfiguration, path: path)
        }
        let whole = known == nil ? 0 : try SandboxJournal.replay(path, feed)
        let opened = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw SandboxJournalFailure(code: .unwritable, path: path) }
        let head = Json.compact([
            ("paystream_sandbox", 1), ("started_at", .integer(startedAt.microseconds)),
            ("fingerprint", .string(fingerprint)),
        ])
        guard ftruncate(opened, off_t(whole)) == 0, lseek(opened, off_t(whole), SEEK_SET) >= 0,
            known != nil || SandboxJournal.append(head.compactBytes, to: opened)
        else {
            close(opened)
            throw SandboxJournalFailure(code: .unwritable, path: path)
        }
        file = opened
        self.path = path
    }

    deinit { close(file) }

    package func write(_ input: SandboxInput, at time: Timestamp) throws(SandboxJournalFailure) {
        let before = lseek(file, 0, SEEK_CUR)
        guard SandboxJournal.append(input.line(at: time), to: file) else {
            // Half a line must not stand before the next one.
            if ftruncate(file, before) == 0 { lseek(file, before, SEEK_SET) }
            throw SandboxJournalFailure(code: .unwritable, path: path)
        }
    }

    private static let newline = UInt8(ascii: "\n")

    /// Writes a line whole; `false` where the file takes no more.
    private static func append(_ line: [UInt8], to file: Int32) -> Bool {
        var rest = (line + [newline])[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard written > 0 || (written < 0 && errno == EINTR) else { return false }
            rest = rest.dropFirst(max(0, written))
        }
        return true
    }

    /// Feeds every whole line behind the first; gives the length of what is whole.
    private static func replay(
        _ path: String,
        _ feed: (SandboxInput, Timestamp) -> Void
    ) throws(SandboxJournalFailure) -> Int {
        let bytes = try read(path)
        var start = 0
        var number = 0
        while let end = bytes[start...].firstIndex(of: newline) {
            number += 1
            if number > 1 {
                var time = Timestamp.epoch
                guard let input = SandboxInput(line: Array(bytes[start..<end]), time: &time) else {
                    throw SandboxJournalFailure(code: .damaged, path: path, line: number)
                }
                feed(input, time)
            }
            start = end + 1
        }
        return start
    }

    private static func read(_ path: String) throws(SandboxJournalFailure) -> [UInt8] {
        guard let file = fopen(path, "r") else { throw SandboxJournalFailure(code: .unreadable, path: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        guard ferror(file) == 0 else { throw SandboxJournalFailure(code: .unreadable, path: path) }
        return bytes
    }
}
