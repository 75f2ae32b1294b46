package import Crypto
import Engine
package import EventSourcing
package import Kernel

/// Subject keys and originals in memory.
package final class MemorySubjectKeys: SubjectKeyStore {
    private let keys = Locked<[MerchantKey: WrappedSubjectKey]>([:])
    private let destroyed = Locked<Set<MerchantKey>>([])

    package init() {}

    package func key(of subject: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? {
        keys.withLock { $0[MerchantKey(merchant: merchant, id: subject)] }
    }

    package func key(id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? {
        keys.withLock { keys in keys.first { $0.key.merchant == merchant && $0.value.id == id }?.value }
    }

    package func insert(_ key: WrappedSubjectKey, merchant: MerchantNumber) async throws(StoreFailure)
        -> WrappedSubjectKey?
    {
        let place = MerchantKey(merchant: merchant, id: key.subject)
        guard !destroyed.withLock({ $0.contains(place) }) else { return nil }
        return keys.withLock { keys in
            if let known = keys[place] { return known }
            keys[place] = key
            return key
        }
    }

    package func erasures() async throws(StoreFailure) -> Int64 { destroyed.withLock { Int64($0.count) } }

    /// Destroys a subject's key for good.
    package func destroy(_ subject: Uuid, merchant: MerchantNumber) {
        let place = MerchantKey(merchant: merchant, id: subject)
        keys.withLock { $0[place] = nil }
        destroyed.withLock { _ = $0.insert(place) }
    }

    /// Every key is gone, as after a restore.
    package func lose() { keys.withLock { $0 = [:] } }

    package func keepOriginals(_ originals: [SealedOriginal]) async throws(StoreFailure) {}
}
