import Kernel
import Payments
import Portmone
import ProviderKit
import TestKit
import Testing

/// What the gateway shows beside what was asked, through the adapter and the production decider: the books add up or a
/// person owns the difference.
struct BooksTests {
    private func rows(_ story: DecidedPayment, _ rows: (id: String, status: String, amount: String)...) -> [UInt8] {
        Json.array(rows.map { Self.row(story, $0.id, $0.status, $0.amount) }).compactBytes
    }

    private static func row(_ story: DecidedPayment, _ id: String, _ status: String, _ amount: String) -> Json {
        [
            "shopBillId": .string(id), "shopOrderNumber": .string(story.reference), "status": .string(status),
            "billAmount": .string(amount), "payeeId": "1185",
        ]
    }

    private func answer(_ story: DecidedPayment, _ id: String, _ status: String, _ amount: String) -> [UInt8] {
        Self.row(story, id, status, amount).compactBytes
    }

    private func seen(_ mode: PaymentMode, _ status: String) throws -> DecidedPayment {
        var story = try DecidedPayment(Shop.adapter, Shop.settings(), at: Shop.now)
        try story.command(.create(Shop.terms(mode)))
        if story.open.contains(where: { $0.purpose != .query }) {
            try story.answer(Array(#"{"linkPayment":"https://www.portmone.com.ua/r3/i/x"}"#.utf8))
        }
        try story.look(rows(story, ("77", status, "100.00")))
        return story
    }

    private func hryvnia(_ minor: Int64) -> Money? { Currency("UAH").map { Money(minor, $0) } }

    private func captured(_ asked: Int64, _ told: String) throws -> DecidedPayment {
        var story = try seen(.authorize, "PREAUTH")
        try story.command(
            .capture(amount: hryvnia(asked), reason: nil),
            baseline: rows(story, ("77", "PREAUTH", "100.00"))
        )
        try story.answer(answer(story, "77", "PAYED", told))
        return story
    }

    @Test func `books follow the latest look where an answer alone says something else`() throws {
        var story = try captured(6000, "100.00")
        #expect(story.operatorOwes.contains("contradiction: amount"))
        for _ in 1...3 { try story.look(rows(story, ("77", "PAYED", "60.00"))) }
        let sums = story.payment.amounts
        #expect(sums.captured == 6000 && sums.released + sums.held == 4000)
        #expect(story.operatorOwes == ["contradiction: amount"])
    }

    @Test func `another amount in the answer to our capture is ours, and a person's`() throws {
        let story = try captured(400, "10.00")
        #expect(story.operations(.capture) == ["commanded succeeded 1000"])
        #expect(story.operatorOwes.contains("contradiction: amount"))
    }

    @Test func `another amount in the answer to our refund is ours, and a person's`() throws {
        var story = try seen(.sale, "PAYED")
        try story.command(
            .refund(amount: hryvnia(400), capture: nil, reason: nil),
            baseline: rows(story, ("77", "PAYED", "100.00"))
        )
        try story.answer(answer(story, "78", "RETURN", "-5.00"))
        #expect(story.operations(.refund) == ["commanded succeeded 500"])
        #expect(story.operatorOwes == ["contradiction: amount"])
    }

    @Test func `paid after we gave the hold back is a person's, and told`() throws {
        var story = try seen(.authorize, "PREAUTH")
        try story.command(.void(amount: nil, reason: nil), baseline: rows(story, ("77", "PREAUTH", "100.00")))
        try story.answer(answer(story, "77", "REJECTED", "100.00"))
        #expect(story.payment.status == .voided && story.operatorOwes == [])
        try story.look(rows(story, ("77", "PAYED", "100.00")))
        #expect(story.operatorOwes.contains("contradiction: excess"))
        #expect(story.alarms.contains { $0.hasPrefix("excess") })
        #expect(story.alarms.contains { $0.contains("released → taken") })
    }

    @Test func `a hold that shows again after it was given back is a person's, and told once`() throws {
        var story = try seen(.authorize, "PREAUTH")
        try story.command(.void(amount: nil, reason: nil), baseline: rows(story, ("77", "PREAUTH", "100.00")))
        try story.answer(answer(story, "77", "REJECTED", "100.00"))
        for _ in 1...5 { try story.look(rows(story, ("77", "PREAUTH", "100.00")), after: 3600) }
        #expect(story.operatorOwes == ["contradiction: vanished"])
        #expect(story.alarms.count == 1)
    }

    @Test func `more than the hold is a person's, and told`() throws {
        var story = try seen(.authorize, "PREAUTH")
        try story.look(rows(story, ("77", "PAYED", "120.00")))
        #expect(story.operatorOwes.contains("contradiction: excess"))
        #expect(story.alarms.contains { $0.hasPrefix("excess") })
    }

    @Test func `a hold that the gateway rejects and nobody gave up is a person's`() throws {
        var story = try seen(.authorize, "PREAUTH")
        try story.look(rows(story, ("77", "REJECTED", "100.00")))
        #expect(story.payment.status == .released)
        #expect(story.operatorOwes == ["contradiction: unasked"])
    }

    @Test func `a paid row that is gone is a person's, and the books keep it`() throws {
        var story = try seen(.sale, "PAYED")
        try story.look(Json.array([]).compactBytes, after: 3600)
        #expect(story.payment.amounts.captured == 10_000)
        #expect(story.operatorOwes == ["contradiction: vanished"])
    }
}
