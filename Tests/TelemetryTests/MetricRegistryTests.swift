import Kernel
import Telemetry
import Testing

struct MetricRegistryTests {
    @Test func `the page is the one that Prometheus reads`() {
        let metrics = MetricRegistry()
        let help = "Requests that were answered."
        let first = metrics.counter(
            "http_requests_total",
            help: help,
            labels: ["route": "/v1/payments", "status": "202"]
        )
        first.increment()
        first.increment(by: 2)
        _ = metrics.counter("http_requests_total", help: help, labels: ["route": "a\"b\\c\nd", "status": "404"])
        metrics.gauge("pool_connections", help: "Open\nconnections, a \\ too.").set(-3)
        metrics.sample("mailboxes", help: "Waiting mailboxes.") { 17 }
        let latency = metrics.histogram("append_seconds", help: "Time to append.", bounds: [500, 5_000, 1_000_000])
        latency.observe(.microseconds(500))
        latency.observe(.microseconds(501))
        latency.observe(.seconds(3))
        let size = metrics.histogram(
            "batch_inputs",
            help: "Inputs per batch.",
            labels: ["node": "a"],
            unit: .count,
            bounds: [1, 2]
        )
        size.observe(2)
        #expect(metrics.exposition() == golden)
    }

    private let golden = #"""
        # HELP append_seconds Time to append.
        # TYPE append_seconds histogram
        append_seconds_bucket{le="0.0005"} 1
        append_seconds_bucket{le="0.005"} 2
        append_seconds_bucket{le="1"} 2
        append_seconds_bucket{le="+Inf"} 3
        append_seconds_sum 3.001001
        append_seconds_count 3
        # HELP batch_inputs Inputs per batch.
        # TYPE batch_inputs histogram
        batch_inputs_bucket{node="a",le="1"} 0
        batch_inputs_bucket{node="a",le="2"} 1
        batch_inputs_bucket{node="a",le="+Inf"} 1
        batch_inputs_sum{node="a"} 2
        batch_inputs_count{node="a"} 1
        # HELP http_requests_total Requests that were answered.
        # TYPE http_requests_total counter
        http_requests_total{route="/v1/payments",status="202"} 3
        http_requests_total{route="a\"b\\c\nd",status="404"} 0
        # HELP mailboxes Waiting mailboxes.
        # TYPE mailboxes gauge
        mailboxes 17
        # HELP pool_connections Open\nconnections, a \\ too.
        # TYPE pool_connections gauge
        pool_connections -3

        """#

    @Test func `the same series is the same counter`() {
        let metrics = MetricRegistry()
        metrics.counter("a", help: "A.", labels: ["x": "1"]).increment()
        metrics.counter("a", help: "A.", labels: ["x": "1"]).increment()
        #expect(metrics.counter("a", help: "A.", labels: ["x": "1"]).value == 2)
        #expect(metrics.counter("a", help: "A.", labels: ["x": "2"]).value == 0)
    }

    @Test func `beyond the limit label sets share one series`() {
        let metrics = MetricRegistry()
        for number in 0..<Limits.seriesPerMetric + 10 {
            metrics.counter("a", help: "A.", labels: ["x": "\(number)"]).increment()
        }
        #expect(metrics.counter("a", help: "A.", labels: ["x": "never seen"]).value == 10)
        #expect(metrics.exposition().contains("a{x=\"other\"} 10\n"))
    }

    @Test func `counts from many threads add up`() async {
        let metrics = MetricRegistry()
        let counter = metrics.counter("a", help: "A.")
        let histogram = metrics.histogram("h", help: "H.", unit: .count, bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        counter.increment()
                        histogram.observe(3)
                    }
                }
            }
        }
        #expect(counter.value == 8000)
        #expect(metrics.exposition().contains("h_sum 24000\n"))
    }

    @Test func `one name with two types is a defect`() async {
        await #expect(processExitsWith: .failure) {
            let metrics = MetricRegistry()
            _ = metrics.counter("a", help: "A.")
            _ = metrics.gauge("a", help: "A.", labels: ["x": "1"])
        }
    }
}
