import Glibc
import SystemKit

/// Where a cluster keeps its data, socket and log.
///
/// The checkout's `.paystream` folder serves where the server's account can enter it. A checkout may lie in a folder
/// that other users can't enter; then the cluster lives under `/var/tmp`, found again by a digest of the checkout.
package struct ClusterDirectory: Hashable, Sendable {
    /// A UNIX socket's address holds 108 bytes, one of which ends the text.
    package static let socketPathBytes = 107
    private static let socketName = ".s.PGSQL.5432"
    private static let memory = "/dev/shm"
    /// What has to be free there: test suites fill two gigabytes.
    private static let memoryBytes: UInt = 8 << 30

    package let path: String

    package var log: String { path + "/postgres.log" }
    package var lock: String { path + "/lock" }
    package func data(_ majorVersion: Int) -> String { path + "/data-\(majorVersion)" }

    /// Finds or makes the directory of the cluster `name` of a checkout.
    package static func prepare(
        checkout: String,
        name: String,
        account: ServerAccount,
        inMemory: Bool = false
    ) throws(ClusterFailure) -> ClusterDirectory {
        var candidates = candidates(checkout: checkout, name: name, account: account)
        if inMemory, memoryHasRoom { candidates.insert(memoryPath(checkout, name, account), at: 0) }
        for path in candidates where try usable(path, account) { return ClusterDirectory(path: path) }
        throw ClusterFailure(.directoryUnusable, "none of these can hold it: \(candidates.joined(separator: ", "))")
    }

    /// The folder of the UNIX socket: inside the directory unless that makes the socket's path too long.
    package func socketFolder(_ account: ServerAccount) throws(ClusterFailure) -> String {
        if "\(path)/\(Self.socketName)".utf8.count <= Self.socketPathBytes { return path }
        let short = "/tmp/paystream-\(Self.digest(path))-\(account.user)"
        guard try Self.own(short, account) else {
            throw ClusterFailure(.directoryUnusable, "\(short) belongs to somebody else")
        }
        return short
    }

    /// The other clusters of this checkout whose names begin like `prefix`.
    package static func existing(
        checkout: String,
        prefix: String,
        account: ServerAccount
    ) -> [(name: String, directory: ClusterDirectory)] {
        let candidates = candidates(checkout: checkout, name: prefix, account: account)
        return (candidates + [memoryPath(checkout, prefix, account)]).flatMap { candidate in
            let folder = String(candidate.prefix(upTo: candidate.lastIndex(of: "/") ?? candidate.startIndex))
            let start = String(candidate.dropFirst(folder.count + 1))
            return FileTree.names(in: folder).filter { $0.hasPrefix(start) }.map { found in
                (prefix + found.dropFirst(start.count), ClusterDirectory(path: "\(folder)/\(found)"))
            }
        }
    }

    private static func candidates(checkout: String, name: String, account: ServerAccount) -> [String] {
        ["\(checkout)/.paystream/\(name)", "/var/tmp/paystream-\(account.user)-\(digest(checkout))-\(name)"]
    }

    private static func memoryPath(_ checkout: String, _ name: String, _ account: ServerAccount) -> String {
        "\(memory)/paystream-\(account.user)-\(digest(checkout))-\(name)"
    }

    /// Whether both the file system in memory and the memory itself have room.
    private static var memoryHasRoom: Bool {
        var facts = statvfs()
        guard statvfs(memory, &facts) == 0, facts.f_bavail * facts.f_frsize >= memoryBytes else { return false }
        let line = (FileTree.text("/proc/meminfo") ?? "").split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { UInt($0) } ?? 0
        return kilobytes << 10 >= memoryBytes
    }

    private static func usable(_ path: String, _ account: ServerAccount) throws(ClusterFailure) -> Bool {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        if folder.hasSuffix("/.paystream"), !FileTree.makeFolder(folder, mode: 0o755) { return false }
        guard try account.canReach(folder) else { return false }
        return try own(path, account)
    }

    /// Makes a folder that only the server's account can enter, or checks that it is one.
    private static func own(_ path: String, _ account: ServerAccount) throws(ClusterFailure) -> Bool {
        if mkdir(path, 0o700) == 0 {
            guard !account.stepsDown || lchown(path, account.user, account.group) == 0 else { return false }
        }
        guard let facts = FileTree.folder(path), facts.owner == account.user else { return false }
        return facts.mode & 0o077 == 0
    }

    /// A short name for a path: FNV-1a in 64 bits.
    ///
    /// It only has to differ between checkouts; the owner check is the guard.
    package static func digest(_ text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
