import Kernel
import Payments
import TestKit
import Testing

/// An honest provider with a ledger of its own, losing answers and callbacks, against the aggregate.
struct PaymentProviderTests {
    /// What the provider really did.
    private struct Ledger {
        var held: Int64 = 0
        var captured: Int64 = 0
        var released: Int64 = 0
        var refunded: Int64 = 0
        var operations: [ProviderOperation] = []
        var references: Set<String> = []

        /// Executes a message as a provider does: checks what is left, knows refunds by their key.
        mutating func execute(_ license: DispatchLicense, _ operation: Operation, at now: Timestamp) -> Fact {
            let wanted = operation.requested?.minor ?? 0
            let isKeyed = operation.kind == .refund
            if isKeyed, references.contains(operation.reference) { return .dispatch(.duplicate(code: "3230")) }
            let refused = Fact.dispatch(.notExecuted(Samples.decline))
            switch operation.kind {
            case .capture:
                guard wanted <= held - captured - released, captured == 0 else { return refused }
                captured += wanted
            case .void:
                guard wanted <= held - captured - released else { return refused }
                released += wanted
            case .refund:
                guard wanted <= captured - refunded else { return refused }
                refunded += wanted
            case .sale, .authorize, .verify, .tokenize, .transfer, .refundReversal: return refused
            }
            add(operation.kind, wanted, at: now, reference: isKeyed ? operation.reference : nil)
            if isKeyed { references.insert(operation.reference) }
            return .dispatch(.accepted)
        }

        mutating func add(_ kind: OperationKind, _ minor: Int64, at now: Timestamp, reference: String? = nil) {
            operations.append(
                ProviderOperation(
                    providerId: "p\(operations.count + 1)",
                    kind: kind,
                    outcome: .succeeded,
                    amount: .stated(.cents(minor)),
                    ourReference: reference,
                    createdAt: now,
                    changedAt: now
                )
            )
        }
    }

    private func life(_ random: inout SplitMix64) throws {
        let multiple = Samples.capabilities()
        var story = try Story(.authorize, 1999, multiple)
        var ledger = Ledger()
        ledger.held = 1999
        ledger.add(.authorize, 1999, at: story.now)
        for _ in 0..<30 {
            story.wait(random.number(1...400))
            switch random.next() % 6 {
            case 0: for seen in ledger.operations.shuffled(using: &random).prefix(2) { story.see(seen) }
            case 1, 2:
                let amount: Money? = random.chance(60) ? .cents(random.number(1...1200)) : nil
                let command: PaymentCommand = random.pick([
                    .capture(amount: amount, reason: nil), .void(amount: nil, reason: nil),
                    .refund(amount: amount, capture: nil, reason: nil),
                    .refund(amount: amount, capture: nil, reason: nil),
                ])
                if case .void = command, story.payment.status.isOpen || random.chance(80) { continue }
                _ = refusal { () throws(Rejection) in try story.command(command) }
            case 3: dashboard(&ledger, story.now, &random)
            default: story.observe(.timer)
            }
            deliver(&story, &ledger, &random, isLossy: true)
            try check(story, ledger)
        }
        for _ in 0..<40 {
            story.wait(400)
            story.observe(.timer)
            _ = refusal { () throws(Rejection) in try story.command(.sync) }
            deliver(&story, &ledger, &random, isLossy: false)
        }
        let sums = story.payment.amounts
        guard sums.authorized == ledger.held, sums.captured == ledger.captured, sums.released == ledger.released,
            sums.refunded == ledger.refunded
        else { throw Broken("books \(sums), provider \(ledger)") }
        let owed = story.obligations
        for operation in story.payment.operations where !operation.isClosed {
            let isWithPerson = owed.contains { $0.operation == operation.id && $0.owner == .operator }
            guard isWithPerson else {
                throw Broken("open: \(operation.kind) \(operation.state) \(operation.dispatches)")
            }
        }
        guard !story.payment.isFrozen else { throw Broken("frozen: \(story.payment.openContradictions)") }
    }

