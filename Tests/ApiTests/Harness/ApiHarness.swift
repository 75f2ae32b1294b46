import Api
import Crypto
import Daemon
import Decisions
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Telemetry
import TestKit

/// The API over the real engine, the memory store and the ecommpay adapter; only the wire to the provider is played.
final class ApiHarness: Sendable {
    let clock = ManualClock(Timestamp(seconds: 1_800_000_000))
    let store: MemoryStore
    let engine: Engine
    let vault: KeyVault
    let wire = PlayedWire()
    let api: Api
    let tables: MemoryTables
    /// What tests make fail or answer otherwise.
    let switches = Switches()
    let merchant = MerchantNumber(1)

    static let secretKey = "api-test-key"
    static let allKey = "psk_all"

    /// Runs `body` against an engine whose loops work, with one account and a routing.
    static func run(
        rate: RateLimit = Api.standardRate,
        places: Int = Api.standardPlaces,
        _ body: (ApiHarness) async throws -> Void
    ) async throws {
        let harness = ApiHarness(rate: rate, places: places)
        let loops = Task { await harness.engine.run() }
        try await harness.configure()
        try await body(harness)
        harness.engine.drain()
        await loops.value
    }

    private init(rate: RateLimit, places: Int) {
        let clock = clock
        let switches = switches
        let store = MemoryStore(clock: { clock.now }, faults: { _ in switches.storeFault })
        self.store = store
        let ring = KeyRing(newest: MasterKey(SymmetricKey(from: SeededRandom(seed: 7))))
        vault = KeyVault(ring: ring, rows: MemorySubjectKeys(), random: SeededRandom(seed: 8), clock: { clock.now })
        let adapters = Node.adapters
        engine = Engine(
            EngineParts(
                store: store,
                adapters: adapters,
                vault: vault,
                quarantine: NoQuarantine(),
                transport: wire,
                publicUrl: "https://pay.example",
                clock: { clock.now },
                log: Logger(sink: NoLog(), now: { clock.now }),
                meters: EngineMeters(MetricRegistry()),
                owner: "test",
                build: "test",
                zones: FixedZones(),
                clocks: store,
                recovery: store
            )
        )
        tables = MemoryTables(store: store, switches: switches)
        let ports = SwitchedPorts(engine: engine, switches: switches)
        api = Api(
            engine: engine,
            reader: Reader(
                streamCache: engine.streamCache,
                tables: tables,
                notifier: engine.notifier,
                zones: engine.zones,
                adapters: adapters,
                now: { clock.now }
            ),
            vault: vault,
            keys: ring,
            vitals: tables,
            commands: ports,
            handovers: ports,
            keepsOnce: false,
            adapters: adapters,
            rate: rate,
            places: places,
            clock: { clock.now },
            random: SeededRandom(seed: 9)
        )
    }

    private func configure() async throws {
        let account: Json = [
            "name": "ecommpay-eur", "provider": "ecommpay", "mode": "test",
            "settings": ["currencies": ["EUR"], "projectId": 42], "secrets": ["secretKey": .string(Self.secretKey)],
            "currencies": ["EUR"],
        ]
        try await post("/v1/accounts", account, key: "configure").expect(200)
        try await send(.put, "/v1/routing", ["accounts": ["ecommpay-eur"]], key: "route").expect(200)
    }

    var reader: Reader { api.reader }

    // MARK: Requests

    /// Sends a request and holds the answer against the document.
    @discardableResult
    func send(
        _ method: HttpMethod,
        _ target: String,
        _ body: Json? = nil,
        key: String? = nil,
        token: String? = ApiHarness.allKey,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        var fields = HttpHeaders(headers)
        if let token { fields.append("Authorization", "Bearer \(token)") }
        if let key { fields.append("Idempotency-Key", key) }
        if body != nil, fields["Content-Type"] == nil { fields.append("Content-Type", "application/json") }
        return try await send(
            HttpRequest(method: method, target: target, headers: fields, body: body?.compactBytes ?? [])
        )
    }

