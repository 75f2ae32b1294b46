import Api
import EventSourcing
import Kernel
import Store

/// The request log in PostgreSQL.
struct StoreRequests: RequestTables {
    private let rows: RequestRows

    init(_ store: PostgresStore) { rows = RequestRows(store) }

    func pages(endingBefore edge: Uuid?, beginningBefore first: Uuid?, requests: Int, of merchant: MerchantNumber)
        async throws(StoreFailure) -> [RequestPage]
    {
        try await rows.pages(endingBefore: edge, beginningBefore: first, requests: requests, of: merchant)
            .compactMap(Self.read)
    }

    func pages(around id: Uuid, of merchant: MerchantNumber) async throws(StoreFailure) -> [RequestPage] {
        try await rows.pages(around: id, of: merchant).compactMap(Self.read)
    }

    private static func read(_ page: RequestRows.Page) -> RequestPage? {
        let entries = RequestEntry.all(in: page.lines)
        return entries.isEmpty ? nil : RequestPage(page.merchant, entries)
    }
}
