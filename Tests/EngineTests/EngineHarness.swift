import Crypto
import Decisions
import Ecommpay
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Portmone
import ProviderKit
import Telemetry
import TestKit

/// The whole engine over the memory store and a clock that the test moves, with the ecommpay adapter and a wire that the
/// test plays.
final class EngineHarness: Sendable {
    let clock = ManualClock(Timestamp(seconds: 1_800_000_000))
    let store: MemoryStore
    let engine: Engine
    let vault: KeyVault
    /// What the engine uses of it.
    let keys: FallibleVault
    let metrics = MetricRegistry()
    let wire: PlayedWire
    let merchant = MerchantNumber(1)
    let account = Uuid(high: 0xACC0, low: 1)
    static let secretKey = "engine-test-key"

    private let zones: any ZoneSource
    private let time: EngineTime

    init(
        settings: Json = ["currencies": ["EUR"], "projectId": 42],
        zones: any ZoneSource = NoZones(),
        time: EngineTime = .machine,
        faults: @escaping @Sendable (StoreCall) -> StoreFault? = { _ in nil }
    ) async throws {
        self.zones = zones
        self.time = time
        let clock = clock
        store = MemoryStore(clock: { clock.now }, faults: faults)
        wire = PlayedWire()
        let root = SymmetricKey(from: SeededRandom(seed: 7))
        vault = KeyVault(
            ring: KeyRing(newest: MasterKey(root)),
            rows: MemorySubjectKeys(),
            random: SeededRandom(seed: 8),
            clock: { clock.now }
        )
        keys = FallibleVault(vault: vault)
        engine = Self.engine(store, keys, wire, clock, zones, metrics, time, owner: "test")
        try await configure(settings)
    }

    /// Another node on the same store.
    func neighbour() -> Engine { Self.engine(store, keys, wire, clock, zones, metrics, time, owner: "neighbour") }

    private static func engine(
        _ store: MemoryStore,
        _ vault: FallibleVault,
        _ wire: PlayedWire,
        _ clock: ManualClock,
        _ zones: any ZoneSource,
        _ metrics: MetricRegistry,
        _ time: EngineTime,
        owner: String
    ) -> Engine {
        Engine(
            EngineParts(
                store: store,
                adapters: AdapterRegistry([EcommpayAdapter(), PortmoneAdapter()]),
                vault: vault,
                quarantine: NoQuarantine(),
                transport: wire,
                publicUrl: "https://pay.example",
                clock: { clock.now },
                log: Logger(sink: NoLog(), now: { clock.now }),
                meters: EngineMeters(metrics),
                owner: owner,
                build: "test",
                zones: zones,
                clocks: store,
                time: time,
                recovery: store
            )
        )
    }

    private func configure(_ settings: Json) async throws {
        let configuration = AccountConfiguration(
            name: "ecommpay-eur",
            provider: "ecommpay",
            mode: .test,
            settings: settings,
            secrets: vault.seal(secrets: ["secretKey": Secret(Self.secretKey)], account: account, merchant: merchant),
            currencies: nil
        )
        let outcome = await command(
            StreamName(merchant, .account, account),
            AccountCommand.Name.configure.rawValue,
            configuration.json
        )
        guard case .decided(_, .events(1)) = outcome else { throw HarnessFailure(what: "account: \(outcome)") }
    }

    /// Decides one command on the fast path.
    @discardableResult
    func command(
        _ stream: StreamName,
        _ name: String,
        _ body: Json,
        key: String? = nil,
        by actor: String = "backend",
        at node: Engine? = nil
    ) async -> WorkOutcome {
        let key = key ?? "\(name):\(clock.now.microseconds)"
        let input = InputRecord(
            id: CommandIntake.inputId(merchant, key: key),
            stream: stream,
            kind: .command,
            name: name,
            meta: InputMeta.command(
                actor: Actor(id: actor, isOperator: actor.hasPrefix("operator")),
                account: account,
                traceparent: nil,
                correlation: nil
            ),
            body: body.canonical,
            receivedAt: clock.now
        )
        return await (node ?? engine).decisions.decide([Work(input: input, fence: nil)])[0]
    }

