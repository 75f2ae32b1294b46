package import EventSourcing
package import Kernel
import Postgres

/// A merchant's own business clock.
package struct MerchantClock: Hashable, Sendable {
    package let at: Timestamp
    /// Where it travels to; `nil` while it stands.
    package let target: Timestamp?
    /// How often it was moved.
    package let steps: Int64
}

/// The clocks of merchants in test mode, in the database, for all nodes alike.
package struct ClockRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    package func clock(of merchant: MerchantNumber) async throws(StoreFailure) -> MerchantClock? {
        try await store.read(
            "SELECT at, target, steps FROM paystream.merchant_clock WHERE merchant = $1",
            [.int32(merchant.value)]
        ) { row throws(PostgresFailure) in
            MerchantClock(
                at: try row.timestamp(0),
                target: try row.optional(1) { row, column throws(PostgresFailure) in try row.timestamp(column) },
                steps: try row.int64(2)
            )
        }.first
    }

    /// Tells what a travelling clock waits for; nothing where it goes on with its next step.
    package func waits(of merchant: MerchantNumber) async throws(StoreFailure) -> [ClockWait] {
        try await store.read(
            "SELECT unnest(paystream.clock_waits(merchant, at)) FROM paystream.merchant_clock WHERE merchant = $1",
            [.int32(merchant.value)]
        ) { row throws(PostgresFailure) in try row.text(0) }.compactMap { ClockWait(rawValue: $0) }
    }

    /// The merchants that own one.
    package func owners() async throws(StoreFailure) -> Set<MerchantNumber> {
        Set(
            try await store.read("SELECT merchant FROM paystream.merchant_clock") { row throws(PostgresFailure) in
                MerchantNumber(try row.int32(0))
            }
        )
    }

    /// Gives a merchant a clock; answers false where it has one already.
    package func own(_ merchant: MerchantNumber, from start: Timestamp) async throws(StoreFailure) -> Bool {
        try await store.write("SELECT paystream.own_clock($1, $2)", [.int32(merchant.value), .timestamp(start)]) {
            row throws(PostgresFailure) in try row.bool(0)
        }.first ?? false
    }

    /// Sends a clock on its way; answers false where it is past that moment or travels further.
    package func send(_ merchant: MerchantNumber, to target: Timestamp) async throws(StoreFailure) -> Bool {
        try await !store.write(
            """
            UPDATE paystream.merchant_clock SET target = $2
             WHERE merchant = $1 AND at <= $2 AND coalesce(target <= $2, true) RETURNING true
            """,
            [.int32(merchant.value), .timestamp(target)]
        ) { row throws(PostgresFailure) in try row.bool(0) }.isEmpty
    }

    /// Moves travelling clocks by one step each.
    package func travel() async throws(StoreFailure) -> ClockTravel {
        let answers = try await store.write("SELECT paystream.travel_clocks()", []) { row throws(PostgresFailure) in
            try row.int32(0)
        }
        return answers.first.flatMap { ClockTravel(rawValue: $0) } ?? .noneTravels
    }
}
