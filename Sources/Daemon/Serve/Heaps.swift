import CShims
import Glibc

/// Where this process's threads take their memory from.
///
/// The C library has up to eight heaps for each processor, and what is freed goes back to the one that it came from. States are
/// made by one thread and let go of by another, so that each heap keeps holes that no other one can use.
package enum Heaps {
    /// As many as threads can run at once, and two at least; before the first thread begins.
    package static func limit() { _ = shim_limit_heaps(Int32(clamping: max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))) }
}
