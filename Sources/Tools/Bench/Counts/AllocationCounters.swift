import Glibc
import SystemKit

/// Files of one folder in which processes count their allocations (`Sources/Tools/Allocations`).
struct AllocationCounters: Sendable {
    private let folder: String
    private let library: String
    private static let variable = "PAYSTREAM_ALLOCATIONS"

    /// Counts in the folder that the environment names, where somebody wants to look there afterwards.
    ///
    /// Nothing where the library is not beside this program.
    init?(folder: String) {
        guard let library = try? ProgramLibrary.path("allocations") else { return nil }
        self.library = library
        self.folder = ChildProcess.environment[Self.variable] ?? folder
    }

    /// The environment under which a process counts.
    var environment: [String: String] { ["LD_PRELOAD": library, Self.variable: folder] }

    /// Begins this program again unless it counts its own allocations already.
    ///
    /// To be called before anything else has begun. Processes that it starts count only where they are told to.
    func countOwn() {
        if of(getpid()) == nil {
            guard FileTree.makeFolder(folder, mode: 0o700) else { return }
            for (name, value) in environment { setenv(name, value, 1) }
            execv("/proc/self/exe", CommandLine.unsafeArgv)
        }
        unsetenv("LD_PRELOAD")
    }

    /// A process's calls that allocate, and their bytes: the first two numbers of `allocation_counts`.
    func of(_ process: pid_t) -> (calls: Int64, bytes: Int64)? {
        let descriptor = open("\(folder)/\(process)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var numbers: [UInt64] = [0, 0]
        let size = numbers.count * MemoryLayout<UInt64>.size
        guard read(descriptor, &numbers, size) == size else { return nil }
        return (Int64(numbers[0]), Int64(numbers[1]))
    }
}
