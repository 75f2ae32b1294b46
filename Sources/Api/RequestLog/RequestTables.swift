package import EventSourcing
package import Kernel

/// The request log in the database.
package protocol RequestTables: Sendable {
    /// The newest pages that end before one of these requests and begin before the other, the newest first: as many as hold about so
    /// many requests, and one at least where there is one.
    func pages(endingBefore edge: Uuid?, beginningBefore first: Uuid?, requests: Int, of merchant: MerchantNumber)
        async throws(StoreFailure) -> [RequestPage]
    /// The pages that may hold a request.
    func pages(around id: Uuid, of merchant: MerchantNumber) async throws(StoreFailure) -> [RequestPage]
}
