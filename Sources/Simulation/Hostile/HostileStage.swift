import Crypto
import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit
import Telemetry
import TestKit

/// One installation around one payment: the production engine, a store in memory, a clock that jumps, the real
/// adapter and a provider that does as it is told.
final class HostileStage: Sendable {
    static let merchant = MerchantNumber(1)
    static let account = Uuid(high: 0xACC0, low: 1)
    static let card = InstrumentId(Uuid(high: 0x1257, low: 1))
    private static let start = Timestamp(seconds: 1_800_000_000)
    private static let publicUrl = "https://pay.example"

    let wire: any HostileWire
    let time: SimulatedTime
    let store: MemoryStore
    let standIn: HostileStandIn
    let capabilities: Capabilities
    private let rows: MemorySubjectKeys
    private let vault: KeyVault
    private let engine: Engine
    let stream: StreamName

    /// An empty installation.
    convenience init(_ wire: any HostileWire) throws {
        let time = SimulatedTime(Self.start)
        let store = MemoryStore(clock: { [time] in time.now })
        try self.init(wire, time, store, MemorySubjectKeys(), HostileStandIn.State())
    }

    private init(
        _ wire: any HostileWire,
        _ time: SimulatedTime,
        _ store: MemoryStore,
        _ rows: MemorySubjectKeys,
        _ state: HostileStandIn.State
    ) throws {
        self.wire = wire
        self.time = time
        self.store = store
        self.rows = rows
        let facts = AccountFacts(
            id: Self.account,
            name: wire.provider.name,
            provider: wire.provider.name,
            mode: .test,
            version: 1
        )
        let values = wire.provider.settings
        capabilities = try wire.provider.adapter.capabilities(
            AccountSettings(account: facts, values: values, notificationUrl: "", returnUrl: "")
        )
        standIn = HostileStandIn(wire, time, lag: { [capabilities] in Self.lag(capabilities, $0) }, state)
        vault = KeyVault(
            ring: KeyRing(newest: MasterKey(SymmetricKey(from: SeededRandom(seed: 7)))),
            rows: rows,
            random: SeededRandom(seed: 8),
            clock: { [time] in time.now }
        )
        engine = Engine(
            EngineParts(
                store: store,
                adapters: AdapterRegistry([wire.provider.adapter]),
                vault: vault,
                quarantine: NoQuarantine(),
                transport: standIn,
                publicUrl: Self.publicUrl,
                clock: { [time] in time.now },
                log: Logger(sink: NoLines(), now: { [time] in time.now }),
                meters: EngineMeters(MetricRegistry()),
                owner: "node",
                build: "table",
                time: EngineTime(now: { [time] in time.forward }, sleep: { [time] in time.advance(by: $0) }),
                patience: .zero,
                recovery: store
            )
        )
        stream = StreamName(Self.merchant, .payment, Uuid(high: 0x9A1, low: 1))
    }

    /// Another installation that goes on from here.
    func fork() throws -> HostileStage {
        let time = SimulatedTime(time.now)
        let store = MemoryStore(from: store.backup(), clock: { [time] in time.now })
        return try HostileStage(wire, time, store, rows, standIn.now)
    }

    /// Nearly as long as the declaration allows a provider to be silent about what it did; twelve minutes where none is
    /// declared.
    private static func lag(_ can: Capabilities, _ kind: OperationKind) -> Duration {
        let declared = can.recovery[kind]?.absenceProof ?? can.recovery.values.compactMap(\.absenceProof).min()
        return declared.map { $0 * 4 / 5 } ?? .seconds(720)
    }

    // MARK: What is asked of it

    func configure() async throws {
        let configuration = AccountConfiguration(
            name: wire.provider.name,
            provider: wire.provider.name,
            mode: .test,
            settings: wire.provider.settings,
            secrets: vault.seal(secrets: wire.secrets, account: Self.account, merchant: Self.merchant),
            currencies: nil
        )
        let stream = StreamName(Self.merchant, .account, Self.account)
        try await command(AccountCommand.Name.configure.rawValue, configuration.json, on: stream)
    }

    /// A card that a customer saved before.
    func saveCard() async throws {
        let sealed = try await vault.seal(
            ["token": "0123456789abcdef0123456789abcdef0123"],
            paths: ["token"],
            subject: Self.account,
            merchant: Self.merchant
        )
        let fact = InstrumentFact(
            token: sealed["token"] ?? .null,
            fingerprint: "f-1",
            masked: "431422******0056",
            scheme: "visa",
            expiryYear: 2040,
            expiryMonth: 12
        )
        let saved = SavedInstrument(fact: fact, account: Self.account, customer: "customer", payment: nil)
        let stream = StreamName(Self.merchant, .instrument, Self.card.uuid)
        try await command(InstrumentCommand.Name.save.rawValue, InstrumentCommand.save(saved).json, on: stream)
    }

    /// The same details with what must be stored nowhere in the engine's memory.
    func keepingOnce(_ details: Json) -> Json {
        wire.provider.adapter.declaration.onceDetailPaths.reduce(details) { details, path in
            details.replacing(path) { (value, _) throws(Never) in
                engine.once.keep(value, merchant: Self.merchant, at: time.now) ?? value
            }
        }
    }

    func command(_ command: PaymentCommand) async throws {
        try await self.command(command.name.rawValue, command.json, on: stream)
    }

    private func command(_ name: String, _ body: Json, on stream: StreamName) async throws {
        time.advance(by: .milliseconds(1))
        let input = InputRecord(
            id: CommandIntake.inputId(Self.merchant, key: "\(name):\(time.now.microseconds)"),
            stream: stream,
            kind: .command,
            name: name,
            meta: InputMeta.command(
                actor: Actor(id: "backend", isOperator: false),
                account: Self.account,
                traceparent: nil,
                correlation: nil
            ).canonical,
            body: body.canonical,
            receivedAt: time.now
        )
        let outcome = await engine.desk.decide([Work(input: input, fence: nil)])[0]
        guard case .decided(_, .events) = outcome else { throw HostileFailure(what: "\(name): \(outcome)") }
    }

    func payment() async throws -> Payment {
        let events = try await store.load([(stream, 0)])[0]
        return try events.reduce(into: Payment(id: PaymentId(stream.id))) { payment, recorded in
            payment.evolve(try PaymentEvent(type: recorded.type, data: recorded.data))
        }
    }

    // MARK: Time

    /// Lets so much time pass, and everything happen that falls due in it.
    func live(for span: Duration) async throws {
        let end = time.now.adding(span)
        while true {
            try await work()
            guard let next = store.nextDue(after: time.now, grace: Upkeep.grace), next <= end else {
                return time.advance(to: end)
            }
            time.advance(to: next)
        }
    }

    private func work() async throws {
        for _ in 0..<Self.turns {
            let due = store.due(at: time.now, grace: Upkeep.grace)
            guard due.mail || due.effects || due.chores else { return }
            if due.mail { _ = try await engine.mail.run() }
            if due.chores { _ = try await engine.upkeep.runOnce() }
            if due.effects { for ready in try await engine.sender.prepare() { await engine.sender.send(ready) } }
        }
        throw HostileFailure(what: "the engine never rests at \(time.now)")
    }

    /// Steps within one moment.
    private static let turns = 500

    func licences() async throws -> [String] {
        let check = LicenceCheck(store: store, adapters: AdapterRegistry([wire.provider.adapter]))
        return try await check.verify().breaches.map(\.json.canonicalText)
    }
}

struct HostileFailure: Error { let what: String }
