import EventSourcing
import Kernel
import TestKit
import Testing

/// What both stores promise about the log.
struct EventStoreContractTests {
    /// A reader goes on behind the last event that it holds only where the log has that very event.
    @Test(arguments: StoreKind.allCases)
    func `a committed unit is read back byte for byte`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let outcomes = try await store.commit([unit(stream(1), input: 1, base: 0, events: 3, mac: [9, 8])])
            guard case .committed(version: 3, let position, let recorded, _) = outcomes.first else {
                Issue.record("\(outcomes)")
                return
            }
            let events = try await store.load([(stream(1), 0)]).first ?? []
            #expect(events == recorded)
            #expect(events.map(\.version) == [1, 2, 3])
            let pages = try await store.load([(stream(1), 0), (stream(1), 1), (stream(1), 2)], atMost: 2)
            #expect(pages.map { $0.map(\.version) } == [[1, 2], [2, 3], [3]])
            #expect(events.map(\.data) == (0..<3).map { draft("1/\($0)").data })
            #expect(events.allSatisfy { $0.cause == inputId(1) && $0.stream == stream(1) })
            #expect(events.map(\.position) == events.map(\.position).sorted())
            #expect(events.allSatisfy { $0.position < position })
            #expect(try await store.input(inputId(1), merchant: merchant) == input(1, for: stream(1)))
            let other = MerchantNumber(merchant.value + 1)
            let several = try await store.inputs([(inputId(9), merchant), (inputId(1), other), (inputId(1), merchant)])
            #expect(several == [input(1, for: stream(1))])
            let decision = try await store.decision(inputId(1), merchant: merchant)
            #expect(decision?.record == record(0, events: 3))
            #expect(decision?.position == position)
            let known = try await store.command(inputId(1), merchant: merchant)
            #expect(known == KnownCommand(mac: [9, 8], stream: stream(1), version: 3))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the same call again answers duplicate and writes nothing`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let units = [unit(stream(1), input: 1, base: 0, events: 2), unit(stream(2), input: 2, base: 0, events: 0)]
            #expect(try await store.commit(units).allSatisfy(\.isCommitted))
            #expect(try await store.commit(units) == [.duplicate(version: 2), .duplicate(version: 0)])
            #expect(try await store.events(after: 0, limit: 100).rows.count == 2)
            #expect(try await store.decisions(after: 0, limit: 100).rows.count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a conflict of one stream leaves its neighbours committed`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            _ = try await store.commit([unit(stream(2), input: 1, base: 0, events: 2)])
            let outcomes = try await store.commit([
                unit(stream(3), input: 2, base: 0), unit(stream(2), input: 3, base: 1),
                unit(stream(1), input: 4, base: 0),
                unit(stream(4), input: 5, base: 9),
            ])
            #expect(outcomes.map(\.isCommitted) == [true, false, true, false])
            #expect(outcomes[1] == .conflict(version: 2))
            #expect(outcomes[3] == .conflict(version: 0))
            #expect(try await store.input(inputId(3), merchant: merchant) == nil)
            #expect(try await store.load([(stream(4), 0), (stream(2), 1)]).map(\.count) == [0, 1])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a decision without events moves no version and is kept`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let rejection = CommitUnit(
                stream: stream(1),
                input: .new(input(1, for: stream(1))),
                record: DecisionRecord(
                    baseVersion: 0,
                    context: bytes("{}"),
                    versions: bytes("{}"),
                    outcome: .rejected(code: "amount", detail: bytes(#"{"limit":1}"#))
                ),
                events: []
            )
            #expect(try await store.commit([rejection]).allSatisfy(\.isCommitted))
            let outcome = try await store.decision(inputId(1), merchant: merchant)?.record.outcome
            #expect(outcome == .rejected(code: "amount", detail: bytes(#"{"limit":1}"#)))
            #expect(try await store.commit([unit(stream(1), input: 2, base: 0)]).allSatisfy(\.isCommitted))
            #expect(try await store.commit([unit(stream(1), input: 3, base: 0)]) == [.conflict(version: 1)])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an input is known once, whoever brings it`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let records = [input(1, for: stream(1)), input(2, for: stream(1)), input(1, for: stream(1))]
            #expect(try await store.admit(records) == [true, true, false])
            #expect(try await store.admit(records) == [false, false, false])
            #expect(try await store.commit([unit(stream(1), input: 1, base: 0)]) == [.busy])
            #expect(try await store.commit([unit(stream(9), input: 2, base: 0)]) == [.busy])
            #expect(try await store.admit([input(1, for: stream(1, of: MerchantNumber(8)))]) == [true])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a new input is busy while its stream has undecided ones`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            _ = try await store.admit([input(1, for: stream(1))])
            #expect(try await store.commit([unit(stream(1), input: 2, base: 0)]) == [.busy])
            let claims = try await store.claimMail(owner: "a", lease: .seconds(15))
            #expect(try await store.commit([admitted(claims[0], input: inputId(1), base: 0)])[0].isCommitted)
            #expect(try await store.commit([unit(stream(1), input: 2, base: 1)])[0].isCommitted)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a reference belongs to one stream for ever`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let name = Reference(account: Uuid(high: 1, low: 1), kind: "payment", value: "P-1")
            let other = Reference(account: Uuid(high: 1, low: 1), kind: "operation", value: "P-1")
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, references: [name])])
            let outcomes = try await store.commit([
                unit(stream(1), input: 2, base: 1, references: [name, other]),
                unit(stream(2), input: 3, base: 0, references: [name]),
            ])
            #expect(outcomes[0].isCommitted)
            #expect(outcomes[1] == .referenceTaken(name, by: stream(1)))
            #expect(try await store.resolve(name, merchant: merchant) == stream(1))
            #expect(try await store.resolve(other, merchant: merchant) == stream(1))
            #expect(try await store.resolve(name, merchant: MerchantNumber(8)) == nil)
            #expect(try await store.load([(stream(2), 0)]) == [[]])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an id is a stream of the kind that its first event settled, and none of any other`(_ kind: StoreKind)
        async throws
    {
        try await withStore(kind) { store async throws in
            let payment = stream(1)
            for (number, other) in StreamKind.allCases.enumerated() where other != .payment {
                let number = UInt64(number)
                let foreign = StreamName(merchant, other, stream(10 + number).id)
                // Nothing was written yet: whoever writes first settles it, a refusal without events does not.
                #expect(try await store.commit([unit(foreign, input: 100 + number, base: 0, events: 0)])[0].isCommitted)
                let own = StreamName(merchant, .payment, foreign.id)
                #expect(try await store.commit([unit(own, input: 200 + number, base: 0)])[0].isCommitted)
                let late = [
                    unit(foreign, input: 300 + number, base: 0),
                    unit(stream(90 + number), input: 400 + number, base: 0),
                ]
                let outcomes = try await store.commit(late)
                #expect(outcomes[0] == .foreign(.payment))
                #expect(outcomes[1].isCommitted, "a neighbour is not disturbed")
                #expect(try await store.commit([unit(foreign, input: 500 + number, base: 1)]) == [.foreign(.payment)])
                #expect(try await store.load([(foreign, 0), (own, 0)]).map(\.count) == [0, 1])
                #expect(try await store.input(inputId(300 + number), merchant: merchant) == nil)
            }
            // What is admitted to a foreign kind waits in the mailbox of the stream that there is.
            _ = try await store.commit([unit(payment, input: 1, base: 0)])
            let stray = input(2, for: StreamName(merchant, .transfer, payment.id))
            #expect(try await store.admit([stray]) == [true])
            let claims = try await store.claimMail(owner: "a", lease: .seconds(15))
            #expect(claims.map(\.stream) == [payment])
            #expect(try await store.undecided(claims, limit: 9)[0].map(\.stream) == [payment])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `two units of one call that want one name or one input do not both get it`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let name = Reference(account: Uuid(high: 1, low: 1), kind: "payment", value: "P-1")
            let (low, high) = (min(stream(1), stream(2)), max(stream(1), stream(2)))
            let outcomes = try await store.commit([
                unit(high, input: 1, base: 0, references: [name]), unit(low, input: 2, base: 0, references: [name]),
                unit(stream(3), input: 3, base: 0),
            ])
            #expect(outcomes[0] == .referenceTaken(name, by: low))
            #expect(outcomes[1].isCommitted && outcomes[2].isCommitted)
            let twins = try await store.commit([
                unit(max(stream(5), stream(6)), input: 9, base: 0, events: 2),
                unit(min(stream(5), stream(6)), input: 9, base: 0, events: 3),
            ])
            #expect(twins[0] == .duplicate(version: 3))
            #expect(twins[1].isCommitted)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a page of the log is in order and its horizon covers it`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            for number in 1...5 as ClosedRange<UInt64> {
                _ = try await store.commit([unit(stream(number), input: number, base: 0, events: 2)])
            }
            let first = try await store.events(after: 0, limit: 4)
            #expect(first.rows.count == 4)
            let rest = try await store.events(after: first.rows[3].position, limit: 100)
            let positions = (first.rows + rest.rows).map(\.position)
            #expect(positions.count == 10)
            #expect(positions == positions.sorted())
            #expect(rest.horizon >= positions[9])
            let decisions = try await store.decisions(after: 0, limit: 100)
            #expect(decisions.rows.map(\.input) == (1...5).map { inputId($0) })
            #expect(try await store.events(after: rest.horizon, limit: 10).rows.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a decision forwards inputs to other streams once`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let forwards = [input(50, for: stream(8)), input(51, for: stream(9))]
            let first = unit(stream(1), input: 1, base: 0, forwards: forwards)
            let stale = unit(stream(2), input: 2, base: 4, forwards: [input(52, for: stream(9))])
            #expect(try await store.commit([first, stale]).map(\.isCommitted) == [true, false])
            _ = try await store.commit([unit(stream(1), input: 3, base: 1, forwards: forwards)])
            let claims = try await store.claimMail(owner: "a", lease: .seconds(15))
            #expect(Set(claims.map(\.stream)) == [stream(8), stream(9)])
            let waiting = try await store.undecided(claims, limit: 10)
            #expect(Set(waiting.flatMap { $0.map(\.id) }) == [inputId(50), inputId(51)])
        }
    }
}
