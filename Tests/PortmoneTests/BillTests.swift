import Kernel
import Payments
import Portmone
import ProviderKit
import Testing

/// Outcomes of many bills, whatever the answer looks like.
struct BillTests {
    private func order(_ id: String, _ minor: Int64 = 1000) -> BillLine {
        guard let amount = Shop.hryvnia(minor) else { preconditionFailure("the table has UAH") }
        return BillLine(ordinal: 1, id: id, amount: amount)
    }

    private func report(_ id: String?, _ status: String, paid: Json = 10, _ more: [(String, Json)] = []) -> BillReport {
        BillReport(
            .compact(
                [
                    ("billId", id.map(Json.string)), ("status", .string(status)), ("billAmount", 10),
                    ("paidAmount", paid), ("commission", "0.10"),
                ] + more.map { ($0.0, $0.1) }
            )
        )
    }

    @Test func `shuffled, missing, repeated and foreign ids give one outcome per requested bill`() {
        let outcomes = BillOutcomes(
            [order("1"), order("2"), order("3"), order("4")],
            [
                report("9", "PAYED"), report("3", "REJECTED"), report(nil, "PAYED"), report("1", "PAYED"),
                report("1", "", [("errorMessage", "again")]), report("4", "", [("errorMessage", "no money")]),
            ],
            source: .answer
        )
        #expect(outcomes.bills.map(\.outcome) == [.paid, .unknown, .failed, .failed])
        #expect(outcomes.foreign == ["9", ""])
        #expect(outcomes.whole == .unresolved)
        #expect(outcomes.repeatable == ["3", "4"])
        #expect(outcomes.charged == Shop.hryvnia(1000))
    }

    @Test func `3-D Secure in the middle leaves the rest unknown`() {
        let outcomes = BillOutcomes(
            [order("1"), order("2"), order("3")],
            [report("1", "PAYED"), report("2", "CREATED", paid: 0, [("mpiFlag", "Y"), ("errorCode", "0")])],
            source: .answer
        )
        #expect(outcomes.bills.map(\.outcome) == [.paid, .requiresAction, .unknown])
        #expect(outcomes.whole == .unresolved)
        #expect(outcomes.unreached == ["3"])
        #expect(outcomes.action?.bill == "2")
    }

    @Test func `a paid bill with nothing paid is paid and marked, never repeated`() {
        let outcomes = BillOutcomes([order("1")], [report("1", "PAYED", paid: 0)], source: .answer)
        #expect(outcomes.bills.map(\.amountDiffers) == [true])
        #expect(outcomes.whole == .completed)
        #expect(outcomes.repeatable == [])
    }

    @Test func `two payments of one bill take the sum of both, and the same one told again takes nothing`() {
        func paid(_ payment: String) -> BillReport { report("1", "PAYED", [("transactionId", .string(payment))]) }
        let twice = BillOutcomes([order("1")], [paid("T1"), paid("T2"), paid("T1")], source: .answer)
        #expect(twice.charged == Shop.hryvnia(2000) && twice.bills.map(\.amountDiffers) == [true])
        #expect(twice.commission == Shop.hryvnia(20))
        let again = BillOutcomes([order("1")], [paid("T1"), paid("T1"), report("1", "PAYED")], source: .answer)
        #expect(again.charged == Shop.hryvnia(1000) && again.bills.map(\.amountDiffers) == [false])
    }

    @Test func `the same set of reports in any order ends alike`() {
        let reports = [report("1", "PAYED"), report("1", "REJECTED"), report("2", "CANCELED"), report("2", "")]
        let orders = [order("1"), order("2")]
        let first = BillOutcomes(orders, reports, source: .answer)
        #expect(first.whole == .partiallyCompleted)
        let turned = BillOutcomes(orders, reports.reversed(), source: .answer)
        #expect(turned.bills.map(\.outcome) == first.bills.map(\.outcome))
    }

    @Test func `a wallet pays one bill, and refused credentials ask the user`() {
        #expect(MerchantBills.mayPayByWallet(1))
        #expect(!MerchantBills.mayPayByWallet(2))
        #expect(BillAnswer(Array("{\"error\":{\"code\":1,\"message\":\"m\"}}".utf8)).asksForPassword)
        #expect(BillAnswer(Array("<html>".utf8)) == .unreadable)
    }

    @Test func `under an error's status only the provider's own refusal proves that nothing was paid`() {
        let settings = Shop.settings([("bills", ["credentialCodesProveUnpaid": true]), ("bulkMode", "serverToken")])
        let lines = [order("1"), order("2"), order("3")]
        func read(_ status: Int, _ body: Json) -> (outcome: DispatchOutcome, reading: BillReading) {
            let answer = Observation.answered(.operation(.sale), status: status, headers: [:], body: body.compactBytes)
            return Shop.adapter.declaration.believed(PortmoneBills().read(answer, lines, settings), of: answer)
        }
        let refusal: Json = ["error": ["code": "1", "message": "Out of order"]]
        for status in [200, 403] {
            #expect(read(status, refusal).reading.whole == .notExecuted(.credentialsStale, code: "1"))
        }
        for status in [302, 429, 500, 503] {
            let (outcome, reading) = read(status, refusal)
            #expect(outcome == .unknown(reason: "HTTP \(status) in no form of the provider's"))
            #expect(reading.whole == .unanswered(reason: "HTTP \(status) in no form of the provider's"))
        }
        let rows: Json = [
            "result": [
                ["billId": "1", "status": "PAYED", "paidAmount": "10"], ["billId": "2", "status": "REJECTED"],
                ["billId": "3", "status": "CREATED", "mpiFlag": "Y", "errorCode": "0"],
            ]
        ]
        #expect(read(200, rows).reading.standings.map(\.outcome) == [.paid, .failed, .requiresAction])
        #expect(read(500, rows).reading.standings.map(\.outcome) == [.paid, .requiresAction])
    }
}
