import Kernel

/// Wakes one waiting loop early; polling remains the truth.
package final class Signal: Sendable {
    private struct State {
        var isRung = false
        var waiting: CheckedContinuation<Void, Never>?
        var generation = 0
        /// The last wait whose time was over.
        var ended = 0
    }

    private let state = Locked(State())

    package init() {}

    package func ring() {
        let waiting = state.withLock { state in
            let waiting = state.waiting
            state.waiting = nil
            state.isRung = waiting == nil
            return waiting
        }
        waiting?.resume()
    }

    /// Returns when it was rung since the last wait, or when the time is over.
    ///
    /// For one waiter at a time.
    package func wait(atMost time: Duration) async {
        let generation = state.withLock { state in
            state.generation += 1
            return state.generation
        }
        let timer = Task {
            try? await Task.sleep(for: time)
            self.end(generation)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustGo = state.withLock { state -> Bool in
                    if state.isRung || Task.isCancelled || state.ended == generation {
                        state.isRung = false
                        return true
                    }
                    state.waiting = continuation
                    return false
                }
                if mustGo { continuation.resume() }
            }
        } onCancel: {
            end(generation)
        }
        timer.cancel()
    }

    private func end(_ generation: Int) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.generation == generation else { return nil }
            state.ended = generation
            let waiting = state.waiting
            state.waiting = nil
            return waiting
        }
        waiting?.resume()
    }
}
