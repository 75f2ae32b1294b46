import Decisions
import EventSourcing
import Payments
import Telemetry

/// Tells a person, or who watches over providers, what a committed decision found.
struct DecisionNotices: Sendable {
    let meters: EngineMeters
    let log: Logger
    let watch: ProviderWatch

    func tell(_ notices: [Decided.Notice], _ stream: StreamName) {
        for notice in notices {
            switch notice {
            case .alert(let alert): tell(alert, stream)
            case .alarm(let alarm): tell(alarm, stream)
            case .health(let health): watch.note(health.signal, of: health.account, stream.merchant)
            }
        }
    }

    private func tell(_ alert: Decided.AppAlert, _ stream: StreamName) {
        meters.reported(alert)
        log.warning(
            "an app reported what concerns a person",
            [
                "code": .text(alert.code), "concern": .text(alert.concern.rawValue), "payment": LogValue(stream.id),
                "provider": .text(alert.provider),
            ]
        )
    }

    private func tell(_ alarm: Decided.MoneyAlarm, _ stream: StreamName) {
        meters.alarmed(alarm)
        log.warning(
            "money that nobody expected",
            [
                "detail": .text(alarm.detail), "payment": LogValue(stream.id), "provider": .text(alarm.provider),
                "what": .text(alarm.what.rawValue),
            ]
        )
    }
}
