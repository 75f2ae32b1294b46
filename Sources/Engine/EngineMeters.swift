import Http
import Payments
package import Telemetry

/// The engine's figures, by names that dashboards and alerts may rely on.
package struct EngineMeters: Sendable {
    private let registry: MetricRegistry
    let batchSize: Histogram
    let commitTime: Histogram
    let exchangeTime: Histogram
    let lost: Counter
    let timers: Counter
    let postponed: Counter

    package init(_ registry: MetricRegistry) {
        self.registry = registry
        batchSize = registry.histogram(
            "paystream_batch_inputs",
            help: "Inputs that one commit decided.",
            unit: .count,
            bounds: [1, 2, 4, 8, 16, 32, 64]
        )
        commitTime = registry.histogram("paystream_commit_seconds", help: "Time of one commit of decisions.")
        exchangeTime = registry.histogram("paystream_exchange_seconds", help: "Time of one exchange with a provider.")
        lost = registry.counter(
            "paystream_effects_lost_total",
            help: "Messages whose sender vanished between mark and answer."
        )
        postponed = registry.counter(
            "paystream_effects_postponed_total",
            help: "Messages that waited for their turn at a provider that limits its rate."
        )
        timers = registry.counter(
            "paystream_timers_fired_total",
            help: "Timers that streams had armed and that were due."
        )
    }

    /// Counts a decided input by its kind and by what came of it.
    func decided(_ kind: String, _ outcome: String) {
        registry.counter(
            "paystream_inputs_decided_total",
            help: "Inputs by kind and outcome of the decision.",
            labels: ["kind": kind, "outcome": outcome]
        ).increment()
    }

    /// Counts an exchange by how it ended.
    func exchanged(_ outcome: ExchangeOutcome) {
        switch outcome {
        case .notSent(let reason): exchanged("not_sent_\(reason.rawValue)")
        case .sentNoAnswer(let lost): exchanged("no_answer_\(lost.reason.rawValue)")
        case .answered(let response): exchanged("status_\(response.status / 100)xx")
        }
    }

    private func exchanged(_ outcome: String) {
        registry.counter(
            "paystream_exchanges_total",
            help: "Exchanges with providers by how they ended.",
            labels: ["outcome": outcome]
        ).increment()
    }

    /// Counts a report of an app that a person must know of; alerts belong on `configuration` and `defect`.
    func reported(_ alert: Decided.Alert) {
        registry.counter(
            "paystream_app_reports_total",
            help: "Reports of apps that concern the account's configuration, a defect of ours, or a person's task.",
            labels: ["concern": alert.concern.rawValue, "provider": alert.provider]
        ).increment()
    }

    /// Counts what surprised about money.
    func alarmed(_ alarm: Decided.Alarm) {
        registry.counter(
            "paystream_money_alarms_total",
            help: "Money that arrived late, was given back by rule, or is told differently by two claims.",
            labels: ["provider": alarm.provider, "what": alarm.what.rawValue]
        ).increment()
    }

    /// Counts a notification by provider and verdict.
    func notified(_ provider: String, _ verdict: String) {
        registry.counter(
            "paystream_notifications_total",
            help: "Notifications by provider and verdict.",
            labels: ["provider": provider, "verdict": verdict]
        ).increment()
    }

    /// Counts a list of products by where it came from.
    func productsListed(_ source: String) {
        registry.counter(
            "paystream_product_lists_total",
            help: "Lists of products by where they came from: fresh and stale are the shelf's, asked the provider's.",
            labels: ["source": source]
        ).increment()
    }

    /// Counts an input that was moved out of its mailbox undecided; an alert belongs on this one.
    func quarantined() {
        registry.counter(
            "paystream_inputs_quarantined_total",
            help: "Inputs that could not be decided and were moved out of their mailboxes."
        ).increment()
    }
}
