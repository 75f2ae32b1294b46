import Engine
import EventSourcing
import Kernel
import Payments
import Postgres
import Projections
import Store
import TestKit
import Testing

/// A card whose charges fill pages of the log.
struct LongCardTests {
    /// So many that the first page of the log ends among the held events, and begins before them.
    private static let charges = 600
    private let card = StreamName(MerchantNumber(7), .instrument, Uuid(high: 6, low: 1))
    private let noon = Timestamp(seconds: 1_800_000_000)

    private var drafts: [EventDraft] {
        let saved = SavedInstrument(
            fact: InstrumentFact(
                token: ["$sealed": "a"],
                fingerprint: "f1",
                masked: "431422******0056",
                scheme: "visa",
                expiryYear: 2030,
                expiryMonth: 12
            ),
            account: Uuid(high: 1, low: 1),
            customer: "c-1",
            payment: PaymentId(Uuid(high: 8, low: 0))
        )
        let charged = (1...Self.charges).map { InstrumentEvent.charged(Uuid(high: 8, low: UInt64($0)), at: noon).draft }
        return [InstrumentEvent.saved(saved, at: noon).draft] + charged
            + [InstrumentEvent.removed(by: "ann", reason: nil, at: noon).draft]
    }

    /// Writes each event by a decision of its own.
    private func write(to store: PostgresStore) async throws {
        for (index, draft) in drafts.enumerated() {
            let input = InputRecord(
                id: Uuid(high: 9, low: UInt64(index)),
                stream: card,
                kind: .timer,
                name: "timer",
                meta: Array("{}".utf8),
                body: [],
                receivedAt: noon
            )
            let unit = CommitUnit(
                stream: card,
                input: .new(input),
                record: DecisionRecord(
                    baseVersion: Int32(index),
                    context: Array("{}".utf8),
                    versions: Array("{}".utf8),
                    outcome: .events(1)
                ),
                events: [draft]
            )
            guard case .committed = try await store.commit([unit])[0] else { throw StoreFailure(.retry, detail: "") }
        }
    }

    @Test func `public events are those of the whole stream, whatever a node holds of it`() async throws {
        try await DatabasePool("longcard", limit: 1).withDatabase { database in
            let pool = PostgresPool(database.options, limit: 2)
            let store = PostgresStore(pool)
            try await write(to: store)
            let all = try await store.load([(card, 0)])[0]
            let streamCache = StreamCache(store: store)
            let held = try await streamCache.known([card])[0]
            #expect(!held.isKnown(behind: 0) && all.count == Self.charges + 2)
            let view = PublicEventView(store, streamCache: streamCache, folds: FoldCache())
            while try await view.followOnce() > 0 {}
            let told = try await pool.withConnection { connection async throws(PostgresFailure) in
                try await connection.query("SELECT type FROM paystream.public_event ORDER BY position, number") {
                    row throws(PostgresFailure) in try row.text(0)
                }
            }
            let whole = try PublicEvent.all(of: card, History(all), folds: FoldCache(), accounts: [:])
            #expect(told == whole.map(\.type.name) && told.count > 1, "\(told)")
            await pool.drain()
        }
    }
}
