import Http
import Kernel

/// A merchant's own requests.
enum RequestLogEndpoints {
    static let all: [Endpoint] = [
        .reading("listRequests", "/v1/requests", scope: .audit, query: filter, by: Api.listRequests)
            .documented(.access, "List the merchant's own requests, the newest first", "LoggedRequestPage"),
        .reading("getRequest", "/v1/requests/{request}", scope: .audit, by: Api.getRequest)
            .documented(.access, "Read one request, as Request-Id names it", "LoggedRequest", problems: [404]),
    ]

    private static let filter: [Endpoint.Parameter] =
        [
            .init("status", Schema.integer(from: 100, to: 599)),
            .init("code", Schema.text("The code of the problem.", atMost: Limits.identifierBytes)),
            .init("key", Schema.uuid),
            .init(
                "idempotencyKey",
                Schema.text("The command's, as it was sent.", atMost: Limits.idempotencyKeyBytes)
            ),
        ] + Endpoint.Parameter.page

    static let schemas: [(String, Json)] = [
        (
            "LoggedRequest",
            Schema.object(
                [
                    ("object", ["const": "request"]), ("id", Schema.id("req")), ("at", Schema.time),
                    ("method", Schema.text()), ("route", Schema.text("The path with the names of its parameters.")),
                    (
                        "path",
                        Schema.text(
                            "A parameter that is neither an id nor a plain name stands there as its name in braces."
                        )
                    ),
                    ("status", Schema.integer(from: 100, to: 599)), ("code", Schema.text("Of the problem.")),
                    ("command", Schema.id("in", "The input that a command became, by its idempotency key.")),
                    ("key", Schema.uuid), ("address", Schema.text()), ("microseconds", Schema.integer()),
                ],
                required: ["object", "id", "at", "method", "route", "path", "status", "key", "microseconds"],
                "An answered request: no body, no query, no header."
            )
        ),
        ("LoggedRequestPage", Schema.page(Schema.ref("LoggedRequest"))),
    ]
}
