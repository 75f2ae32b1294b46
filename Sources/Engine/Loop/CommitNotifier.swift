package import EventSourcing
import Kernel

/// Tells what this process committed: waiting readers, and the signals of the loops that go on from there.
package final class CommitNotifier: Sendable {
    /// Somebody who waits, or still looks whether to.
    private struct Waiter: Sendable {
        let id: Int
        let past: Int32
        var continuation: CheckedContinuation<Void, Never>?
    }

    private struct Listeners: Sendable {
        var waiters: [StreamName: [Waiter]] = [:]
        var nextId = 0
    }

    /// What the sender has not heard of yet.
    package struct Outgoing: Sendable {
        /// Messages that this process licensed a moment ago, the oldest first: they need no claim.
        package var licensed: [LeasedEffect] = []
        /// Whether others may be ready.
        package var mustClaim = false
    }

    private let notifier = Locked(Listeners())
    private let outgoing = Locked(Outgoing())
    /// Rung when there is something to send, or a place for it.
    package let effects = Signal()
    /// Rung when inputs were put into mailboxes.
    package let mail = Signal()
    /// Rung when the log grew.
    package let log = Signal()
    /// Rung when the log grew by what is about bills; a signal wakes one waiter, so each follower has its own.
    package let bills = Signal()

    /// Rung when the log grew by what is about schedules.
    package let schedules = Signal()
    /// Rung when the log grew, for whoever tells public events.
    package let events = Signal()

    package init() {}

    /// Of a commit that created `ready` messages; `mustClaim` where it made others ready, too.
    package func committed(
        _ stream: StreamName,
        version: Int32,
        position: Int64,
        ready: [LeasedEffect] = [],
        mustClaim: Bool = false
    ) {
        license(ready, mustClaim)
        log.ring()
        events.ring()
        if stream.kind == .billBatch || stream.kind == .chunk { bills.ring() }
        if stream.kind == .schedule { schedules.ring() }
        let ready = notifier.withLock { notifier -> [Waiter] in
            guard let waiters = notifier.waiters[stream] else { return [] }
            let left = waiters.filter { $0.past >= version }
            notifier.waiters[stream] = left.isEmpty ? nil : left
            return waiters.filter { $0.past < version }
        }
        for waiter in ready { waiter.continuation?.resume() }
    }

    /// Wakes the sender, to claim what is ready.
    package func claim() {
        outgoing.withLock { $0.mustClaim = true }
        effects.ring()
    }

    /// What came for the sender since it asked last; of the messages so many at most.
    package func takeOutgoing(atMost most: Int = kept) -> Outgoing {
        outgoing.withLock { outgoing in
            let taken = Outgoing(licensed: Array(outgoing.licensed.prefix(most)), mustClaim: outgoing.mustClaim)
            outgoing = Outgoing(licensed: Array(outgoing.licensed.dropFirst(most)))
            return taken
        }
    }

    /// Whether something came for the sender that it has not heard of.
    package var hasOutgoing: Bool { outgoing.withLock { !$0.licensed.isEmpty || $0.mustClaim } }

    private func license(_ ready: [LeasedEffect], _ mustClaim: Bool) {
        guard !ready.isEmpty || mustClaim else { return }
        outgoing.withLock { outgoing in
            // Those beyond stay where they are, to be claimed.
            let room = max(0, Self.kept - outgoing.licensed.count)
            outgoing.licensed += ready.prefix(room)
            if mustClaim || ready.count > room { outgoing.mustClaim = true }
        }
        effects.ring()
    }

    /// So many licensed messages are kept for the sender.
    package static let kept = SendingPlaces.standard

    /// Looks, and returns what it finds; where that is nothing, returns when this process commits past a version, or when the
    /// time is over.
    ///
    /// What is committed while it looks ends the wait, too.
    package func wait<Found, Failure: Error>(
        for stream: StreamName,
        past version: Int32,
        atMost time: Duration,
        unless look: () async throws(Failure) -> Found?
    ) async throws(Failure) -> Found? {
        let id = notifier.withLock { notifier in
            notifier.nextId += 1
            notifier.waiters[stream, default: []].append(Waiter(id: notifier.nextId, past: version))
            return notifier.nextId
        }
        defer { giveUp(id, stream) }
        if let found = try await look() { return found }
        let timer = Task {
            try? await Task.sleep(for: time)
            self.giveUp(id, stream)
        }
        await withCheckedContinuation { continuation in
            let isOver = notifier.withLock { notifier in
                guard let index = notifier.waiters[stream]?.firstIndex(where: { $0.id == id }) else { return true }
                notifier.waiters[stream]?[index].continuation = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
        timer.cancel()
        return nil
    }

    private func giveUp(_ id: Int, _ stream: StreamName) {
        let waiter = notifier.withLock { notifier -> Waiter? in
            guard let index = notifier.waiters[stream]?.firstIndex(where: { $0.id == id }) else { return nil }
            let waiter = notifier.waiters[stream]?.remove(at: index)
            if notifier.waiters[stream]?.isEmpty == true { notifier.waiters[stream] = nil }
            return waiter
        }
        waiter?.continuation?.resume()
    }
}
