import Dolyame
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// Amounts of the provider beside what was asked, through the adapter and the production decider.
struct BooksTests {
    private func order(
        _ status: String,
        _ amount: String,
        _ refunds: [(id: String, amount: String)] = [],
        total: String? = nil
    ) -> [UInt8] {
        func number(_ text: String) -> Json { (try? Json(Array(text.utf8))) ?? .null }
        let items = refunds.map { refund -> Json in
            ["refund_id": .string(refund.id), "refunded_amount": number(refund.amount), "status": "processed"]
        }
        let info = Json.compact([
            ("items", items.isEmpty ? nil : .array(items)), ("total_refunded_amount", total.map(number)),
        ])
        return Json.compact([
            ("amount", number(amount)), ("link", "https://dolyame.example/order"),
            ("refund_info", items.isEmpty && total == nil ? nil : info), ("residual_amount", number(amount)),
            ("status", .string(status)),
        ])
        .compactBytes
    }

    private func items(_ price: String) -> Json { ["items": [["name": "all", "price": .string(price)]]] }

    private func held(_ settings: AccountSettings = Shop.settings()) throws -> DecidedPayment {
        var story = try DecidedPayment(Shop.adapter, settings, at: Shop.now)
        try story.command(.create(Shop.terms()))
        try story.answer(order("new", "7000"))
        try story.look(order("wait_for_commit", "7000"))
        return story
    }

    private func captured(
        _ kopecks: Int64,
        _ told: String,
        _ settings: AccountSettings = Shop.settings()
    ) throws -> DecidedPayment {
        var story = try held(settings)
        try story.command(
            .capture(
                amount: Shop.rubles(kopecks),
                reason: nil,
                details: kopecks == 700_000 ? nil : items("\(kopecks / 100)")
            ),
            baseline: order("wait_for_commit", "7000")
        )
        try story.answer(order("committed", told))
        return story
    }

    private func refund(_ story: inout DecidedPayment, _ kopecks: Int64, baseline: [UInt8]) throws {
        try story.command(
            .refund(
                amount: Shop.rubles(kopecks),
                capture: nil,
                reason: nil,
                details: ["items": [["name": "Ball", "price": .string("\(kopecks / 100)"), "sku": "BL-4"]]]
            ),
            baseline: baseline
        )
    }

    @Test func `another amount in the answer to our commit is ours, and a person's`() throws {
        let story = try captured(60_000, "1200")
        #expect(story.operations(.capture) == ["commanded succeeded 120000"])
        #expect(story.operatorOwes.contains("contradiction: amount"))
    }

    @Test func `an account whose orders go on saying what was ordered books what it committed`() throws {
        var story = try captured(60_000, "7000", Shop.settings([("amountAfterCommit", "ordered")]))
        try story.look(order("completed", "7000"))
        #expect(story.payment.amounts.captured == 60_000)
        #expect(story.operatorOwes == [])
    }

    @Test func `refunded without a list is all of it, once`() throws {
        var story = try captured(700_000, "7000")
        for _ in 1...2 { try story.look(order("refunded", "7000")) }
        #expect(story.payment.amounts.refunded == 700_000)
        try story.look(order("refunded", "7000", [("r-1", "7000")]))
        #expect(story.payment.amounts.refunded == 700_000)
        #expect(story.operatorOwes == [])
    }

    @Test func `a refund that is told twice is one`() throws {
        var story = try captured(700_000, "7000")
        try story.look(order("committed", "7000", [("r-1", "300"), ("r-1", "300")]))
        #expect(story.payment.amounts.refunded == 30_000)
    }

    @Test func `equal new refunds after a lost answer are nobody's until they are told apart`() throws {
        var story = try captured(700_000, "7000")
        try refund(&story, 60_000, baseline: order("committed", "7000"))
        try story.lose()
        try story.look(order("committed", "7000", [("r-1", "600"), ("r-2", "600")]))
        #expect(story.payment.amounts.refunded == 120_000)
        #expect(story.operations(.refund).first == "commanded indeterminate 0")
        #expect(story.operatorOwes.contains("operation: unexplained"))
    }

    @Test func `a list that disagrees with its total is trusted, and told`() throws {
        var story = try captured(700_000, "7000")
        try story.look(order("committed", "7000", [("r-1", "300")], total: "500"))
        #expect(story.payment.amounts.refunded == 30_000)
        #expect(story.operatorOwes == ["contradiction: amount"])
        #expect(!story.alarms.isEmpty)
    }

    @Test func `what is left after our refund is held against what we know`() throws {
        for (left, owed) in [("6400", []), ("6900", ["contradiction: amount"])] as [(String, [String])] {
            var story = try captured(700_000, "7000")
            try refund(&story, 60_000, baseline: order("committed", "7000"))
            try story.answer(Array(#"{"refund_id":"r-1","amount":\#(left)}"#.utf8))
            #expect(story.operations(.refund) == ["commanded succeeded 60000"])
            #expect(story.operatorOwes == owed)
        }
    }

    @Test func `a refund that is listed under another name than its answer gave is a person's`() throws {
        var story = try captured(700_000, "7000")
        try refund(&story, 60_000, baseline: order("committed", "7000"))
        try story.answer(Array(#"{"refund_id":"r1","amount":6400}"#.utf8))
        try story.look(order("committed", "7000", [("r9", "600")], total: "600"))
        #expect(story.payment.amounts.refunded == 120_000 && story.operatorOwes == [])
        try story.look(order("committed", "7000", [("r9", "600")], total: "600"))
        #expect(story.operatorOwes == ["contradiction: amount"])
        #expect(story.alarms.count == 1)
    }

    @Test func `a commit that nobody asked for while the hold is given back is a person's`() throws {
        var story = try held()
        try story.command(.void(amount: nil, reason: nil), baseline: order("wait_for_commit", "7000"))
        try story.lose()
        try story.look(order("committed", "7000"))
        #expect(story.operatorOwes.contains("contradiction: unasked"))
    }

    @Test func `an order that the provider does not know after it was committed is a person's`() throws {
        var story = try captured(700_000, "7000")
        for _ in 1...3 { try story.look(Array(#"{"type":"not_found"}"#.utf8), after: 100_000, status: 404) }
        #expect(story.payment.status == .captured)
        #expect(story.operatorOwes == ["contradiction: vanished"])
    }

    @Test(arguments: [
        "{}", "null", #"{"items":null}"#, #"{"items":{"refund_id":"r1","refunded_amount":1}}"#, "[]", #""none""#,
        #"{"items":7}"#,
    ])
    func `a block about refunds that tells none proves nothing`(_ block: String) throws {
        var story = try captured(700_000, "7000")
        try refund(&story, 60_000, baseline: order("committed", "7000"))
        try story.answer(Array(#"{"refund_id":"r1","amount":6400}"#.utf8))
        let text = String(decoding: order("committed", "7000"), as: UTF8.self)
        let body = Array((text.dropLast() + ",\"refund_info\":\(block)}").utf8)
        for _ in 1...2 { try story.look(body, after: 100_000) }
        #expect(story.payment.amounts.refunded == 60_000)
        #expect(!story.operatorOwes.contains("contradiction: vanished"))
    }
}
