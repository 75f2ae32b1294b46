package import Http
import Kernel

/// Endpoints for probes and for readers of the document.
package enum ServiceEndpoints {
    package static let metricsPath = "/metrics"

    static let all: [Endpoint] = [
        .open("openApi", "/openapi.json", by: Api.openApi)
            .documented(.service, "Read this document", .json("Document")),
        .open("health", "/healthz", by: Api.health)
            .documented(.service, "Tell whether the process lives", .json("Health"))
            .probing,
        .open("readiness", "/readyz", by: Api.readiness)
            .documented(.service, "Tell whether requests can be served", .json("Readiness"), problems: [503])
            .probing,
        .open("metrics", metricsPath, by: Api.metrics)
            .documented(.service, "Read the metrics", .text("text/plain"), problems: [404])
            .probing,
        .open("problem", Problem.page + "{code}", by: Api.problem)
            .documented(.service, "Explain a problem by its code", .text("text/html"), problems: [404, 422]),
        .reading("listProjections", "/v1/projections", by: Api.listProjections)
            .documented(
                .service,
                "List the read models: version, position, what is behind or set aside, and a copy that is built",
                "ProjectionPage"
            ),
    ]
}

/// Schemas of answers about the daemon.
enum ServiceSchemas {
    static let all: [(String, Json)] = [
        ("Document", Schema.free),
        ("Health", Schema.object([("status", Schema.text())], required: ["status"])),
        ("Readiness", readiness), ("Projection", ReadModelStanding.schema),
        ("ProjectionPage", Schema.page(Schema.ref("Projection"))),
    ]

    private static var readiness: Json {
        let follower = Schema.object(
            [
                ("name", Schema.text()), ("lagMilliseconds", Schema.integer()), ("streamsAside", Schema.integer()),
            ],
            required: ["name", "lagMilliseconds", "streamsAside"],
            "A read model behind the log: how long its oldest event waits, and how many streams it can't show."
        )
        return Schema.object(
            [("status", Schema.text()), ("followers", Schema.list(follower))],
            required: ["status", "followers"]
        )
    }
}

extension Endpoint {
    fileprivate var probing: Endpoint { with { $0.isProbe = true } }
}

extension Api {
    func openApi(_: HttpRequest, _: PathParameters) async throws(Problem) -> HttpResponse {
        .json(200, OpenApi.document).with("Cache-Control", "public, max-age=300")
    }

    func health(_: HttpRequest, _: PathParameters) async throws(Problem) -> HttpResponse {
        .json(200, ["status": "ok"])
    }

    func readiness(_: HttpRequest, _: PathParameters) async throws(Problem) -> HttpResponse {
        if let reason = await vitals.unreadiness() { throw Problem(.notReady, reason) }
        let followers = await vitals.followers().map(\.json)
        return .json(200, ["followers": .array(followers), "status": "ready"])
    }

    func problem(_: HttpRequest, _ path: PathParameters) async throws(Problem) -> HttpResponse {
        try CardScreen.check(path)
        guard let meaning = path["code"].flatMap(ProblemMeaning.of) else {
            throw Problem(.routeUnknown, "There is no problem of this code.")
        }
        return ProblemPage(meaning: meaning).response
    }

    func metrics(_ request: HttpRequest, _: PathParameters) async throws(Problem) -> HttpResponse {
        guard vitals.showsMetrics(to: request) else {
            throw Problem(
                .routeUnknown,
                "The metrics are not shown here: ask on the daemon's own machine, or where PAYSTREAM_METRICS_LISTEN says."
            )
        }
        return .metrics(await vitals.metrics())
    }
}

extension HttpResponse {
    /// A page in Prometheus' text format.
    package static func metrics(_ page: String) -> HttpResponse {
        HttpResponse(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(page.utf8))
    }
}
