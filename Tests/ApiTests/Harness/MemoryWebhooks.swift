import Api
import EventSourcing
import Kernel
import Projections

/// Deliveries of webhooks where nothing is sent.
struct MemoryWebhooks: WebhookTables {
    func endpoints(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [Uuid] { [] }

    func newestAttempts(of merchant: MerchantNumber, _ endpoints: [Uuid]) async throws(StoreFailure)
        -> [Uuid: WebhookDelivery.Newest]
    { [:] }

    func deliveries(_ query: WebhookDeliveryQuery) async throws(StoreFailure) -> [WebhookDelivery] { [] }

    func redeliver(_ range: WebhookRange, to endpoint: StreamName, limit: Int) async throws(StoreFailure)
        -> WebhookRedelivery?
    { range.first == Self.event ? .asked(count: 1, last: Self.event, isCut: false) : nil }

    /// The one event that there is.
    static let event = PublicEventId(stream: Uuid(high: 1, low: 2), version: 1, number: 0)

    func reserve(_ endpoint: StreamName, most: Int, ever: Int) async throws(StoreFailure) -> Bool { true }

    func ping(_ endpoint: StreamName, event: PublicEventId, type: String, body: [UInt8], most: Int)
        async throws(StoreFailure) -> Bool
    { true }
}
