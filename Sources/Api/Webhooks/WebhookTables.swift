package import EventSourcing
package import Kernel
package import Projections

/// What the API reads and asks of deliveries of webhooks.
package protocol WebhookTables: Sendable {
    /// Every endpoint that the merchant ever made, the oldest first, `limit` at most.
    func endpoints(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [Uuid]

    /// When each of a merchant's endpoints was last sent something with success, and without.
    func newestAttempts(of merchant: MerchantNumber, _ endpoints: [Uuid]) async throws(StoreFailure)
        -> [Uuid: WebhookDelivery.Newest]

    /// What an endpoint is sent, the newest event first, behind a place.
    func deliveries(_ query: WebhookDeliveryQuery) async throws(StoreFailure) -> [WebhookDelivery]

    /// Takes a place for an endpoint that is about to be made; false where its merchant has `most`, or made `ever` of them already.
    func reserve(_ endpoint: StreamName, most: Int, ever: Int) async throws(StoreFailure) -> Bool

    /// Asks for events of the feed once more, `limit` at most; `nil` where the first or the last is unknown.
    func redeliver(_ range: WebhookRange, to endpoint: StreamName, limit: Int) async throws(StoreFailure)
        -> WebhookRedelivery?

    /// Asks for a test event of these bytes, once for its id; false where `most` of them wait already.
    func ping(_ endpoint: StreamName, event: PublicEventId, type: String, body: [UInt8], most: Int)
        async throws(StoreFailure) -> Bool
}
