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

    /// Takes note of what was written in an epoch.
    func committed(_ references: [Reference], of stream: StreamName, in epoch: RecoveryEpoch?) {
        for reference in references {
            streams.keep(stream, of: Key(merchant: stream.merchant, reference: reference), in: epoch)
        }
    }
}
