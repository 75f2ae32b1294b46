import Glibc
import Kernel
import SystemKit

/// Writes lines to a file descriptor from a thread of its own, so that a slow reader of the log stalls nobody.
///
/// When the queue is full, lines are dropped and counted; the count is written as soon as there is room.
package final class QueuedSink: LogSink, @unchecked Sendable {
    // `waiting`, `dropped` and `ending` are guarded by `mutex`; `thread` is written in `init` and read in `close`.
    private var waiting: [UInt8] = []
    private var lines = 0
    private var dropped = 0
    private var ending = false
    private var thread: OwnThread?
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let descriptor: Int32
    private let capacity: Int

    /// Starts the thread; the default descriptor is standard error.
    package init(descriptor: Int32 = 2, lines capacity: Int = Limits.logQueueLines) {
        self.descriptor = descriptor
        self.capacity = capacity
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
        thread = OwnThread { self.drain() }
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    package func write(_ line: [UInt8]) {
        pthread_mutex_lock(mutex)
        if lines < capacity, !ending {
            waiting.append(contentsOf: line)
            waiting.append(UInt8(ascii: "\n"))
            lines += 1
        } else {
            dropped += 1
        }
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(changed)
    }

    /// Writes what waits, ends the thread and returns when it is gone; later lines are lost.
    package func close() {
        pthread_mutex_lock(mutex)
        let isFirst = !ending
        ending = true
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(changed)
        if isFirst { thread?.join() }
    }

    private func drain() {
        while let bytes = next() {
            var start = 0
            while start < bytes.count {
                let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                start += count
            }
        }
    }

    /// Waits for lines and takes them; `nil` when the sink is closed and empty.
    private func next() -> [UInt8]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while waiting.isEmpty, dropped == 0 {
            if ending { return nil }
            pthread_cond_wait(changed, mutex)
        }
        var taken = waiting
        if dropped > 0 {
            let notice: Json = ["level": "warning", "message": "log lines dropped", "count": .integer(Int64(dropped))]
            taken += notice.compactBytes + [UInt8(ascii: "\n")]
        }
        waiting.removeAll(keepingCapacity: true)
        lines = 0
        dropped = 0
        return taken
    }
}
