import EventSourcing
import Kernel
import Projections
import TestKit

extension MemoryTables {
    func paymentLinks(of merchant: MerchantNumber, behind: PageCursor?, limit: Int) async throws(StoreFailure)
        -> [PageCursor]
    {
        guard !switches.readFault else {
            throw StoreFailure(.unavailable, detail: "the test switched the tables off")
        }
        let log = try await store.events(after: 0, limit: .max).rows
        let firsts = log.filter { event in
            event.version == 1 && event.stream.kind == .paymentLink && event.stream.merchant == merchant
        }
        let all = firsts.map { PageCursor(createdAt: Timestamp(microseconds: $0.position), id: $0.stream.id) }
        let rest = all.filter { one in behind.map { one.createdAt < $0.createdAt } ?? true }
        return Array(rest.sorted { $1.createdAt < $0.createdAt }.prefix(limit))
    }
}
