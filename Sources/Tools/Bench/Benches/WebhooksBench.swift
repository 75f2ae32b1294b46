import Benchmarks
import Http
import HttpClient
import HttpServer
import Kernel
import SystemKit

/// Webhooks: how fast events go out to receivers that take their time, beside one that never answers, and how soon one is there.
struct WebhooksBench {
    private let plan: BenchPlan
    private let payments: Int
    private static let target = 1000.0
    /// Microseconds from a commit's answer to the receiver.
    private static let delivery = 500_000.0
    private static let receivers = 4
    private static let answer = Duration.milliseconds(50)
    private static let silence = Duration.seconds(60)
    private static let waits = 20
    /// Requests under way of the bare client, as many as the daemon gives these receivers.
    private static let bareRequests = 96 * receivers

    init(_ plan: BenchPlan, payments: Int?) {
        self.plan = plan
        self.payments = payments ?? 3000
    }

    func run() async throws {
        let networks = ["PAYSTREAM_WEBHOOK_NETWORKS": "127.0.0.0/8"]
        try await BenchDatabase.with(plan) { database in
            try await SandboxProcess.with(database) { sandbox in
                try await BenchNode.with(database, clients: 2, gate: sandbox.address, environment: networks) { node in
                    let quick = try (0..<Self.receivers).map { _ in try BenchReceiver(Self.answer) }
                    let silent = try BenchReceiver(Self.silence)
                    for (number, receiver) in (quick + [silent]).enumerated() {
                        let body: Json = ["url": .string(receiver.address)]
                        let key = "receiver-\(number)"
                        try await node.expect(201, .post, "/v1/webhook-endpoints", body, client: 0, key: key)
                    }
                    try await measureOne(node, quick)
                    try await node.tell(payments: payments)
                    try await measureMany(node, quick)
                    for receiver in quick + [silent] { await receiver.stop() }
                }
            }
        }
    }

    /// A payment is made, and the time runs from the answer to who made it until a receiver has its first event.
    private func measureOne(_ node: BenchNode, _ receivers: [BenchReceiver]) async throws {
        var times: [Double] = []
        for number in 0..<Self.waits {
            try await quiet(receivers)
            let before = Self.heard(receivers)
            _ = try await node.create("webhooks-\(number)", client: 1)
            let made = ContinuousClock.now
            while Self.heard(receivers) == before {
                guard made.duration(to: .now) < .seconds(30) else { throw CommandFailure("nothing was sent") }
                try await Task.sleep(for: .milliseconds(1))
            }
            times.append(made.duration(to: .now) / .microseconds(1))
        }
        times.sort()
        let (p50, p99) = (times[times.count / 2], times[times.count * 99 / 100])
        plan.report(
            Figure("webhooks", "from a commit's answer to a receiver").with("p50Microseconds", p50)
                .with("p99Microseconds", p99).target("at most 500000", isMet: p99 <= Self.delivery)
        )
    }

    /// Waits until nothing has come for a while.
    private func quiet(_ receivers: [BenchReceiver]) async throws {
        var before = -1
        while Self.heard(receivers) != before {
            before = Self.heard(receivers)
            try await Task.sleep(for: .milliseconds(400))
        }
    }

    private static func heard(_ receivers: [BenchReceiver]) -> Int { receivers.reduce(0) { $0 + $1.heard } }

    private func measureMany(_ node: BenchNode, _ receivers: [BenchReceiver]) async throws {
        let before = Self.heard(receivers)
        let end = ContinuousClock.now + .seconds(60)
        while Self.heard(receivers) < before + 500 {
            guard ContinuousClock.now < end else { throw CommandFailure("the events were not sent") }
            try await Task.sleep(for: .milliseconds(5))
        }
        let (first, begun) = (Self.heard(receivers), ContinuousClock.now)
        try await Task.sleep(for: plan.time * plan.rounds)
        let rate = Double(Self.heard(receivers) - first) / (begun.duration(to: .now) / .seconds(1))
        let bare = try await bareRate(receivers)
        plan.report(
            Figure("webhooks", "sent to receivers that answer in 50 ms, beside one that never does")
                .with("receivers", Self.receivers).with("perSecond", rate).with("barePerSecond", bare)
                .with("ratio", rate / bare).target("1000 a second", isMet: rate >= Self.target)
        )
    }

    /// The same receivers, asked by the client alone.
    private func bareRate(_ receivers: [BenchReceiver]) async throws -> Double {
        var configuration = HttpClientConfiguration()
        configuration.connectionsPerHost = Self.bareRequests
        configuration.maximumRequests = Self.bareRequests
        let client = HttpClient(configuration)
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: 2500)
        let end = ContinuousClock.now + plan.time
        let begun = ContinuousClock.now
        let count = await withTaskGroup(of: Int.self) { group in
            for number in 0..<Self.bareRequests {
                let url = receivers[number % receivers.count].address
                group.addTask {
                    var sent = 0
                    while ContinuousClock.now < end {
                        _ = await client.send(
                            OutgoingRequest(method: .post, url: url, body: body, deadline: .seconds(10))
                        )
                        sent += 1
                    }
                    return sent
                }
            }
            return await group.reduce(0, +)
        }
        await client.stop()
        return Double(count) / (begun.duration(to: .now) / .seconds(1))
    }
}

/// A receiver that answers behind a time and counts what comes.
private final class BenchReceiver: Sendable {
    let address: String
    private let server: HttpServer
    private let count: Locked<Int>

    init(_ time: Duration) throws {
        let count = Locked(0)
        self.count = count
        var configuration = HttpServerConfiguration()
        configuration.port = 0
        server = HttpServer(configuration: configuration) { _, _ in
            count.withLock { $0 += 1 }
            try? await Task.sleep(for: time)
            return HttpResponse(status: 200, contentType: "text/plain", body: [])
        }
        address = "http://127.0.0.1:\(try server.start())/hooks"
    }

    var heard: Int { count.withLock { $0 } }

    func stop() async { _ = await server.drain(deadline: .seconds(1)) }
}
