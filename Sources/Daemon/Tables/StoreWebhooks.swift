import Api
import EventSourcing
import Kernel
import Projections
import Store

/// Deliveries of webhooks in PostgreSQL.
struct StoreWebhooks: WebhookTables {
    let rows: WebhookRows

    func endpoints(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [Uuid] {
        try await rows.endpoints(of: merchant, limit: limit)
    }

    func newestAttempts(of merchant: MerchantNumber, _ endpoints: [Uuid]) async throws(StoreFailure)
        -> [Uuid: WebhookDelivery.Newest]
    { try await rows.newestAttempts(of: merchant, endpoints) }

    func deliveries(_ query: WebhookDeliveryQuery) async throws(StoreFailure) -> [WebhookDelivery] {
        try await rows.deliveries(query)
    }

    func redeliver(_ range: WebhookRange, to endpoint: StreamName, limit: Int) async throws(StoreFailure)
        -> WebhookRedelivery?
    { try await rows.redeliver(range, to: endpoint, limit: limit) }

    func reserve(_ endpoint: StreamName, most: Int, ever: Int) async throws(StoreFailure) -> Bool {
        try await rows.reserve(endpoint, most: most, ever: ever)
    }

    func ping(_ endpoint: StreamName, event: PublicEventId, type: String, body: [UInt8], most: Int)
        async throws(StoreFailure) -> Bool
    { try await rows.ping(endpoint, event: event, type: type, body: body, most: most) }
}
