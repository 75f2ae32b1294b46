package import EventSourcing
import Kernel

/// Tells what this process committed: waiting readers, and the signals of the loops that go on from there.
package final class CommitNotifier: Sendable {
    private struct Waiter: Sendable {
        let id: Int
        let past: Int32
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct Listeners: Sendable {
        var waiters: [StreamName: [Waiter]] = [:]
        var nextId = 0
    }

    private let notifier = Locked(Listeners())
    /// Rung when effects were licensed.
    package let effects = Signal()
    /// Rung when inputs were put into mailboxes.
    package let mail = Signal()
    /// Rung when the log grew.
    package let log = Signal()
    /// Rung when the log grew by what is about bills; a signal wakes one waiter, so each follower has its own.
    package let bills = Signal()

    /// Rung when the log grew by what is about schedules.
    package let schedules = Signal()

    package init() {}

    package func committed(_ stream: StreamName, version: Int32, position: Int64, effects count: Int) {
        if count > 0 { effects.ring() }
        log.ring()
        if stream.kind == .billBatch || stream.kind == .chunk { bills.ring() }
        if stream.kind == .schedule { schedules.ring() }
        let ready = notifier.withLock { notifier -> [Waiter] in
            guard let waiters = notifier.waiters[stream] else { return [] }
            let left = waiters.filter { $0.past >= version }
            notifier.waiters[stream] = left.isEmpty ? nil : left
            return waiters.filter { $0.past < version }
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Returns when this process commits past a version, or when the time is over.
    package func wait(for stream: StreamName, past version: Int32, atMost time: Duration) async {
        let id = notifier.withLock { notifier in
            notifier.nextId += 1
            return notifier.nextId
        }
        let timer = Task {
            try? await Task.sleep(for: time)
            self.giveUp(id, stream)
        }
        await withCheckedContinuation { continuation in
            notifier.withLock {
                $0.waiters[stream, default: []].append(Waiter(id: id, past: version, continuation: continuation))
            }
        }
        timer.cancel()
    }

    private func giveUp(_ id: Int, _ stream: StreamName) {
        let waiter = notifier.withLock { notifier -> Waiter? in
            guard let index = notifier.waiters[stream]?.firstIndex(where: { $0.id == id }) else { return nil }
            let waiter = notifier.waiters[stream]?.remove(at: index)
            if notifier.waiters[stream]?.isEmpty == true { notifier.waiters[stream] = nil }
            return waiter
        }
        waiter?.continuation.resume()
    }
}
