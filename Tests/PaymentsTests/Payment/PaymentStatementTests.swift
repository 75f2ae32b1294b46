import Kernel
import Payments
import TestKit
import Testing

/// Totals and lists of one kind of operation: what they tell is booked once, in whatever order they come.
struct PaymentStatementTests {
    private func paid() throws -> Story {
        var story = try Story(.sale)
        story.see(Samples.seen("s1", .sale))
        story.wait(600)
        return story
    }

    private func statement(_ total: Int64?, _ lines: [(name: String?, minor: Int64)] = []) -> Fact {
        let entries = lines.map { line in
            Statement.Entry(
                ProviderOperation(
                    providerId: line.name ?? "refund:?:\(line.minor)",
                    kind: .refund,
                    outcome: .succeeded,
                    amount: .stated(.cents(line.minor))
                ),
                isNamed: line.name != nil
            )
        }
        return .statement(Statement(.refund, entries: entries, total: total.map { .books(.cents($0)) }))
    }

    private func refunds(_ story: Story) -> [String] {
        story.payment.operations.filter { $0.kind == .refund }.map {
            "\($0.origin.rawValue) \($0.booked(in: Samples.euro))"
        }
    }

    @Test func `looks in any order and repetition book what they tell together, once`() throws {
        try forAll(runs: 300, seed: 4711) { random in
            var story = try paid()
            var ours: [Int64] = []
            for minor in [Int64(200), 100] where random.chance(60) {
                try story.command(.refund(amount: .cents(minor), capture: nil, reason: nil))
                story.answer(.dispatch(.accepted))
                ours.append(minor)
            }
            let history = ours + (0..<Int(random.number(0...4))).map { _ in random.pick([100, 100, 200, 50]) }
            let names = history.indices.map { random.chance(50) ? "refund:n\($0)" : nil }
            let looks = (0...history.count).map { count in
                let shown = history.prefix(count).enumerated().filter { _ in random.chance(70) }
                let total = history.prefix(count).reduce(0, +)
                return statement(total, shown.map { (names[$0.offset], $0.element) })
            }
            let whole = statement(history.reduce(0, +))
            var plain = story
            for look in looks + [whole] { plain.observe(look) }
            let sum = history.reduce(0, +)
            #expect(plain.payment.amounts.refunded == sum)
            #expect(refunds(plain).count <= history.count + 1)
            let commanded = plain.payment.operations.filter { $0.kind == .refund && $0.origin == .commanded }
            #expect(commanded.allSatisfy { $0.isClosed })
            for _ in 0..<3 {
                var other = story
                let order = (looks + [whole]).shuffled(using: &random)
                for look in order + order.prefix(2) { other.observe(look) }
                #expect(other.payment.amounts.refunded == sum)
                #expect(
                    Set(other.payment.operations.flatMap(\.transactions.keys))
                        == Set(plain.payment.operations.flatMap(\.transactions.keys))
                )
            }
        }
    }

    @Test func `a line that gets a name is not there twice`() throws {
        var story = try paid()
        story.observe(statement(500, [(nil, 300), (nil, 200)]))
        #expect(story.payment.amounts.refunded == 500)
        story.observe(statement(500, [("refund:n1", 300), (nil, 200)]))
        #expect(story.payment.amounts.refunded == 500)
        #expect(refunds(story) == ["provider 0", "provider 200", "provider 300"])
        story.observe(statement(700, [("refund:n1", 300), (nil, 200), (nil, 200)]))
        #expect(story.payment.amounts.refunded == 700)
    }

    @Test func `what was told before we asked is not ours`() throws {
        var story = try paid()
        story.observe(statement(200))
        try story.command(.refund(amount: .cents(200), capture: nil, reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.observe(statement(200))
        #expect(refunds(story) == ["provider 200", "commanded 0"])
        story.observe(statement(400))
        #expect(refunds(story) == ["provider 200", "commanded 200"])
        story.observe(statement(500))
        #expect(refunds(story) == ["provider 300", "commanded 200"])
    }

    @Test func `what a lost refund and somebody else's may both explain is nobody's, and asked of a person`() throws {
        var story = try paid()
        try story.command(.refund(amount: .cents(200), capture: nil, reason: nil))
        story.answer(.dispatch(.unknown(reason: "timeout")))
        story.observe(statement(500))
        #expect(refunds(story) == ["commanded 0", "provider 500"])
        #expect(story.obligations.contains { $0.owner == .operator && $0.reason == "unexplained" })
    }

    @Test func `an operation that an earlier version made of a total gives way to the list, too`() throws {
        var story = try paid()
        story.see(
            ProviderOperation(
                providerId: "refund:total:300",
                kind: .refund,
                outcome: .succeeded,
                amount: .stated(.cents(300))
            )
        )
        #expect(story.payment.amounts.refunded == 300)
        story.observe(statement(300, [("refund:n1", 300)]))
        #expect(story.payment.amounts.refunded == 300)
        story.observe(statement(500, [("refund:n1", 300)]))
        #expect(story.payment.amounts.refunded == 500)
    }

    @Test func `the answer to our own message is about our operation, whatever its amount`() throws {
        var story = try paid()
        try story.command(.refund(amount: .cents(400), capture: nil, reason: nil))
        story.answer(.dispatch(.accepted), .operation(Samples.seen("r1", .refund, .succeeded, 500)))
        #expect(refunds(story) == ["commanded 500"])
        #expect(story.payment.contradictions == [.amount] && story.payment.isFrozen)
    }

    @Test func `what was there before we asked is not ours, though our answer shows it`() throws {
        var story = try paid()
        story.see(Samples.seen("r0", .refund, .succeeded, 300))
        try story.command(.refund(amount: .cents(400), capture: nil, reason: nil))
        story.answer(.dispatch(.accepted), .operation(Samples.seen("r0", .refund, .succeeded, 300)))
        #expect(refunds(story) == ["provider 300", "commanded 0"])
    }

    @Test func `of two amounts of one operation the one that was asked for later is booked`() throws {
        var story = try paid()
        func capture(_ minor: Int64) -> Fact { .operation(Samples.seen("r1", .refund, .succeeded, minor)) }
        try story.poll(capture(300))
        try story.poll(capture(200))
        try story.poll(capture(200))
        #expect(story.payment.amounts.refunded == 200 && story.payment.contradictions == [.amount])
        try story.poll(capture(300))
        #expect(story.payment.amounts.refunded == 300)
    }

    @Test func `a second capture of a hold that was captured is a person's`() throws {
        var story = try Story(.authorize)
        story.see(Samples.seen("a1", .authorize), Samples.seen("c1", .capture), Samples.seen("c2", .capture))
        #expect(story.payment.contradictions == [.excess])
        #expect(story.obligations.contains { $0.owner == .operator && $0.reason == "excess" })
    }

    @Test func `debits of a series that no schedule knows are a person's until two have dealt with them`() throws {
        var story = try paid()
        let debit = SeriesDebit(payment: "d1", series: "s", amount: .cents(500), outcome: .succeeded, at: nil)
        story.observe(.seriesDebit(debit))
        #expect(story.obligations.map(\.reason) == ["debit_unmatched"])
        let seen = story.payment.version
        story.actor = Story.alice
        try story.command(.propose(.acknowledged, evidence: "booked by hand", seenVersion: seen))
        let proposal = try #require(story.payment.proposals.keys.first)
        story.actor = Story.bob
        try story.command(.approve(proposal: proposal, seenVersion: story.payment.version))
        #expect(story.obligations.isEmpty)
    }
}
