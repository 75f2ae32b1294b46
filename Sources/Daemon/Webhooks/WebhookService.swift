import Crypto
import Decisions
import Engine
import EventSourcing
import Http
import HttpClient
import Kernel
import Payments
import Projections
import ProviderKit
import Store
import SystemKit
import Telemetry

/// Sends public events to the endpoints that this node holds the leases of.
///
/// Places on the wire are shared by what is due and by how quickly receivers answer (`WebhookPlaces`). What was answered is written
/// down in batches behind the answer: a node that dies in between leaves deliveries that are sent again under the same id.
final class WebhookService: Service {
    private struct State: Sendable {
        var held: [StreamName: HeldWebhook] = [:]
        /// Their names, and whose turn it is to be asked about.
        var order: [StreamName] = []
        var turn = 0
        var lookedAt: ContinuousClock.Instant?
        /// What was due when it was asked about last, apart from what was taken since.
        var backlog: [StreamName: Int] = [:]
        var gatheredAt: ContinuousClock.Instant?
        var places = WebhookPlaces()

        /// Asks about so many endpoints, one after the other.
        mutating func demands(_ count: Int) -> [WebhookDemand] {
            guard !order.isEmpty else { return [] }
            let names = (0..<min(count, order.count)).map { order[(turn + $0) % order.count] }
            turn = (turn + names.count) % order.count
            return names.compactMap { name in held[name]?.demand(name, most: WebhookService.askedOfEach) }
        }

        /// Shares the free places among what is due.
        mutating func rooms(at now: ContinuousClock.Instant) -> [WebhookRoom] {
            let shared = places.share(backlog.map { WebhookBacklog(endpoint: $0.key, due: $0.value) }, at: now)
            for (name, places) in shared {
                let left = backlog[name, default: 0] - places
                backlog[name] = left > 0 ? left : nil
            }
            return shared.compactMap { name, places in
                held[name].map { WebhookRoom(endpoint: name, isOrdered: $0.isOrdered, places: places) }
            }
        }
    }

    let name = "webhooks"
    let rest = Duration.milliseconds(100)
    let signal = Signal()

    private let rows: WebhookRows
    private let node: String
    private let engine: Engine
    private let vault: any Vault
    private let client: HttpClient
    private let store: any EventStore
    private let random = SystemRandom()
    private let clock: @Sendable () -> Timestamp
    private let meters: WebhookMeters
    private let log: Logger
    private let state = Locked(State())
    private let attempts: Batcher<WebhookAttempt, Void>

    /// A node that dies gives its endpoints up behind this.
    private static let lease = Duration.seconds(10)
    private static let look = Duration.seconds(1)
    /// Above the deadline of an attempt and the time to write it down.
    private static let hold = Duration.seconds(25)
    static let deadline = Duration.seconds(15)
    /// New endpoints that a node takes at a time, and those that it asks about at a time.
    private static let claimedAtOnce = 2000
    private static let askedAtOnce = 2000
    /// What is due of one endpoint that is asked about at a time, how long that is gone by, and how long answers are gathered before their
    /// places are given again.
    private static let askedOfEach = 192
    private static let gathering = Duration.milliseconds(50)
    private static let breath = Duration.milliseconds(5)
    static let answerBytes = 16 * 1024
    private static let answerKept = 512

    init(
        _ rows: WebhookRows,
        _ node: String,
        _ engine: Engine,
        _ store: any EventStore,
        _ vault: any Vault,
        _ client: HttpClient,
        _ clock: @escaping @Sendable () -> Timestamp,
        _ metrics: MetricRegistry,
        _ log: Logger
    ) {
        self.rows = rows
        self.node = node
        self.engine = engine
        self.store = store
        self.vault = vault
        self.client = client
        self.clock = clock
        self.log = log
        meters = WebhookMeters(metrics)
        attempts = Batcher(limit: 256, lanes: 2) { attempts in
            do throws(StoreFailure) { try await rows.record(attempts) } catch {
                log.warning("webhook attempts lost", ["code": .text(error.code.rawValue)])
            }
            return attempts.map { _ in () }
        }
    }

    /// Looks at what is held now and then, and sends what is due.
    func runOnce() async throws(StoreFailure) -> Int {
        let isDue = state.withLock { state in
            guard let at = state.lookedAt, at.duration(to: .now) < Self.look else { return true }
            return false
        }
        if isDue { try await look() }
        try await gather()
        let rooms = state.withLock { $0.rooms(at: .now) }
        let due = try await rows.take(rooms, by: node, hold: Self.hold)
        let begun = ContinuousClock.now
        state.withLock { state in for one in due { state.places.begin(one.endpoint, at: begun) } }
        for one in due {
            Task {
                let answer = await deliver(one)
                state.withLock { $0.places.end(one.endpoint, begun: begun, answer, at: .now) }
                signal.ring()
            }
        }
        if !due.isEmpty { try? await Task.sleep(for: Self.breath) }
        return 0
    }

    /// Asks what is due, unless that is known of just now.
    private func gather() async throws(StoreFailure) {
        let asked = state.withLock { state -> [WebhookDemand] in
            if let at = state.gatheredAt, at.duration(to: .now) < Self.gathering { return [] }
            state.gatheredAt = .now
            return state.demands(Self.askedAtOnce)
        }
        guard !asked.isEmpty else { return }
        let found = try await rows.gather(asked, by: node)
        state.withLock { state in
            for one in asked { state.backlog[one.endpoint] = nil }
            for one in found { state.backlog[one.endpoint] = one.due }
        }
    }

