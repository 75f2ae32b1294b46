import Foundation
import Kernel
import PaystreamClient

/// Answers what a test tells it, in order, and keeps what it was asked.
final class ToldTransport: Transport {
    enum Reply: Sendable {
        case answer(Int, String, [String: String] = [:])
        case lost
    }

    private let replies: Locked<[Reply]>
    private let asked = Locked<[TransportRequest]>([])

    init(_ replies: [Reply]) { self.replies = Locked(replies) }

    var requests: [TransportRequest] { asked.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        asked.withLock { $0.append(request) }
        let reply = replies.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        switch reply {
        case .answer(let status, let body, let headers)?:
            return TransportAnswer(status: status, headers: headers, body: Data(body.utf8))
        case .lost?: throw URLError(.networkConnectionLost)
        case nil: throw URLError(.badURL)
        }
    }
}

/// A clock that passes where somebody sleeps, and keeps how long.
final class PassingClock: Sendable {
    private let state = Locked((now: ContinuousClock.now, pauses: [Duration]()))

    var pauses: [Duration] { state.withLock { $0.pauses } }

    var exchange: ExchangeClock {
        ExchangeClock(
            now: { self.state.withLock { $0.now } },
            sleep: { pause in
                try Task.checkCancellation()
                self.state.withLock {
                    $0.now += pause
                    $0.pauses.append(pause)
                }
            },
            chance: { 1 }
        )
    }
}

/// A client of a transport that is told its answers.
struct ToldClient {
    let transport: ToldTransport
    let clock = PassingClock()
    let paystream: Paystream

    init(_ replies: [ToldTransport.Reply], change: (inout Paystream.Configuration) -> Void = { _ in }) {
        transport = ToldTransport(replies)
        var configuration = Paystream.Configuration(url: Self.base, key: "psk_1")
        change(&configuration)
        paystream = Paystream(configuration, transport: transport, clock: clock.exchange)
    }

    static let base = URL(string: "http://127.0.0.1:1/base/") ?? URL(filePath: "/")

    static let payment = """
        {"id":"pay_1","object":"payment","version":2,"status":"someday","mode":"sale","method":"hosted","later":[1],
         "account":{"id":"a","name":"n","provider":"p","mode":"test"},
         "createdAt":"2026-01-31T12:00:00Z","updatedAt":"2026-01-31T12:00:00.123456Z","expiresAt":"2026-02-01T12:00:00Z",
         "operations":[]}
        """

    static func problem(_ status: Int, _ code: String) -> String {
        #"{"type":"about:blank","title":"T","status":\#(status),"code":"\#(code)","detail":"D","path":"$.amount"}"#
    }
}
