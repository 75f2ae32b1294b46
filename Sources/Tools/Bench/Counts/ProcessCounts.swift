import Glibc
import SystemKit

/// What a process has used so far.
struct ProcessCounts: Sendable {
    /// Processor time.
    let milliseconds: Double
    /// How often its threads gave the processor up by themselves; those of threads that have ended are not in it.
    let switches: Int64
    /// Calls that allocate, where the process counts them.
    let allocations: Int64?
    let allocatedBytes: Int64?

    init(of process: pid_t, _ counters: AllocationCounters?) {
        milliseconds = ProcessorTime.of(process) * 1000
        let tasks = "/proc/\(process)/task"
        switches = FileTree.names(in: tasks).reduce(0) { $0 + Self.switches("\(tasks)/\($1)/status") }
        let counted = counters?.of(process)
        (allocations, allocatedBytes) = (counted?.calls, counted?.bytes)
    }

    private static func switches(_ file: String) -> Int64 {
        let line = (FileTree.text(file) ?? "").split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return line?.split(separator: "\t").last.flatMap { Int64($0) } ?? 0
    }
}

/// What the server wrote and used so far.
struct ServerCounts: Sendable {
    let flushes: Int64
    /// Inserted, updated and deleted.
    let rowsWritten: Int64
    let walBytes: Int64
    /// Processor time, where the server is our own.
    let milliseconds: Double?
}
