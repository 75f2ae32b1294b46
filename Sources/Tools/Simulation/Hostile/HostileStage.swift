import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import TestKit

/// One installation around one payment, and a provider that does as it is told.
final class HostileStage: Sendable {
    static let card = InstrumentId(Uuid(high: 0x1257, low: 1))
    static let occurrence = OccurrenceName(schedule: Uuid(high: 0x5C4E, low: 1), ordinal: 1)

    let wire: any HostileWire
    let house: HostileInstallation
    let standIn: HostileStandIn
    /// The payment's.
    let stream: StreamName

    var time: SimulatedTime { house.time }
    var store: MemoryStore { house.store }
    var capabilities: Capabilities { house.capabilities }

    /// An empty installation.
    convenience init(_ wire: any HostileWire, _ kind: StreamKind) throws {
        try self.init(wire, kind, HostileStandIn.State()) { make in try HostileInstallation(wire.provider, make) }
    }

    private init(
        _ wire: any HostileWire,
        _ kind: StreamKind,
        _ state: HostileStandIn.State,
        _ house: ((SimulatedTime, Capabilities) -> any Transport) throws -> HostileInstallation
    ) throws {
        var made: HostileStandIn?
        self.house = try house { time, capabilities in
            let standIn = HostileStandIn(wire, time, lag: { Self.lag(capabilities, $0) }, state)
            made = standIn
            return standIn
        }
        guard let made else { throw HostileFailure(what: "no stand-in") }
        standIn = made
        self.wire = wire
        stream = StreamName(HostileInstallation.merchant, kind, Uuid(high: 0x9A1, low: 1))
    }

    /// Another installation that goes on from here.
    func fork() throws -> HostileStage {
        try HostileStage(wire, stream.kind, standIn.now) { [house] make in try house.fork(make) }
    }

    /// Nearly as long as the declaration allows a provider to be silent about what it did.
    private static func lag(_ can: Capabilities, _ kind: OperationKind) -> Duration {
        can.patience(kind) * 4 / 5
    }

    // MARK: What is asked of it

    func configure() async throws { try await house.configure(wire.secrets) }

    /// A card that a customer saved before.
    func saveCard() async throws {
        try await house.save(Self.card, ["token": "0123456789abcdef0123456789abcdef0123"], scheme: "visa")
    }

    /// The same details with what must be stored nowhere in the engine's memory.
    func keepingOnce(_ details: Json) -> Json {
        wire.provider.adapter.declaration.onceDetailPaths.reduce(details) { details, path in
            details.replacing(path) { (value, _) throws(Never) in
                house.engine.once.keep(value, of: stream.id, merchant: HostileInstallation.merchant, at: time.now)
                    ?? value
            }
        }
    }

    func command(_ command: PaymentCommand) async throws {
        try await house.command(command.name.text(in: stream.kind), command.json, on: stream)
    }

    func payment() async throws -> Payment {
        let events = try await store.load([(stream, 0)])[0]
        return try events.reduce(into: Payment(id: PaymentId(stream.id))) { payment, recorded in
            payment.evolve(try PaymentEvent(recorded))
        }
    }

    /// Whether the payer is told where to go.
    func leadsOn() async -> Bool { (try? await house.engine.handovers.render(stream)) != nil }

    /// Brings a message of the provider's own to the account; answers whether it was taken.
    func receive(_ request: HttpRequest) async -> Bool {
        let answer = await house.engine.notifications.receive(
            request,
            provider: wire.provider.name,
            merchant: HostileInstallation.merchant,
            account: HostileInstallation.account
        )
        return answer.status == 200
    }

    func live(for span: Duration) async throws { try await house.live(for: span) }
}
