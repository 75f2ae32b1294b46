import Crypto
import Ecommpay
import EventSourcing
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// The debits of a series that the provider runs are payments.
extension ProviderSeriesTests {
    private func adopted(_ harness: EngineHarness, _ name: String) async throws -> Payment {
        let id = SeriesDebit(payment: name, series: "", amount: try euros(0), outcome: .succeeded, at: nil)
            .id(at: harness.account)
        return try await harness.payment(id)
    }

    private func begun(_ harness: EngineHarness, _ payment: Payment) async throws -> Int {
        try await harness.store.load([(harness.stream(payment.id), 0)])[0].filter { $0.type == "payment.created.v1" }
            .count
    }

    @Test func `a debit is one payment of its occurrence, told how often and to whichever stream`() async throws {
        let (harness, payment) = try await active()
        try await move(harness, to: "2027-01-20T07:00:05Z")
        try await tell(harness, payment, named: "p-1", type: "recurring", minor: 1999)
        let seen = try await schedule(harness)
        let ours = try await adopted(harness, "p-1")
        #expect(seen.paid[1] == ours.id, "the occurrence names it")
        #expect(ours.status == .captured && ours.amounts.captured == 1999 && ours.attempt?.reference == "p-1")
        #expect(ours.terms?.occurrence?.ordinal == 1 && ours.terms?.customer == "cust-7")
        #expect(ours.terms?.adopted == AdoptedDebit(name: "p-1", registeredBy: payment))
        #expect(ours.openDebits.isEmpty)
        // What came of it before this stream was there the provider tells.
        let looks = sent(harness, "/status").compactMap { $0.at("general", "payment_id")?.text }
        #expect(looks.contains("p-1"), "\(looks)")
        try await tell(harness, payment, named: "p-1", type: "recurring", minor: 1999)
        try await tell(harness, ours.id, named: "p-1", type: "recurring", minor: 1999)
        let again = try await adopted(harness, "p-1")
        #expect(again.amounts.captured == 1999 && again.operations.count == 1)
        #expect(try await begun(harness, again) == 1)
        let counted = try await schedule(harness)
        #expect(counted.collected == 1999 && counted.anomalies.isEmpty)
        // The provider's own word about a refund by its staff is the payment's.
        try await tell(harness, ours.id, named: "p-1", type: "refund", minor: 500)
        #expect(try await adopted(harness, "p-1").amounts.refunded == 500)
        try await checkBooks(harness)
    }

    @Test func `a debit that nothing explains is a payment that an operator owes a look`() async throws {
        let (harness, payment) = try await active()
        try await move(harness, to: "2027-01-20T07:00:05Z")
        try await tell(harness, payment, named: "p-1", type: "recurring", minor: 1999)
        try await tell(harness, payment, named: "p-odd", type: "recurring", minor: 1999)
        #expect(try await schedule(harness).anomalies == [.debitUnmatched: 1])
        let odd = try await adopted(harness, "p-odd")
        #expect(odd.status == .captured && odd.terms?.occurrence == nil && odd.openDebits == ["p-odd"])
        #expect(odd.needsOperator && !odd.isFrozen, "it may be given back")
        try await checkBooks(harness)
    }

    @Test func `a declined debit is a payment that failed, and its repetition is another one`() async throws {
        let (harness, payment) = try await active()
        try await move(harness, to: "2027-01-20T07:00:05Z")
        let decline = ("decline", "10105")
        try await tell(
            harness,
            payment,
            named: "p-1",
            type: "recurring",
            status: decline.0,
            code: decline.1,
            minor: 1999
        )
        let failed = try await adopted(harness, "p-1")
        #expect(failed.status == .failed && failed.payerAction == nil && failed.amounts.captured == 0)
        #expect(failed.openDebits.isEmpty)
        try await tell(harness, payment, named: "p-1-again", type: "recurring", minor: 1999)
        #expect(try await adopted(harness, "p-1-again").terms?.occurrence?.ordinal == 1)
        #expect(try await schedule(harness).paid.keys.sorted() == [1])
        try await checkBooks(harness)
    }

    @Test func `a debit of a series that no schedule knows is a payment, too, and an operator's there`() async throws {
        let harness = try await harness()
        #expect(try await send(harness, .create(try terms(harness)), key: "create") == nil)
        let payment = try await first(harness, isOfSchedule: false)
        try await tell(harness, payment)
        try await tell(harness, payment, named: "p-9", type: "recurring", minor: 1999)
        let odd = try await adopted(harness, "p-9")
        #expect(odd.amounts.captured == 1999 && odd.terms?.customer == "cust-7" && odd.openDebits == ["p-9"])
        #expect(try await harness.payment(payment).openDebits.isEmpty, "one place to look at is enough")
        #expect(try await schedule(harness).anomalies.isEmpty)
        try await checkBooks(harness)
    }

