package import Engine
package import EventSourcing
import Kernel
package import Projections

/// Readers of the event feed who wait for what comes next, and which events are known to be there.
///
/// A node looks for them all at once, as long as anybody waits; a reader costs neither a thread nor a connection meanwhile.
package final class EventTail: Sendable {
    /// Somebody who waits, or is about to.
    private struct Waiter: Sendable {
        let id: Int
        let behind: EventPosition
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private struct State: Sendable {
        var waiters: [MerchantNumber: [Waiter]] = [:]
        var nextId = 0
        var isClosed = false
    }

    private let state = Locked(State())
    /// Rung when events were written, and by whoever begins to wait.
    package let signal = Signal()

    package init() {}

    /// Returns once a merchant has an event behind a position, when the time is over, when the task is cancelled or when the node drains;
    /// false where there is none as far as is known.
    @discardableResult
    package func wait(for merchant: MerchantNumber, behind: EventPosition, atMost time: Duration) async -> Bool {
        let begun = state.withLock { state -> (id: Int, isFirst: Bool)? in
            guard !state.isClosed else { return nil }
            let isFirst = state.waiters.isEmpty
            state.nextId += 1
            state.waiters[merchant, default: []].append(Waiter(id: state.nextId, behind: behind))
            return (state.nextId, isFirst)
        }
        guard let (id, isFirst) = begun else { return false }
        let timer = Task {
            try? await Task.sleep(for: time)
            self.end(id, merchant)
        }
        // While others wait it is looked for anyway.
        if isFirst { signal.ring() }
        let isThere = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard let index = state.waiters[merchant]?.firstIndex(where: { $0.id == id }) else { return true }
                    state.waiters[merchant]?[index].continuation = continuation
                    return false
                }
                // It may have been told before anybody could wait.
                if isOver { continuation.resume(returning: true) }
            }
        } onCancel: {
            end(id, merchant)
        }
        timer.cancel()
        return isThere
    }

    private func end(_ id: Int, _ merchant: MerchantNumber) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters[merchant]?.firstIndex(where: { $0.id == id }) else { return nil }
            let waiter = state.waiters[merchant]?.remove(at: index)
            if state.waiters[merchant]?.isEmpty == true { state.waiters[merchant] = nil }
            return waiter
        }
        waiter?.continuation?.resume(returning: false)
    }

    /// Whose readers wait.
    package var merchants: [MerchantNumber] { state.withLock { Array($0.waiters.keys) } }

    /// Wakes whoever waits for events that are there.
    package func noted(_ newest: [MerchantNumber: EventPosition]) {
        let ready = state.withLock { state -> [Waiter] in
            var ready: [Waiter] = []
            for (merchant, position) in newest {
                guard let waiters = state.waiters[merchant] else { continue }
                let left = waiters.filter { $0.behind >= position }
                state.waiters[merchant] = left.isEmpty ? nil : left
                ready += waiters.filter { $0.behind < position }
            }
            return ready
        }
        for waiter in ready { waiter.continuation?.resume(returning: true) }
    }

    /// Nobody waits any more.
    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [:] }
            return state.waiters.values.flatMap { $0 }
        }
        for waiter in waiting { waiter.continuation?.resume(returning: false) }
    }

    package var isClosed: Bool { state.withLock(\.isClosed) }
}
