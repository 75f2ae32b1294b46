import Kernel
import Postgres
import TestKit
import Testing

private let database = Shared { try await TestDatabase.make("pool") }

private func one(_ connection: PostgresConnection) async throws(PostgresFailure) -> Int32 {
    try await connection.query("SELECT 1") { row throws(PostgresFailure) in try row.int32(0) }.first ?? 0
}

struct PostgresPoolTests {
    @Test func `many callers share few connections`() async throws {
        let pool = PostgresPool(try await database.value.options, limit: 3)
        let sum = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    try await pool.withConnection { connection async throws(PostgresFailure) in
                        try await one(connection)
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 60)
        #expect(pool.counts.open <= 3)
        await pool.drain()
        #expect(pool.counts.open == 0)
    }

    @Test func `callers of a part wait among themselves, and leave the other connections to the others`() async throws {
        let pool = PostgresPool(try await database.value.options, limit: 2)
        let part = pool.part(atMost: 1)
        let order = Locked<[String]>([])
        let (held, release) = AsyncStream<Void>.makeStream()
        async let first: Void = part.withConnection { connection async throws(PostgresFailure) in
            _ = try await one(connection)
            order.withLock { $0.append("first") }
            for await _ in held {}
        }
        while order.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
        async let second: Void = part.withConnection { connection async throws(PostgresFailure) in
            _ = try await one(connection)
            order.withLock { $0.append("second") }
        }
        while part.counts.waiting == 0 { try await Task.sleep(for: .milliseconds(5)) }
        for _ in 0..<3 {
            _ = try await pool.withConnection { connection async throws(PostgresFailure) in try await one(connection) }
        }
        #expect(order.withLock { $0 } == ["first"], "the other connection is nobody's of the part")
        #expect(pool.counts.open == 2)
        release.finish()
        _ = try await (first, second)
        #expect(order.withLock { $0 } == ["first", "second"])
        #expect(part.counts == (0, 0, 0))
        await pool.drain()
        await #expect(throws: PostgresFailure.self, "a part of a closed pool lends nothing") {
            try await part.withConnection { connection async throws(PostgresFailure) in try await one(connection) }
        }
    }

    @Test func `a broken connection is replaced before anybody meets it`() async throws {
        let pool = PostgresPool(try await database.value.options, limit: 1)
        let killer = try await PostgresConnection.connect(try await database.value.options)
        for _ in 0..<3 {
            let pid = try await pool.withConnection { connection async throws(PostgresFailure) in connection.processId }
            try await killer.execute("SELECT pg_terminate_backend($1, 5000)", [.int32(pid)])
        }
        let value = try await pool.withConnection { connection async throws(PostgresFailure) in
            try await one(connection)
        }
        #expect(value == 1)
        await killer.close()
        await pool.drain()
    }

    @Test func `a failing caller gives its connection back clean`() async throws {
        let pool = PostgresPool(try await database.value.options, limit: 1)
        let broken = await failure { () async throws(PostgresFailure) in
            try await pool.transaction { connection async throws(PostgresFailure) in
                try await connection.execute("SELECT no_such_column")
            }
        }
        #expect(broken?.sqlState == "42703")
        let value = try await pool.withConnection { connection async throws(PostgresFailure) in
            try await one(connection)
        }
        #expect(value == 1)
        #expect(pool.counts == (1, 1, 0))
        await pool.drain()
    }

    @Test func `a cancelled caller leaves the queue`() async throws {
        let pool = PostgresPool(try await database.value.options, limit: 1)
        try await pool.withConnection { connection async throws(PostgresFailure) in
            let waiting = Task {
                try await pool.withConnection { connection async throws(PostgresFailure) in try await one(connection) }
            }
            while pool.counts.waiting == 0 { await Task.yield() }
            waiting.cancel()
            let result = await waiting.result
            #expect(throws: PostgresFailure.self) { try result.get() }
            #expect(pool.counts.waiting == 0)
        }
        await pool.drain()
    }

    @Test func `a drained pool refuses and closes everything`() async throws {
        let pool = PostgresPool(try await database.value.options, limit: 2)
        _ = try await pool.withConnection { connection async throws(PostgresFailure) in try await one(connection) }
        await pool.drain()
        let refused = await failure { () async throws(PostgresFailure) in
            try await pool.withConnection { connection async throws(PostgresFailure) in try await one(connection) }
        }
        #expect(refused?.code == .closed)
        #expect(pool.counts == (0, 0, 0))
    }

    @Test func `a server that is not there frees the place again`() async throws {
        let pool = PostgresPool(PostgresOptions(address: Secret("postgres://127.0.0.1:1/none")), limit: 1)
        for _ in 0..<3 {
            let refused = await failure { () async throws(PostgresFailure) in
                try await pool.withConnection { connection async throws(PostgresFailure) in try await one(connection) }
            }
            #expect(refused?.code == .connect)
        }
        #expect(pool.counts.open == 0)
    }
}
