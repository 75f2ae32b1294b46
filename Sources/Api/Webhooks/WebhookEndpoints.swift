import Http
import Kernel
import Payments
import Projections

/// Outgoing webhooks: addresses of a merchant that are sent what happens.
enum WebhookEndpoints {
    private static let list = "/v1/webhook-endpoints"
    private static let one = list + "/{endpoint}"

    static let all: [Endpoint] = [
        .command("createWebhookEndpoint", list, .json(.webhookEndpoint), scope: .admin, by: Api.createWebhookEndpoint)
            .documented(
                .webhooks,
                "Register an address that is sent events; the answer shows its secret",
                "WebhookEndpoint",
                [200, 201, 202],
                problems: [409]
            )
            .atOnce,
        .reading("listWebhookEndpoints", list, by: Api.listWebhookEndpoints)
            .documented(.webhooks, "List the endpoints", "WebhookEndpointPage"),
        .reading("getWebhookEndpoint", one, by: Api.getWebhookEndpoint)
            .documented(.webhooks, "Read an endpoint", "WebhookEndpoint", problems: [404]),
        command("changeWebhookEndpoint", one, .json(.webhookEndpoint), .put, "Replace what was said of an endpoint") {
            $0.changeWebhookEndpoint
        },
        command("removeWebhookEndpoint", one, .none, .delete, "Remove an endpoint for good") {
            $0.removeWebhookEndpoint
        },
        command(
            "rotateWebhookSecret",
            one + "/rotate-secret",
            .optional(.rotateWebhookSecret),
            .post,
            "Make another secret; both sign until the old one ends"
        ) { $0.rotateWebhookSecret },
        command("enableWebhookEndpoint", one + "/enable", .optional(.empty), .post, "Send to an endpoint again") {
            $0.enableWebhookEndpoint
        },
        command("disableWebhookEndpoint", one + "/disable", .optional(.empty), .post, "Send nothing to an endpoint") {
            $0.disableWebhookEndpoint
        },
        .asking("pingWebhookEndpoint", one + "/ping", .optional(.empty), by: Api.pingWebhookEndpoint)
            .documented(.webhooks, "Send a test event", "WebhookPing", [202], problems: [404, 409]),
        .asking("redeliverWebhooks", one + "/redeliver", .json(.redeliverWebhooks), by: Api.redeliverWebhooks)
            .documented(.webhooks, "Send events once more", "WebhookRedelivery", [202], problems: [404, 409]),
        .reading("listWebhookDeliveries", one + "/deliveries", query: filter, by: Api.listWebhookDeliveries)
            .documented(
                .webhooks,
                "List what an endpoint was sent, the newest event first",
                "WebhookDeliveryPage",
                problems: [404]
            ),
    ]

    private static func command(
        _ id: String,
        _ pattern: String,
        _ body: Body,
        _ method: HttpMethod,
        _ summary: String,
        by handler: @escaping Endpoint.Answering
    ) -> Endpoint {
        .command(id, pattern, body, method: method, scope: .admin, by: handler)
            .documented(.webhooks, summary, "WebhookEndpoint", problems: [404, 409])
            .atOnce
    }

    private static let filter: [Endpoint.Parameter] =
        [
            .init("status", Schema.wordList(WebhookDelivery.State.allCases.map(\.word))),
            .init(
                "type",
                Schema.text("As in refund.succeeded or webhook.ping.", atMost: WebhookConfiguration.typeBytes)
            ),
        ] + Endpoint.Parameter.page

    /// Events that one request asks for at most.
    static let redelivered = 1000
    /// Test events that wait for one endpoint.
    static let pingsWaiting = 10
    /// Endpoints that a merchant ever made, removed ones included.
    static let everMade = 500
}

extension Schema {
    fileprivate static func wordList(_ words: [String]) -> Json {
        ["type": "string", "enum": .array(words.map(Json.string))]
    }
}

extension FormSchema {
    static let webhookEndpoint = FormSchema(
        "ConfigureWebhookEndpoint",
        Schema.closed(
            [
                ("url", Schema.text("An https address.", atMost: WebhookConfiguration.urlBytes)),
                (
                    "types",
                    Schema.list(
                        Schema.text("As payment.* or refund.succeeded.", atMost: WebhookConfiguration.typeBytes)
                    )
                ),
                ("description", Schema.text(atMost: WebhookConfiguration.descriptionCharacters)),
                ("order", Schema.words(WebhookConfiguration.Order.self)),
                ("signatures", Schema.list(Schema.words(WebhookConfiguration.Signature.self))),
            ],
            required: ["url"],
            "Without types it is sent all; with the order of a resource its next event waits for the earlier one; without signatures v1 signs."
        ),
        example: ["url": "https://shop.example.com/webhooks", "types": ["payment.*", "refund.*"]]
    )

