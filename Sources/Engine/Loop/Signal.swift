import Kernel

/// Wakes one waiting loop early; polling remains the truth.
package final class Signal: Sendable {
    private struct Door {
        var isRung = false
        var waiting: CheckedContinuation<Void, Never>?
        var generation = 0
        /// The last wait whose time was over.
        var ended = 0
    }

    private let door = Locked(Door())

    package init() {}

    package func ring() {
        let waiting = door.withLock { door in
            let waiting = door.waiting
            door.waiting = nil
            door.isRung = waiting == nil
            return waiting
        }
        waiting?.resume()
    }

    /// Returns when it was rung since the last wait, or when the time is over.
    ///
    /// For one waiter at a time.
    package func wait(atMost time: Duration) async {
        let generation = door.withLock { door in
            door.generation += 1
            return door.generation
        }
        let timer = Task {
            try? await Task.sleep(for: time)
            self.end(generation)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustGo = door.withLock { door -> Bool in
                    if door.isRung || Task.isCancelled || door.ended == generation {
                        door.isRung = false
                        return true
                    }
                    door.waiting = continuation
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
        let waiting = door.withLock { door -> CheckedContinuation<Void, Never>? in
            guard door.generation == generation else { return nil }
            door.ended = generation
            let waiting = door.waiting
            door.waiting = nil
            return waiting
        }
        waiting?.resume()
    }
}
