import Benchmarks
import Daemon
import Decisions
import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit
import SystemKit

/// Folding a payment's events from memory on one core, beside reading their JSON alone.
struct FoldBench {
    private let plan: BenchPlan
    private static let folds = 3000

    init(_ plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        let history = try Self.history()
        let contest = try await Contest.run(
            rounds: plan.rounds,
            [
                ("stored", { try MemoryBench.foldStored(history, times: Self.folds) }),
                ("values", { try MemoryBench.foldValues(history, times: Self.folds) }),
                ("parse", { try MemoryBench.parseStored(history, times: Self.folds) }),
            ]
        )
        let parse = contest.rate("parse")
        let figures = [
            ("values", "evolve over events in memory", "500000 events a second", 500_000),
            ("stored", "decode stored bytes and evolve", "1.5 of parseJsonAlone", 1.5 * parse),
        ]
        for (name, title, target, least) in figures {
            let rate = contest.rate(name)
            plan.report(
                Figure("fold", title).with("perSecond", rate).with("events", history.count)
                    .with("bytes", history.reduce(0) { $0 + $1.data.count } / history.count)
                    .with("parseJsonAlone", parse).with("toParse", rate / parse)
                    .target(target, isMet: rate >= least)
            )
        }
    }

    /// A sale from its creation to its success, decided by the real decider.
    private static func history() throws -> [RecordedEvent] {
        let merchant = MerchantNumber(1)
        let account = Uuid(high: 0xACC0, low: 1)
        let stream = StreamName(merchant, .payment, Uuid(high: 0xFA1D, low: 7))
        let now = Timestamp(seconds: 1_800_000_000)
        guard let euro = Currency("EUR") else { throw CommandFailure("no EUR") }
        let terms = PaymentTerms(
            mode: .sale,
            method: .hosted,
            amount: Money(7700, euro),
            reference: "order-7",
            description: "A payment of the bench",
            customer: "customer-7",
            instrument: nil,
            expiresAt: now.adding(.seconds(3600)),
            details: ["payer": ["email": "payer@example.org"]],
            metadata: [:]
        )
        let facts = AccountFacts(id: account, name: "bench", provider: "ecommpay", mode: .test, version: 1)
        let context = DecisionContext(
            now: now,
            publicUrl: "http://127.0.0.1:8080",
            account: ConfiguredAccount(
                merchant: merchant,
                facts: facts,
                values: ["currencies": ["EUR"], "projectId": 42],
                sealedSecrets: [:]
            ),
            instrument: nil
        )
        let meta = InputMeta.command(
            actor: Actor(id: "bench", isOperator: false),
            account: account,
            traceparent: nil,
            correlation: nil
        )
        var history: [RecordedEvent] = []
        let command = PaymentCommand.create(terms)
        try append(&history, stream, .command, command.name.rawValue, meta, command.canonical, context)
        guard let reference = try Payment.fold(stream, history).attempt?.reference else {
            throw CommandFailure("the payment was refused")
        }
        let body: Json = [
            "operation": [
                "code": "0", "created_date": "2027-01-15T08:00:00+0000", "date": "2027-01-15T08:00:05+0000", "id": 1,
                "status": "success", "sum_initial": ["amount": 7700, "currency": "EUR"], "type": "sale",
            ],
            "payment": ["id": .string(reference), "method": "card", "status": "success"], "project_id": 42,
        ]
        let verified = JsonText.canonical { $0.member("trust", Trust.verified) }
        try append(&history, stream, .notification, "ecommpay.notification", verified, body.compactBytes, context)
        return history
    }

    private static func append(
        _ history: inout [RecordedEvent],
        _ stream: StreamName,
        _ kind: InputKind,
        _ name: String,
        _ meta: [UInt8],
        _ body: [UInt8],
        _ context: DecisionContext
    ) throws {
        let input = InputRecord(
            id: Uuid(high: 0x1111, low: UInt64(history.count + 1)),
            stream: stream,
            kind: kind,
            name: name,
            meta: meta,
            body: body,
            receivedAt: context.now
        )
        let decided = try Deciders(adapters: Node.adapters).decide(History(history), input, context)
        for draft in decided.events {
            history.append(
                RecordedEvent(
                    stream: stream,
                    version: Int32(history.count + 1),
                    position: Int64(history.count + 1),
                    type: draft.type,
                    cause: input.id,
                    recordedAt: context.now,
                    data: draft.data
                )
            )
        }
    }
}