    @discardableResult
    func send(_ request: HttpRequest) async throws -> Answer {
        let response = await api.handle(request, from: Peer(address: "192.0.2.1"))
        try SchemaCheck.check(request.method, request.target, response)
        let answer = Answer(response)
        if response.headers["Content-Type"] == "application/problem+json" {
            let remedy = Remedy.of(Problem(status: answer.status, code: answer.code ?? "", detail: ""))
            let detail = answer.json["detail"]?.text ?? ""
            guard detail.hasSuffix(remedy) || detail.hasSuffix(Remedy.corrected) else {
                throw SchemaCheck.Breach(description: "\(answer) does not close with what to do")
            }
            let code = answer.code ?? ""
            guard answer.json["type"]?.text == Problem.page + code, ProblemMeaning.of(code) != nil else {
                throw SchemaCheck.Breach(description: "\(answer) has no page that explains it")
            }
        }
        return answer
    }

    @discardableResult
    func post(
        _ target: String,
        _ body: Json? = nil,
        key: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send(.post, target, body, key: key, headers: headers)
    }

    func get(_ target: String) async throws -> Answer { try await send(.get, target) }

    // MARK: Steps

    static func sale(_ minor: Int64 = 1999, mode: PaymentMode = .sale) -> Json {
        [
            "mode": .string(mode.rawValue), "method": "hosted",
            "amount": ["value": .integer(minor), "currency": "EUR"],
            "reference": "order-1042", "customer": "customer-77",
            "details": [
                "payer": ["email": "ann@example.org"], "urls": ["return": "https://shop.example/back?a=1&b=2"],
            ],
        ]
    }

    /// Creates a payment and answers its id.
    func create(_ body: Json = ApiHarness.sale(), key: String = "create-1") async throws -> PaymentId {
        let answer = try await post("/v1/payments", body, key: key)
        guard let id = answer.json["id"]?.text.flatMap({ PaymentId($0) }) else {
            throw HarnessFailure(what: "create: \(answer)")
        }
        return id
    }

    /// Creates a payment that the provider has taken the money of.
    func paid(_ minor: Int64 = 1999, key: String = "create-1") async throws -> PaymentId {
        let id = try await create(Self.sale(minor), key: key)
        try await deliver(id, CallbackOperation(id: 7001, type: "sale", status: "success", minor: minor), "success")
        return id
    }

    /// Creates a payment whose money is held.
    func held(_ minor: Int64 = 1999, key: String = "create-1") async throws -> PaymentId {
        let id = try await create(Self.sale(minor, mode: .authorize), key: key)
        let operation = CallbackOperation(id: 7001, type: "auth", status: "success", minor: minor)
        try await deliver(id, operation, "awaiting capture")
        return id
    }

    /// A callback as ecommpay signs it, sent to the notification route.
    func deliver(_ id: PaymentId, _ operation: CallbackOperation, _ status: String) async throws {
        let before = try await payment(id)
        let body = try operation.signed(
            reference: before.attempt?.reference ?? "",
            status: status,
            key: Self.secretKey
        )
        let path = "/v1/notifications/ecommpay/\(merchant)/\(before.account?.id.compact ?? "")"
        try await send(HttpRequest(method: .post, target: path, body: body)).expect(200)
        await reader.wait(for: stream(id), past: before.version, atMost: .seconds(5))
        guard try await payment(id).version > before.version else { throw HarnessFailure(what: "callback not taken") }
    }

    /// A payment whose provider can be told that all is delivered; everything it is asked is answered well.
    func delivered(key: String = "create-1") async throws -> PaymentId {
        let account: Json = [
            "name": "dolyame", "provider": "dolyame", "mode": "test",
            "settings": ["login": "shop", "captureMode": "providerAuto", "deliveryCompletion": true],
            "secrets": ["password": "p", "clientCertificate": "c", "clientKey": "k"],
        ]
        try await post("/v1/accounts", account, key: "configure-dolyame").expect(200)
        let order: Json = [
            "status": "committed", "amount": 4600, "residual_amount": 3450, "link": "https://pay.example/form/1",
        ]
        wire.play { _ in .answered(.json(200, order)) }
        let items: Json = ["items": [["name": "Sneakers", "price": "4600.00"]]]
        let body: Json = [
            "account": "dolyame", "mode": "sale", "amount": ["value": 460_000, "currency": "RUB"], "details": items,
        ]
        let id = try await create(body, key: key)
        for _ in 0..<100 where try await payment(id).status != .captured {
            await reader.wait(for: stream(id), past: try await payment(id).version, atMost: .seconds(1))
        }
        return id
    }

