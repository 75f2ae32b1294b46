import Drill
import Glibc
import Kernel
import SystemKit

/// What the flows of a drill passed, of this process or in a file that several share.
struct CrashRecord: Sendable {
    private let file: String?
    private let lines = Locked<[String]>([])

    init(file: String?) { self.file = file }

    /// Whether nobody plays it yet who shares the file; who asks first does.
    func take(_ what: String) -> Bool {
        guard let file else { return true }
        let name = String(what.map { $0 == "/" || $0 == " " ? "-" : $0 })
        let descriptor = open("\(file).\(name)", O_WRONLY | O_CREAT | O_EXCL, 0o644)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Notes that a flow was played, and the points at which its daemon died.
    func add(_ flow: CrashFlow, _ points: Set<CrashPoint>) throws {
        let line = ([flow.description] + points.map(\.rawValue)).joined(separator: " ")
        lines.withLock { $0.append(line) }
        guard let file else { return }
        let descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT, 0o644)
        defer { close(descriptor) }
        let bytes = Array((line + "\n").utf8)
        // One write, so that lines of several lanes don't mix.
        guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure(file: file) }
    }

    /// All flows that were played, and the points that they passed together.
    func all() throws -> (flows: Set<String>, points: Set<CrashPoint>) {
        let text = file.flatMap { FileTree.text($0) } ?? lines.withLock { $0.joined(separator: "\n") }
        var flows: Set<String> = []
        var points: Set<CrashPoint> = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            flows.formUnion(words.prefix(1).map(String.init))
            points.formUnion(words.dropFirst().compactMap { CrashPoint(rawValue: String($0)) })
        }
        return (flows, points)
    }

    struct Failure: Error { let file: String }
}
