package import Kernel

/// A clock that only a test moves, with sleepers that wake in the order of their deadlines.
package final class ManualClock: Sendable {
    private struct Sleeper: Sendable {
        let id: UInt64
        let deadline: Timestamp
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var now: Timestamp
        var lastId: UInt64 = 0
        var cancelled: Set<UInt64> = []
        var sleepers: [Sleeper] = []
        var armedWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    package init(_ start: Timestamp = Timestamp(seconds: 1_800_000_000)) {
        state = Locked(State(now: start))
    }

    package var now: Timestamp { state.withLock { $0.now } }

    /// Deadlines of those who sleep now, earliest first.
    package var armed: [Timestamp] { state.withLock { $0.sleepers.map(\.deadline).sorted() } }

    /// Moves the clock forward and wakes everybody whose deadline has come.
    package func advance(by duration: Duration) {
        let woken = state.withLock { state -> [Sleeper] in
            state.now = state.now.adding(duration)
            let due = state.sleepers.filter { $0.deadline <= state.now }.sorted { $0.deadline < $1.deadline }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Sleeps until the clock has been moved far enough; a cancelled sleep ends at once with an error.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        let (id, deadline) = state.withLock { state -> (UInt64, Timestamp) in
            state.lastId += 1
            return (state.lastId, state.now.adding(duration))
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                arm(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
        if Task.isCancelled { throw CancellationError() }
    }

    /// Waits until somebody sleeps on this clock.
    package func timerArmed() async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> Bool in
                guard state.sleepers.isEmpty else { return true }
                state.armedWaiters.append(continuation)
                return false
            }
            if ready { continuation.resume() }
        }
    }

    private func arm(_ sleeper: Sleeper) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.cancelled.remove(sleeper.id) == nil, sleeper.deadline > state.now else {
                return [sleeper.continuation]
            }
            state.sleepers.append(sleeper)
            defer { state.armedWaiters = [] }
            return state.armedWaiters
        }
        for continuation in woken { continuation.resume() }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume()
    }
}
