package import EventSourcing
import Kernel

/// Which streams references lead to: a reference belongs to one stream for ever.
package struct ReferenceCache: Sendable {
    private struct Key: Hashable, Sendable {
        let merchant: MerchantNumber
        let reference: Reference
    }

    private let store: any EventStore
    private let streams: EpochCache<Key, StreamName>
    /// What 10 000 payments write, some 250 bytes each: a provider calls back within minutes, and an older reference costs a read.
    private static let held = 20_000

    package init(
        store: any EventStore,
        epoch: @escaping @Sendable () async throws(StoreFailure) -> RecoveryEpoch? = { nil }
    ) {
        self.store = store
        streams = EpochCache(capacity: Self.held, epoch: epoch)
    }

    /// The stream that a reference leads to; `nil` where it leads to none.
    package func stream(of reference: Reference, _ merchant: MerchantNumber) async throws(StoreFailure) -> StreamName? {
        try await streams.value(of: Key(merchant: merchant, reference: reference)) { () async throws(StoreFailure) in
            try await store.resolve(reference, merchant: merchant)
        }
    }

    /// The streams that references lead to; one statement asks for all that are not held.
    func streams(of references: [Reference], _ merchant: MerchantNumber) async throws(StoreFailure) -> [StreamName?] {
        let keys = references.map { Key(merchant: merchant, reference: $0) }
        return try await streams.values(of: keys) { missing async throws(StoreFailure) in
            let found = try await store.resolve(missing.map(\.reference), merchant: merchant)
            return Dictionary(uniqueKeysWithValues: found.map { (Key(merchant: merchant, reference: $0), $1) })
        }
    }

    /// Takes note of what was written in an epoch.
    func committed(_ references: [Reference], of stream: StreamName, in epoch: RecoveryEpoch?) {
        for reference in references {
            streams.keep(stream, of: Key(merchant: stream.merchant, reference: reference), in: epoch)
        }
    }
}
