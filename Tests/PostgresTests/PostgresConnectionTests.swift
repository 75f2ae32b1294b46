import Kernel
import Postgres
import TestKit
import Testing

private let database = Shared { try await TestDatabase.make("postgres") }

private func connect() async throws -> PostgresConnection {
    try await PostgresConnection.connect(try await database.value.options)
}

/// The failure that `body` ends with.
func failure(
    _ body: () async throws(PostgresFailure) -> some Sendable
) async -> PostgresFailure? {
    do throws(PostgresFailure) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}

/// Waits until a session sleeps inside a statement.
private func untilAsleep(_ pid: Int32, _ watcher: PostgresConnection) async throws {
    let sql = "SELECT true FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'"
    while try await watcher.execute(sql, [.int32(pid)]) == 0 { await Task.yield() }
}

struct PostgresConnectionTests {
    @Test func `scalars come back as they went`() async throws {
        let connection = try await connect()
        let uuid = Uuid(high: 0xFEDC_BA98_7654_3210, low: 0x0123_4567_89AB_CDEF)
        let time = Timestamp(microseconds: 1_234_567_890_123_456)
        let matches = try await connection.query(
            "SELECT $1::bool, $2::int2, $3::int4, $4::int8, $5::text, $6::bytea, $7::uuid, $8::timestamptz, $9::json",
            [
                .bool(true), .int16(-2), .int32(.min), .int64(.max), .text("grüße"), .bytes([0, 255, 1]), .uuid(uuid),
                .timestamp(time), .json(Array(#"{"b": 1,"a":2}"#.utf8)),
            ]
        ) { row throws(PostgresFailure) in
            let bool = try row.bool(0)
            let (small, middle, large) = (try row.int16(1), try row.int32(2), try row.int64(3))
            let (text, bytes, json) = (try row.text(4), try row.bytes(5), try row.text(8))
            let (id, instant) = (try row.uuid(6), try row.timestamp(7))
            return [
                bool, small == -2, middle == .min, large == .max, text == "grüße", bytes == [0, 255, 1], id == uuid,
                instant == time, json == #"{"b": 1,"a":2}"#,
            ]
        }
        #expect(matches == [[Bool](repeating: true, count: 9)])
        await connection.close()
    }

    @Test func `an empty value is not NULL and NULL is not empty`() async throws {
        let connection = try await connect()
        let nulls = try await connection.query(
            "SELECT $1::bytea, $2::bytea, $3::text, $4::text",
            [.bytes([]), .bytes(nil), .text(""), .text(nil)]
        ) { row throws(PostgresFailure) in (0..<4).map { row.isNull($0) } }
        #expect(nulls == [[false, true, false, true]])
        await connection.close()
    }

    @Test func `the server counts the same elements in every kind of array`() async throws {
        let connection = try await connect()
        let uuid = Uuid(high: 1, low: 2)
        let sums = try await connection.query(
            """
            SELECT sum(a)::int8, sum(b)::int8, count(c), count(*), string_agg(d, ','), string_agg(encode(e, 'hex'), ','),
                   bool_and(f = $9), max(g), bool_or(h), string_agg(i::text, '')
            FROM unnest($1::int4[], $2::int8[], $3::int2[], $4::text[], $5::bytea[], $6::uuid[], $7::timestamptz[],
                        $8::bool[], $10::json[]) AS u(a, b, c, d, e, f, g, h, i)
            """,
            [
                .int32s([1, 2, nil]), .int64s([10, 20, 30]), .int16s([1, nil, 3]), .texts(["a", "", "ü"]),
                .byteArrays([[1], [], [255]]), .uuids([uuid, uuid, uuid]),
                .timestamps([Timestamp(seconds: 1), nil, Timestamp(seconds: 3)]), .bools([false, false, true]),
                .uuid(uuid), .jsons([Array("1".utf8), Array("{}".utf8), nil]),
            ]
        ) { row throws(PostgresFailure) in
            let first = try "\(row.int64(0)) \(row.int64(1)) \(row.int64(2)) \(row.int64(3)) \(row.text(4))"
            let second = try "\(row.text(5)) \(row.bool(6)) \(row.timestamp(7).seconds) \(row.bool(8)) \(row.text(9))"
            return first + " " + second
        }
        #expect(sums == ["3 60 2 3 a,,ü 01,,ff true 3 true 1{}"])
        let empty = try await connection.query("SELECT cardinality($1::uuid[])", [.uuids([])]) {
            row throws(PostgresFailure) in try row.int32(0)
        }
        #expect(empty == [0])
        await connection.close()
    }

    @Test func `a refusal carries its SQLSTATE and no value`() async throws {
        let connection = try await connect()
        let division = await failure { () async throws(PostgresFailure) in
            try await connection.execute("SELECT 1 / $1::int4", [.int32(0)])
        }
        #expect(division?.code == .refused)
        #expect(division?.sqlState == "22012")
        let parse = await failure { () async throws(PostgresFailure) in
            try await connection.execute("SELECT $1::text::int4", [.text("4111x")])
        }
        #expect(parse?.sqlState == "22P02")
        #expect(parse?.detail.contains("4111") == false)
        #expect(try await connection.query("SELECT 1") { row throws(PostgresFailure) in try row.int32(0) } == [1])
        await connection.close()
    }

    @Test func `a column of another type is a decode failure`() async throws {
        let connection = try await connect()
        let wrong = await failure { () async throws(PostgresFailure) in
            try await connection.query("SELECT 1::int8") { row throws(PostgresFailure) in try row.int32(0) }
        }
        #expect(wrong?.code == .decode)
        let null = await failure { () async throws(PostgresFailure) in
            try await connection.query("SELECT NULL::int8") { row throws(PostgresFailure) in try row.int64(0) }
        }
        #expect(null?.code == .decode)
        await connection.close()
    }

    @Test func `a statement past its limit is cancelled by the server`() async throws {
        let options = try await database.value.options.with(statementTimeout: .milliseconds(50))
        let connection = try await PostgresConnection.connect(options)
        let slow = await failure { () async throws(PostgresFailure) in
            try await connection.execute("SELECT pg_sleep(5)")
        }
        #expect(slow?.sqlState == .queryCanceled)
        await connection.close()
    }

    @Test func `a transaction that throws leaves nothing and the connection is usable`() async throws {
        let connection = try await connect()
        try await connection.execute("CREATE TABLE kept (n int4)")
        let thrown = await failure { () async throws(PostgresFailure) in
            try await connection.transaction { connection async throws(PostgresFailure) in
                try await connection.execute("INSERT INTO kept VALUES (1)")
                try await connection.execute("SELECT 1 / 0")
            }
        }
        #expect(thrown?.sqlState == "22012")
        let inserted = try await connection.transaction { connection async throws(PostgresFailure) in
            try await connection.execute("INSERT INTO kept VALUES (2)")
        }
        #expect(inserted == 1)
        let rows = try await connection.query("SELECT n FROM kept") { row throws(PostgresFailure) in try row.int32(0) }
        #expect(rows == [2])
        await connection.close()
    }

    @Test func `a connection that dies in a transaction is lost, one that dies alone is unknown`() async throws {
        let (victim, killer) = (try await connect(), try await connect())
        let pid = await victim.processId
        let inside = await failure { () async throws(PostgresFailure) in
            try await victim.transaction { victim async throws(PostgresFailure) in
                try await victim.execute("SELECT 1")
                try await killer.execute("SELECT pg_terminate_backend($1)", [.int32(pid)])
                try await killer.execute("SELECT pg_sleep(0.05)")
                try await victim.execute("SELECT 1")
            }
        }
        #expect(inside?.code == .lost)
        #expect(await !victim.isReusable)

        let other = try await connect()
        let otherPid = await other.processId
        try await other.execute("SELECT 1")
        try await killer.execute("SELECT pg_terminate_backend($1)", [.int32(otherPid)])
        let alone = await failure { () async throws(PostgresFailure) in try await other.execute("SELECT 1") }
        #expect(alone?.code == .unknown)
        await killer.close()
    }

    @Test func `a statement's own warning makes no commit uncertain, whatever its words`() async throws {
        let connection = try await connect()
        // What cuts a commit short is told by the server's own function; see `CutShortCommitTests`.
        for words in ["NOTIFY queue is 50%% full", "canceling wait for synchronous replication due to user request"] {
            try await connection.execute("DO $$ BEGIN RAISE WARNING '\(words)'; END $$")
        }
        await connection.close()
    }

    @Test func `whoever says that the server is lost leaves a commit unknown, and refuses nothing`() async throws {
        let connection = try await connect()
        let said = "DO $$ BEGIN RAISE EXCEPTION 'server conn crashed?' USING ERRCODE = '08006'; END $$"
        let alone = await failure { () async throws(PostgresFailure) in try await connection.execute(said) }
        #expect(alone?.code == .unknown)
        let inside = await failure { () async throws(PostgresFailure) in
            try await connection.transaction { connection async throws(PostgresFailure) in
                try await connection.execute(said)
            }
        }
        #expect(inside?.code == .lost)
        await connection.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func `of two statements at once the second is refused, and closing lets the first be answered`()
        async throws
    {
        let (connection, watcher) = (try await connect(), try await connect())
        let pid = await connection.processId
        async let first = connection.execute("SELECT pg_sleep(0.5)")
        try await untilAsleep(pid, watcher)
        let second = await failure { () async throws(PostgresFailure) in try await connection.execute("SELECT 1") }
        #expect(second?.code == .refused)
        await connection.close()
        #expect(try await first == 1)
        await watcher.close()
    }

    @Test(.timeLimit(.minutes(1))) func `parameters and answers larger than what a socket holds go and come`()
        async throws
    {
        let connection = try await connect()
        let large = [UInt8](repeating: 0xA5, count: 24 << 20)
        let echoed = try await connection.query("SELECT $1::bytea, md5($1::bytea)", [.bytes(large)]) {
            row throws(PostgresFailure) in (try row.bytes(0), try row.text(1))
        }
        #expect(echoed.first?.0 == large)
        let rows = try await connection.query("SELECT repeat('x', 1000) FROM generate_series(1, 20000)") {
            row throws(PostgresFailure) in try row.text(0).utf8.count
        }
        #expect(rows == Array(repeating: 1000, count: 20_000))
        await connection.close()
    }

    @Test func `a session that is ended while its statement waits is told so`() async throws {
        let (victim, killer) = (try await connect(), try await connect())
        let pid = await victim.processId
        async let waited = failure { () async throws(PostgresFailure) in try await victim.execute("SELECT pg_sleep(60)")
        }
        try await untilAsleep(pid, killer)
        try await killer.execute("SELECT pg_terminate_backend($1)", [.int32(pid)])
        let ended = await waited
        #expect(ended?.code == .unknown)
        #expect(ended?.sqlState == "57P01")
        #expect(await !victim.isReusable)
        await killer.close()
    }

    @Test func `statements of many connections overlap`() async throws {
        var connections: [PostgresConnection] = []
        for _ in 0..<8 { connections.append(try await connect()) }
        let took = try await ContinuousClock().measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for connection in connections {
                    group.addTask { try await connection.execute("SELECT pg_sleep(0.5)") }
                }
                try await group.waitForAll()
            }
        }
        #expect(took < .seconds(2))
        for connection in connections { await connection.close() }
    }

    @Test func `a wrong address fails without telling the password`() async throws {
        let options = PostgresOptions(address: Secret("postgres://nobody:hunter2@127.0.0.1:1/none"))
        let refused = await failure { () async throws(PostgresFailure) in try await PostgresConnection.connect(options)
        }
        #expect(refused?.code == .connect)
        #expect(refused?.detail.contains("hunter2") == false)
        #expect(!"\(options)".contains("hunter2"))
        let garbled = PostgresOptions(address: Secret("postgres://nobody:hunter2@[::1"))
        let unreadable = await failure { () async throws(PostgresFailure) in
            try await PostgresConnection.connect(garbled)
        }
        #expect(unreadable?.code == .connect)
        #expect(unreadable?.detail.contains("hunter2") == false)
    }
}