    /// Waits for what is on the wire, and gives the leases back.
    func finish(within time: Duration) async {
        let end = ContinuousClock.now + time
        while state.withLock({ $0.places.running > 0 }), ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(20))
        }
        await client.stop()
        try? await rows.release(node)
    }

    // MARK: What is held

    private func look() async throws(StoreFailure) {
        let claims = try await rows.claim(by: node, lease: Self.lease, limit: Self.claimedAtOnce)
        let before = state.withLock(\.held)
        var held: [StreamName: HeldWebhook] = [:]
        var changed: [StreamName] = []
        for claim in claims {
            if let known = before[claim.endpoint], known.endpoint.version == claim.version {
                held[claim.endpoint] = known
            } else {
                changed.append(claim.endpoint)
            }
        }
        let histories = try await engine.streamCache.current(changed)
        var resting: [RestingWebhook] = []
        for (name, history) in zip(changed, histories) {
            guard let endpoint: WebhookEndpoint = try? engine.folds.fold(name, history) else { continue }
            guard endpoint.exists else {
                try await rows.retire(name)
                continue
            }
            if let disabled = endpoint.disabled {
                resting.append(RestingWebhook(name, endpoint, disabled))
            } else if let known = await HeldWebhook.open(endpoint, name, vault) {
                held[name] = known
            } else {
                log.warning("webhook secret does not open", ["endpoint": .text(name.id.compact)])
            }
        }
        try await rows.rest(resting, by: node)
        let all = held
        state.withLock { state in
            state.held = all
            state.order = all.keys.sorted()
            state.turn = state.order.isEmpty ? 0 : state.turn % state.order.count
            state.lookedAt = .now
            state.places.keep(all.keys)
            state.backlog = state.backlog.filter { all[$0.key] != nil }
        }
        for name in try await rows.failing(of: node, since: clock().adding(.zero - WebhookSchedule.endpointPatience)) {
            try await disable(name, .failing)
        }
    }

    // MARK: One attempt

    /// Sends a delivery and writes down what came of it; answers `nil` where that says nothing of the receiver.
    private func deliver(_ due: DueWebhook) async -> WebhookPlaces.Answer? {
        guard let held = state.withLock({ $0.held[due.endpoint] }) else { return nil }
        let at = clock()
        let begun = ContinuousClock.now
        let (outcome, answer) = await send(due, to: held.url, held.secrets(at: at), at)
        let time = begun.duration(to: .now)
        // Nothing was tried: it is due again behind its hold.
        guard outcome.failure != .notSent else { return nil }
        meters.tell(outcome.failure, time, behind: due.attempts)
        await attempts.submit(
            WebhookAttempt(
                due: due,
                at: at,
                time: time,
                status: outcome.status,
                failure: outcome.failure,
                answer: answer,
                next: next(due, outcome.failure)
            )
        )
        if outcome.failure == .gone, !due.isTest { try? await disable(due.endpoint, .gone) }
        switch outcome.failure {
        case nil: return .init(isFailed: false, time: time)
        case .eventLost?, .notSent?: return nil
        case .status?, .gone?, .addressRefused?, .nameUnresolved?, .unreachable?, .tls?, .deadline?, .connection?:
            return due.isTest ? nil : .init(isFailed: true, time: time)
        }
    }

    /// How long the next attempt waits.
    ///
    /// A test event is tried once: whoever asked for it looks at what came of it.
    private func next(_ due: DueWebhook, _ failure: WebhookFailure?) -> Duration? {
        guard let failure, failure != .eventLost, !due.isTest else { return nil }
        let tries = due.attempts - due.earlier + 1
        return WebhookSchedule.wait(behind: tries, begun: due.begunAt, now: clock(), chance: random.word())
    }

    private func send(_ due: DueWebhook, to url: String, _ secrets: [Secret], _ at: Timestamp) async
        -> (outcome: (status: Int?, failure: WebhookFailure?), answer: [UInt8]?)
    {
        guard let body = due.body else { return ((nil, .eventLost), nil) }
        let id = due.event.text
        let seconds = String(at.microseconds / 1_000_000)
        let request = OutgoingRequest(
            method: .post,
            url: url,
            headers: HttpHeaders([
                ("Content-Type", "application/json"), ("User-Agent", "paystream-webhooks/1"), ("webhook-id", id),
                ("webhook-timestamp", seconds),
                (
                    "webhook-signature",
                    WebhookSigning.header(id: id, timestamp: seconds, body: body, secrets: secrets)
                ),
            ]),
            body: body,
            deadline: Self.deadline,
            maximumAnswerBytes: Self.answerBytes
        )
        let outcome = await client.send(request)
        var answer: [UInt8]?
        if case .answered(let response) = outcome, !response.body.isEmpty {
            answer = Self.kept(response.body)
        }
        return (WebhookFailure.read(outcome), answer)
    }

    /// The first bytes of an answer as they may be kept: a receiver may say what must not be written down.
    private static func kept(_ body: [UInt8]) -> [UInt8] {
        let text = String(decoding: body.prefix(answerKept), as: UTF8.self)
        return Array((CardGuard.containsCardNumber(text) ? CardGuard.removed : text).utf8)
    }

    /// Tells the endpoint's stream that it is sent nothing more.
    private func disable(_ name: StreamName, _ reason: WebhookDisablement.Reason) async throws(StoreFailure) {
        guard let held = state.withLock({ $0.held[name] }) else { return }
        let input = InputRecord.sent(
            .version5(namespace: name.id, name: "disable:\(held.endpoint.version):\(reason.rawValue)"),
            to: name,
            WebhookEndpointCommand.disable(reason),
            by: "webhooks",
            at: clock()
        )
        _ = try await store.admit([input])
        engine.notifier.mail.ring()
    }
}
