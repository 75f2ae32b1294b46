import EventSourcing
import Kernel
import Payments
import Testing

/// A log that lost its end: nothing is licensed before the provider was asked, and nothing that was done is done again.
struct PaymentEpochTests {
    /// Captures are told by a look alone, refunds by our key.
    private static let keyless = Samples.capabilities(
        multipleCaptures: true,
        recovery: [
            .capture: .query(absenceAfter: .seconds(300)), .void: .query(absenceAfter: .seconds(300)),
            .refund: .baselineDiff(quiet: .seconds(60)),
        ]
    )

    private func authorized(_ can: Capabilities = Self.keyless) throws -> Story {
        var story = try Story(.authorize, 1999, can)
        story.see(Samples.seen("a1", .authorize))
        story.wait(3600)
        return story
    }

    /// The database goes back to how it stands now, an hour after what was lost.
    private func restore(_ story: inout Story) {
        story.wait(3600)
        story.epoch = RecoveryEpoch(number: (story.epoch?.number ?? 0) + 1, begunAt: story.now)
    }

    private func begins(_ story: Story) -> Int {
        story.log.count { if case .recoveryBegan = $0 { true } else { false } }
    }

    @Test func `after a restore a look comes before the first licence, and not too early`() throws {
        var story = try authorized()
        restore(&story)
        try story.command(.capture(amount: nil, reason: nil))
        #expect(story.openDispatches.map(\.purpose) == [.query])
        #expect(story.openDispatches.first?.notBefore == story.now.adding(.seconds(300)))
        story.wait(300)
        story.answerQuery([.operation(Samples.seen("a1", .authorize))])
        let capture = try #require(story.openDispatches.first)
        #expect(capture.purpose == .operation(.capture))
        #expect(capture.ground == .baseline)
        #expect(begins(story) == 1)
    }

    @Test func `a question that was asked too soon after the restore proves nothing`() throws {
        var story = try authorized()
        restore(&story)
        try story.command(.sync)
        let early = try #require(story.openDispatches.first)
        try story.command(.capture(amount: nil, reason: nil))
        story.answer(early, [.dispatch(.answered), .operation(Samples.seen("a1", .authorize))])
        #expect(!story.openDispatches.contains { $0.purpose == .operation(.capture) })
        #expect(story.payment.mustLook(story.can))
    }

    @Test func `a capture that the log lost is found and not asked for again`() throws {
        var story = try authorized()
        restore(&story)
        try story.command(.capture(amount: nil, reason: nil))
        story.wait(300)
        story.answerQuery([
            .operation(Samples.seen("a1", .authorize)), .operation(Samples.seen("c1", .capture, at: 3700)),
        ])
        #expect(story.openDispatches.isEmpty)
        #expect(story.payment.amounts.captured == 1999)
        #expect(!story.payment.isFrozen)
        #expect(story.payment.operations.allSatisfy { $0.isClosed })
    }

    @Test(arguments: [OperationKind.capture, .refund])
    func `what may be a lost command and could be asked for again waits for two persons`(_ kind: OperationKind) throws {
        var story = try authorized()
        if kind == .refund { story.see(Samples.seen("c0", .capture, at: 3000)) }
        restore(&story)
        func again(_ story: inout Story) throws {
            switch kind {
            case .refund: try story.command(.refund(amount: .cents(500), capture: nil, reason: nil))
            case .sale, .authorize, .verify, .tokenize, .transfer, .capture, .void, .refundReversal:
                try story.command(.capture(amount: .cents(500), reason: nil))
            }
        }
        try again(&story)
        story.wait(300)
        story.answerQuery([.operation(Samples.seen("x1", kind, .succeeded, 500, at: 3700))])
        #expect(story.openDispatches.isEmpty)
        #expect(story.payment.isFrozen)
        #expect(story.obligations.contains { $0.kind == .contradiction && $0.owner == .operator })
        #expect(throws: Rejection.self) { try again(&story) }
        story.actor = Story.alice
        try story.command(.propose(.acknowledged, evidence: "ours", seenVersion: story.payment.version))
        let proposal = try #require(story.payment.proposals.keys.first)
        story.actor = Story.bob
        try story.command(.approve(proposal: proposal, seenVersion: story.payment.version))
        story.actor = Samples.merchantActor
        try again(&story)
        #expect(!story.payment.isFrozen)
    }

    @Test func `what people at the provider did long after the restore is nobody's lost command`() throws {
        var story = try authorized()
        restore(&story)
        story.see(Samples.seen("x1", .capture, .succeeded, 500, at: 20_000))
        #expect(!story.payment.isFrozen)
    }

    @Test func `what was known before the restore is not taken for lost`() throws {
        var story = try authorized()
        story.see(Samples.seen("x1", .capture, .succeeded, 500, at: 3000))
        restore(&story)
        try story.command(.sync)
        story.see(Samples.seen("x1", .capture, .succeeded, 500, at: 3000))
        #expect(begins(story) == 1)
        #expect(!story.payment.isFrozen)
    }

