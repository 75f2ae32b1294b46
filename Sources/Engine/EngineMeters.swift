import Decisions
import EventSourcing
import Http
import Payments
package import Telemetry

/// The engine's figures, by names that dashboards and alerts may rely on.
package struct EngineMeters: Sendable {
    private let registry: MetricRegistry
    let batchSize: Histogram
    let commitTime: Histogram
    let lost: Counter
    let timers: Counter
    let postponed: Counter
    let quarantinings: Counter

    package init(_ registry: MetricRegistry) {
        self.registry = registry
        batchSize = registry.histogram(
            "paystream_batch_inputs",
            help: "Inputs that one commit decided.",
            unit: .count,
            bounds: [1, 2, 4, 8, 16, 32, 64]
        )
        commitTime = registry.histogram("paystream_commit_seconds", help: "Time of one commit of decisions.")
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
        quarantinings = registry.counter(
            "paystream_inputs_quarantined_total",
            help: "Inputs that could not be decided and were moved out of their mailboxes."
        )
        for family in Self.families { registry.declare(family.kind, family.name, help: family.help) }
    }

    /// Counts a decided input by its kind and by what came of it.
    func decided(_ kind: InputKind, _ outcome: String) {
        count(Self.decided, ["kind": kind.label, "outcome": outcome])
    }

    /// Counts an exchange by how it ended, and its time.
    func exchanged(_ provider: String, _ outcome: ExchangeOutcome, took time: Duration) {
        let ending =
            switch outcome {
            case .notSent(let reason): "not_sent_\(reason.rawValue)"
            case .sentNoAnswer(let lost): "no_answer_\(lost.reason.rawValue)"
            case .answered(let response): "status_\(response.status / 100)xx"
            }
        count(Self.exchanges, ["outcome": ending, "provider": provider])
        let family = Self.exchangeTime
        registry.histogram(family.name, help: family.help, labels: ["provider": provider]).observe(time)
    }

    /// Counts a report of an app that a person must know of; alerts belong on `configuration` and `defect`.
    func reported(_ alert: Decided.AppAlert) {
        count(Self.reports, ["concern": alert.concern.rawValue, "provider": alert.provider])
    }

    /// Counts what surprised about money.
    func alarmed(_ alarm: Decided.MoneyAlarm) {
        count(Self.alarms, ["provider": alarm.provider, "what": alarm.what.rawValue])
    }

    /// Counts a notification by provider and verdict.
    func notified(_ provider: String, _ verdict: String) {
        count(Self.notifications, ["provider": provider, "verdict": verdict])
    }

    /// Counts a list of products by where it came from.
    func productsListed(_ source: String) { count(Self.lists, ["source": source]) }

    /// Counts an input that was moved out of its mailbox undecided; an alert belongs on this one.
    func quarantined() { quarantinings.increment() }

    /// A metric whose series come with their labels.
    private struct Family {
        let name: String
        let help: String
        var kind = MetricRegistry.Kind.counter
    }

    private static let decided = Family(
        name: "paystream_inputs_decided_total",
        help: "Inputs by kind and outcome of the decision."
    )
    private static let exchanges = Family(
        name: "paystream_exchanges_total",
        help: "Exchanges with providers by how they ended."
    )
    private static let exchangeTime = Family(
        name: "paystream_exchange_seconds",
        help: "Time of one exchange with a provider.",
        kind: .histogram
    )
    private static let reports = Family(
        name: "paystream_app_reports_total",
        help: "Reports of apps that concern the account's configuration, a defect of ours, or a person's task."
    )
    private static let alarms = Family(
        name: "paystream_money_alarms_total",
        help: "Money that arrived late, was given back by rule, or is told differently by two claims."
    )
    private static let notifications = Family(
        name: "paystream_notifications_total",
        help: "Notifications by provider and verdict."
    )
    private static let lists = Family(
        name: "paystream_product_lists_total",
        help: "Lists of products by where they came from: fresh and stale are the cache's, asked the provider's."
    )
    private static let families = [decided, exchanges, exchangeTime, reports, alarms, notifications, lists]

    private func count(_ family: Family, _ labels: KeyValuePairs<String, String>) {
        registry.counter(family.name, help: family.help, labels: labels).increment()
    }
}

extension InputKind {
    /// As figures name it.
    fileprivate var label: String {
        switch self {
        case .command: "command"
        case .answer: "answer"
        case .notification: "notification"
        case .browserReturn: "browserReturn"
        case .claim: "claim"
        case .timer: "timer"
        case .imported: "imported"
        }
    }
}
