import Kernel

/// Every metric of the process, and their page in the Prometheus text format 0.0.4.
///
/// Asking for a series that exists gives the same one; a hot path keeps what it got.
package final class MetricRegistry: Sendable {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    enum Series: Sendable {
        case counter(Counter)
        case gauge(Gauge)
        case sampled(Histogram.Unit, @Sendable () -> Int64)
        case histogram(Histogram)
    }

    /// The kind of a metric, for whoever reads the page.
    package enum Kind: String, Hashable, Sendable {
        case counter, gauge, histogram
    }

    struct Metric: Sendable {
        let help: String
        let kind: Kind
        /// By label text as it is printed, as in `method="GET",status="200"`.
        var series: [String: Series] = [:]
    }

    private let metrics = Locked<[String: Metric]>([:])

    package init() {}

    /// Puts a metric on the page before its first series, so that what there is can be known from the first minute on.
    package func declare(_ kind: Kind, _ name: String, help: String) {
        precondition(Exposition.isName(name), "\(name) is a metric's name")
        metrics.withLock { metrics in
            if metrics[name] == nil { metrics[name] = Metric(help: help, kind: kind) }
        }
    }

    package func counter(_ name: String, help: String, labels: KeyValuePairs<String, String> = [:]) -> Counter {
        guard case .counter(let counter) = series(name, help, labels, .counter, { .counter(Counter()) }) else {
            preconditionFailure("\(name) is no counter")
        }
        return counter
    }

    package func gauge(_ name: String, help: String, labels: KeyValuePairs<String, String> = [:]) -> Gauge {
        guard case .gauge(let gauge) = series(name, help, labels, .gauge, { .gauge(Gauge()) }) else {
            preconditionFailure("\(name) is no gauge")
        }
        return gauge
    }

    /// Registers a number that is read when the page is written; `read` must not wait, and gives microseconds where the
    /// unit is seconds.
    package func sample(
        _ name: String,
        help: String,
        labels: KeyValuePairs<String, String> = [:],
        kind: Kind = .gauge,
        unit: Histogram.Unit = .count,
        _ read: @escaping @Sendable () -> Int64
    ) {
        _ = series(name, help, labels, kind) { .sampled(unit, read) }
    }

    package func histogram(
        _ name: String,
        help: String,
        labels: KeyValuePairs<String, String> = [:],
        unit: Histogram.Unit = .seconds,
        bounds: [Int64] = Histogram.latencyBounds
    ) -> Histogram {
        let made = series(name, help, labels, .histogram) { .histogram(Histogram(bounds: bounds, unit: unit)) }
        guard case .histogram(let histogram) = made else { preconditionFailure("\(name) is no histogram") }
        return histogram
    }

    private func series(
        _ name: String,
        _ help: String,
        _ labels: KeyValuePairs<String, String>,
        _ kind: Kind,
        _ make: @Sendable () -> Series
    ) -> Series {
        let key = Exposition.labels(labels)
        return metrics.withLock { metrics in
            if let known = metrics[name]?.series[key] { return known }
            precondition(Exposition.isName(name), "\(name) is a metric's name")
            for label in labels { precondition(Exposition.isName(label.key), "\(label.key) is a label's name") }
            let overflow = Exposition.labels(labels, value: "other")
            let made = make()
            var metric = metrics[name] ?? Metric(help: help, kind: kind)
            precondition(metric.kind == kind, "\(name) has one type")
            let isFull = metric.series.count >= Limits.seriesPerMetric
            if isFull, let other = metric.series[overflow] { return other }
            metric.series[isFull ? overflow : key] = made
            metrics[name] = metric
            return made
        }
    }

    /// The page: metrics by name, series by their labels.
    package func exposition() -> String { Exposition.page(metrics.withLock { $0 }) }
}
