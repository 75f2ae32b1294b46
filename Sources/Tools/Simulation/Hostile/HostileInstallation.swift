import Crypto
import Decisions
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Telemetry
import TestKit

/// One installation that a case is played in: the production engine, a store in memory, a clock that jumps, and the real
/// adapter of one account.
final class HostileInstallation: Sendable {
    static let merchant = MerchantNumber(1)
    static let account = Uuid(high: 0xACC0, low: 1)
    private static let start = Timestamp(seconds: 1_800_000_000)
    private static let publicUrl = "https://pay.example"

    let provider: SimulatedProvider
    let time: SimulatedTime
    let store: MemoryStore
    let capabilities: Capabilities
    private let rows: MemorySubjectKeys
    let vault: KeyVault
    let engine: Engine

    /// An empty installation, in front of the stand-in that is made for its clock.
    convenience init(_ provider: SimulatedProvider, _ standIn: (SimulatedTime, Capabilities) -> any Transport) throws {
        let time = SimulatedTime(Self.start)
        let store = MemoryStore(clock: { [time] in time.now })
        try self.init(provider, time, store, MemorySubjectKeys(), standIn)
    }

    private init(
        _ provider: SimulatedProvider,
        _ time: SimulatedTime,
        _ store: MemoryStore,
        _ rows: MemorySubjectKeys,
        _ standIn: (SimulatedTime, Capabilities) -> any Transport
    ) throws {
        self.provider = provider
        self.time = time
        self.store = store
        self.rows = rows
        capabilities = try provider.adapter.capabilities(Self.settings(provider))
        vault = KeyVault(
            ring: KeyRing(newest: MasterKey(SymmetricKey(from: SeededRandom(seed: 7)))),
            rows: rows,
            random: SeededRandom(seed: 8),
            clock: { [time] in time.now }
        )
        engine = Engine(
            EngineParts(
                store: store,
                adapters: AdapterRegistry([provider.adapter]),
                vault: vault,
                quarantine: NoQuarantine(),
                transport: standIn(time, capabilities),
                publicUrl: Self.publicUrl,
                clock: { [time] in time.now },
                log: Logger(sink: NoLines(), now: { [time] in time.now }),
                meters: EngineMeters(MetricRegistry()),
                owner: "node",
                build: "table",
                zones: FixedZones(),
                time: EngineTime(now: { [time] in time.forward }, sleep: { [time] in time.advance(by: $0) }),
                patience: .zero,
                recovery: store
            )
        )
    }

    /// Another installation that goes on from here.
    func fork(_ standIn: (SimulatedTime, Capabilities) -> any Transport) throws -> HostileInstallation {
        let time = SimulatedTime(time.now)
        let store = MemoryStore(from: store.backup(), clock: { [time] in time.now })
        return try HostileInstallation(provider, time, store, rows, standIn)
    }

    static func settings(_ provider: SimulatedProvider) -> AccountSettings {
        let facts = AccountFacts(
            id: account,
            name: provider.name,
            provider: provider.name,
            mode: .test,
            version: 1
        )
        return AccountSettings(account: facts, values: provider.settings, notificationUrl: "", returnUrl: "")
    }

    // MARK: What is asked of it

    func configure(_ secrets: [String: Secret]) async throws {
        let configuration = AccountConfiguration(
            name: provider.name,
            provider: provider.name,
            mode: .test,
            settings: provider.settings,
            secrets: vault.seal(secrets: secrets, account: Self.account, merchant: Self.merchant),
            currencies: nil
        )
        let stream = StreamName(Self.merchant, .account, Self.account)
        try await command(AccountCommand.Name.configure.rawValue, configuration.json, on: stream)
    }

    /// Saves what a customer saved before: a card, or what stands for a login and password.
    func save(_ id: InstrumentId, _ document: Json, scheme: String) async throws {
        let isCard = scheme != InstrumentFact.credentialsScheme
        let paths: [JsonPath] = isCard ? ["token"] : ["login", "token"]
        let sealed = try await vault.seal(document, paths: paths, subject: Self.account, merchant: Self.merchant)
        let fact = InstrumentFact(
            token: sealed["token"] ?? .null,
            fingerprint: "f-\(id)",
            masked: isCard ? "431422******0056" : "Lo***",
            scheme: scheme,
            expiryYear: isCard ? 2040 : nil,
            expiryMonth: isCard ? 12 : nil,
            login: sealed["login"]
        )
        let saved = SavedInstrument(fact: fact, account: Self.account, customer: "customer", payment: nil)
        let stream = StreamName(Self.merchant, .instrument, id.uuid)
        try await command(InstrumentCommand.Name.save.rawValue, InstrumentCommand.save(saved).json, on: stream)
    }

    func command(_ name: String, _ body: Json, on stream: StreamName, by person: String? = nil) async throws {
        try await command(name, body.canonical, [:], on: stream, by: person)
    }

    /// Asks for something that is not refused.
    func command(
        _ name: String,
        _ body: [UInt8],
        _ members: [String: Json],
        on stream: StreamName,
        by person: String? = nil
    ) async throws {
        let outcome = await ask(name, body, members, on: stream, by: person)
        guard case .decided(_, .events) = outcome else { throw HostileFailure(what: "\(name): \(outcome)") }
    }

    func ask(
        _ name: String,
        _ body: [UInt8],
        _ members: [String: Json] = [:],
        on stream: StreamName,
        by person: String? = nil
    ) async -> WorkOutcome {
        time.advance(by: .milliseconds(1))
        let plain = InputMeta.command(
            actor: Actor(id: person ?? "backend", isOperator: person != nil),
            account: Self.account,
            traceparent: nil,
            correlation: nil
        )
        var meta = (try? Json(plain))?.members ?? JsonObject([])
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { meta[name] = value }
        let input = InputRecord(
            id: CommandIntake.inputId(Self.merchant, key: "\(name):\(time.now.microseconds)"),
            stream: stream,
            kind: .command,
            name: name,
            meta: Json.object(meta).canonical,
            body: body,
            receivedAt: time.now
        )
        return await engine.decisions.decide([Work(input: input, fence: nil)])[0]
    }

    // MARK: Time

    /// Lets so much time pass, and everything happen that falls due in it.
    func live(for span: Duration) async throws {
        let end = time.now.adding(span)
        while true {
            try await work()
            guard let next = store.nextDue(after: time.now, grace: Scheduler.grace), next <= end else {
                return time.advance(to: end)
            }
            time.advance(to: next)
        }
    }

    private func work() async throws {
        for _ in 0..<Self.turns {
            let due = store.due(at: time.now, grace: Scheduler.grace)
            guard due.mail || due.effects || due.chores || engine.health.hasPending else { return }
            if due.mail { _ = try await engine.mail.run() }
            if due.chores { _ = try await engine.scheduler.runOnce() }
            _ = try await engine.health.runOnce()
            if due.effects { for ready in try await engine.sender.prepare() { await engine.sender.send(ready) } }
        }
        throw HostileFailure(what: "the engine never rests at \(time.now)")
    }

    /// Steps within one moment.
    private static let turns = 500

    // MARK: What is held against the rules

    /// Messages without a licence, and whatever could not be decided.
    func breaches() async throws -> [String] {
        let check = LicenseCheck(store: store, adapters: AdapterRegistry([provider.adapter]))
        let licenses = try await check.verify().breaches.map { "licence: \($0.json.canonicalText)" }
        return store.quarantined.map { "quarantine: \($0.reason)" } + licenses
    }
}

struct HostileFailure: Error { let what: String }