    func create(_ mode: PaymentMode, minor: Int64, key: String) async throws -> PaymentId {
        let id = PaymentId(.version5(namespace: CommandIntake.inputId(merchant, key: key), name: "payment"))
        guard let euro = Currency("EUR") else { throw HarnessFailure(what: "EUR") }
        let terms = PaymentTerms(
            mode: mode,
            method: .hosted,
            amount: Money(minor, euro),
            reference: "order \(key)",
            description: nil,
            customer: "cust-7",
            instrument: nil,
            expiresAt: clock.now.adding(.seconds(3600)),
            details: ["payer": ["email": "payer@example.org"]],
            metadata: [:]
        )
        let outcome = await command(stream(id), PaymentCommand.Name.create.rawValue, terms.json, key: key)
        guard case .decided(_, .events) = outcome else { throw HarnessFailure(what: "create: \(outcome)") }
        return id
    }

    /// A payment that its payer has authorized and nobody has captured.
    func authorized(_ key: String, minor: Int64 = 1000) async throws -> PaymentId {
        let id = try await create(.authorize, minor: minor, key: key)
        let operation = CallbackOperation(id: 1, type: "auth", status: "success", minor: minor)
        try await deliver(id, operation, status: "awaiting capture")
        return id
    }

    func stream(_ id: PaymentId) -> StreamName { StreamName(merchant, .payment, id.uuid) }

    func payment(_ id: PaymentId) async throws -> Payment {
        try Payment.fold(stream(id), try await store.load([(stream(id), 0)])[0])
    }

    /// Lets every loop work until nothing is left to do now.
    func settle(at node: Engine? = nil) async throws {
        let engine = node ?? engine
        for _ in 0..<100 {
            var found = try await engine.mail.run() + engine.scheduler.runOnce() + engine.health.runOnce()
            for ready in try await engine.sender.prepare() {
                found += 1
                await engine.sender.send(ready)
            }
            if found == 0 { return }
        }
        throw HarnessFailure(what: "the engine never rests")
    }

    /// A callback as ecommpay signs it, delivered to the engine's intake.
    func deliver(_ payment: PaymentId, _ operation: CallbackOperation, status: String) async throws {
        _ = try await store.admit([callback(payment, operation, status: status)])
        try await settle()
    }

    func callback(_ payment: PaymentId, _ operation: CallbackOperation, status: String) async throws -> InputRecord {
        guard let reference = try await self.payment(payment).attempt?.reference else {
            throw HarnessFailure(what: "attempt")
        }
        let body = operation.body(reference: reference, status: status, key: Self.secretKey)
        return InputRecord(
            id: .version5(namespace: account, name: Hex.encode(Digest.sha256(body))),
            stream: stream(payment),
            kind: .notification,
            name: "ecommpay.notification",
            meta: Json.object(JsonObject([("trust", "verified")])).canonical,
            body: body,
            receivedAt: clock.now
        )
    }
}

struct HarnessFailure: Error { let what: String }

struct NoLog: LogSink {
    func write(_ line: [UInt8]) {}
}

/// One operation of a callback or status answer.
struct CallbackOperation: Sendable {
    let id: Int64
    let type: String
    let status: String
    let minor: Int64
    var refund: String?
    var code = "0"

    var json: Json {
        [
            "code": .string(code), "created_date": "2027-01-15T08:00:00+0000", "date": "2027-01-15T08:00:05+0000",
            "id": .integer(id), "status": .string(status),
            "sum_initial": ["amount": .integer(minor), "currency": "EUR"],
            "type": .string(type),
        ]
    }

    func body(reference: String, status: String, key: String) -> [UInt8] {
        let payment: Json = .compact([
            ("id", .string(reference)), ("merchant_refund_id", refund.map(Json.string)), ("method", "card"),
            ("status", .string(status)),
        ])
        return (["operation": json, "payment": payment, "project_id": 42] as Json).compactBytes
    }

    static func statusAnswer(_ operations: [CallbackOperation], reference: String, status: String) -> ExchangeOutcome {
        .answered(
            .json(
                200,
                [
                    "operations": .array(operations.map(\.json)),
                    "payment": ["id": .string(reference), "method": "card", "status": .string(status)],
                    "project_id": 42,
                ]
            )
        )
    }

    /// The answer to a capture or a refund that is taken on.
    static func accepted(_ reference: String) -> ExchangeOutcome {
        .answered(
            .json(200, ["payment_id": .string(reference), "project_id": 42, "request_id": "r", "status": "success"])
        )
    }
}