    static let rotateWebhookSecret = FormSchema(
        "RotateWebhookSecret",
        Schema.closed(
            [("overlapSeconds", Schema.integer(from: 0, to: WebhookForm.mostOverlap))],
            "How long the earlier secret signs beside the new one: a day where nothing is said."
        )
    )

    static let redeliverWebhooks = FormSchema(
        "RedeliverWebhooks",
        Schema.closed(
            [
                ("event", Schema.text("This event alone.", atMost: Limits.identifierBytes)),
                ("since", Schema.text("This event and those behind it.", atMost: Limits.identifierBytes)),
                ("until", Schema.text("The last one.", atMost: Limits.identifierBytes)),
            ],
            "One event, or those since one. Where there are more than an answer counts, ask again since its member next."
        ),
        example: ["event": "evt_019aba7b4e2f7c7e8d1c5b1a2f3d4e5fv1n0"]
    )
}

/// Schemas of webhooks.
enum WebhookSchemas {
    static let all: [(String, Json)] = [
        ("WebhookEndpoint", endpoint), ("WebhookEndpointPage", Schema.page(Schema.ref("WebhookEndpoint"))),
        ("WebhookDelivery", delivery), ("WebhookDeliveryPage", Schema.page(Schema.ref("WebhookDelivery"))),
        (
            "WebhookPing",
            Schema.object(
                [
                    ("object", ["type": "string", "const": "webhookPing"]),
                    ("event", Schema.text("The id of the test event.")),
                ],
                required: ["object", "event"]
            )
        ),
        (
            "WebhookRedelivery",
            Schema.object(
                [
                    ("object", ["type": "string", "const": "webhookRedelivery"]), ("events", Schema.integer()),
                    ("next", Schema.text("The last event that was asked for, where there may be more behind it.")),
                ],
                required: ["object", "events"]
            )
        ),
    ]

    private static var endpoint: Json {
        Schema.object(
            [
                ("id", Schema.id(WebhookEndpointKind.prefix)),
                ("object", ["type": "string", "const": "webhookEndpoint"]), ("version", Schema.integer(from: 1)),
                ("url", Schema.text()), ("types", Schema.list(Schema.text())), ("description", Schema.text()),
                ("order", Schema.words(WebhookConfiguration.Order.self)),
                ("signatures", Schema.list(Schema.words(WebhookConfiguration.Signature.self))),
                ("status", ["type": "string", "enum": ["enabled", "disabled", "removed", "unreadable"]]),
                ("disabledReason", Schema.words(WebhookDisablement.Reason.self)), ("createdAt", Schema.time),
                ("lastSuccessAt", Schema.time), ("lastFailureAt", Schema.time),
                (
                    "secrets",
                    Schema.list(
                        Schema.object(
                            [
                                ("id", Schema.text()), ("endsAt", Schema.time),
                                ("publicKey", Schema.text("Verifies v1a: whpk_ and base64.")),
                            ],
                            required: ["id"]
                        )
                    )
                ), ("secret", Schema.text("Shown by the command that made it alone.")),
            ],
            required: ["id", "object"],
            "One that is not decided yet is known by its id alone; so is one in a list that can't be read."
        )
    }

    private static var delivery: Json {
        Schema.object(
            [
                ("object", ["type": "string", "const": "webhookDelivery"]), ("event", Schema.text()),
                ("type", Schema.text()), ("status", Schema.text()), ("createdAt", Schema.time),
                ("nextAttemptAt", Schema.time), ("endedAt", Schema.time), ("attemptCount", Schema.integer()),
                (
                    "attempts",
                    Schema.list(
                        Schema.object(
                            [
                                ("number", Schema.integer(from: 1)), ("at", Schema.time),
                                ("milliseconds", Schema.integer()), ("status", Schema.integer()),
                                ("failure", Schema.words(WebhookFailure.self)), ("answer", Schema.text()),
                            ],
                            required: ["number", "at", "milliseconds"]
                        )
                    )
                ),
            ],
            required: ["object", "event", "type", "status", "attemptCount", "attempts"]
        )
    }
}
