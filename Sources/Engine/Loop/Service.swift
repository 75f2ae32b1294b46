package import EventSourcing
import Kernel
package import Telemetry

/// Work that a node does again and again until it drains.
package protocol Service: Sendable {
    /// Names it in the log.
    var name: String { get }
    /// How long it rests where nothing was left to do.
    var rest: Duration { get }
    /// Ends a rest early.
    var signal: Signal { get }

    /// Does what there is to do; answers how much that was, zero where it may rest.
    func runOnce() async throws(StoreFailure) -> Int
}

/// Repeats services until the node drains, and backs off while one of them fails.
package final class Services: Sendable {
    private struct State: Sendable {
        var isDraining = false
        /// Of the services that run.
        var signals: [Signal] = []
    }

    private let state = Locked(State())
    private let log: Logger

    package init(log: Logger) { self.log = log }

    /// Whether what is under way is finished, and nothing more is begun.
    package var isDraining: Bool { state.withLock(\.isDraining) }

    /// Runs a service until `drain`; the step under way is finished.
    package func run(_ service: some Service) async {
        await run(service.name, rest: service.rest, signal: service.signal) { () throws(StoreFailure) in
            try await service.runOnce()
        }
    }

    /// The same for a step that needs what is around it.
    func run(_ name: String, rest: Duration, signal: Signal, _ step: () async throws(StoreFailure) -> Int) async {
        state.withLock { $0.signals.append(signal) }
        var pause = Self.shortestPause
        while !isDraining, !Task.isCancelled {
            do throws(StoreFailure) {
                let found = try await step()
                pause = Self.shortestPause
                if found == 0 { await signal.wait(atMost: rest) }
            } catch {
                log.warning(
                    "service waits",
                    ["code": .text(error.code.rawValue), "detail": .text(error.detail), "service": .text(name)]
                )
                await signal.wait(atMost: pause)
                // What is done a few times a day is not tried every five seconds for ever.
                pause = min(pause * 2, max(rest, Self.longestPause))
            }
        }
    }

    /// Begins nothing more, and ends every rest.
    package func drain() {
        let signals = state.withLock { state in
            state.isDraining = true
            return state.signals
        }
        for signal in signals { signal.ring() }
    }

    private static let shortestPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(5)
}

extension Sequence {
    /// Does a step for each element: one that fails keeps no other from it, and the first failure is thrown behind the last.
    package func eachByItself(_ step: (Element) async throws(StoreFailure) -> Void) async throws(StoreFailure) {
        var first: StoreFailure?
        for element in self {
            do throws(StoreFailure) { try await step(element) } catch { first = first ?? error }
        }
        if let first { throw first }
    }
}