    /// A transfer in an app; the account for it is made first.
    static let transfer: Json = [
        "account": "portmone-uah", "method": "sdk", "amount": ["value": 15000, "currency": "UAH"],
        "reference": "gift-7", "customer": "customer-77",
    ]

    func configurePortmone() async throws {
        let account: Json = [
            "name": "portmone-uah", "provider": "portmone", "mode": "test",
            "settings": ["payeeId": "1185", "login": "shop"],
            "secrets": ["password": "p", "signingKey": "s", "notificationKey": "n"],
        ]
        try await post("/v1/accounts", account, key: "configure-portmone").expect(200)
    }

    func createTransfer(key: String = "transfer-1") async throws -> TransferId {
        try await configurePortmone()
        let answer = try await post("/v1/transfers", Self.transfer, key: key)
        guard let id = answer.json["id"]?.text.flatMap({ TransferId($0) }) else {
            throw HarnessFailure(what: "transfer: \(answer)")
        }
        return id
    }

    func payment(_ id: TransferId) async throws -> Payment {
        let stream = StreamName(merchant, .transfer, id.uuid)
        return try Payment.fold(stream, try await store.load([(stream, 0)])[0])
    }

    func stream(_ id: PaymentId) -> StreamName { StreamName(merchant, .payment, id.uuid) }

    func payment(_ id: PaymentId) async throws -> Payment {
        try Payment.fold(stream(id), try await store.load([(stream(id), 0)])[0])
    }
}

struct HarnessFailure: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
}

/// An answer as tests look at it.
struct Answer: CustomStringConvertible {
    let response: HttpResponse

    init(_ response: HttpResponse) { self.response = response }

    var status: Int { response.status }
    var json: Json { (try? Json(response.body)) ?? .null }
    var code: String? { json["code"]?.text }
    var path: String? { json["path"]?.text }
    var text: String { String(decoding: response.body, as: UTF8.self) }

    func header(_ name: String) -> String? { response.headers[name] }

    @discardableResult
    func expect(_ status: Int) throws -> Answer {
        guard self.status == status else { throw HarnessFailure(what: "expected \(status): \(self)") }
        return self
    }

    var description: String { "\(status) \(text.prefix(600))" }
}

/// What tests make fail or answer otherwise.
final class Switches: Sendable {
    private struct State: Sendable {
        var storeFault: StoreFault?
        var readFault = false
        var recordFault = false
        var outcome: CommandResult?
        var handover: HandoverFailure?
        var unready: String?
        var isProjected = true
        var areReportsHeld = false
    }

    private let state = Locked(State())

    var storeFault: StoreFault? {
        get { state.withLock { $0.storeFault } }
        set { state.withLock { $0.storeFault = newValue } }
    }
    /// Reports are not made before this is off again.
    var areReportsHeld: Bool {
        get { state.withLock { $0.areReportsHeld } }
        set { state.withLock { $0.areReportsHeld = newValue } }
    }
    /// No key can be proved.
    var readFault: Bool {
        get { state.withLock { $0.readFault } }
        set { state.withLock { $0.readFault = newValue } }
    }
    /// Accesses can't be recorded.
    var recordFault: Bool {
        get { state.withLock { $0.recordFault } }
        set { state.withLock { $0.recordFault = newValue } }
    }
    /// What the engine says instead of working.
    var outcome: CommandResult? {
        get { state.withLock { $0.outcome } }
        set { state.withLock { $0.outcome = newValue } }
    }
    var handover: HandoverFailure? {
        get { state.withLock { $0.handover } }
        set { state.withLock { $0.handover = newValue } }
    }
    var unready: String? {
        get { state.withLock { $0.unready } }
        set { state.withLock { $0.unready = newValue } }
    }
    /// Whether the read model has come to anything.
    var isProjected: Bool {
        get { state.withLock { $0.isProjected } }
        set { state.withLock { $0.isProjected = newValue } }
    }
}
