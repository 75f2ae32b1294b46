import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// Roles, and wake-ups between nodes.
struct RegisterTests {
    @Test func `a role is held by one node until its lease ends`() async throws {
        try await withPostgres { store, _ async throws in
            let roles = RoleRows(store)
            let first = try #require(try await roles.claim("upkeep", owner: "a", lease: .seconds(15)))
            #expect(try await roles.claim("upkeep", owner: "a", lease: .seconds(15)) == first)
            #expect(try await roles.claim("upkeep", owner: "b", lease: .seconds(15)) == nil)
            #expect(try await roles.claim("seal", owner: "b", lease: .seconds(15)) != nil)
            try await roles.release("upkeep", owner: "b")
            #expect(try await roles.claim("upkeep", owner: "b", lease: .seconds(15)) == nil)
            try await roles.release("upkeep", owner: "a")
            let next = try #require(try await roles.claim("upkeep", owner: "b", lease: .seconds(15)))
            #expect(next > first)
        }
    }

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

    @Test func `a raised signal timers listeners, many raises at once wake them seldom`() async throws {
        try await withPostgres { _, database async throws in
            let (speaker, listener) = (NotifySignal(database.options), NotifySignal(database.options))
            let (timers, wake) = AsyncStream<Void>.makeStream()
            let listening = Task { await listener.listen { wake.yield() } }
            let notifying = Task { await speaker.notify() }
            var iterator = timers.makeAsyncIterator()
            await iterator.next()  // The poll that follows connecting.
            speaker.raise()
            await iterator.next()
            for _ in 0..<10_000 { speaker.raise() }
            await iterator.next()
            listening.cancel()
            notifying.cancel()
            await listening.value
            await notifying.value
            wake.finish()
            var rest = 0
            while await iterator.next() != nil { rest += 1 }
            #expect(rest <= 2)
        }
    }
}
