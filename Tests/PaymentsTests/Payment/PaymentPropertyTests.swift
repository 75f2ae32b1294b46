import EventSourcing
import Kernel
import Payments
import TestKit
import Testing

/// Rule 8 and the invariants of the aggregate, over random histories.
struct PaymentPropertyTests {
    private struct Broken: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    private func demand(_ holds: Bool, _ what: @autoclosure () -> String) throws(Broken) {
        if !holds { throw Broken(what()) }
    }

    /// A payment with some commands behind it, whose messages have left with one fate or another.
    ///
    /// Where evidence is honest every message has its answer.
    private func base(_ random: inout SplitMix64, hostile: Bool) throws -> Story {
        let can = random.pick([
            Samples.capabilities(), Samples.capabilities(multipleCaptures: true),
            Samples.capabilities(recovery: [.capture: .sameKey(lifetime: .seconds(9000))]),
        ])
        var story = try Story(random.pick([.sale, .authorize]), 1999, can)
        if random.chance(80) {
            let kind = story.payment.initial?.kind ?? .sale
            story.see(Samples.seen("p\(kind == .sale ? 0 : 1)", kind))
        }
        for _ in 0..<(random.next() % 4) {
            story.wait(random.number(1...2000))
            let amount: Money? = random.chance(70) ? .cents(500) : nil
            let command: PaymentCommand = random.pick([
                .capture(amount: amount, reason: nil), .refund(amount: amount, capture: nil, reason: nil),
                .void(amount: nil, reason: nil),
            ])
            if case .void = command, story.payment.status.isOpen { continue }
            _ = refusal { () throws(Rejection) in try story.command(command) }
            guard let open = story.openDispatches.last(where: { $0.purpose != .query }) else { continue }
            let fates: [DispatchOutcome] = [
                .accepted, .unknown(reason: "timeout"), .notExecuted(Samples.decline), .duplicate(code: "1"),
            ]
            if !hostile || random.chance(80) { story.answer(open, [.dispatch(random.pick(fates))]) }
        }
        story.wait(3000)
        return story
    }

    private func inAnyOrder(hostile: Bool, _ random: inout SplitMix64) throws {
        let story = try base(&random, hostile: hostile)
        let references = story.payment.operations.map(\.reference)
        let facts = random.facts(references, hostile: hostile)
        var plain = story
        for fact in facts { plain.observe(fact) }
        let expected = Fingerprint(plain, withObligations: !hostile)
        for round in 0..<4 {
            var order = facts.shuffled(using: &random)
            if round > 1 { order += facts.shuffled(using: &random).prefix(3) }
            var other = story
            if round == 3 {
                other.observe(.facts(order, trust: .verified, dispatch: nil))
            } else {
                for fact in order { other.observe(fact) }
            }
            let found = Fingerprint(other, withObligations: !hostile)
            try demand(
                found == expected,
                found.difference(from: expected) + "\n" + order.map(\.short).joined(separator: "\n")
            )
        }
    }

    @Test func `any order and duplication of honest evidence ends in the same amounts, outcomes and flags`() throws {
        try forAll(runs: 600, seed: 1) { random in try inAnyOrder(hostile: false, &random) }
    }

    @Test func `any order and duplication of hostile evidence ends in the same amounts, outcomes and flags`() throws {
        try forAll(runs: 600, seed: 100_000) { random in try inAnyOrder(hostile: true, &random) }
    }

    /// Whatever comes, nothing traps, amounts stay in their range, everything unresolved is owed by somebody, the log
    /// folds to the state, and the same evidence again decides nothing.
    private func hostileLife(_ random: inout SplitMix64) throws {
        var story = try base(&random, hostile: true)
        for _ in 0..<Int(random.number(5...25)) {
            story.wait(random.number(0...5000))
            let references = story.payment.operations.map(\.reference)
            let before = story.payment
            switch random.next() % 10 {
            case 0...3:
                let facts = random.facts(references, hostile: true)
                story.observe(.facts(facts, trust: .verified, dispatch: nil))
                story.observe(.facts(facts, trust: .verified, dispatch: nil))
                try demand(story.last.events.isEmpty, "the same facts again: \(story.last.events)")
            case 4:
                if let open = story.openDispatches.randomElement(using: &random) {
                    story.answer(open, [.dispatch(random.dispatchOutcome())] + random.facts(references, hostile: true))
                }
            case 5: story.observe(.timer)
            case 6: story.observe(.facts(random.facts(references, hostile: true), trust: .hint, dispatch: nil))
            default:
                story.actor = random.pick([Samples.merchantActor, Story.alice, Story.bob])
                let command = random.command(story.payment)
                let code = refusal { () throws(Rejection) in try story.command(command) }
                if code != nil { try demand(story.payment == before, "a refusal moved the books") }
            }
            try checkInvariants(story, before)
        }
        try demand(Payment.fold(story.payment.id, try reread(story.log)) == story.payment, "fold of the stored log")
    }

    private func reread(_ log: [PaymentEvent]) throws -> [PaymentEvent] {
        try log.map { try PaymentEvent(type: $0.draft.type, data: $0.draft.data) }
    }

    private func checkInvariants(_ story: Story, _ before: Payment) throws(Broken) {
        let payment = story.payment
        let sums = payment.amounts
        for sum in [
            sums.authorized, sums.captured, sums.capturedFromHold, sums.released, sums.holdExpired, sums.refunded,
            sums.disputed, sums.chargedBack, sums.held,
        ] { try demand(sum >= 0, "a sum below zero: \(sums)") }
        for capture in payment.captures {
            try demand(payment.refundable(capture) <= payment.refundableInTotal(), "more refundable than is left")
        }
        if before.isFrozen, payment.isFrozen {
            let licensed = story.last.dispatches.filter { $0.planned.purpose != .query }
            let isAllowed = licensed.allSatisfy { request in
                request.ground == .operatorOverride
                    || request.planned.purpose == .operation(.refund)
                        && request.operation.flatMap { payment.operation($0) }?.byOperator == true
            }
            try demand(isAllowed, "a frozen payment licensed \(licensed)")
        }
        let owed = story.obligations
        if payment.status.isOpen { try demand(!owed.isEmpty, "\(payment.status) owes nothing") }
        for operation in payment.operations where !operation.isClosed && !operation.kind.isInitial {
            try demand(owed.contains { $0.operation == operation.id }, "an open operation is owed by nobody")
        }
        _ = payment.obligations
        try demand(Int(payment.version) == story.log.count, "the version counts events")
    }

    @Test func `random commands and hostile evidence never trap and keep every invariant`() throws {
        try forAll(runs: 150, seed: 200_000) { random in try hostileLife(&random) }
    }
}
