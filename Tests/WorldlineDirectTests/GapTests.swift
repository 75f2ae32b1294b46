import Engine
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing
import WorldlineDirect

/// Money that looks tell without naming the operation behind it, through the whole engine.
struct GapTests {
    /// A sale that was paid, and looks that answer with `body` for a day.
    private func day(_ body: @escaping @Sendable (_ reference: String) -> Json) async throws -> (Payment, looks: Int) {
        let house = try await House()
        let page: Json = [
            "hostedCheckoutId": "15c09dac", "redirectUrl": "https://payment.preprod.example/p", "RETURNMAC": "fec",
        ]
        house.wire.play { _ in .answered(.json(201, page)) }
        let id = try await house.create(.sale, .hosted)
        try await house.settle()
        let reference = try #require(try await house.payment(id).attempt?.reference)
        try await house.deliver(id, Message.payment("CAPTURED", 9, reference: reference))
        house.wire.play { _ in .answered(.json(200, body(reference))) }
        try await house.deliver(id, Message.payment("REFUNDED", 8, reference: reference))
        let end = house.clock.now.adding(.seconds(86_400))
        let before = house.wire.sent.count
        for _ in 0..<5000 {
            try await house.settle()
            guard let next = house.store.nextDue(after: house.clock.now, grace: .zero), next <= end else { break }
            house.clock.advance(by: .seconds(max(1, next.seconds - house.clock.now.seconds)))
        }
        #expect(try await house.engine.replay.verify().isClean)
        return (try await house.payment(id), house.wire.sent.count - before)
    }

    private func operatorOwes(_ payment: Payment) -> [String] {
        payment.obligations.filter { $0.owner == .operator }.map(\.reason)
    }

    @Test(arguments: [("REFUNDED", 8), ("REVERSED", nil)] as [(String, Int64?)])
    func `a refund that looks tell and do not list is asked about less and less, and a person's`(
        _ status: String,
        _ code: Int64?
    ) async throws {
        let (payment, looks) = try await day { Message.payment(status, code, reference: $0) }
        #expect(looks < 80)
        #expect(payment.amounts.refunded == 0)
        #expect(operatorOwes(payment) == ["money_without_operation"])
    }

    @Test func `an entry in words that nobody knows is a person's`() async throws {
        let (payment, looks) = try await day { reference in
            let entries = [
                Message.entry(Shop.paymentId, "CAPTURED", 9, amount: 1999),
                Message.entry("3254564310_1", "GIVEN_AWAY", 700, amount: 500),
            ]
            return Message.payment("CAPTURED", 9, reference: reference, operations: entries)
        }
        #expect(looks < 80)
        #expect(operatorOwes(payment) == ["money_without_operation"])
        #expect(payment.unrecognised.contains("status=GIVEN_AWAY"))
    }

    @Test func `a word that listed operations explain is nobody's`() async throws {
        let (payment, looks) = try await day { reference in
            let entries = [
                Message.entry(Shop.paymentId, "CAPTURED", 9, amount: 1999),
                Message.entry("3254564310_1", "REFUNDED", 8, amount: 500),
            ]
            return Message.payment("REFUNDED", 8, reference: reference, operations: entries)
        }
        #expect(looks <= 3)
        #expect(payment.status == .partiallyRefunded && payment.obligations.isEmpty)
    }
}
