import Engine
package import Http
import Kernel

/// A wire whose other end is a function of the test.
package final class PlayedWire: Transport {
    private let state = Locked<(play: @Sendable (OutgoingRequest) -> ExchangeOutcome, sent: [OutgoingRequest])>(
        ({ _ in .sentNoAnswer(NoAnswer(.deadline)) }, [])
    )

    package init() {}

    package func play(_ play: @escaping @Sendable (OutgoingRequest) -> ExchangeOutcome) {
        state.withLock { $0.play = play }
    }

    package var sent: [OutgoingRequest] { state.withLock { $0.sent } }

    package func send(
        _ request: OutgoingRequest,
        aboutToSend: @escaping @Sendable () -> Bool
    ) async -> ExchangeOutcome {
        guard aboutToSend() else { return .notSent(.vetoed) }
        let play = state.withLock { state in
            state.sent.append(request)
            return state.play
        }
        return play(request)
    }
}

/// Keeps nothing.
package struct NoQuarantine: Quarantine {
    package init() {}

    package func keep(_ request: HttpRequest, source: String, reason: String) async {}
}
