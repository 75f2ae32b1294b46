package import EventSourcing
package import Kernel
import Postgres
package import Projections

/// Deliveries of webhooks: what endpoints are sent, the leases on them, and each attempt.
package struct WebhookRows: Sendable {
    let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// An endpoint that a node holds, and the version that its stream has come to.
    package struct Claim: Hashable, Sendable {
        package let endpoint: StreamName
        package let version: Int32
    }

    /// Takes or keeps the leases on endpoints, `limit` new ones at most, as many as are the node's share; answers those that it holds.
    package func claim(by node: String, lease: Duration, limit: Int) async throws(StoreFailure) -> [Claim] {
        try await store.write(
            "SELECT merchant, endpoint, version FROM paystream.webhook_claim($1, $2, $3)",
            [.text(node), .int64(lease.wholeMicroseconds), .int32(Int32(clamping: limit))]
        ) { row throws(PostgresFailure) in
            let endpoint = StreamName(MerchantNumber(try row.int32(0)), .webhookEndpoint, try row.uuid(1))
            return Claim(endpoint: endpoint, version: try row.int32(2))
        }
    }

    /// Gives up endpoints that are disabled, until their streams go on.
    package func rest(_ endpoints: [RestingWebhook], by node: String) async throws(StoreFailure) {
        guard !endpoints.isEmpty else { return }
        try await store.write(
            "SELECT paystream.webhook_rest($1, $2, $3, $4, $5, $6)",
            [
                .text(node), .int32s(endpoints) { $0.endpoint.merchant.value }, .uuids(endpoints) { $0.endpoint.id },
                .int32s(endpoints) { $0.version }, .texts(endpoints) { $0.trouble },
                .timestamps(endpoints) { $0.since },
            ]
        )
    }

    /// Gives the leases of a node back early; it has no share of what there is any more.
    package func release(_ node: String) async throws(StoreFailure) {
        try await store.write(
            """
            WITH gone AS (DELETE FROM paystream.webhook_node WHERE owner = $1)
            UPDATE paystream.webhook_cursor SET owner = NULL, lease_until = '-infinity' WHERE owner = $1
            """,
            [.text(node)]
        )
    }

    /// Writes down what the feed has for endpoints that the node holds, and answers how many deliveries of each are due.
    package func gather(_ asked: [WebhookDemand], by node: String) async throws(StoreFailure) -> [WebhookBacklog] {
        guard !asked.isEmpty else { return [] }
        return try await store.write(
            "SELECT merchant, endpoint, due FROM paystream.webhook_gather($1, $2, $3, $4, $5, $6)",
            [
                .text(node), .int32s(asked) { $0.endpoint.merchant.value }, .uuids(asked) { $0.endpoint.id },
                .texts(asked) { $0.types.joined(separator: " ") }, .bools(asked) { $0.isOrdered },
                .int32s(asked) { Int32(clamping: $0.most) },
            ]
        ) { row throws(PostgresFailure) in
            WebhookBacklog(
                endpoint: StreamName(MerchantNumber(try row.int32(0)), .webhookEndpoint, try row.uuid(1)),
                due: Int(try row.int32(2))
            )
        }
    }

    /// Takes what is due of endpoints that the node holds; it is due again behind `hold`.
    package func take(_ wanted: [WebhookRoom], by node: String, hold: Duration) async throws(StoreFailure)
        -> [DueWebhook]
    {
        guard !wanted.isEmpty else { return [] }
        return try await store.write(
            """
            SELECT merchant, endpoint, position, number, stream, version, attempts, earlier, begun_at, body
              FROM paystream.webhook_take($1, $2, $3, $4, $5, $6)
            """,
            [
                .text(node), .int64(hold.wholeMicroseconds), .int32s(wanted) { $0.endpoint.merchant.value },
                .uuids(wanted) { $0.endpoint.id }, .bools(wanted) { $0.isOrdered },
                .int32s(wanted) { Int32(clamping: $0.places) },
            ]
        ) { row throws(PostgresFailure) in
            let endpoint = StreamName(MerchantNumber(try row.int32(0)), .webhookEndpoint, try row.uuid(1))
            let number = try row.int16(3)
            return DueWebhook(
                endpoint: endpoint,
                position: try row.int64(2),
                number: number,
                event: PublicEventId(stream: try row.uuid(4), version: try row.int32(5), number: number),
                attempts: Int(try row.int32(6)),
                earlier: Int(try row.int32(7)),
                begunAt: try row.timestamp(8),
                body: row.isNull(9) ? nil : try row.bytes(9)
            )
        }
    }

    /// Writes attempts down and what becomes of their deliveries, all in one statement.
    package func record(_ attempts: [WebhookAttempt]) async throws(StoreFailure) {
        try await store.write(
            "SELECT paystream.webhook_record(\(parameterMarks(11)))",
            [
                .int32s(attempts) { $0.due.endpoint.merchant.value }, .uuids(attempts) { $0.due.endpoint.id },
                .int64s(attempts) { $0.due.position }, .int16s(attempts) { $0.due.number },
                .int32s(attempts) { Int32(clamping: $0.due.attempts + 1) }, .timestamps(attempts) { $0.at },
                .int32s(attempts) { Int32(clamping: $0.time.wholeMicroseconds / 1000) },
                .int16s(attempts) { $0.status.map { Int16(clamping: $0) } }, .texts(attempts) { $0.failure?.rawValue },
                .byteArrays(attempts) { $0.answer }, .int64s(attempts) { $0.next?.wholeMicroseconds },
            ]
        )
    }

    /// Sends an endpoint that was removed nothing more, and looks at it no more.
    package func retire(_ endpoint: StreamName) async throws(StoreFailure) {
        try await store.write(
            """
            WITH ended AS (
                UPDATE paystream.webhook_delivery SET state = 3, ended_at = statement_timestamp()
                 WHERE merchant = $1 AND endpoint = $2 AND state = 1)
            UPDATE paystream.webhook_cursor SET owner = NULL, lease_until = 'infinity', failing_since = NULL
             WHERE merchant = $1 AND endpoint = $2
            """,
            [.int32(endpoint.merchant.value), .uuid(endpoint.id)]
        )
    }

    /// Drops deliveries that ended before a moment with their attempts, `limit` at most; answers how many.
    package func drop(endedBefore moment: Timestamp, limit: Int) async throws(StoreFailure) -> Int {
        let dropped = try await store.write(
            """
            WITH old AS (
                SELECT d.ctid FROM paystream.webhook_delivery d WHERE d.state <> 1 AND d.ended_at < $1 LIMIT $2),
            dropped AS (
                DELETE FROM paystream.webhook_delivery d WHERE d.ctid = ANY (ARRAY(SELECT old.ctid FROM old))
                RETURNING d.merchant, d.endpoint, d.position, d.number),
            attempts AS (
                DELETE FROM paystream.webhook_attempt a USING dropped o
                 WHERE a.merchant = o.merchant AND a.endpoint = o.endpoint AND a.position = o.position AND a.number = o.number)
            SELECT count(*) FROM dropped
            """,
            [.timestamp(moment), .int32(Int32(clamping: limit))]
        ) { row throws(PostgresFailure) in try row.int64(0) }
        return Int(dropped.first ?? 0)
    }

    /// Endpoints of a node that failed all through since before a moment.
    package func failing(of node: String, since moment: Timestamp) async throws(StoreFailure) -> [StreamName] {
        try await store.read(
            "SELECT merchant, endpoint FROM paystream.webhook_cursor WHERE owner = $1 AND failing_since < $2",
            [.text(node), .timestamp(moment)]
        ) { row throws(PostgresFailure) in
            StreamName(MerchantNumber(try row.int32(0)), .webhookEndpoint, try row.uuid(1))
        }
    }
}

