import Dolyame
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// What every provider's adapter must hold: outcomes, unknown words, losses, repetitions, contradictions.
struct ContractTests {
    private let hold = Shop.seen("hold", .authorize)
    private let commit = Shop.seen("commit", .capture)

    private func view(_ facts: [[Fact]]) -> ProviderView {
        var view = DolyameStates.view()
        for message in facts { _ = view.apply(message) }
        return view
    }

    @Test(
        arguments: [
            ("new", .waiting), ("approved", .processing), ("wait_for_commit", .held), ("waiting_for_commit", .held),
            ("committed", .captured), ("commited", .captured), ("completed", .captured), ("rejected", .declined),
            ("canceled", .lapsed), ("refunded", .returned),
        ] as [(String, ProviderState)]
    )
    func `each status has its outcome`(_ row: (String, ProviderState)) {
        #expect(view([Shop.answer(.query, Shop.order(row.0))]).state == row.1)
    }

    @Test func `a canceled order is read by what was seen before it`() {
        let canceled = Shop.order("canceled")
        func facts(_ known: [ProviderOperation], asked: Bool = false) -> [Fact] {
            Shop.answer(.query, canceled, Shop.context(known: known, isCancelRequested: asked))
        }
        #expect(facts([]).contains(.attempt(.closed(.expired))))
        #expect(facts([], asked: true).contains(.attempt(.closed(.cancelled))))
        #expect(facts([hold]).contains(.operation(Shop.seen("cancel", .void))))
        #expect(facts([hold, commit]).contains(.contradiction(.outcome, detail: "canceled after a commit")))
        let covered = Shop.order("canceled", refunds: [("r-1", "7000.00")])
        let after = Shop.answer(.query, covered, Shop.context(known: [hold, commit]))
        let entry = Statement.Entry(Shop.seen("refund:r-1", .refund), isNamed: true)
        #expect(after.contains(.statement(Statement(.refund, entries: [entry]))))
        #expect(!after.contains { if case .contradiction = $0 { true } else { false } })
    }

