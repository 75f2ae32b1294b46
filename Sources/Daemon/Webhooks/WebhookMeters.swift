import Projections
import Telemetry

/// Figures of outgoing webhooks, by names that dashboards and alerts may rely on.
struct WebhookMeters: Sendable {
    private let registry: MetricRegistry
    private let time: Histogram

    init(_ registry: MetricRegistry) {
        self.registry = registry
        time = registry.histogram("paystream_webhook_seconds", help: "Time of one attempt to deliver a webhook.")
        registry.declare(.counter, Self.attempts.name, help: Self.attempts.help)
    }

    /// Counts an attempt by what came of it.
    func tell(_ failure: WebhookFailure?, _ took: Duration, behind earlier: Int) {
        time.observe(took)
        let outcome = failure?.rawValue ?? (earlier == 0 ? "delivered" : "delivered_later")
        registry.counter(Self.attempts.name, help: Self.attempts.help, labels: ["outcome": outcome]).increment()
    }

    private static let attempts = (
        name: "paystream_webhook_attempts_total", help: "Attempts to deliver webhooks, by what came of them."
    )
}
