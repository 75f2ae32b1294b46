import EventSourcing
import Kernel
import Payments
import Postgres
import Projections
import Store
import TestKit
import Testing

/// What is listed as owed beside payments, read from the rows of what is under way.
struct OpenItemRowsTests {
    @Test(arguments: [
        (StreamKind.chunk, OpenItem.Kind.chunk), (.billBatch, .price), (.instrument, .removal), (.schedule, .series),
    ])
    func `a message that no payment sent has an owner and a deadline, and a stuck one is a person's`(
        _ row: (kind: StreamKind, openItem: OpenItem.Kind)
    ) async throws {
        try await withPostgres { store, database async throws in
            let merchant = stream(1).merchant
            let planned = effect(1, now: try await store.now())
            let own = StreamName(merchant, row.kind, Uuid(high: 0xB111, low: 1))
            _ = try await store.commit([unit(own, input: 1, base: 0, effects: [.create(planned)])])
            _ = try await store.commit([
                unit(stream(2), input: 2, base: 0, effects: [.create(effect(2, now: try await store.now()))])
            ])
            let owed = try await OpenItemRows(store).openItems(of: merchant, limit: 10)
            #expect(owed.map(\.kind) == [row.openItem] && owed.map(\.owner) == [.provider])
            #expect(owed.map(\.deadline) == [planned.sendBefore])
            let connection = try await PostgresConnection.connect(database.options)
            let sql = "UPDATE paystream.effect SET state = 3, send_before = now() - interval '301 s'"
            try await connection.execute(sql)
            await connection.close()
            let stuck = try await OpenItemRows(store).openItems(of: merchant, limit: 10)
            #expect(stuck.map(\.owner) == [.operator] && stuck.map(\.reason) == ["answer_stuck"])
        }
    }

    @Test func `a matter's name stays short, whoever chose it`() {
        func named(_ name: String) -> String {
            OpenItem(kind: .arrival, name: name, owner: .operator, nextStep: .resolve, reason: "x", since: nil).name
        }
        #expect(named("order_id 42") == "order_id 42")
        let long = named(String(repeating: "x", count: 5000))
        #expect(long.count == OpenItem.nameCharacters && long.hasSuffix("…"))
    }

    @Test func `an input is decided again once, at its own place`() async throws {
        try await withPostgres { store, _ async throws in
            let registers = Registers(store)
            _ = try await store.admit([input(1, for: stream(1)), input(2, for: stream(1))])
            let lease = try await store.claimMail(owner: "a", lease: .seconds(15))[0]
            try await store.quarantine(inputId(1), lease: lease, reason: "test")
            #expect(try await OpenItemRows(store).openItems(of: stream(1).merchant, limit: 10).map(\.kind) == [.input])
            #expect(try await registers.retry(input: inputId(1), of: stream(1).merchant))
            #expect(try await !registers.retry(input: inputId(1), of: stream(1).merchant))
            #expect(try await store.undecided([lease], limit: 10)[0].map(\.id) == [inputId(1), inputId(2)])
        }
    }
}
