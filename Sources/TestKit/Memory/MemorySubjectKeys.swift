import Engine
package import EventSourcing
package import Kernel

/// Subject keys and originals in memory.
package final class MemorySubjectKeys: SubjectKeyStore {
    private let keys = Locked<[MerchantKey: [UInt8]]>([:])

    package init() {}

    package func key(of subject: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> [UInt8]? {
        keys.withLock { $0[MerchantKey(merchant: merchant, id: subject)] }
    }

    package func insert(_ wrapped: [UInt8], of subject: Uuid, merchant: MerchantNumber) async throws(StoreFailure)
        -> [UInt8]
    {
        keys.withLock { keys in
            let key = MerchantKey(merchant: merchant, id: subject)
            if let known = keys[key] { return known }
            keys[key] = wrapped
            return wrapped
        }
    }

    package func keepOriginal(_ sealed: [UInt8], input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) {}
}
