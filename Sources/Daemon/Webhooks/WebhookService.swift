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
/// Each endpoint has its own places on the wire, so that one which never answers holds up nobody else. What was answered is written
/// down in batches behind the answer: a node that dies in between leaves deliveries that are sent again under the same id.
final class WebhookService: Service {
    /// What is known of an endpoint that this node holds.
    private struct Held: Sendable {
        let endpoint: WebhookEndpoint
        let types: [String]
        let secrets: [Secret]
    }

    private struct State: Sendable {
        var held: [StreamName: Held] = [:]
        var lookedAt: ContinuousClock.Instant?
        /// Deliveries on the wire, and endpoints whose last attempt failed.
        var running: [StreamName: Int] = [:]
        var failing: Set<StreamName> = []
        var all: Int { running.values.reduce(0, +) }
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
    private static let endpointsHeld = 2000
    /// Places on the wire of an endpoint that answers, of one that fails, and of all together.
    private static let places = (well: 96, failing: 2, all: 900)
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
        let due = try await rows.take(demands, by: node, hold: Self.hold)
        state.withLock { state in for one in due { state.running[one.endpoint, default: 0] += 1 } }
        for one in due {
            Task {
                await deliver(one)
                state.withLock { state in
                    let left = state.running[one.endpoint, default: 1] - 1
                    state.running[one.endpoint] = left > 0 ? left : nil
                }
                signal.ring()
            }
        }
        return 0
    }

    /// Waits for what is on the wire, and gives the leases back.
    func finish(within time: Duration) async {
        let end = ContinuousClock.now + time
        while state.withLock({ $0.all > 0 }), ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(20))
        }
        await client.stop()
        try? await rows.release(node)
    }

    // MARK: What is held

    private func look() async throws(StoreFailure) {
        let names = try await rows.claim(by: node, lease: Self.lease, limit: Self.endpointsHeld)
        let histories = try await engine.streamCache.current(names)
        var held: [StreamName: Held] = [:]
        var disabled: [StreamName] = []
        for (name, history) in zip(names, histories) {
            guard let endpoint: WebhookEndpoint = try? engine.folds.fold(name, history) else { continue }
            guard endpoint.exists else {
                try await rows.retire(name)
                continue
            }
            guard endpoint.isEnabled else {
                disabled.append(name)
                continue
            }
            guard let known = await known(endpoint, name) else { continue }
            held[name] = known
        }
        let all = held
        state.withLock { state in
            state.held = all
            state.lookedAt = .now
            state.failing.formIntersection(all.keys)
        }
        for name in try await rows.failing(of: node, since: clock().adding(.zero - WebhookSchedule.endpointPatience)) {
            try await disable(name, .failing)
            disabled.append(name)
        }
        // Whoever enables one gives it the whole time anew.
        try await rows.forgive(disabled)
    }

    private func known(_ endpoint: WebhookEndpoint, _ name: StreamName) async -> Held? {
        guard let configuration = endpoint.configuration else { return nil }
        let signing = endpoint.secrets(at: clock())
        let sealed = signing.flatMap { $0.sealed.members?.members ?? [] }.map { ($0.name, $0.value) }
        let opened = try? await vault.secrets(.object(JsonObject(sealed)), account: name.id, merchant: name.merchant)
        guard let opened else {
            log.warning("webhook secret does not open", ["endpoint": .text(name.id.compact)])
            return nil
        }
        let secrets = signing.compactMap { opened[$0.id.compact] }
        guard !secrets.isEmpty else { return nil }
        return Held(endpoint: endpoint, types: configuration.typeNames, secrets: secrets)
    }

    private var demands: [WebhookDemand] {
        state.withLock { state in
            var left = Self.places.all - state.all
            var demands: [WebhookDemand] = []
            // Whoever was first the last time is not always first.
            for (name, held) in state.held.shuffled() {
                let most = state.failing.contains(name) ? Self.places.failing : Self.places.well
                let room = min(most - state.running[name, default: 0], left)
                guard room > 0 else { continue }
                left -= room
                demands.append(
                    WebhookDemand(
                        endpoint: name,
                        types: held.types,
                        isOrdered: held.endpoint.configuration?.order == .resource,
                        room: room
                    )
                )
            }
            return demands
        }
    }

    // MARK: One attempt

    private func deliver(_ due: DueWebhook) async {
        guard let held = state.withLock({ $0.held[due.endpoint] }), let url = held.endpoint.configuration?.url else {
            return
        }
        let at = clock()
        let begun = ContinuousClock.now
        let (outcome, answer) = await send(due, to: url, held.secrets, at)
        let time = begun.duration(to: .now)
        // Nothing was tried: it is due again behind its hold.
        guard outcome.failure != .notSent else { return }
        state.withLock { state in
            if outcome.failure == nil {
                state.failing.remove(due.endpoint)
            } else {
                state.failing.insert(due.endpoint)
            }
        }
        meters.tell(outcome.failure, time, behind: due.attempts)
        let tries = due.attempts - due.earlier + 1
        let next =
            outcome.failure == nil || outcome.failure == .eventLost
            ? nil
            : WebhookSchedule.wait(behind: tries, begun: due.begunAt, now: clock(), chance: random.word())
        await attempts.submit(
            WebhookAttempt(
                due: due,
                at: at,
                time: time,
                status: outcome.status,
                failure: outcome.failure,
                answer: answer,
                next: next
            )
        )
        if outcome.failure == .gone { try? await disable(due.endpoint, .gone) }
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
