import Decisions
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// A monthly series of a saved card in the whole engine, as the tests of schedules play it.
struct ScheduleScene {
    let card = InstrumentId(Uuid(high: 0x1257, low: 1))
    /// What the payer allowed with the card.
    var mandate: InstrumentFact.Mandate?
    /// Which of the merchant's schedules it is.
    var number: UInt64 = 1

    func euros(_ minor: Int64) throws -> Money { Money(minor, try #require(Currency("EUR"))) }

    /// A harness whose account charges by token, with a saved card.
    func harness() async throws -> EngineHarness {
        let harness = try await EngineHarness(
            settings: [
                "currencies": ["EUR"], "gateTokenPaths": ["sale": "/v2/payment/card/sale/token"], "projectId": 42,
            ],
            zones: FixedZones()
        )
        _ = try await save(card, "f-1", in: harness)
        return harness
    }

    /// Saves a card of the customer's.
    func save(
        _ id: InstrumentId,
        _ fingerprint: String,
        of customer: String? = "cust-7",
        at account: Uuid? = nil,
        in harness: EngineHarness
    ) async throws -> InstrumentId {
        let save = try await saving(fingerprint, of: customer, at: account, in: harness)
        let outcome = await harness.command(
            StreamName(harness.merchant, .instrument, id.uuid),
            save.name.rawValue,
            save.json,
            key: "save-\(id)"
        )
        guard case .decided(_, .events(1)) = outcome else { throw HarnessFailure(what: "card: \(outcome)") }
        return id
    }

    /// The command that saves it.
    func saving(
        _ fingerprint: String,
        of customer: String? = "cust-7",
        at account: Uuid? = nil,
        in harness: EngineHarness
    ) async throws -> InstrumentCommand {
        let sealed = try await harness.vault.seal(
            ["token": "tok"],
            paths: ["token"],
            subject: harness.account,
            merchant: harness.merchant
        )
        let fact = InstrumentFact(
            token: sealed["token"] ?? .null,
            fingerprint: fingerprint,
            masked: "431422******0056",
            scheme: "visa",
            expiryYear: 2040,
            expiryMonth: 12,
            mandate: mandate
        )
        return .save(
            SavedInstrument(fact: fact, account: account ?? harness.account, customer: customer, payment: nil)
        )
    }

    /// The harness begins on 2027-01-15T08:00:00Z.
    func terms(_ harness: EngineHarness, catchUp: CatchUp = .standard, start: String = "2027-01-31") throws
        -> ScheduleTerms
    {
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
                start: try #require(CivilDate(start)),
                time: try #require(TimeOfDay("10:00")),
                zone: "Test/East"
            ),
            mandate: Mandate(),
            activation: .verify,
            activateBy: (harness.store.ownClock(of: harness.merchant)?.at ?? harness.clock.now).adding(
                .seconds(86_400)
            ),
            policy: FiringPolicy(catchUp: catchUp),
            details: ["payer": ["email": "payer@example.org"]],
            metadata: [:]
        )
    }

    func stream(_ harness: EngineHarness) -> StreamName {
        StreamName(harness.merchant, .schedule, Uuid(high: 0x5CED, low: number))
    }

    func schedule(_ harness: EngineHarness) async throws -> Schedule {
        try Schedule.fold(stream(harness), try await harness.store.load([(stream(harness), 0)])[0])
    }

    func send(_ harness: EngineHarness, _ command: ScheduleCommand, key: String) async throws {
        let outcome = await harness.command(stream(harness), command.name.rawValue, command.json, key: key)
        guard case .decided(_, .events) = outcome else { throw HarnessFailure(what: "\(command.name): \(outcome)") }
    }

    /// An active schedule whose charges the provider takes and tells of later.
    func started(catchUp: CatchUp = .standard) async throws -> EngineHarness {
        let harness = try await harness()
        try await start(harness, try terms(harness, catchUp: catchUp))
        return harness
    }

    /// Registers and activates a series at a provider that takes charges and tells of them later.
    func start(_ harness: EngineHarness, _ terms: ScheduleTerms) async throws {
        harness.wire.play { _ in .answered(.json(200, ["project_id": 42, "request_id": "r-1", "status": "success"])) }
        try await send(harness, .create(terms), key: "create \(number)")
        let first = Activation(payment: PaymentId(Uuid(high: 1, low: 1)), mode: .verify, instrument: card, series: nil)
        try await send(harness, .activate(first), key: "activate \(number)")
    }

    func move(_ harness: EngineHarness, to text: String) async throws {
        let moment = try #require(Timestamp(text))
        harness.clock.advance(by: moment.since(harness.clock.now))
        try await harness.settle()
    }

    func charges(_ harness: EngineHarness) -> [String] {
        harness.wire.sent.filter { $0.url.hasSuffix("/sale/token") }.map(\.url)
    }
}
