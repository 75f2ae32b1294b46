import Kernel
import Projections

/// The event feed: what becomes of everything, in order, for whoever follows.
enum EventEndpoints {
    static let all: [Endpoint] = [
        .reading("listEvents", "/v1/events", query: query, by: Api.listEvents)
            .documented(
                .events,
                "Read what happened, in order, from any place on; wait for what comes, or have it streamed",
                "PublicEventPage",
                problems: [404, 409, 410]
            )
            .with { $0.answer = .feed("PublicEventPage") },
        .reading("getEvent", "/v1/events/{event}", by: Api.getEvent)
            .documented(.events, "Read one event", "PublicEvent", problems: [404]),
    ]

    /// Rows of a page at most.
    static let rows = 500

    private static let query: [Endpoint.Parameter] = [
        .init(
            "after",
            Schema.text(
                "The member next of an earlier page; `latest` for now; left out, for the beginning.",
                atMost: Limits.identifierBytes
            )
        ),
        .init(
            "types",
            Schema.text("Names of types with commas, as in payment.*,refund.succeeded.", atMost: EventFilter.typesBytes)
        ),
        .init("resource", Schema.text("One resource's events, by its id.", atMost: Limits.identifierBytes)),
        .limit(rows),
        .init("wait", Schema.integer(from: 0, to: Int64(Limits.waitSeconds))),
    ]
}
