/// Addresses that are sent events, for a key that administers.
public struct WebhookEndpoints: Sendable {
    let exchange: Exchange

    /// Registers an address; the answer shows its secret, and so does a repetition under the same key.
    public func create(_ endpoint: NewWebhookEndpoint, _ options: CommandOptions = .init())
        async throws(PaystreamError) -> WebhookEndpoint
    {
        try await exchange.command(["v1", "webhook-endpoints"], endpoint, options)
    }

    /// Replaces what was said of an endpoint.
    public func change(_ id: String, to endpoint: NewWebhookEndpoint, _ options: CommandOptions = .init())
        async throws(PaystreamError) -> WebhookEndpoint
    {
        try await exchange.command(["v1", "webhook-endpoints", id], endpoint, options, method: .put)
    }

    public func get(_ id: String) async throws(PaystreamError) -> WebhookEndpoint {
        try await exchange.read(Call(path: ["v1", "webhook-endpoints", id]))
    }

    /// All that there are.
    public func list() -> Pages<WebhookEndpoint> {
        Pages(exchange: exchange, call: Call(path: ["v1", "webhook-endpoints"]))
    }

    /// Removes an endpoint for good.
    public func remove(_ id: String, _ options: CommandOptions = .init())
        async throws(PaystreamError) -> WebhookEndpoint
    {
        var call = Call(method: .delete, path: ["v1", "webhook-endpoints", id])
        call.apply(options)
        return try await exchange.decide(call, as: WebhookEndpoint.self)
    }

    /// Makes another secret, which the answer shows; the earlier one signs beside it so long, a day where nothing is said.
    public func rotateSecret(_ id: String, overlap: Duration? = nil, _ options: CommandOptions = .init())
        async throws(PaystreamError) -> WebhookEndpoint
    {
        try await command(id, "rotate-secret", Rotation(overlapSeconds: overlap?.components.seconds), options)
    }

    public func enable(_ id: String, _ options: CommandOptions = .init())
        async throws(PaystreamError) -> WebhookEndpoint
    {
        try await command(id, "enable", NoMembers(), options)
    }

    /// Sends nothing to an endpoint until it is enabled; what happens meanwhile is sent when somebody asks for it.
    public func disable(_ id: String, _ options: CommandOptions = .init())
        async throws(PaystreamError) -> WebhookEndpoint
    {
        try await command(id, "disable", NoMembers(), options)
    }

    // MARK: Deliveries

    /// Sends a test event of the type `webhook.ping`.
    public func ping(_ id: String) async throws(PaystreamError) -> WebhookPing {
        try await ask(id, "ping", NoMembers())
    }

    /// Sends an event once more.
    public func redeliver(_ id: String, event: String) async throws(PaystreamError) -> WebhookRedelivery {
        try await ask(id, "redeliver", Range(event: event))
    }

    /// Sends events once more, from one to another or to the newest; where `next` is told there are more.
    public func redeliver(_ id: String, since event: String, until last: String? = nil)
        async throws(PaystreamError) -> WebhookRedelivery
    {
        try await ask(id, "redeliver", Range(since: event, until: last))
    }

    /// What an endpoint was sent, the newest event first; `status` is `waiting`, `delivered` or `givenUp`.
    public func deliveries(_ id: String, status: String? = nil, limit: Int? = nil) -> Pages<WebhookDelivery> {
        let query = [("status", status), ("limit", limit.map { "\($0)" })]
        return Pages(
            exchange: exchange,
            call: Call(path: ["v1", "webhook-endpoints", id, "deliveries"], query: query)
        )
    }

    private struct Rotation: Encodable {
        let overlapSeconds: Int64?
    }

    private struct Range: Encodable {
        var event: String?
        var since: String?
        var until: String?
    }

    private func command(
        _ id: String,
        _ name: String,
        _ body: some Encodable & Sendable,
        _ options: CommandOptions
    ) async throws(PaystreamError) -> WebhookEndpoint {
        try await exchange.command(["v1", "webhook-endpoints", id, name], body, options)
    }

    private func ask<Value: Decodable>(_ id: String, _ name: String, _ body: some Encodable)
        async throws(PaystreamError) -> Value
    {
        let body = try exchange.body(body)
        return try await exchange.read(
            Call(method: .post, path: ["v1", "webhook-endpoints", id, name], body: body)
        )
    }
}

/// An endpoint to be registered, or what is to be said of one.
public struct NewWebhookEndpoint: Codable, Hashable, Sendable {
    /// `https`, and reachable from the daemon.
    public var url: String
    /// As `payment.*` or `refund.succeeded`; without any it is sent all.
    public var types: [String]?
    public var description: String?
    public var order: WebhookOrder?
    /// What signs each delivery: `v1` where nothing is said.
    public var signatures: [WebhookSignature]?

    public init(url: String, types: [String]? = nil) {
        self.url = url
        self.types = types
    }
}
