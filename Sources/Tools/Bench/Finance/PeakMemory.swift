import Glibc
import SystemKit

/// The most memory that this process has had, as Linux keeps it.
enum PeakMemory {
    /// In KiB.
    static var kibibytes: Int {
        let line = (FileTree.text("/proc/self/status") ?? "").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Begins anew with what the process has now (proc(5), `clear_refs`).
    static func restart() throws {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard descriptor >= 0, write(descriptor, "5", 1) == 1 else {
            throw CommandFailure("the kernel keeps the most memory that this process had")
        }
    }
}
