import Glibc
import SystemKit

/// Resident memory of a process, in megabytes.
enum ProcessMemory {
    static func of(_ process: pid_t) -> (now: Double, peak: Double) {
        func line(_ name: String) -> Double {
            let text = FileTree.text("/proc/\(process)/status") ?? ""
            let found = text.split(separator: "\n").first { $0.hasPrefix(name) }
            let kilobytes = found?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
            return (kilobytes.flatMap { Double($0) } ?? 0) / 1024
        }
        return (line("VmRSS:"), line("VmHWM:"))
    }

    /// Lets this process's peak begin anew with what it has now (proc(5), `clear_refs`).
    static func restartPeak() throws {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure("/proc/self/clear_refs can't be opened") }
        defer { close(descriptor) }
        guard write(descriptor, "5", 1) == 1 else { throw CommandFailure("/proc/self/clear_refs takes no 5") }
    }
}
