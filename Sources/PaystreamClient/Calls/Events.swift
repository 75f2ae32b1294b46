/// The event feed: what happened, gap-free and in order.
public struct Events: Sendable {
    let exchange: Exchange

    public func get(_ id: String) async throws(PaystreamError) -> Event {
        try await exchange.read(Call(path: ["v1", "events", id]))
    }

    /// One page behind a cursor; from the beginning without one.
    ///
    /// `wait` lets the daemon hold an empty answer back until something happens.
    public func page(
        after cursor: String? = nil,
        _ filter: EventFilter = .init(),
        wait: Duration = .zero
    ) async throws(PaystreamError) -> Page<Event> {
        let seconds = wait.components.seconds
        var call = Call(path: ["v1", "events"], query: [("after", cursor)] + filter.query)
        if seconds > 0 {
            call.query.append(("wait", "\(seconds)"))
            call.wait = .seconds(seconds)
        }
        return try await exchange.read(call)
    }

    /// Reads the feed on from a checkpoint and keeps it.
    public func reader(_ checkpoint: any Checkpoint, _ filter: EventFilter = .init()) -> FeedReader {
        FeedReader(events: self, filter: filter, checkpoint: checkpoint)
    }
}

/// Which events a feed tells.
public struct EventFilter: Hashable, Sendable {
    /// As `payment.captured` or `payment.*`; all where it is empty.
    public var types: [String]
    /// The id of one resource.
    public var resource: String?
    /// Events of a page.
    public var limit: Int?

    public init(types: [String] = [], resource: String? = nil, limit: Int? = nil) {
        self.types = types
        self.resource = resource
        self.limit = limit
    }

    var query: [(name: String, value: String?)] {
        [
            ("types", types.isEmpty ? nil : types.joined(separator: ",")), ("resource", resource),
            ("limit", limit.map { "\($0)" }),
        ]
    }
}
