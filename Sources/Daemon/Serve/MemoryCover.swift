import CShims
import Glibc

/// Keeps what stands in this process's memory out of files and away from other processes of the same user.
///
/// One-shot values, keys and passwords are in memory alone. The kernel writes no core of this process, and neither a debugger
/// nor `/proc` shows its memory to anybody but root.
package enum MemoryCover {
    package struct Failure: Error, CustomStringConvertible {
        package let code: Int32

        package var description: String { "core_not_refused: \(String(cString: strerror(code)))" }
    }

    package static func draw() throws(Failure) {
        guard shim_refuse_dumps() == 0 else { throw Failure(code: errno) }
    }
}
