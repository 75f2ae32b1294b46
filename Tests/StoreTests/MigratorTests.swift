import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

@Suite(.serialized) struct MigratorTests {
    /// Runs `body` with an empty database.
    private func withDatabase(_ name: String, _ body: (TestDatabase) async throws -> Void) async throws {
        try await body(try await TestDatabase.make(name))
    }

    @Test func `an empty database is brought to the latest schema, and a second run changes nothing`() async throws {
        try await withDatabase("migrate") { database in
            let migrator = Migrator(database.options)
            #expect(try await migrator.currentVersion() == 0)
            let first = try await migrator.run()
            #expect(first.from == 0)
            #expect(first.to == Migrator.latest)
            #expect(first.partitions == 3)
            let second = try await migrator.run()
            #expect([second.from, second.to, second.partitions] == [Migrator.latest, Migrator.latest, 0])
            #expect(try await migrator.currentVersion() == Migrator.latest)
        }
    }

    @Test func `of many nodes that start at once one migrates`() async throws {
        try await withDatabase("migrate_many") { database in
            let reports = try await withThrowingTaskGroup(of: Migrator.Report.self) { group in
                for _ in 0..<4 { group.addTask { try await Migrator(database.options).run() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reports.map(\.from).sorted() == [0, Migrator.latest, Migrator.latest, Migrator.latest])
        }
    }

    @Test func `a schema newer than the binary is refused and left alone`() async throws {
        try await withDatabase("migrate_newer") { database in
            _ = try await Migrator(database.options).run()
            let connection = try await PostgresConnection.connect(database.options)
            try await connection.execute("INSERT INTO paystream.schema_version VALUES (9999, '9999_later')")
            try await connection.execute("DROP FUNCTION paystream.horizon")
            let failure = await #expect(throws: Migrator.Failure.self) { try await Migrator(database.options).run() }
            #expect(failure?.code == .newerSchema)
            let rows = try await connection.query("SELECT to_regproc('paystream.horizon') IS NULL") {
                row throws(PostgresFailure) in try row.bool(0)
            }
            #expect(rows == [true])
            await connection.close()
        }
    }

    @Test func `merchants are numbered from the cell on, and a cell with merchants keeps its numbers`() async throws {
        try await withDatabase("migrate_cell") { database in
            let migrator = Migrator(database.options)
            #expect(try await migrator.run().cell == 0)
            #expect(try await migrator.run(cell: 7).cell == 7)
            #expect(try await migrator.run().cell == 7)
            let connection = try await PostgresConnection.connect(database.options)
            let made = try await connection.query(
                "INSERT INTO paystream.merchant (name) VALUES ('a'), ('b') RETURNING id"
            ) { row throws(PostgresFailure) in try row.int32(0) }
            #expect(made == [7_000_001, 7_000_002])
            #expect(try await migrator.run(cell: 7).cell == 7)
            for other: Int32 in [0, 8, -1, 2147] {
                let failure = await #expect(throws: Migrator.Failure.self) { try await migrator.run(cell: other) }
                #expect(failure?.code == .cellSettled)
            }
            await #expect(throws: PostgresFailure.self) {
                try await connection.execute(
                    "SELECT setval(pg_get_serial_sequence('paystream.merchant', 'id'), 8000001)"
                )
            }
            await connection.close()
        }
    }

    @Test func `partitions are made ahead of the log`() async throws {
        try await withPostgres { store, database async throws in
            #expect(try await store.extendLog() == 0)
            let connection = try await PostgresConnection.connect(database.options)
            try await connection.execute("SELECT setval('paystream.pos_seq', 25000000)")
            #expect(try await store.extendLog() == 1)
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, events: 2)])
            #expect(try await store.load([(stream(1), 0)])[0].count == 2)
            await connection.close()
        }
    }

    @Test func `a database that is not UTF-8 is refused`() async throws {
        try await withDatabase("migrate_latin") { database in
            let connection = try await PostgresConnection.connect(database.options)
            let latin = "\(database.name)1"
            try await connection.execute("CREATE DATABASE \(latin) TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
            let options = database.options.with(overrides: ["dbname": latin])
            let failure = await #expect(throws: PostgresFailure.self) { try await Migrator(options).run() }
            #expect(failure?.code == .connect)
            #expect(failure?.detail.contains("UTF-8") == true)
            await connection.close()
        }
    }

    @Test func `roles are installed again without harm, and a backend may only enqueue and ask`() async throws {
        try await withPostgres { store, database async throws in
            let migrator = Migrator(database.options)
            try await migrator.installRoles()
            try await migrator.installRoles()
            let backend = try await PostgresConnection.connect(database.options)
            try await backend.execute("INSERT INTO paystream.merchant (name) VALUES ('acme')")
            try await backend.script("SET ROLE paystream_enqueue")
            let ids = try await backend.query("SELECT paystream.enqueue('acme', 'k', 'payment.sync', '{}')") {
                row throws(PostgresFailure) in try row.uuid(0)
            }
            let states = try await backend.query("SELECT state FROM paystream.outcome($1)", [.uuid(ids[0])]) {
                row throws(PostgresFailure) in try row.text(0)
            }
            #expect(states == ["pending"])
            for sql in [
                "SELECT * FROM paystream.inbox", "SELECT paystream.horizon()", "SELECT * FROM paystream.api_key",
            ] {
                let refused = await #expect(throws: PostgresFailure.self) { try await backend.execute(sql) }
                #expect(refused?.sqlState == "42501")
            }
            try await backend.script("SET ROLE paystream_app")
            for table in ["event", "input", "decision"] {
                let refused = await #expect(throws: PostgresFailure.self) {
                    try await backend.execute("DELETE FROM paystream.\(table)")
                }
                #expect(refused?.sqlState == "42501")
            }
            await backend.close()
        }
    }

    @Test func `what the daemon does is allowed to its role`() async throws {
        try await withPostgres { _, database async throws in
            try await Migrator(database.options).installRoles()
            let options = database.options.with(overrides: ["options": "-c role=paystream_app"])
            let pool = PostgresPool(options, limit: 2)
            let store = PostgresStore(pool)
            let now = try await store.now()
            let planned = effect(1, now: now)
            let name = Reference(account: planned.account, kind: "payment", value: "P")
            let timers = Timers(machine: now, business: now)
            let first = unit(
                stream(1),
                input: 1,
                base: 0,
                mac: [1],
                references: [name],
                effects: [.create(planned)],
                timers: timers,
                forwards: [input(2, for: stream(2))]
            )
            #expect(try await store.commit([first])[0].isCommitted)
            let leases = try await store.claimMail(owner: "a", lease: .seconds(15))
            #expect(try await store.commit([admitted(leases[0], input: inputId(2), base: 0)])[0].isCommitted)
            let lease = try await store.claimEffects(owner: "a", lease: .seconds(15))[0].lease
            #expect(try await store.markSending([lease], margin: .zero) == [true])
            try await store.observe([(lease, input(3, for: stream(1), kind: .answer))])
            let timer = try await store.dueTimers(limit: 1)[0]
            try await store.fire([(timer, input(4, for: stream(1), kind: .timer))])
            #expect(try await store.events(after: 0, limit: 10).rows.count == 2)
            await pool.drain()
        }
    }
}
