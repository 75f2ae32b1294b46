import Crypto
import Decisions
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Schedules
import Telemetry
import TestKit
import WorldlineDirect

/// The engine over the memory store and a clock that the test moves, with this adapter and a wire that the test plays.
final class House: Sendable {
    let clock = ManualClock(Shop.now)
    let store: MemoryStore
    let engine: Engine
    let vault: KeyVault
    let wire = PlayedWire()
    let merchant = MerchantNumber(1)
    let account = Uuid(high: 0xACC0, low: 1)

    init() async throws {
        let clock = clock
        store = MemoryStore(clock: clock)
        vault = KeyVault(
            ring: KeyRing(newest: MasterKey(SymmetricKey(from: SeededRandom(seed: 7)))),
            rows: MemorySubjectKeys(),
            random: SeededRandom(seed: 8),
            clock: { clock.now }
        )
        engine = Engine(
            EngineParts(
                store: store,
                adapters: AdapterRegistry([WorldlineAdapter()]),
                vault: vault,
                quarantine: NoQuarantine(),
                transport: wire,
                publicUrl: "https://pay.example",
                clock: { clock.now },
                log: Logger(sink: SilentLog(), now: { clock.now }),
                meters: EngineMeters(MetricRegistry()),
                owner: "test",
                build: "test",
                zones: FixedZones(),
                recovery: store
            )
        )
        try await configure()
    }

    struct Failure: Error { let what: String }

    struct SilentLog: LogSink {
        func write(_ line: [UInt8]) {}
    }

    private func configure() async throws {
        let secrets = [
            "apiKeyId": Secret("KEYID0001"), "secretApiKey": Secret("secret"), "webhookKeys": Secret(Shop.webhookKeys),
        ]
        let configuration = AccountConfiguration(
            name: "worldline-eur",
            provider: "worldline",
            mode: .test,
            settings: ["currencies": ["EUR"], "merchantId": "PSPID01"],
            secrets: vault.seal(secrets: secrets, account: account, merchant: merchant),
            currencies: nil
        )
        let stream = StreamName(merchant, .account, account)
        let name = AccountCommand.Name.configure.rawValue
        let outcome = await decide(stream, name, configuration.json, key: "account")
        guard case .decided(_, .events(1)) = outcome else { throw Failure(what: "account: \(outcome)") }
    }

    func decide(_ stream: StreamName, _ name: String, _ body: Json, key: String) async -> WorkOutcome {
        let meta = InputMeta.command(
            actor: Actor(id: "backend", isOperator: false),
            account: account,
            traceparent: nil,
            correlation: nil
        )
        let input = InputRecord(
            id: CommandIntake.inputId(merchant, key: key),
            stream: stream,
            kind: .command,
            name: name,
            meta: meta,
            body: body.canonical,
            receivedAt: clock.now
        )
        return await engine.decisions.decide([Work(input: input, fence: nil)])[0]
    }

    func create(_ mode: PaymentMode, _ method: PaymentMethod, details: Json = [:]) async throws -> PaymentId {
        let id = PaymentId(.version5(namespace: CommandIntake.inputId(merchant, key: "create"), name: "payment"))
        let terms = Shop.terms(mode, method, details: details, expiresAt: clock.now.adding(.seconds(3600)))
        let outcome = await decide(stream(id), PaymentCommand.Name.create.rawValue, terms.json, key: "create")
        guard case .decided(_, .events) = outcome else { throw Failure(what: "create: \(outcome)") }
        return id
    }

    @discardableResult
    func command(_ id: PaymentId, _ name: String, _ body: Json) async -> WorkOutcome {
        await decide(stream(id), name, body, key: "\(name):\(clock.now.microseconds)")
    }

    func instrument(_ id: InstrumentId, _ command: InstrumentCommand) async throws {
        let stream = StreamName(merchant, .instrument, id.uuid)
        let outcome = await decide(stream, command.name.rawValue, command.json, key: "\(command.name.rawValue)")
        guard case .decided(_, .events) = outcome else { throw Failure(what: "instrument: \(outcome)") }
    }

    func stream(_ id: PaymentId) -> StreamName { StreamName(merchant, .payment, id.uuid) }

    func payment(_ id: PaymentId) async throws -> Payment {
        try Payment.fold(stream(id), try await store.load([(stream(id), 0)])[0])
    }

    func schedule(_ stream: StreamName) async throws -> Schedule {
        try Schedule.fold(stream, try await store.load([(stream, 0)])[0])
    }

    /// Lets every loop work until nothing is left to do now.
    func settle() async throws {
        for _ in 0..<100 {
            var found = try await engine.mail.run() + engine.scheduler.runOnce() + engine.health.runOnce()
            for ready in try await engine.sender.prepare() {
                found += 1
                await engine.sender.send(ready)
            }
            if found == 0 { return }
        }
        throw Failure(what: "the engine never rests")
    }

    /// An event about a payment, as it is stored.
    func deliver(_ id: PaymentId, _ payment: Json) async throws {
        let body = Message.event("payment.any", payment).compactBytes
        let input = InputRecord(
            id: .version5(namespace: account, name: Hex.encode(Digest.sha256(body))),
            stream: stream(id),
            kind: .notification,
            name: "worldline.notification",
            meta: Json.object(JsonObject([("trust", "verified")])).canonical,
            body: body,
            receivedAt: clock.now
        )
        _ = try await store.admit([input])
        try await settle()
    }
}
