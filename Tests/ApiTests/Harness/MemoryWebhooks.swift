import Api
import EventSourcing
import Kernel
import Projections

/// Deliveries of webhooks where nothing is sent.
struct MemoryWebhooks: WebhookTables {
    func endpoints(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [Uuid] { [] }

    func deliveries(_ query: WebhookDeliveryQuery) async throws(StoreFailure) -> [WebhookDelivery] { [] }

    func redeliver(_ range: WebhookRange, to endpoint: StreamName, limit: Int) async throws(StoreFailure)
        -> WebhookRedelivery?
    { nil }

    func ping(_ endpoint: StreamName, event: PublicEventId, type: String, body: [UInt8]) async throws(StoreFailure) {}
}
