import Kernel
import Payments
import ProviderKit
import SberPay
import TestKit
import Testing

/// Totals and lists of the gateway, through the adapter and the production decider: what went back is booked once.
struct StatementTests {
    private static let accepted = Array(#"{"errorCode":"0"}"#.utf8)

    private func opened(_ mode: PaymentMode = .sale, _ dialect: String = "ecom") throws -> DecidedPayment {
        var story = try DecidedPayment(Shop.adapter, Shop.settings(dialect), at: Shop.now)
        try story.command(.create(Shop.terms(mode)))
        try story.answer(Array(#"{"orderId":"\#(Shop.orderId)","formUrl":"https://a.example/p"}"#.utf8))
        return story
    }

    private func paid(_ dialect: String = "ecom") throws -> DecidedPayment {
        var story = try opened(.sale, dialect)
        try story.look(body(story, 2, deposited: 19900))
        return story
    }

    private func held() throws -> DecidedPayment {
        var story = try opened(.authorize)
        try story.look(body(story, 1, deposited: 0))
        return story
    }

    private func body(
        _ story: DecidedPayment,
        _ status: Int64,
        approved: Int64 = 19900,
        deposited: Int64,
        refunded: Int64 = 0,
        _ list: [Json] = []
    ) -> [UInt8] {
        Shop.status(
            status,
            approved: approved,
            deposited: deposited,
            refunded: refunded,
            [("orderNumber", .string(story.reference))] + (list.isEmpty ? [] : [("operations", .array(list))])
        )
    }

    private func line(_ type: String, _ amount: Int64, _ more: [(String, Json)] = []) -> Json {
        .object(JsonObject([("type", .string(type)), ("amount", .integer(amount)), ("actionCode", 0)] + more))
    }

    private func refund(_ amount: Int64) -> PaymentCommand {
        .refund(amount: Shop.ruble(amount), capture: nil, reason: nil)
    }

    @Test func `a refund that a total tells and a list names later is one`() throws {
        var story = try paid()
        try story.look(body(story, 4, deposited: 19600, refunded: 300))
        #expect(story.operations(.refund) == ["provider succeeded 300"])
        for _ in 1...2 {
            let list = [line("REFUND", 300, [("externalRefundId", "cabinet-1")])]
            try story.look(body(story, 4, deposited: 19600, refunded: 300, list))
            #expect(story.payment.amounts.refunded == 300)
            #expect(story.operations(.refund) == ["provider succeeded 300"])
        }
        #expect(story.operatorOwes == [])
    }

    @Test func `a list that lags behind its total books the total`() throws {
        var story = try paid()
        let list = [line("REFUND", 200, [("externalRefundId", "cabinet-1")])]
        try story.look(body(story, 4, deposited: 19400, refunded: 500, list))
        #expect(story.payment.amounts.refunded == 500)
        let whole = list + [line("REFUND", 300, [("externalRefundId", "cabinet-2")])]
        try story.look(body(story, 4, deposited: 19400, refunded: 500, whole))
        #expect(story.payment.amounts.refunded == 500)
        #expect(story.operatorOwes == [])
    }

    @Test func `refunds that are listed without a name count by how many there are`() throws {
        var story = try paid()
        let list = (1...3).map { _ in line("REFUND", 1000) }
        for _ in 1...2 { try story.look(body(story, 4, deposited: 16900, refunded: 3000, list)) }
        #expect(story.payment.amounts.refunded == 3000)
        #expect(story.operations(.refund) == Array(repeating: "provider succeeded 1000", count: 3))
    }

    @Test func `a refund of ours that was acknowledged explains the growth of a total before anybody else's`() throws {
        var story = try paid()
        try story.command(refund(200), baseline: body(story, 2, deposited: 19900))
        try story.answer(Self.accepted)
        try story.look(body(story, 4, deposited: 19400, refunded: 500))
        #expect(story.operations(.refund) == ["commanded succeeded 200", "provider succeeded 300"])
        #expect(story.payment.amounts.refunded == 500)
        try story.command(refund(100), baseline: body(story, 4, deposited: 19400, refunded: 500))
        #expect(story.open.map(\.purpose) == [.operation(.refund)])
    }

    @Test func `a refund of ours that a total told is the one that an older gateway's list shows without our id`()
        throws
    {
        var story = try paid("legacy")
        try story.command(refund(500), baseline: body(story, 2, deposited: 19900))
        try story.lose()
        try story.look(body(story, 4, deposited: 19400, refunded: 500))
        #expect(story.operations(.refund) == ["commanded succeeded 500"])
        let list = [line("REFUND", 500, [("referenceNumber", "501230001")])]
        for _ in 1...2 { try story.look(body(story, 4, deposited: 19400, refunded: 500, list)) }
        #expect(story.operations(.refund) == ["commanded succeeded 500"])
        #expect(story.payment.amounts.refunded == 500)
    }

    @Test func `equal refunds after a lost answer are nobody's until they are told apart`() throws {
        var story = try paid()
        try story.command(refund(500), baseline: body(story, 2, deposited: 19900))
        let reference = try #require(story.payment.operations.last?.reference)
        try story.lose()
        let twins = [line("REFUND", 500), line("REFUND", 500)]
        try story.look(body(story, 4, deposited: 18900, refunded: 1000, twins))
        #expect(story.payment.amounts.refunded == 1000)
        #expect(story.operations(.refund).first == "commanded indeterminate 0")
        let named = [line("REFUND", 500, [("externalRefundId", .string(reference))]), line("REFUND", 500)]
        try story.look(body(story, 4, deposited: 18900, refunded: 1000, named))
        #expect(story.operations(.refund).first == "commanded succeeded 500")
    }

    @Test func `a part of what was taken that was reversed went back`() throws {
        var story = try paid()
        let list = [line("AUTHORIZATION", 19900), line("REVERSAL", 7000)]
        for _ in 1...2 { try story.look(body(story, 2, approved: 12900, deposited: 12900, list)) }
        #expect(story.payment.amounts.captured == 19900 && story.payment.amounts.refunded == 7000)
        #expect(story.payment.status == .partiallyRefunded)
        #expect(story.operatorOwes == [])
    }

    @Test func `more than was approved is booked as it is told, and has an owner`() throws {
        var sale = try opened()
        try sale.look(body(sale, 2, deposited: 39800))
        #expect(sale.payment.amounts.captured == 39800)
        #expect(sale.operatorOwes.contains("contradiction: amount"))
        var hold = try held()
        try hold.look(body(hold, 2, deposited: 39800))
        #expect(hold.payment.amounts.captured == 39800)
        #expect(hold.operatorOwes.contains("contradiction: excess"))
    }

    @Test func `a paid order that is shown as not paid has an owner, and nothing is given back meanwhile`() throws {
        var story = try paid()
        for _ in 1...3 { try story.look(body(story, 0, approved: 0, deposited: 0), after: 7200) }
        #expect(story.payment.amounts.captured == 19900)
        #expect(story.operatorOwes == ["contradiction: vanished"])
        #expect(throws: DecidedPayment.Refused.self) {
            try story.command(.refund(amount: nil, capture: nil, reason: nil))
        }
    }

    @Test func `a part of a hold that was reversed is released`() throws {
        var story = try held()
        try story.look(body(story, 1, approved: 12900, deposited: 0, [line("REVERSAL", 7000)]))
        #expect(story.payment.amounts.held == 12900)
        try story.look(body(story, 1, approved: 12900, deposited: 0))
        #expect(story.payment.amounts.released == 7000)
    }

    @Test func `a hold that shows again after it was given back has an owner`() throws {
        var story = try held()
        try story.command(.void(amount: nil, reason: nil))
        try story.answer(Self.accepted)
        try story.look(body(story, 3, approved: 0, deposited: 0))
        #expect(story.payment.status == .voided && story.operatorOwes == [])
        try story.look(body(story, 1, deposited: 0), after: 3600)
        #expect(story.operatorOwes.contains("contradiction: vanished"))
        #expect(story.alarms.count { $0.hasPrefix("vanished") } == 1)
        try story.look(body(story, 2, deposited: 19900), after: 3600)
        #expect(story.operatorOwes.contains("contradiction: excess"))
        #expect(story.alarms.contains { $0.contains("released → taken") })
    }

    @Test func `a hold that was given back and nobody asked has an owner`() throws {
        var story = try held()
        try story.look(body(story, 3, approved: 0, deposited: 0))
        #expect(story.payment.status == .released)
        #expect(story.operatorOwes == ["contradiction: unasked"])
        #expect(story.alarms.count == 1)
    }

    /// Looks until a person owns it; the status says that something went back.
    private func looks(_ story: inout DecidedPayment, _ body: [UInt8]) throws {
        for _ in 0...Payment.questionsBeforePerson { try story.look(body, after: 4000) }
    }

    @Test(arguments: [0, -5, nil] as [Int64?])
    func `a refund whose sum is nothing, below it or missing is a person's`(_ refunded: Int64?) throws {
        var story = try paid()
        let sums: [(String, Json)] = [("approvedAmount", 19900), ("depositedAmount", 19900)]
        let told = sums + (refunded.map { [("refundedAmount", Json.integer($0))] } ?? [])
        let changes: [(String, Json)] = [
            ("orderNumber", .string(story.reference)), ("paymentAmountInfo", .object(JsonObject(told))),
        ]
        try looks(&story, Shop.status(4, changes))
        #expect(story.payment.amounts.captured == 19900 && story.payment.amounts.refunded == 0)
        #expect(story.operatorOwes.contains(refunded == -5 ? "contradiction: amount" : Self.untold))
    }

    private static let untold = "contradiction: money_without_operation"

    @Test func `a list that stays short of its total is a person's`() throws {
        for list in [[line("REFUND", 200, [("externalRefundId", "a")])], [line("AUTHORIZATION", 19900)]] {
            var story = try paid()
            let short = body(story, 4, deposited: 19400, refunded: 500, list)
            try looks(&story, short)
            #expect(story.payment.amounts.refunded == 500)
            #expect(story.operatorOwes == [Self.untold])
        }
    }

    @Test func `a line of a type that nobody knows is a person's`() throws {
        var story = try paid()
        try looks(&story, body(story, 2, deposited: 19900, [line("DONATION", 300)]))
        #expect(story.operatorOwes == [Self.untold])
    }

    @Test func `a paid order that the gateway does not know is a person's`() throws {
        var story = try paid()
        let unknown = Array(#"{"errorCode":"6","errorMessage":"unknown order"}"#.utf8)
        for _ in 1...3 { try story.look(unknown, after: 4000) }
        #expect(story.payment.status == .captured)
        #expect(story.operatorOwes == ["contradiction: vanished"])
    }

    @Test func `a list that says more than its total is booked and told`() throws {
        var story = try paid()
        let list = [line("REFUND", 300, [("externalRefundId", "a")]), line("REFUND", 200, [("externalRefundId", "b")])]
        try story.look(body(story, 4, deposited: 19600, refunded: 300, list))
        #expect(story.payment.amounts.refunded == 500)
        #expect(story.operatorOwes == ["contradiction: amount"])
        try story.look(body(story, 4, deposited: 19400, refunded: 500, list))
        #expect(story.operatorOwes == [])
    }

    @Test func `a line that the gateway renames is a person's, when its total must show both`() throws {
        var story = try paid()
        for (name, owed) in [("a", []), ("b", []), ("b", ["contradiction: amount"])] as [(String, [String])] {
            let list = [line("REFUND", 200, [("externalRefundId", .string(name))])]
            try story.look(body(story, 4, deposited: 19700, refunded: 200, list))
            #expect(story.operatorOwes == owed)
        }
        #expect(story.payment.amounts.refunded == 400)
    }
}
