import Kernel
import Payments
import Portmone
import ProviderKit
import Testing

/// What a row states, and what it does not.
struct AmountTests {
    private func paid(_ amount: Json?) -> [Fact] {
        guard let amount else {
            return Shop.query([
                ["shopBillId": "501", "shopOrderNumber": "pay-7", "payee_id": "1185", "status": "PAYED"]
            ])
        }
        return Shop.query([Shop.row("PAYED", with: [("billAmount", amount)])])
    }

    /// The books of a payment of 100.00 after the answer to a question.
    private func books(_ facts: [Fact]) throws -> Payment {
        var payment = Payment(id: PaymentId(Uuid(high: 9, low: 1)))
        let capabilities = try Shop.adapter.capabilities(Shop.settings())
        func context(_ input: UInt64) -> PaymentContext {
            PaymentContext(
                now: Shop.now,
                input: Uuid(high: 8, low: input),
                actor: Actor(id: "shop", isOperator: false),
                account: Shop.settings().account,
                capabilities: capabilities,
                adapterVersion: 1,
                opening: .handover
            )
        }
        for event in try payment.decide(.create(Shop.terms()), context(1)).events { payment.evolve(event) }
        let decided = payment.decide(.facts(facts, trust: .verified, dispatch: nil), context(2))
        for event in decided.events { payment.evolve(event) }
        return payment
    }

    @Test(
        arguments: [
            "1,00", "1.005", "0.01 UAH", "+1", "-100", "", "hundred", true, ["x": 1], nil,
        ] as [Json?]
    ) func `portmone: a paid row that states no amount does not book what was asked for`(amount: Json?) throws {
        let payment = try books(paid(amount))
        #expect(payment.amounts == PaymentAmounts())
        #expect(payment.status == .indeterminate)
        let isUnreadable = amount != nil && amount != ""
        #expect(payment.contradictions == (isUnreadable ? [.amount] : []))
        #expect(payment.needsOperator == isUnreadable)
        #expect(payment.obligations.contains { $0.kind == .amount })
    }

    @Test func `portmone: what a JSON writer makes of a double is the amount that it was`() throws {
        for text in ["100.0", "100.00000000000000", "100"] {
            #expect(try books(paid(try Json(text: text))).amounts.captured == 10_000)
        }
        let odd = try books(paid(try Json(text: "129.90000000000001")))
        #expect(odd.amounts.captured == 12_990)
    }

    @Test func `portmone: every message that never states an amount is declared`() throws {
        let can = try Shop.adapter.capabilities(Shop.settings())
        let held = Shop.query([Shop.row("PAYED", "100")], Shop.context(.authorize))
        let foreign = Shop.query([Shop.row("PAYED", "4150.00")], Shop.context(currency: "USD"))
        let named = (held + foreign).compactMap { fact -> String? in
            guard case .operation(let operation) = fact, case .unstated(let message) = operation.amount else {
                return nil
            }
            return message
        }
        #expect(named.count == 2)
        #expect(can.unstatedAmounts.isSuperset(of: named))
    }
}
