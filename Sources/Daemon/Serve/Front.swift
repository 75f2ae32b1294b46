import Api
import Console
import Http
import HttpServer
import Kernel
import Telemetry

/// The handler that the server calls: the API, the console and the pages for payers once they stand.
final class Front: Sendable {
    private let open = Locked<(api: Api, console: Console, links: PaymentLinkPages)?>(nil)

    func open(_ api: Api, _ console: Console, _ links: PaymentLinkPages) {
        open.withLock { $0 = (api, console, links) }
    }

    func answer(_ request: HttpRequest, from peer: Peer, body: (any BodyReader)?) async -> HttpResponse {
        guard let open = open.withLock({ $0 }) else {
            return Problem(
                status: 503,
                code: "starting",
                detail: "The daemon is starting. Send the same request again in a moment.",
                headers: HttpHeaders([("Retry-After", "1")])
            ).response
        }
        if Console.serves(request.path) { return await open.console.handle(request, from: peer, body: body) }
        if PaymentLinkPages.serves(request.path) { return await open.links.handle(request, from: peer) }
        return await open.api.handle(request, from: peer, body: body)
    }
}

/// The server of `/metrics` alone, which no proxy need keep closed.
enum MetricsServer {
    static func open(_ configuration: DaemonConfiguration, _ metrics: MetricRegistry, _ log: Logger)
        throws(HttpServerFailure) -> HttpServer?
    {
        guard let place = configuration.metricsListen else { return nil }
        var server = HttpServerConfiguration()
        server.address = place.address
        server.port = place.port
        server.threads = 1
        let metricsServer = HttpServer(configuration: server) { request, _ in
            guard request.path == ServiceEndpoints.metricsPath, request.method == .get || request.method == .head else {
                return Problem(
                    status: 404,
                    code: ProblemCode.routeUnknown.rawValue,
                    detail: "There is nothing at this path. GET /metrics reads the metrics."
                ).response
            }
            return .metrics(metrics.exposition())
        }
        let port = try metricsServer.start()
        log.info("metrics listen", ["address": .text("http://\(place.address):\(port)")])
        return metricsServer
    }
}
