import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// Schedules in the whole engine: due occurrences become payments, and payments tell their schedules what became of them.
struct ScheduleEngineTests {
    private let card = InstrumentId(Uuid(high: 0x1257, low: 1))

    private func euros(_ minor: Int64) throws -> Money { Money(minor, try #require(Currency("EUR"))) }

    /// A harness whose account charges by token, with a saved card.
    private func harness() async throws -> EngineHarness {
        let harness = try await EngineHarness(
            settings: [
                "currencies": ["EUR"], "gateTokenPaths": ["sale": "/v2/payment/card/sale/token"], "projectId": 42,
            ],
            zones: FixedZones()
        )
        let sealed = try await harness.vault.seal(
            ["token": "tok"],
            paths: ["token"],
            subject: harness.account,
            merchant: harness.merchant
        )
        let fact = InstrumentFact(
            token: sealed["token"] ?? .null,
            fingerprint: "f-1",
            masked: "431422******0056",
            scheme: "visa",
            expiryYear: 2040,
            expiryMonth: 12
        )
        let saved = SavedInstrument(fact: fact, account: harness.account, customer: "cust-7", payment: nil)
        let outcome = await harness.command(
            StreamName(harness.merchant, .instrument, card.uuid),
            InstrumentCommand.Name.save.rawValue,
            InstrumentCommand.save(saved).json
        )
        guard case .decided(_, .events(1)) = outcome else { throw HarnessFailure(what: "card: \(outcome)") }
        return harness
    }

    /// The harness begins on 2027-01-15T08:00:00Z.
    private func terms(_ harness: EngineHarness, catchUp: CatchUp = .standard) throws -> ScheduleTerms {
        ScheduleTerms(
            kind: .regular,
            runner: .paystream,
            presence: .unattended,
            account: harness.account,
            instrument: card,
            fallback: nil,
            customer: "cust-7",
            reference: "sub-1",
            description: nil,
            amount: try euros(1999),
            rule: ScheduleRule(
                cadence: .every(1, .month),
                start: try #require(CivilDate("2027-01-31")),
                time: try #require(TimeOfDay("10:00")),
                zone: "Test/East"
            ),
            mandate: Mandate(),
            activation: .verify,
            activateBy: harness.clock.now.adding(.seconds(86_400)),
            policy: FiringPolicy(catchUp: catchUp),
            details: ["payer": ["email": "payer@example.org"]],
            metadata: [:]
        )
    }

    private func stream(_ harness: EngineHarness) -> StreamName {
        StreamName(harness.merchant, .schedule, Uuid(high: 0x5CED, low: 1))
    }

    private func schedule(_ harness: EngineHarness) async throws -> Schedule {
        try ScheduleDecider.fold(stream(harness), try await harness.store.load([(stream(harness), 0)])[0])
    }

    private func send(_ harness: EngineHarness, _ command: ScheduleCommand, key: String) async throws {
        let outcome = await harness.command(stream(harness), command.name.rawValue, command.json, key: key)
        guard case .decided(_, .events) = outcome else { throw HarnessFailure(what: "\(command.name): \(outcome)") }
    }

    /// An active schedule whose charges the provider takes and tells of later.
    private func started(catchUp: CatchUp = .standard) async throws -> EngineHarness {
        let harness = try await harness()
        harness.wire.play { _ in .answered(.json(200, ["project_id": 42, "request_id": "r-1", "status": "success"])) }
        try await send(harness, .create(try terms(harness, catchUp: catchUp)), key: "create")
        let first = Activation(payment: PaymentId(Uuid(high: 1, low: 1)), mode: .verify, instrument: card, series: nil)
        try await send(harness, .activate(first), key: "activate")
        return harness
    }

    private func move(_ harness: EngineHarness, to text: String) async throws {
        let moment = try #require(Timestamp(text))
        harness.clock.advance(by: moment.since(harness.clock.now))
        try await harness.settle()
    }

    private func charges(_ harness: EngineHarness) -> [String] {
        harness.wire.sent.filter { $0.url.hasSuffix("/sale/token") }.map(\.url)
    }

    @Test func `each month becomes one charge, and its outcome comes back to the schedule`() async throws {
        let harness = try await started()
        try await harness.settle()
        #expect(charges(harness).isEmpty)
        for (ordinal, day) in ["2027-01-31", "2027-02-28", "2027-03-31"].enumerated() {
            try await move(harness, to: "\(day)T07:00:00Z")
            #expect(charges(harness).count == ordinal + 1)
            let id = try await schedule(harness).payment(ordinal + 1, attempt: 1)
            let payment = try await harness.payment(id)
            #expect(payment.terms?.occurrence?.ordinal == ordinal + 1)
            let sale = CallbackOperation(id: Int64(ordinal + 1), type: "sale", status: "success", minor: 1999)
            try await harness.deliver(id, sale, status: "success")
            #expect(try await schedule(harness).paid[ordinal + 1] == id)
        }
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
    }

    @Test func `two nodes that both fire make one payment for an ordinal`() async throws {
        let harness = try await started()
        let other = harness.neighbour()
        let moment = try #require(Timestamp("2027-01-31T07:00:01Z"))
        harness.clock.advance(by: moment.since(harness.clock.now))
        _ = try await harness.engine.upkeep.runOnce()
        _ = try await other.upkeep.runOnce()
        _ = try await other.mail.run()
        try await harness.settle()
        #expect(charges(harness).count == 1)
        #expect(try await schedule(harness).tries.count == 1)
    }

    @Test func `a declined charge is tried again after the policy's delay, as another payment`() async throws {
        let harness = try await started()
        try await move(harness, to: "2027-01-31T07:00:00Z")
        let first = try await schedule(harness).payment(1, attempt: 1)
        let sale = CallbackOperation(id: 1, type: "sale", status: "decline", minor: 1999)
        try await harness.deliver(first, sale, status: "decline")
        let open = try #require(try await schedule(harness).open[1])
        #expect(open.attempts == 1)
        guard let wake = try await schedule(harness).wake, wake < (try #require(Timestamp("2027-02-28T00:00:00Z")))
        else {
            Issue.record("no retry: \(open.state) \(try await harness.payment(first).status)")
            return
        }
        try await move(harness, to: wake.description)
        #expect(charges(harness).count == 2)
        #expect(try await schedule(harness).payment(1, attempt: 2) != first)
    }

    @Test func `a payment that is refused before it begins fails its occurrence`() async throws {
        let harness = try await started()
        let removed = await harness.command(
            StreamName(harness.merchant, .account, harness.account),
            AccountCommand.Name.close.rawValue,
            [:],
            key: "close"
        )
        #expect(removed == .decided(version: 2, .events(1)))
        let instrument = StreamName(harness.merchant, .instrument, card.uuid)
        _ = await harness.command(instrument, "instrument.remove", ["reason": "lost"], key: "remove")
        try await move(harness, to: "2027-01-31T07:00:00Z")
        let found = try await schedule(harness)
        #expect(charges(harness).isEmpty)
        #expect(found.status == .paused && !found.hasTryInFlight)
    }

    @Test func `an outage of months charges the newest occurrence alone`() async throws {
        let harness = try await started()
        let moment = try #require(Timestamp("2027-06-10T12:00:00Z"))
        harness.clock.advance(by: moment.since(harness.clock.now))
        try await harness.settle()
        #expect(charges(harness).isEmpty)
        harness.clock.advance(by: .seconds(3600))
        try await harness.settle()
        #expect(charges(harness).count == 1)
        #expect(try await schedule(harness).open.keys.sorted().first == 5)
    }

    @Test func `an unknown zone is refused, and so is a series at an account that can't charge unattended`()
        async throws
    {
        let plain = try await EngineHarness()
        let refused = await plain.command(stream(plain), "schedule.create", try terms(plain).json, key: "c")
        guard case .decided(_, .rejected(let code, _)) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(code == "unattended_not_supported")
        let harness = try await harness()
        var elsewhere = try terms(harness)
        elsewhere.rule = ScheduleRule(
            cadence: .every(1, .month),
            start: try #require(CivilDate("2027-01-31")),
            time: .noon,
            zone: "Test/Nowhere"
        )
        let unknown = await harness.command(stream(harness), "schedule.create", elsewhere.json, key: "c")
        guard case .decided(_, .rejected("zone_unknown", _)) = unknown else {
            Issue.record("\(unknown)")
            return
        }
    }
}