    private struct Broken: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// Sends what is licensed; an answer may be lost before or after the execution.
    private func deliver(_ story: inout Story, _ ledger: inout Ledger, _ random: inout SplitMix64, isLossy: Bool) {
        for license in story.openDispatches {
            let fate = isLossy ? random.next() % 10 : 9
            if fate == 0 { continue }
            if fate == 1 {
                story.answer(license, [.dispatch(.notSent(reason: "unreachable"))])
                continue
            }
            if license.purpose == .query {
                guard fate > 3 else {
                    story.answer(license, [.dispatch(.unknown(reason: "HTTP 403"))])
                    continue
                }
                let known = ledger.operations.map { Fact.operation($0) }
                story.answer(license, [.dispatch(.answered)] + known.shuffled(using: &random))
                continue
            }
            guard let operation = license.operation.flatMap({ story.payment.operation($0) }) else { continue }
            if fate == 2 {
                story.answer(license, [.dispatch(.unknown(reason: "lost before"))])
                continue
            }
            let answer = ledger.execute(license, operation, at: story.now)
            story.answer(license, [fate == 3 ? .dispatch(.unknown(reason: "lost after")) : answer])
        }
    }

    /// Somebody uses the provider's cabinet.
    private func dashboard(_ ledger: inout Ledger, _ now: Timestamp, _ random: inout SplitMix64) {
        let minor = random.number(1...300)
        guard random.chance(30), minor <= ledger.captured - ledger.refunded else { return }
        ledger.refunded += minor
        ledger.add(.refund, minor, at: now)
    }

    private func check(_ story: Story, _ ledger: Ledger) throws(Broken) {
        let sums = story.payment.amounts
        let isWithin =
            sums.captured <= sums.authorized
            || sums.authorized == 0
                && ledger.captured + ledger.released <= ledger.held && ledger.refunded <= ledger.captured
        guard isWithin else { throw Broken("books \(sums), provider \(ledger)") }
        guard sums.captured <= ledger.captured, sums.refunded <= ledger.refunded else {
            throw Broken("booked more than moved: \(sums), \(ledger)")
        }
    }

    @Test func `with an honest provider that loses answers the books end as its ledger and money is conserved`() throws
    {
        try forAll(runs: 150, seed: 300_000) { random in try life(&random) }
    }

    @Test func `a timer that fires always makes progress`() throws {
        try forAll(runs: 300, seed: 400_000) { random in
            let schedule = PollSchedule(
                first: .seconds(random.number(1...100)),
                cap: .seconds(random.number(1...9000)),
                atLeast: .seconds(random.number(1...300))
            )
            let can = Samples.capabilities(polling: schedule)
            var story = try Story(random.pick([.sale, .authorize, .verify, .tokenize]), 1999, can)
            for _ in 0..<40 {
                let timers = story.payment.timers(story.can)
                guard let due = [timers.machine, timers.business].compactMap(\.self).min() else { break }
                story.now = max(story.now, due).adding(.seconds(random.chance(50) ? 0 : random.number(0...9_000_000)))
                if random.chance(20) { story.observe(random.otherFact(hostile: true)) }
                if random.chance(30) { story.see(random.glimpse(random.pick(random.honestOperations([])))) }
                let before = story.payment.timers(story.can)
                story.observe(.timer)
                let after = story.payment.timers(story.can)
                let isDue = [before.machine, before.business].compactMap(\.self).contains { $0 <= story.now }
                if isDue, story.last == PaymentDecision() { throw Broken("a due timer decided nothing") }
                for wake in [after.machine, after.business].compactMap(\.self) where wake <= story.now {
                    throw Broken("due again at \(wake), now \(story.now)")
                }
                if let open = story.openDispatches.last(where: { $0.purpose == .query }), random.chance(80) {
                    story.answer(open, [.dispatch(random.dispatchOutcome())])
                }
            }
        }
    }
}
