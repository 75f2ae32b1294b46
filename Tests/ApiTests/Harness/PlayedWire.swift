import Ecommpay
import Engine
import Http
import Kernel
import Telemetry

/// A wire whose other end is a function of the test.
final class PlayedWire: Transport {
    private let state = Locked<(play: @Sendable (OutgoingRequest) -> ExchangeOutcome, sent: [OutgoingRequest])>(
        ({ _ in .sentNoAnswer(NoAnswer(.deadline)) }, [])
    )

    func play(_ play: @escaping @Sendable (OutgoingRequest) -> ExchangeOutcome) { state.withLock { $0.play = play } }

    var sent: [OutgoingRequest] { state.withLock { $0.sent } }

    func send(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) async -> ExchangeOutcome {
        guard aboutToSend() else { return .notSent(.vetoed) }
        let play = state.withLock { state in
            state.sent.append(request)
            return state.play
        }
        return play(request)
    }
}

struct NoQuarantine: Quarantine {
    func keep(_ request: HttpRequest, source: String, reason: String) async {}
}

struct NoLog: LogSink {
    func write(_ line: [UInt8]) {}
}
