import Api
import EventSourcing
import Kernel

/// Pages of the request log in memory, written when a test says so.
final class MemoryRequests: RequestTables {
    private let kept = Locked<[RequestPage]>([])

    func keep(_ pages: [RequestPage]) { kept.withLock { $0 += pages } }

    func pages(endingBefore edge: Uuid?, beginningBefore first: Uuid?, requests: Int, of merchant: MerchantNumber)
        async throws(StoreFailure) -> [RequestPage]
    {
        let all = kept.withLock { $0 }.filter { page in
            page.merchant == merchant && edge.map { page.last < $0 } ?? true && first.map { page.first < $0 } ?? true
        }
        var (found, count): ([RequestPage], Int) = ([], 0)
        for page in all.sorted(by: { $1.last < $0.last }) where count < requests {
            found.append(page)
            count += page.entries.count
        }
        return found
    }

    func pages(around id: Uuid, of merchant: MerchantNumber) async throws(StoreFailure) -> [RequestPage] {
        kept.withLock { $0 }.filter { $0.merchant == merchant && $0.first <= id && id <= $0.last }
    }
}
