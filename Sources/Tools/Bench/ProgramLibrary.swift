import Glibc
import SystemKit

/// Libraries that are built beside this program, to be loaded before other processes.
enum ProgramLibrary {
    /// The path of a library; a failure says how it is built.
    static func path(_ name: String) throws(CommandFailure) -> String {
        let path = (folder ?? ".") + "/lib\(name).so"
        guard access(path, R_OK) == 0 else {
            throw CommandFailure("there is no \(path): build it with 'swift build -c release --product \(name)'")
        }
        return path
    }

    /// The folder of this program.
    private static var folder: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        guard length > 0 else { return nil }
        let program = String(decoding: path.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return program.lastIndex(of: "/").map { String(program[..<$0]) }
    }
}
