import CShims
import Glibc

/// A descriptor that one thread waits for and any thread can ring.
final class LoopSignal: Sendable {
    let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        precondition(descriptor >= 0, "an event descriptor can be made")
    }

    deinit { close(descriptor) }

    func ring() { eventfd_write(descriptor, 1) }

    /// Waits for the signal, at most so many milliseconds; -1 waits for ever.
    func wait(_ milliseconds: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&entry, 1, milliseconds) > 0 { silence() }
    }

    /// Takes back rings that were not waited for.
    func silence() {
        var count: eventfd_t = 0
        unsafe eventfd_read(descriptor, &count)
    }
}
