import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// What both stores promise about recovery epochs.
struct EpochContractTests {
    /// A store that can be restored.
    private struct Restorable {
        let store: any EventStore & WorkQueue
        let records: any RecoveryRecords
        /// A person begins an epoch.
        let begin: () async throws -> Void
        /// The log comes to another cluster, as it stands.
        let move: () async throws -> Void
    }

    private func withRestorable(_ kind: StoreKind, _ body: (Restorable) async throws -> Void) async throws {
        switch kind {
        case .memory:
            let store = MemoryStore(clock: ManualClock())
            try await body(
                Restorable(
                    store: store,
                    records: store,
                    begin: { store.beginRecovery() },
                    move: { store.restore(store.backup()) }
                )
            )
        case .postgres, .pooled:
            try await withPostgres(kind) { store, database async throws in
                let records = RecoveryRows(store)
                let connection = try await PostgresConnection.connect(database.options)
                try await body(
                    Restorable(
                        store: store,
                        records: records,
                        begin: { try await records.begin(by: "ann", reason: "a disk was lost") },
                        move: {
                            // An emptied database has lost its row of the migration, too.
                            try await connection.script(
                                """
                                INSERT INTO paystream.recovery_epoch
                                VALUES (0, now(), '', 'test', '', 0, 0, 0) ON CONFLICT DO NOTHING;
                                UPDATE paystream.recovery_epoch SET cluster = '1/00000001';
                                """
                            )
                        }
                    )
                )
                await connection.close()
            }
        }
    }

    private func expired(_ number: UInt64) -> EffectChange {
        let long = Timestamp(seconds: 1_000_000_000)
        return .create(
            NewEffect(
                id: Uuid(high: 0xEFF, low: number),
                account: Uuid(high: 1, low: 1),
                ordinal: 1,
                template: [1],
                notBefore: long,
                sendBefore: long.adding(.seconds(600)),
                deadline: .seconds(30)
            )
        )
    }

    @Test(arguments: StoreKind.allCases)
    func `a decision that was made in an older epoch is not written`(_ kind: StoreKind) async throws {
        try await withRestorable(kind) { world async throws in
            let units = [unit(stream(1), input: 1, base: 0)]
            #expect(try await world.records.recoveryEpoch() == nil)
            try await world.begin()
            let first = try #require(try await world.records.recoveryEpoch())
            #expect(first.number == 1)
            for known in [nil, RecoveryEpoch(number: 1, begunAt: first.begunAt.adding(.seconds(-1)))] {
                let refused = await storeFailure { () async throws(StoreFailure) in
                    try await world.store.commit(units, epoch: known)
                }
                #expect(refused?.code == .moved)
            }
            #expect(try await world.store.load([(stream(1), 0)])[0].isEmpty)
            #expect(try await world.store.commit(units, epoch: first)[0].isCommitted)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `in another cluster nobody decides, sends or says that something never left before an epoch has begun`(
        _ kind: StoreKind
    ) async throws {
        try await withRestorable(kind) { world async throws in
            _ = try await world.store.commit([unit(stream(1), input: 1, base: 0, effects: [expired(1)])])
            #expect(try await world.store.expiredEffects(limit: 9).count == 1)
            try await world.move()
            let refusals = [
                await storeFailure { () async throws(StoreFailure) in
                    try await world.store.commit([unit(stream(1), input: 2, base: 1)])
                },
                await storeFailure { () async throws(StoreFailure) in
                    try await world.store.claimEffects(owner: "a", lease: .seconds(15))
                },
                await storeFailure { () async throws(StoreFailure) in try await world.store.expiredEffects(limit: 9) },
                await storeFailure { () async throws(StoreFailure) in
                    try await world.store.markSending(
                        [EffectLease(stream: stream(1), id: Uuid(high: 0xEFFE, low: 1), fence: 1)],
                        margin: .zero
                    )
                },
            ]
            #expect(refusals.map { $0?.code } == [.moved, .moved, .moved, .moved])
            let begun = try await world.records.recoveryEpoch()
            #expect(begun?.number == 1, "who asks begins it")
            #expect(try await world.records.recoveryEpoch() == begun)
            #expect(try await world.store.expiredEffects(limit: 9).isEmpty, "it may have left")
            #expect(try await world.store.commit([unit(stream(1), input: 2, base: 1)], epoch: begun)[0].isCommitted)
        }
    }
}