/// An endpoint that is disabled, as its stream says at a version.
package struct RestingWebhook: Sendable {
    package let endpoint: StreamName
    package let version: Int32
    /// Why, where nobody of the merchant asked for it.
    package let trouble: String?
    package let since: Timestamp

    package init(endpoint: StreamName, version: Int32, trouble: String?, since: Timestamp) {
        self.endpoint = endpoint
        self.version = version
        self.trouble = trouble
        self.since = since
    }
}

/// What a node asks the feed for one endpoint.
package struct WebhookDemand: Sendable {
    package let endpoint: StreamName
    /// Names of types; none means all.
    package let types: [String]
    package let isOrdered: Bool
    /// Deliveries that it may have places for.
    package let most: Int

    package init(endpoint: StreamName, types: [String], isOrdered: Bool, most: Int) {
        self.endpoint = endpoint
        self.types = types
        self.isOrdered = isOrdered
        self.most = most
    }
}

/// How many deliveries of an endpoint are due.
package struct WebhookBacklog: Hashable, Sendable {
    package let endpoint: StreamName
    package let due: Int

    package init(endpoint: StreamName, due: Int) {
        self.endpoint = endpoint
        self.due = due
    }
}

/// Places that a node gives to an endpoint now.
package struct WebhookRoom: Sendable {
    package let endpoint: StreamName
    package let isOrdered: Bool
    package let places: Int

    package init(endpoint: StreamName, isOrdered: Bool, places: Int) {
        self.endpoint = endpoint
        self.isOrdered = isOrdered
        self.places = places
    }
}

/// A delivery that is due.
package struct DueWebhook: Sendable {
    package let endpoint: StreamName
    package let position: Int64
    package let number: Int16
    package let event: PublicEventId
    /// All attempts so far, and those before it was last asked for.
    package let attempts: Int
    package let earlier: Int
    package let begunAt: Timestamp
    /// `nil` where the feed has lost the event.
    package let body: [UInt8]?

    /// Whether it is an event that a person asked for to try the endpoint.
    package var isTest: Bool { position < 0 }
}

/// One attempt of a delivery.
package struct WebhookAttempt: Sendable {
    package let due: DueWebhook
    package let at: Timestamp
    package let time: Duration
    package let status: Int?
    /// `nil` where it was delivered.
    package let failure: WebhookFailure?
    /// The first bytes of the answer's body.
    package let answer: [UInt8]?
    /// How long the next attempt waits; `nil` where there is none.
    package let next: Duration?

    package init(
        due: DueWebhook,
        at: Timestamp,
        time: Duration,
        status: Int?,
        failure: WebhookFailure?,
        answer: [UInt8]?,
        next: Duration?
    ) {
        self.due = due
        self.at = at
        self.time = time
        self.status = status
        self.failure = failure
        self.answer = answer
        self.next = next
    }
}
