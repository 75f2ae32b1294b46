import Benchmarks
import EventSourcing
import Http
import HttpClient
import Kernel
import Payments
import Sandbox
import Store
import SystemKit

/// Signed callbacks: verified, stored, answered; each for a payment of its own, beside a bare insert.
struct NotifyBench {
    private let plan: BenchPlan
    private static let callbacksPerRound = 1000

    init(_ plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        let clients = plan.clients ?? 64
        try await BenchDatabase.with(plan) { database in
            try await BenchNode.with(database, clients: clients, gate: "http://127.0.0.1:9") { node in
                let round = Locked(0)
                let contest = try await Contest.run(
                    rounds: plan.rounds,
                    [
                        (
                            "bare",
                            { try await database.raw(RawDatabase.bareInsert, clients: clients, seconds: plan.seconds) }
                        ),
                        ("notify", { try await notify(node, clients, round) }),
                    ]
                )
                let (rate, bare) = (contest.rate("notify"), contest.rate("bare"))
                let p99 = contest.latency("notify", 0.99)
                plan.report(
                    Figure("notify", "callback verified, stored and answered").with("perSecond", rate)
                        .with("clients", clients).with("bareInsert", bare).with("toBare", rate / bare)
                        .with("p50Microseconds", contest.latency("notify", 0.5)).with("p99Microseconds", p99)
                        .target("0.3 of bareInsert", isMet: rate >= 0.3 * bare)
                )
            }
        }
    }

    /// Makes payments, then posts one callback for each; only the posting is timed.
    private func notify(_ node: BenchNode, _ clients: Int, _ rounds: Locked<Int>) async throws -> Sample {
        let round = rounds.withLock { round in
            round += 1
            return round
        }
        let bodies = Locked<[[UInt8]]>([])
        _ = try await ClosedLoad.run(clients: clients, pieces: 0..<Self.callbacksPerRound) { number in
            let id = try await node.create("notify-\(round)-\(number)", client: number)
            let history = try await node.store.load([(StreamName(node.merchant, .payment, id.uuid), 0)])[0]
            let references = history.compactMap { event -> String? in
                guard event.type == PaymentEventName.attemptOpened.rawValue else { return nil }
                return (try? Json(event.data))?["reference"]?.text
            }
            guard let reference = references.first else { throw CommandFailure("\(id) has no attempt") }
            let body = Self.callback(reference, operation: Int64(round * Self.callbacksPerRound + number))
            bodies.withLock { $0.append(body) }
        }
        let made = bodies.withLock { $0 }
        let url = "\(node.address)/v1/notifications/ecommpay/\(node.merchant)/\(node.account.compact)"
        return try await ClosedLoad.run(clients: clients, pieces: made.indices) { number in
            let request = OutgoingRequest(
                method: .post,
                url: url,
                headers: HttpHeaders([("Content-Type", "application/json")]),
                body: made[number],
                deadline: .seconds(30)
            )
            let response = try await BenchNode.answer(node.client.send(request), to: "callback")
            guard response.status == 200 else {
                throw CommandFailure("callback: \(response.status) \(String(decoding: response.body, as: UTF8.self))")
            }
        }
    }

    /// A sale's success as ecommpay tells it.
    private static func callback(_ reference: String, operation: Int64) -> [UInt8] {
        let sum: Json = ["amount": 7700, "currency": "EUR"]
        let body: Json = [
            "customer": ["id": "bench-customer"],
            "operation": [
                "code": "0", "created_date": "2026-01-15T08:00:00+0000", "date": "2026-01-15T08:00:05+0000",
                "id": .integer(operation), "message": "Success", "status": "success", "sum_converted": sum,
                "sum_initial": sum, "type": "sale",
            ],
            "payment": [
                "date": "2026-01-15T08:00:05+0000", "id": .string(reference), "method": "card", "status": "success",
                "sum": sum, "type": "purchase",
            ],
            "project_id": .integer(SandboxMerchants.project),
        ]
        guard case .object(var members) = body else { return [] }
        members["signature"] = .string(EcommpaySignature.sign(body, key: Secret(SandboxMerchants.secret)))
        return Json.object(members).compactBytes
    }
}
