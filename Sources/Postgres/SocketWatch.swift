import CShims
import Glibc
import SystemKit

/// One thread that waits for the sockets of all connections, so that a statement under way holds no thread.
///
/// What waits is a continuation, and the kernel keeps it: each wait is armed once (`EPOLLONESHOT`) and carries the continuation as
/// its data. A socket that is closed meanwhile takes its wait along; so whoever waits must keep its socket open.
@safe final class SocketWatch: Sendable {
    enum Readiness {
        case toRead
        /// The kernel takes bytes again, or has some: a server may answer before it has read everything.
        case toWrite

        fileprivate var events: UInt32 {
            switch self {
            case .toRead: EPOLLIN.rawValue
            case .toWrite: EPOLLIN.rawValue | EPOLLOUT.rawValue
            }
        }
    }

    private typealias Waiter = UnsafeContinuation<Void, Never>

    static let shared = SocketWatch()

    private let descriptor: Int32
    /// Sockets that one look at the kernel answers at most.
    private static let most = 64

    private init() {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(descriptor >= 0, "a file descriptor is left for the watch over sockets")
        OwnThread.detach { self.run() }
    }

    /// Waits until a socket is ready or broken; one that can't be watched is shut down, so that its next use fails.
    func wait(for socket: Int32, _ readiness: Readiness = .toRead) async {
        unsafe await withUnsafeContinuation { (waiter: Waiter) in
            var event = unsafe epoll_event()
            unsafe event.events = readiness.events | EPOLLONESHOT.rawValue
            unsafe event.data.u64 = unsafe unsafeBitCast(waiter, to: UInt64.self)
            if unsafe epoll_ctl(descriptor, EPOLL_CTL_MOD, socket, &event) == 0 { return }
            if errno == ENOENT, unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) == 0 { return }
            shutdown(socket, Int32(SHUT_RDWR))
            unsafe waiter.resume()
        }
    }

    private func run() {
        var events = unsafe [epoll_event](repeating: epoll_event(), count: Self.most)
        while true {
            let ready = unsafe epoll_wait(descriptor, &events, Int32(Self.most), -1)
            precondition(ready >= 0 || errno == EINTR, "sockets can be waited for")
            for index in 0..<Int(max(ready, 0)) {
                unsafe unsafeBitCast(events[index].data.u64, to: Waiter.self).resume()
            }
        }
    }
}
