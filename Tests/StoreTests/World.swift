import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// The two implementations of the port; of PostgreSQL's once more through a pooler, which gives each transaction to another session
/// of the server.
enum StoreKind: CaseIterable, CustomTestStringConvertible {
    case memory, postgres, pooled

    var testDescription: String { "\(self)" }
}

/// Few databases for many tests.
let shelf = DatabasePool("store", limit: 3)

/// Runs `body` against an empty store.
func withStore(
    _ kind: StoreKind,
    connections: Int = 4,
    _ body: (any EventStore & WorkQueue) async throws -> Void
) async throws {
    switch kind {
    case .memory: try await body(MemoryStore(clock: ManualClock()))
    case .postgres, .pooled:
        try await withPostgres(kind, connections: connections) { store, _ async throws in try await body(store) }
    }
}

/// Runs `body` against an empty PostgreSQL store in a database of its own.
func withPostgres(
    _ kind: StoreKind = .postgres,
    connections: Int = 4,
    _ body: (PostgresStore, TestDatabase) async throws -> Void
) async throws {
    func run(_ database: TestDatabase, by options: PostgresOptions) async throws {
        let pool = PostgresPool(options, limit: connections)
        do { try await body(PostgresStore(pool), database) } catch {
            await pool.drain()
            throw error
        }
        await pool.drain()
    }
    try await shelf.withDatabase { database in
        guard kind == .pooled else { return try await run(database, by: database.options) }
        try await database.withPooler(sessions: connections) { address in
            try await run(database, by: PostgresOptions(address: Secret(address)))
        }
    }
}

let merchant = MerchantNumber(7)

/// A payment's stream whose id is made from a number.
func stream(_ number: UInt64, of owner: MerchantNumber = merchant) -> StreamName {
    StreamName(owner, .payment, Uuid(high: 0x5000 &+ number &* 0x9E37_79B9_7F4A_7C15, low: 0x8000 &+ number))
}

/// An input's id that is made from a number.
func inputId(_ number: UInt64) -> Uuid { Uuid(high: 0x1111 &* number, low: number &* 0x9E37_79B9_7F4A_7C15) }

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A command for a stream.
func input(
    _ number: UInt64,
    for stream: StreamName,
    kind: InputKind = .command,
    name: String = "payment.test"
) -> InputRecord {
    InputRecord(
        id: inputId(number),
        stream: stream,
        kind: kind,
        name: name,
        meta: bytes(#"{"actor":"tests"}"#),
        body: [0, 1, 255] + bytes("body \(number)"),
        receivedAt: Timestamp(microseconds: 1_700_000_000_123_456)
    )
}

func record(_ base: Int32, events: Int) -> DecisionRecord {
    DecisionRecord(
        baseVersion: base,
        context: bytes(#"{"now":"2026-01-01T00:00:00Z", "b":1}"#),
        versions: bytes(#"{"decider":1}"#),
        outcome: .events(events)
    )
}

func draft(_ text: String) -> EventDraft {
    EventDraft(type: "payment.tested.v1", data: bytes(#"{"z":1,"text":"\#(text)","a":[1, 2]}"#))
}

/// A unit on the fast path with `events` events.
func unit(
    _ stream: StreamName,
    input number: UInt64,
    base: Int32,
    events: Int = 1,
    mac: [UInt8]? = nil,
    references: [Reference] = [],
    answers: EffectLease? = nil,
    effects: [EffectChange] = [],
    timers: Timers = .none,
    forwards: [InputRecord] = []
) -> CommitUnit {
    CommitUnit(
        stream: stream,
        input: .new(input(number, for: stream)),
        record: record(base, events: events),
        events: (0..<events).map { draft("\(number)/\($0)") },
        commandMac: mac,
        references: references,
        answers: answers,
        effects: effects,
        timers: timers,
        forwards: forwards
    )
}

/// A unit whose input was admitted before.
func admitted(
    _ lease: MailLease,
    input id: Uuid,
    base: Int32,
    events: Int = 1,
    mac: [UInt8]? = nil,
    effects: [EffectChange] = [],
    timers: Timers = .none
) -> CommitUnit {
    CommitUnit(
        stream: lease.stream,
        input: .admitted(id: id, fence: lease.fence),
        record: record(base, events: events),
        events: (0..<events).map { draft("admitted \($0)") },
        commandMac: mac,
        effects: effects,
        timers: timers
    )
}

func effect(
    _ number: UInt64,
    now: Timestamp,
    notBefore: Duration = .zero,
    sendBefore: Duration = .seconds(600),
    deadline: Duration = .seconds(30),
    account: UInt64 = 1
) -> NewEffect {
    NewEffect(
        id: Uuid(high: 0xEFFE, low: number),
        account: Uuid(high: 0xACC0, low: account),
        ordinal: 1,
        template: [0, 255] + bytes("template \(number)"),
        notBefore: now.adding(notBefore),
        sendBefore: now.adding(sendBefore),
        deadline: deadline
    )
}

extension CommitOutcome {
    var isCommitted: Bool {
        switch self {
        case .committed: true
        case .duplicate, .conflict, .busy, .fenced, .referenceTaken, .foreign: false
        }
    }
}
