package import Crypto
import Engine
package import EventSourcing
package import Kernel

/// Subject keys and originals in memory.
package final class MemorySubjectKeys: SubjectKeyStore {
    private let keys = Locked<[MerchantKey: WrappedSubjectKey]>([:])

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
        keys.withLock { keys in
            let place = MerchantKey(merchant: merchant, id: key.subject)
            if let known = keys[place] { return known }
            keys[place] = key
            return key
        }
    }

    /// Every key is gone, as after a restore.
    package func lose() { keys.withLock { $0 = [:] } }

    package func keepOriginals(_ originals: [SealedOriginal]) async throws(StoreFailure) {}
}