    @Test func `a debit of another amount than was due is an operator's at its payment`() async throws {
        let (harness, payment) = try await active()
        try await move(harness, to: "2027-01-20T07:00:05Z")
        try await tell(harness, payment, named: "p-1", type: "recurring", minor: 19_990)
        #expect(try await schedule(harness).anomalies == [.amountDiffers: 1])
        let ours = try await adopted(harness, "p-1")
        #expect(ours.amounts.captured == 19_990 && ours.terms?.occurrence?.ordinal == 1)
        #expect(ours.obligations.map(\.reason).contains("amount_differs") && ours.needsOperator && !ours.isFrozen)
        try await tell(harness, payment, named: "p-1", type: "recurring", minor: 19_990)
        #expect(try await adopted(harness, "p-1").flags.concerns.count == 1, "told once")
        try await checkBooks(harness)
    }

    @Test func `an occurrence that is paid a second time by late news is an operator's at the payment that did`()
        async throws
    {
        let (harness, payment) = try await active()
        try await move(harness, to: "2027-01-20T07:00:05Z")
        func declined(_ name: String) async throws {
            try await tell(
                harness,
                payment,
                named: name,
                type: "recurring",
                status: "decline",
                code: "10105",
                minor: 1999
            )
        }
        try await declined("p-1")
        try await tell(harness, payment, named: "p-1-again", type: "recurring", minor: 1999)
        #expect(try await !adopted(harness, "p-1-again").needsOperator)
        // The name leads to the payment that it is by now.
        let first = try await adopted(harness, "p-1")
        try await tell(harness, first.id, named: "p-1", type: "recurring", minor: 1999)
        #expect(try await schedule(harness).anomalies == [.paidTwice: 1])
        let late = try await adopted(harness, "p-1")
        #expect(late.amounts.captured == 1999 && late.needsOperator)
        #expect(late.obligations.map(\.reason).contains("paid_twice"), "\(late.obligations)")
        try await checkBooks(harness)
    }

    @Test func `a debit whose amount can't be read is a payment that is asked about, and nothing is counted`()
        async throws
    {
        let (harness, payment) = try await active()
        try await move(harness, to: "2027-01-20T07:00:05Z")
        let body: Json = [
            "operation": [
                "id": 77, "type": "recurring", "status": "success", "code": "0",
                "created_date": "2027-01-20T07:00:05+0000", "date": "2027-01-20T07:00:05+0000",
                "sum_initial": ["amount": "many", "currency": "EUR"],
            ],
            "payment": ["id": "p-1", "method": "card", "status": "success"], "project_id": 42,
            "recurring": ["currency": "EUR", "id": .integer(Self.series)],
        ]
        try await admit(harness, payment, body.compactBytes)
        let ours = try await adopted(harness, "p-1")
        #expect(ours.isCreated && ours.terms?.amount == nil && ours.amounts.captured == 0)
        #expect(ours.obligations.map(\.reason).contains("amount_unknown"))
        let looks = sent(harness, "/status").compactMap { $0.at("general", "payment_id")?.text }
        #expect(looks.contains("p-1"))
        #expect(try await schedule(harness).paid.isEmpty)
        try await checkBooks(harness)
    }

    @Test func `a debit that is told without its operation is booked by what the platform answers`() async throws {
        let (harness, payment) = try await active()
        try await move(harness, to: "2027-01-20T07:00:05Z")
        harness.wire.play { _ in
            let operation = CallbackOperation(id: 2002, type: "recurring", status: "success", minor: 1999)
            return CallbackOperation.statusAnswer([operation], reference: "p-1", status: "success")
        }
        let body: Json = [
            "payment": ["id": "p-1", "method": "card", "status": "success"], "project_id": 42,
            "recurring": ["currency": "EUR", "id": .integer(Self.series)],
        ]
        try await admit(harness, payment, body.compactBytes)
        let looks = sent(harness, "/status").compactMap { $0.at("general", "payment_id")?.text }
        #expect(looks.contains("p-1"), "\(looks)")
        let ours = try await adopted(harness, "p-1")
        #expect(ours.status == .captured && ours.amounts.captured == 1999 && ours.openDebits == ["p-1"])
        // Told again with its operation it is booked once.
        try await tell(harness, ours.id, named: "p-1", type: "recurring", minor: 1999)
        #expect(try await adopted(harness, "p-1").amounts.captured == 1999)
        try await checkBooks(harness)
    }
}
