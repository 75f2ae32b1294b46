import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// `paystream.enqueue` in a backend's own transaction, and what the engine makes of it.
struct SqlEntranceTests {
    private static let enqueue = "SELECT paystream.enqueue('acme', $1, $2, $3)"

    /// Runs `body` with a store, and a connection of a backend that shares its database.
    private func withBackend(
        _ body: (PostgresStore, PostgresConnection, TestDatabase) async throws -> Void
    ) async throws {
        try await withPostgres { store, database async throws in
            let backend = try await PostgresConnection.connect(database.options)
            try await backend.execute(
                "INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE VALUES (7, 'acme')"
            )
            try await body(store, backend, database)
            await backend.close()
        }
    }

    private func enqueue(
        _ key: String,
        body: String = #"{"b": 1,  "a":2}"#,
        on backend: PostgresConnection
    ) async throws -> Uuid {
        let ids = try await backend.query(
            Self.enqueue,
            [.text(key), .text("payment.create"), .json(bytes(body))]
        ) { row throws(PostgresFailure) in try row.uuid(0) }
        return try #require(ids.first)
    }

    private func outcome(_ id: Uuid, on backend: PostgresConnection) async throws -> String {
        let rows = try await backend.query("SELECT state, code, version FROM paystream.outcome($1)", [.uuid(id)]) {
            row throws(PostgresFailure) in
            let code = row.isNull(1) ? "" : " \(try row.text(1))"
            let version = row.isNull(2) ? "" : " \(try row.int32(2))"
            return try row.text(0) + code + version
        }
        return try #require(rows.first)
    }

    /// Admits every command as an input for one stream, under an id made from its key.
    private static func admit(_ commands: [InboxCommand], mac: [UInt8] = [1]) -> [InboxSettlement] {
        commands.map { command in
            let record = InputRecord(
                id: Uuid(high: 77, low: UInt64(command.key.utf8.reduce(0) { $0 * 31 + Int($1) })),
                stream: stream(1),
                kind: .command,
                name: command.name,
                meta: bytes("{}"),
                body: command.body,
                receivedAt: command.enqueuedAt
            )
            return .admit(record, commandMac: mac)
        }
    }