    @Test func `a command whose name the provider tells gets what its lost life had done, and sends nothing`() throws {
        var story = try Story(.sale, 1999)
        story.see(Samples.seen("s1", .sale))
        story.wait(3600)
        var lost = story
        try lost.command(.refund(amount: .cents(500), capture: nil, reason: nil))
        let reference = try #require(lost.payment.operations.last?.reference)
        // The question costs the restored log an input, too: the retried key is the same one.
        let seen = Samples.seen("r1", .refund, .succeeded, 500, reference: reference, at: 3700)
        restore(&story)
        let before = story.payment
        var found = story
        found.observe(.operation(seen))
        let context = try #require(contextOfNext(story))
        let decision = try found.payment.decide(.refund(amount: .cents(500), capture: nil, reason: nil), context)
        #expect(decision.dispatches.isEmpty)
        var after = found.payment
        for event in decision.events { after.evolve(event) }
        #expect(after.amounts.refunded == 500)
        #expect(after.operations.last?.state == .succeeded)
        #expect(after.operations.count == before.operations.count + 1)
    }

    private func contextOfNext(_ story: Story) -> PaymentContext? {
        var story = story
        return story.context()
    }

    /// An answer was lost before the backup was made; what followed is in the part that the restore lost.
    @Test func `what an early question does not show after a restore is not taken for absent`() throws {
        var story = try authorized()
        try story.command(.capture(amount: .cents(500), reason: nil))
        story.answer(.dispatch(.unknown(reason: "deadline")))
        story.answerQuery([])
        restore(&story)
        try story.poll()
        #expect(story.last.dispatches.isEmpty)
        story.wait(300)
        try story.poll(.operation(Samples.seen("c1", .capture, .succeeded, 500, at: 3900)))
        #expect(story.openDispatches.isEmpty)
        #expect(story.payment.amounts.captured == 500)
        #expect(story.payment.operations.allSatisfy { $0.isClosed })
    }

    @Test func `what a late question does not show after a restore is asked for again`() throws {
        var story = try authorized()
        try story.command(.capture(amount: .cents(500), reason: nil))
        story.answer(.dispatch(.unknown(reason: "deadline")))
        story.answerQuery([])
        restore(&story)
        story.wait(300)
        try story.poll()
        #expect(story.last.dispatches.map(\.ground) == [.absent])
    }

    @Test func `a message that never left may have had a successor, which a look finds`() throws {
        var story = try authorized()
        try story.command(.capture(amount: .cents(500), reason: nil))
        restore(&story)
        let first = try #require(story.openDispatches.first)
        story.answer(first, [.dispatch(.notSent(reason: "unreachable: connect"))])
        #expect(!story.openDispatches.contains { $0.purpose == .operation(.capture) })
        story.wait(300)
        try story.poll(.operation(Samples.seen("c1", .capture, .succeeded, 500, at: 3800)))
        #expect(story.payment.amounts.captured == 500)
        #expect(story.payment.operations.allSatisfy { $0.isClosed })
    }

    @Test func `an attempt is not closed as unpaid by a question that came too soon after a restore`() throws {
        for (pause, isClosed) in [(Int64(0), false), (300, true)] {
            var story = try Story(.sale, 1999, Self.keyless)
            story.wait(3600)
            story.observe(.timer)
            story.answerQuery([])
            story.wait(1800)
            restore(&story)
            story.wait(pause)
            try story.poll(.attempt(.notRegistered))
            #expect(story.payment.status.isOpen == !isClosed, "asked after \(pause) s")
        }
    }

    @Test func `an open payment is asked about by itself once its answer proves something`() throws {
        var story = try authorized()
        story.see(Samples.seen("c0", .capture, at: 3000))
        restore(&story)
        story.observe(.timer)
        #expect(story.openDispatches.isEmpty)
        #expect(story.payment.timers(story.can).machine == story.now.adding(.seconds(300)))
        #expect(story.obligations.map(\.kind).contains(.reconciliation))
        story.wait(300)
        story.observe(.timer)
        story.answerQuery([])
        #expect(!story.obligations.map(\.kind).contains(.reconciliation))
        #expect(story.payment.obligations.allSatisfy { $0.kind != .reconciliation })
    }

    @Test func `payments that begin long after the restore know nothing of it, the first ones do`() throws {
        for (pause, count) in [(Int64(3600), 1), (4 * 86_400, 0)] {
            var story = Story(Self.keyless)
            story.epoch = RecoveryEpoch(number: 1, begunAt: story.now)
            story.wait(pause)
            story.now = Samples.noon.adding(.seconds(pause))
            let terms = Samples.terms(.authorize, expiresIn: pause + 3600)
            try story.command(.create(terms))
            story.see(Samples.seen("a1", .authorize, at: pause + 1))
            #expect(begins(story) == count)
        }
    }
}