    @Test(arguments: ["new", "approved"])
    func `nobody is sent to an order over another amount or other items`(_ word: String) {
        let other = Shop.answer(.query, Shop.order(word, "5000.00"))
        #expect(other == [.dispatch(.answered), .contradiction(.amount, detail: "the order is over 5000.00")])
        func listed(_ items: String) -> [UInt8] {
            Array(
                "{\"status\":\"\(word)\",\"amount\":7000,\"residual_amount\":7000,\"link\":\"https://x.example/o\",\"items\":\(items)}"
                    .utf8
            )
        }
        let swapped = "[{\"name\":\"Sneakers\",\"price\":7000,\"quantity\":1}]"
        #expect(
            Shop.answer(.query, listed(swapped))
                == [.dispatch(.answered), .contradiction(.identity, detail: "the order has other items")]
        )
        let ours =
            "[{\"name\":\"ball\",\"price\":600.0,\"quantity\":4},{\"name\":\"Sneakers\",\"price\":4600,\"quantity\":1}]"
        #expect(Shop.answer(.query, listed(ours)) == Shop.answer(.query, Shop.order(word)))
    }

    @Test func `an unknown status is data and moves nothing`() {
        let facts = Shop.answer(.query, Shop.order("frozen"))
        #expect(facts == [.dispatch(.answered), .unrecognised(what: "status", value: "frozen")])
        let mapped = Shop.settings([("extraStatuses", ["frozen": "wait_for_commit"])])
        #expect(
            Shop.answer(.query, Shop.order("frozen"), Shop.context(Shop.terms(), mapped)).contains(.operation(hold))
        )
    }

    @Test func `an unknown refusal is kept by its code`() {
        let body = Array("{\"code\":\"NEW_CODE\",\"errorDetailCode\":\"ODD\",\"message\":\"m\"}".utf8)
        let facts = Shop.answer(.operation(.authorize), body, status: 400)
        let decline = Decline(reason: .hard, code: "ODD", tableVersion: 1)
        #expect(facts == [.dispatch(.notExecuted(decline)), .attempt(.closed(.declined(decline)))])
    }

    @Test(arguments: [500, 502, 504, 404, 409, 422])
    func `an answer to a commit or refund that proves nothing is cleared up by a question`(_ status: Int) {
        for purpose in [DispatchPurpose.operation(.capture), .operation(.refund), .operation(.void)] {
            let facts = Shop.answer(purpose, [], status: status)
            guard case .dispatch(.unknown)? = facts.first else {
                Issue.record("\(purpose) \(status): \(facts)")
                continue
            }
            #expect(facts.count == 1)
        }
    }

    @Test func `a lost answer is adopted when the order is there and made again when it is not`() {
        let there = Shop.answer(.query, Shop.order("new"))
        #expect(there.contains { if case .order(let order) = $0 { order.id == Shop.reference } else { false } })
        #expect(Shop.answer(.query, [], status: 404) == [.dispatch(.answered), .attempt(.notRegistered)])
        let capabilities = try? Shop.adapter.capabilities(Shop.settings())
        #expect(capabilities?.recovery[.authorize, by: .hosted] == .query(absenceAfter: .seconds(60)))
        #expect(capabilities?.recovery[.refund, by: .hosted] == .baselineDiff(quiet: .seconds(600)))
    }

    @Test func `repetitions and stale news change nothing`() throws {
        let news = [
            Shop.answer(.query, Shop.order("new")), Shop.answer(.query, Shop.order("approved")),
            Shop.answer(.query, Shop.order("wait_for_commit")),
            Shop.answer(.query, Shop.order("committed", refunds: [("r-1", "600.00")])),
        ]
        try forAll(runs: 100, seed: 11) { random in
            let view = view((news + news.shuffled(using: &random).prefix(2)).shuffled(using: &random) + [news[3]])
            #expect(view.state == .partlyReturned)
            #expect([view.authorized, view.captured, view.refunded] == [700_000, 700_000, 60000])
        }
        let stale = Shop.answer(.query, Shop.order("approved"), Shop.context(known: [hold]))
        #expect(!stale.contains { if case .operation(let told) = $0 { told.outcome.isFinal } else { false } })
    }

    @Test func `a hold of another amount contradicts the order`() {
        let facts = Shop.answer(.query, Shop.order("wait_for_commit", "6999.99"))
        #expect(facts.contains(.operation(Shop.seen("hold", .authorize, .succeeded, 699_999))))
        let more = Shop.answer(.query, Shop.order("committed", "7000.01"))
        #expect(more.contains(.contradiction(.amount, detail: "committed 7000.01")))
    }

    @Test func `a smaller commit in the provider's cabinet is adopted with what was left over`() {
        let facts = Shop.answer(.query, Shop.order("committed", "4600.00"), Shop.context(known: [hold]))
        #expect(facts.contains(.operation(Shop.seen("commit", .capture, .succeeded, 460_000))))
        #expect(facts.contains(.operation(Shop.seen("rest", .void, .succeeded, 240_000))))
    }

    @Test func `a late success is booked`() {
        let declined = Shop.answer(.query, Shop.order("rejected"))
        let late = view([declined, Shop.answer(.query, Shop.order("wait_for_commit"))])
        #expect(late.state == .held)
        let after = Shop.answer(.query, Shop.order("rejected"), Shop.context(known: [hold]))
        #expect(after.contains(.contradiction(.outcome, detail: "rejected after money moved")))
    }

    @Test func `amounts that are no kopecks, and answers without a needed member, move nothing`() {
        for body in [Shop.order("committed", "7000.005"), Shop.order("committed", "\"x\""), Array("{}".utf8)] {
            let facts = Shop.answer(.operation(.capture), body)
            guard case .dispatch(.unknown)? = facts.first, case .unrecognised? = facts.last, facts.count == 2 else {
                Issue.record("\(facts)")
                continue
            }
        }
        #expect(view([Shop.answer(.query, Shop.order("committed", "0.7E+4"))]).captured == 700_000)
    }

    @Test func `a refund's answer names what is left and never what went back`() {
        let facts = Shop.answer(.operation(.refund), Array("{\"amount\":6400.00,\"refund_id\":\"r-1\"}".utf8))
        let seen = ProviderOperation(
            providerId: "refund:r-1",
            kind: .refund,
            outcome: .succeeded,
            amount: .unstated(in: "answer to a refund")
        )
        #expect(facts == [.dispatch(.accepted), .operation(seen)])
    }

    @Test func `an order that the provider commits by itself is a sale`() {
        let settings = Shop.settings([("captureMode", "providerAuto")])
        let context = Shop.context(Shop.terms(.sale), settings)
        #expect(view([Shop.answer(.query, Shop.order("wait_for_commit"), context)]).state == .processing)
        #expect(view([Shop.answer(.query, Shop.order("committed"), context)]).state == .captured)
    }

    @Test func `being turned away unread is as good as unsent`() {
        let facts = Shop.answer(.operation(.refund), [], status: 429)
        #expect(facts == [.dispatch(.notSent(reason: "unreachable: throttled 1 s"))])
    }
}
