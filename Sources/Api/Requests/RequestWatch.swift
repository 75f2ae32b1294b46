import EventSourcing
package import Http
import Kernel
package import Telemetry

/// Tells of each request: figures for alerts, by route, and a line of the log.
///
/// Neither holds what a client wrote: the route stands for its path, and a query is told nowhere.
package struct RequestWatch: Sendable {
    private let registry: MetricRegistry
    private let log: Logger

    private static let requests = (
        name: "paystream_http_requests_total", help: "Answered HTTP requests by method, route and status."
    )
    private static let times = (
        name: "paystream_http_request_seconds", help: "Time from a whole request to its answer, by route."
    )
    /// The route of what is at no path of ours.
    private static let nowhere = "none"

    package init(_ registry: MetricRegistry, _ log: Logger) {
        self.registry = registry
        self.log = log
        registry.declare(.counter, Self.requests.name, help: Self.requests.help)
        registry.declare(.histogram, Self.times.name, help: Self.times.help)
    }

    /// Who asked, and where, as far as it came to be known.
    struct Seen {
        /// The route's path with the names of its parameters.
        var pattern: String?
        /// Whether it is called every few seconds and worth no line.
        var isProbe = false
        /// Whose key was proved, whatever became of the request.
        var caller: Caller?
        /// Whose request has a place.
        var merchant: MerchantNumber?
        /// The id that the answer names.
        var request: String?
        /// Whether it changes something.
        var isCommand = false
        /// Of the problem that it is answered with.
        var code: String?
        /// How its key and its merchant stand with their limits.
        var quotas = RequestQuotas()
    }

    /// The same of a page of the console.
    package func answered(
        page pattern: String?,
        _ request: HttpRequest,
        _ caller: Caller?,
        _ status: Int,
        took time: Duration,
        trace: TraceContext
    ) {
        answered(request, Seen(pattern: pattern, caller: caller), status, took: time, trace: trace)
    }

    func answered(_ request: HttpRequest, _ seen: Seen, _ status: Int, took time: Duration, trace: TraceContext) {
        let route = seen.pattern ?? Self.nowhere
        registry.counter(
            Self.requests.name,
            help: Self.requests.help,
            labels: ["method": request.method.rawValue, "route": route, "status": String(status)]
        ).increment()
        registry.histogram(Self.times.name, help: Self.times.help, labels: ["route": route]).observe(time)
        guard !seen.isProbe else { return }
        log.info(
            "request",
            [
                "key": .text(seen.caller.map { "\($0.keyId)" } ?? "-"),
                "merchant": .text(seen.caller?.merchantName ?? "-"),
                "method": .text(request.method.rawValue), "milliseconds": .milliseconds(time),
                "peer": .text(request.peerAddress ?? "-"), "request": .text(seen.request ?? "-"), "route": .text(route),
                "status": .integer(Int64(status)),
                "trace": .text(trace.traceparent),
            ]
        )
    }
}
