import Glibc
import SystemKit

/// Counts of a process that its speed has no part in.
struct ProcessCounts: Sendable {
    /// How often its threads gave the processor up by themselves; those of threads that have ended are not in it.
    let switches: Int64
    /// Calls that allocate, where the process counts them (`Sources/Tools/Allocations`).
    let allocations: Int64?
    let allocatedBytes: Int64?

    init(of process: pid_t, allocationsIn folder: String) {
        let tasks = "/proc/\(process)/task"
        switches = FileTree.names(in: tasks).reduce(0) { $0 + Self.switches("\(tasks)/\($1)/status") }
        let counters = Self.counters("\(folder)/\(process)")
        (allocations, allocatedBytes) = (counters?.0, counters?.1)
    }

    /// The environment under which a process counts its allocations; `nil` where the library is not beside this program.
    static func environment(countingIn folder: String) -> [String: String]? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        guard length > 0 else { return nil }
        let program = String(decoding: path.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let library = String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)]) + "/liballocations.so"
        guard access(library, R_OK) == 0 else { return nil }
        return ["LD_PRELOAD": library, "PAYSTREAM_ALLOCATIONS": folder]
    }

    private static func switches(_ file: String) -> Int64 {
        let line = (FileTree.text(file) ?? "").split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return line?.split(separator: "\t").last.flatMap { Int64($0) } ?? 0
    }

    /// The first two numbers of `allocation_counts`.
    private static func counters(_ file: String) -> (Int64, Int64)? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var numbers: [UInt64] = [0, 0]
        let size = numbers.count * MemoryLayout<UInt64>.size
        guard read(descriptor, &numbers, size) == size else { return nil }
        return (Int64(numbers[0]), Int64(numbers[1]))
    }
}
