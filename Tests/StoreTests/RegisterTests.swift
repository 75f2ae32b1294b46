import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// Schedules that are overdue, as the registers count them.
struct RegisterTests {
    @Test func `a schedule is overdue while its timer is not fired, and while what it was fired for leads nowhere`()
        async throws
    {
        try await withPostgres { store, database async throws in
            let registers = Registers(store)
            let merchant = try await registers.makeMerchant(named: "overdue").number
            let clocked = try await registers.makeMerchant(named: "clocked").number
            let connection = try await PostgresConnection.connect(database.options)
            func arm(_ merchant: MerchantNumber, _ low: UInt64, secondsAgo: Int, timer: Bool, shown: Bool) async throws
            {
                let at = "statement_timestamp() - interval '\(secondsAgo) seconds'"
                let id: [PostgresValue] = [.int32(merchant.value), .uuid(Uuid(high: 1, low: low))]
                if timer {
                    try await connection.execute(
                        "INSERT INTO paystream.due (merchant, stream, stream_kind, business) VALUES ($1, $2, 3, \(at))",
                        id
                    )
                }
                guard shown else { return }
                try await connection.execute(
                    """
                    INSERT INTO paystream.schedule_view (merchant, id, version, pos, status, next_at, account, kind,
                        runner, collected, paid, created_at, updated_at, document)
                    VALUES ($1, $2, 1, 1, 'active', \(at), $2, 'regular', 'paystream', 0, 0, now(), now(), '{}')
                    """,
                    id
                )
            }
            #expect(try await registers.overdueSchedules(by: .seconds(120)) == 0)
            try await arm(merchant, 1, secondsAgo: 60, timer: true, shown: true)
            #expect(try await registers.overdueSchedules(by: .seconds(120)) == 0, "not so long ago")
            try await arm(merchant, 2, secondsAgo: 180, timer: true, shown: true)
            #expect(try await registers.overdueSchedules(by: .seconds(120)) == 1, "in both tables, counted once")
            try await arm(merchant, 3, secondsAgo: 180, timer: true, shown: false)
            #expect(try await registers.overdueSchedules(by: .seconds(120)) == 2)
            // Its timer was fired, and its input is in quarantine.
            try await arm(merchant, 4, secondsAgo: 180, timer: false, shown: true)
            #expect(try await registers.overdueSchedules(by: .seconds(120)) == 3)
            try await connection.execute(
                "INSERT INTO paystream.merchant_clock (merchant, at) VALUES ($1, now())",
                [.int32(clocked.value)]
            )
            try await arm(clocked, 5, secondsAgo: 180, timer: false, shown: true)
            #expect(
                try await registers.overdueSchedules(by: .seconds(120)) == 3,
                "another clock says what is due there"
            )
            await connection.close()
        }
    }
}
