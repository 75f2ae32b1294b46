import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Schedules
import TestKit
import Testing

/// A charge whose answer was lost and whose repetition is turned away: nobody knows whether the card was charged.
struct RepetitionTests {
    private static func errors(_ codes: String...) -> Json {
        ["errorId": "e", "errors": .array(codes.map { ["errorCode": .string($0)] })]
    }

    /// What has nothing to do with the first request.
    static let refusals: [HttpResponse] = [
        .json(400, errors("31415926")), .json(400, errors("1409", "30001002")), .json(403, errors("9002")),
        .json(404, errors("1002")), .json(402, errors("30041001")), .json(410, [:]),
        HttpResponse(status: 409, headers: HttpHeaders([]), body: Array("<html>Conflict</html>".utf8)),
        .json(409, errors("1409", "30001002")),
    ]

    /// A monthly series whose first charge is lost, and whose repetitions are answered with `answer`.
    private func series(_ answer: @escaping @Sendable () -> HttpResponse) async throws -> (House, PaymentId) {
        let house = try await House()
        let posts = Locked(0)
        house.wire.play { request in
            guard request.method == .post else { return .answered(.json(200, ["result": "OK"])) }
            let isFirst = posts.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? .sentNoAnswer(NoAnswer(.deadline)) : .answered(answer())
        }
        let stream = try await start(house)
        house.clock.advance(by: .seconds(2 * 86_400))
        try await house.settle()
        return (house, try await house.schedule(stream).payment(1, attempt: 1))
    }

    /// A monthly series of a saved card; its first charge falls due within two days.
    private func start(_ house: House) async throws -> StreamName {
        let card = InstrumentId(Uuid(high: 0x1257, low: 1))
        let token = try await house.vault.seal(
            ["token": "tok"],
            paths: ["token"],
            subject: house.account,
            merchant: house.merchant
        )
        let fact = InstrumentFact(
            token: token["token"] ?? .null,
            fingerprint: "f-1",
            masked: "431422******0056",
            scheme: "visa",
            expiryYear: 2040,
            expiryMonth: 12
        )
        try await house.instrument(
            card,
            .save(SavedInstrument(fact: fact, account: house.account, customer: "cust-7", payment: nil))
        )
        let terms = ScheduleTerms(
            kind: .regular,
            runner: .paystream,
            presence: .unattended,
            account: house.account,
            instrument: card,
            fallback: nil,
            customer: "cust-7",
            reference: "sub-1",
            description: nil,
            amount: Shop.euro(1999),
            rule: ScheduleRule(
                cadence: .every(1, .month),
                start: try #require(CivilDate("2026-11-21")),
                time: try #require(TimeOfDay("10:00")),
                zone: "Test/East"
            ),
            mandate: Mandate(),
            activation: .verify,
            activateBy: house.clock.now.adding(.seconds(86_400)),
            policy: FiringPolicy(),
            details: [:],
            metadata: [:]
        )
        let stream = StreamName(house.merchant, .schedule, Uuid(high: 0x5CED, low: 1))
        let first = Activation(payment: PaymentId(Uuid(high: 1, low: 1)), mode: .verify, instrument: card, series: nil)
        for command in [ScheduleCommand.create(terms), .activate(first)] {
            let outcome = await house.decide(
                stream,
                command.name.rawValue,
                command.json,
                key: command.name.rawValue
            )
            guard case .decided(_, .events) = outcome else { throw House.Failure(what: "\(command.name): \(outcome)") }
        }
        return stream
    }

    private func pass(_ days: Int, _ house: House) async throws {
        for _ in 0..<120 {
            house.clock.advance(by: .seconds(30))
            try await house.settle()
        }
        for _ in 0..<(days * 12) {
            house.clock.advance(by: .seconds(7200))
            try await house.settle()
        }
    }

    private func keys(_ house: House) -> Set<String> {
        Set(house.wire.sent.filter { $0.method == .post }.compactMap { $0.headers["X-GCS-Idempotence-Key"] })
    }

    @Test(arguments: refusals.indices) func `dunning charges no card a second time on a refused repetition`(
        _ index: Int
    ) async throws {
        let (house, id) = try await series { Self.refusals[index] }
        try await pass(12, house)
        let payment = try await house.payment(id)
        #expect(payment.status == .indeterminate)
        #expect(house.wire.sent.count { $0.method == .post } > 1)
        #expect(keys(house).count == 1, "charged again under another key")
        #expect(payment.needsOperator)
        let report = try await house.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
    }

    @Test func `the answer to the first request, given again, ends it, and dunning goes on`() async throws {
        let (house, id) = try await series {
            var answer = HttpResponse.json(402, Self.errors("30051001"))
            answer.headers.append("X-GCS-Idempotence-Request-Timestamp", "1795165503000")
            return answer
        }
        try await pass(12, house)
        #expect(try await house.payment(id).status == .failed)
        #expect(keys(house).count > 1)
    }
}
