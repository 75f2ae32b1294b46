package import Kernel
package import ProviderKit

/// A list of products, and how old it is.
package struct CachedProducts: Hashable, Sendable {
    package let list: PaymentProducts
    package let fetchedAt: Timestamp
    /// It stands in for an answer that did not come.
    package let isStale: Bool

    package init(list: PaymentProducts, fetchedAt: Timestamp, isStale: Bool) {
        self.list = list
        self.fetchedAt = fetchedAt
        self.isStale = isStale
    }

    var stale: CachedProducts { CachedProducts(list: list, fetchedAt: fetchedAt, isStale: true) }
}

/// Lists of products in the memory of this process; bounded, and each list only for whom it is.
final class ProductCache: Sendable {
    static let mostLists = 2_000

    private struct Entry: Sendable {
        let products: CachedProducts
        let until: Timestamp
    }

    private let entries = Locked<[ProductCacheKey: Entry]>([:])

    /// The payer's own list, else everybody's; never another payer's, and never one that is too old.
    func find(_ key: ProductCacheKey, at now: Timestamp, _ times: ProductCacheTimes) -> CachedProducts? {
        entries.withLock { entries in
            for place in [key, key.shared] {
                if let entry = entries[place], now < entry.until, now.since(entry.products.fetchedAt) < times.kept {
                    return entry.products
                }
            }
            return nil
        }
    }

    func keep(_ products: CachedProducts, _ place: ProductCacheKey, _ times: ProductCacheTimes) {
        let until = products.fetchedAt.adding(times.kept)
        entries.withLock { entries in
            if entries.count >= Self.mostLists {
                entries = entries.filter { products.fetchedAt < $0.value.until }
                if entries.count >= Self.mostLists, let oldest = entries.min(by: { $0.value.until < $1.value.until }) {
                    entries[oldest.key] = nil
                }
            }
            entries[place] = Entry(products: products, until: until)
        }
    }
}