    @Test func `a mistake in the call is told at once with its own SQLSTATE`() async throws {
        try await withBackend { _, backend, _ in
            let long = String(repeating: "k", count: 256)
            let large = #"{"a":"\#(String(repeating: "x", count: 65_536))"}"#
            let cases: [(state: SqlState, call: String)] = [
                ("PS001", "paystream.enqueue('nobody', 'k', 'payment.create', '{}')"),
                ("PS001", "paystream.enqueue(NULL, 'k', 'payment.create', '{}')"),
                ("PS002", "paystream.enqueue('acme', 'k', 'payment.explode', '{}')"),
                ("PS002", "paystream.enqueue('acme', 'k', NULL, '{}')"),
                ("PS003", "paystream.enqueue('acme', 'k', 'payment.create', '[]')"),
                ("PS003", "paystream.enqueue('acme', 'k', 'payment.create', NULL)"),
                ("PS004", "paystream.enqueue('acme', '', 'payment.create', '{}')"),
                ("PS004", "paystream.enqueue('acme', NULL, 'payment.create', '{}')"),
                ("PS004", "paystream.enqueue('acme', '\(long)', 'payment.create', '{}')"),
                ("PS005", "paystream.enqueue('acme', 'k', 'payment.create', '\(large)')"),
                ("22P02", "paystream.enqueue('acme', 'k', 'payment.create', '{broken')"),
            ]
            for (state, call) in cases {
                let refused = await #expect(throws: PostgresFailure.self) {
                    try await backend.execute("SELECT \(call)")
                }
                #expect(refused?.sqlState == state, "\(call.prefix(80))")
            }
            let rows = try await backend.query("SELECT count(*) FROM paystream.inbox") {
                row throws(PostgresFailure) in try row.int64(0)
            }
            #expect(rows == [0])
        }
    }

    @Test func `an enqueued command rolls back with its transaction`() async throws {
        try await withBackend { store, backend, _ in
            try await backend.script("BEGIN")
            let id = try await enqueue("k1", on: backend)
            try await backend.script("ROLLBACK")
            #expect(try await outcome(id, on: backend) == "unknown")
            #expect(try await store.takeInbox(limit: 10) { Self.admit($0) } == 0)
        }
    }

    @Test func `an enqueued command is taken, admitted, decided, and its outcome can be read`() async throws {
        try await withBackend { store, backend, _ in
            let id = try await enqueue("k1", on: backend)
            #expect(try await outcome(id, on: backend) == "pending")
            let seen = Locked<[InboxCommand]>([])
            let taken = try await store.takeInbox(limit: 10) { commands in
                seen.withLock { $0 = commands }
                return Self.admit(commands)
            }
            #expect(taken == 1)
            let command = try #require(seen.withLock { $0 }.first)
            #expect(command.id == id)
            #expect(command.merchant == merchant)
            #expect(command.body == bytes(#"{"b": 1,  "a":2}"#))
            #expect(try await outcome(id, on: backend) == "admitted")
            let claim = try await store.claimMail(owner: "a", lease: .seconds(15))[0]
            let waiting = try await store.undecided([claim], limit: 10)[0]
            #expect(waiting.map(\.body) == [command.body])
            #expect(try await store.command(waiting[0].id, merchant: merchant) == nil)
            _ = try await store.commit([admitted(claim, input: waiting[0].id, base: 0, events: 2)])
            #expect(try await outcome(id, on: backend) == "done 2")
            #expect(try await store.command(waiting[0].id, merchant: merchant)?.mac == [1])
        }
    }

    @Test func `a refused command and a key of another command are outcomes, a repeated one is not`() async throws {
        try await withBackend { store, backend, _ in
            let (first, again, other) = (
                try await enqueue("k1", on: backend), try await enqueue("k1", on: backend),
                try await enqueue("k1", body: #"{"else":1}"#, on: backend)
            )
            let bad = try await enqueue("k2", on: backend)
            _ = try await store.takeInbox(limit: 10) { commands in
                commands.enumerated().map { index, command in
                    if command.id == bad { return .refuse(code: "amount", detail: "it must be positive") }
                    return Self.admit([command], mac: command.id == other ? [2] : [1])[0]
                }
            }
            #expect(try await outcome(first, on: backend) == "admitted")
            #expect(try await outcome(again, on: backend) == "admitted")
            #expect(try await outcome(other, on: backend) == "refused idempotency_conflict")
            #expect(try await outcome(bad, on: backend) == "refused amount")
            let claim = try await store.claimMail(owner: "a", lease: .seconds(15))[0]
            #expect(try await store.undecided([claim], limit: 10)[0].count == 1)
        }
    }

    @Test func `commands are taken oldest first, a page at a time`() async throws {
        try await withBackend { store, backend, _ in
            for number in 0..<5 { _ = try await enqueue("k\(number)", on: backend) }
            let keys = Locked<[String]>([])
            for expected in [2, 2, 1, 0] {
                let taken = try await store.takeInbox(limit: 2) { commands in
                    keys.withLock { $0 += commands.map(\.key) }
                    return Self.admit(commands)
                }
                #expect(taken == expected)
            }
            #expect(keys.withLock { $0 } == ["k0", "k1", "k2", "k3", "k4"])
        }
    }

    @Test func `a node that dies while it settles leaves the commands to the next`() async throws {
        try await withBackend { store, backend, _ in
            let id = try await enqueue("k1", on: backend)
            let failure = await storeFailure { () async throws(StoreFailure) in
                try await store.takeInbox(limit: 10) { commands in
                    _ = try? await backend.execute(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                         WHERE datname = current_database() AND state = 'idle in transaction'
                        """
                    )
                    return Self.admit(commands)
                }
            }
            #expect(failure?.code == .unavailable)
            #expect(try await outcome(id, on: backend) == "pending")
            #expect(try await store.takeInbox(limit: 10) { Self.admit($0) } == 1)
        }
    }

    @Test func `a backend that keeps its transaction open stalls nobody`() async throws {
        try await withBackend { store, backend, database in
            let patient = database.options.with(idleTransactionTimeout: .zero)
            let slow = try await PostgresConnection.connect(patient)
            try await slow.script("BEGIN")
            let held = try await enqueue("slow", on: slow)
            let quick = try await enqueue("quick", on: backend)
            let now = try await store.now()
            let units = (1...20).map { number in
                unit(stream(number), input: number, base: 0, effects: [.create(effect(number, now: now))])
            }
            #expect(try await store.commit(units).count { $0.isCommitted } == 20)
            let page = try await store.events(after: 0, limit: 100)
            #expect(page.rows.count == 20)
            #expect(try await store.takeInbox(limit: 10) { Self.admit($0) } == 1)
            #expect(try await store.takeInbox(limit: 10) { Self.admit($0) } == 0)
            #expect(try await store.claimMail(owner: "a", lease: .zero).count == 1)
            #expect(try await store.claimEffects(owner: "a", lease: .zero).count == 20)
            _ = try await Migrator(database.options).run()
            #expect(try await outcome(quick, on: backend) == "admitted")
            try await slow.script("COMMIT")
            #expect(try await outcome(held, on: backend) == "pending")
            #expect(try await store.takeInbox(limit: 10) { Self.admit($0) } == 1)
            await slow.close()
        }
    }

    @Test func `the memory store settles commands by the same rules`() async throws {
        let store = MemoryStore(clock: ManualClock())
        for (number, mac) in [(1, 1), (2, 1), (3, 2)] as [(UInt64, UInt8)] {
            store.enqueue(
                merchant: merchant,
                key: "k1",
                name: "payment.create",
                body: [mac],
                id: Uuid(high: 0, low: number)
            )
        }
        let taken = try await store.takeInbox(limit: 10) { commands in
            commands.map { Self.admit([$0], mac: $0.body)[0] }
        }
        #expect(taken == 3)
        let outcomes = (1...3).map { store.outcome(Uuid(high: 0, low: $0)) }
        let refusals = outcomes.map { outcome in
            if case .refuse(let code, _) = outcome { code } else { "" }
        }
        #expect(refusals == ["", "", "idempotency_conflict"])
        #expect(store.undecidedCount == 1)
    }
}
