import Decisions
import EventSourcing
import Kernel
import Payments
import Testing

/// The rules of licences, each broken by hand.
struct LicenseBookTests {
    private static let stream = StreamName(MerchantNumber(1), .payment, Uuid(high: 1, low: 1))
    private static let effect = Uuid(high: 0xEFFE, low: 1)
    private static let operation = OperationId(Uuid(high: 0x09E8, low: 1))
    private static let account = Uuid(high: 0xACC0, low: 1)
    private static let start = Timestamp(seconds: 1_800_000_000)

    /// A stream in the making: events, marks and rows of one refund.
    private struct Case {
        var book = LicenseBook(LicenseBookTests.stream)
        var marks: [SendingMark] = []
        var rows: [EffectStanding] = []
        var closed: Set<OperationId> = []
        var recovery = Capabilities.Recovery.none
        var openings: [PaymentMethod: Capabilities.Recovery] = [:]
        private var position: Int64 = 0

        mutating func take(_ event: PaymentEvent, cause: UInt64 = 0) {
            position += 1
            book.take(event, position: position, cause: Uuid(high: 0xCA, low: cause))
        }

        mutating func license(
            _ ordinal: Int32 = 1,
            _ ground: DispatchLicense.Ground = .first,
            at seconds: Int64 = 0,
            digest: String = "aa",
            effect: Uuid = LicenseBookTests.effect,
            purpose: DispatchPurpose = .operation(.refund),
            cause: UInt64 = 0
        ) {
            let at = LicenseBookTests.start.adding(.seconds(seconds))
            let license = DispatchLicense(
                effect: EffectId(effect),
                purpose: purpose,
                operation: purpose == .query ? nil : LicenseBookTests.operation,
                ordinal: ordinal,
                ground: ground,
                templateDigest: digest,
                account: LicenseBookTests.account,
                accountVersion: 1,
                adapterVersion: 1,
                licensedAt: at,
                notBefore: at,
                sendBefore: at.adding(.seconds(600))
            )
            take(.dispatchLicensed(license), cause: cause)
        }

        mutating func mark(_ ordinal: Int32 = 1, at seconds: Int64 = 1, fence: Int64 = 1, effect: Uuid? = nil) {
            marks.append(
                SendingMark(
                    stream: LicenseBookTests.stream,
                    effect: effect ?? LicenseBookTests.effect,
                    ordinal: ordinal,
                    fence: fence,
                    at: LicenseBookTests.start.adding(.seconds(seconds))
                )
            )
        }

        mutating func observe(
            _ outcome: DispatchOutcome,
            _ ordinal: Int32 = 1,
            at seconds: Int64 = 2,
            effect: Uuid = LicenseBookTests.effect
        ) {
            let at = LicenseBookTests.start.adding(.seconds(seconds))
            take(.dispatchObserved(EffectId(effect), ordinal: ordinal, outcome, at: at))
        }

        /// One licence that was used and whose answer was lost.
        static func lost(_ recovery: Capabilities.Recovery) -> Case {
            var story = Case()
            story.recovery = recovery
            story.license()
            story.mark()
            story.observe(.unknown(reason: "deadline"))
            return story
        }

        /// A question that was asked and answered.
        mutating func ask(at seconds: Int64) {
            let query = Uuid(high: 0x90E8, low: UInt64(seconds))
            license(at: seconds, effect: query, purpose: .query)
            mark(at: seconds, effect: query)
            observe(.answered, at: seconds + 1, effect: query)
        }

        mutating func restore(at seconds: Int64) {
            let at = LicenseBookTests.start.adding(.seconds(seconds))
            take(.recoveryBegan(RecoveryEpoch(number: 1, begunAt: at)))
        }

        func rules(now seconds: Int64 = 100) -> [LicenseBreach.Rule] {
            book.breaches(
                marks: marks,
                rows: rows,
                closed: closed,
                terms: [
                    RecoveryTerms(
                        account: LicenseBookTests.account,
                        version: 1,
                        recovery: Capabilities.Recoveries([.refund: recovery, .sale: recovery], openings: openings)
                    )
                ],
                marked: .epoch,
                now: LicenseBookTests.start.adding(.seconds(seconds))
            )
            .map(\.rule)
        }
    }

    private func row(_ ordinal: Int32 = 1, _ state: EffectStanding.State = .ready) -> EffectStanding {
        EffectStanding(
            stream: Self.stream,
            id: Self.effect,
            ordinal: ordinal,
            state: state,
            sendBefore: Self.start.adding(.seconds(600))
        )
    }

    @Test func `a licence that was used once inside its window is no breach`() {
        var story = Case()
        story.license()
        story.mark()
        story.observe(.accepted)
        #expect(story.rules().isEmpty)
    }

    @Test func `a mark or an answer without a licence is found`() {
        var story = Case()
        story.mark()
        story.observe(.accepted)
        #expect(story.rules() == [.unlicensed, .unlicensed])
    }

    @Test func `an answer to what was never marked is found, unless it is older than marks are`() {
        var story = Case()
        story.license()
        story.observe(.accepted)
        #expect(story.rules() == [.unmarked])
        let later = Self.start.adding(.seconds(1))
        let none = story.book.breaches(marks: [], rows: [], closed: [], terms: [], marked: later, now: later)
        #expect(none.isEmpty)
    }

    @Test func `a licence that two claims used is found`() {
        var story = Case()
        story.license()
        story.mark()
        story.mark(fence: 2)
        story.observe(.accepted)
        #expect(story.rules() == [.sentTwice])
    }

    @Test(arguments: [600, 4000, -1])
    func `a mark outside the window is found`(_ seconds: Int64) {
        var story = Case()
        story.license()
        story.mark(at: seconds)
        story.observe(.accepted, at: seconds + 1)
        #expect(story.rules() == [.outOfWindow])
    }

    @Test func `another message, a hole in the numbers and a second effect are found`() {
        var story = Case.lost(.sameKey(lifetime: .seconds(3600)))
        story.license(3, .sameKey, at: 10, digest: "bb", effect: Uuid(high: 7, low: 7))
        story.rows = [
            EffectStanding(
                stream: Self.stream,
                id: Uuid(high: 7, low: 7),
                ordinal: 3,
                state: .ready,
                sendBefore: Self.start
            )
        ]
        #expect(story.rules() == [.misnumbered, .misnumbered, .misnumbered])
    }

    @Test func `the same key is a ground within its lifetime, for the send too`() {
        for (licensed, sent, isGood) in [(10, 11, true), (3600, 3601, false), (3590, 3601, false)] {
            var story = Case.lost(.sameKey(lifetime: .seconds(3600)))
            story.license(2, .sameKey, at: Int64(licensed))
            story.mark(2, at: Int64(sent), fence: 2)
            story.observe(.accepted, 2, at: Int64(sent) + 1)
            #expect(story.rules() == (isGood ? [] : [.groundless]), "licensed at \(licensed), sent at \(sent)")
        }
        var keyless = Case.lost(.query(absenceAfter: .seconds(60)))
        keyless.license(2, .sameKey, at: 10)
        keyless.rows = [row(2)]
        #expect(keyless.rules() == [.groundless])
    }

    @Test func `absence is a ground after a question that was answered late enough`() {
        for (asked, isGood) in [(62, true), (61, false)] {
            var story = Case.lost(.query(absenceAfter: .seconds(60)))
            story.ask(at: Int64(asked))
            story.license(2, .absent, at: Int64(asked) + 2)
            story.rows = [row(2)]
            #expect(story.rules() == (isGood ? [] : [.groundless]), "asked at \(asked)")
        }
    }

    @Test func `behind a restore no look is a ground that came too soon`() {
        for (asked, isGood) in [(1060, true), (1059, false)] {
            var absent = Case.lost(.query(absenceAfter: .seconds(60)))
            absent.restore(at: 1000)
            absent.ask(at: Int64(asked))
            absent.license(2, .absent, at: Int64(asked) + 2)
            absent.rows = [row(2)]
            #expect(absent.rules() == (isGood ? [] : [.groundless]), "asked at \(asked)")
            for ground in [DispatchLicense.Ground.first, .baseline] {
                var fresh = Case()
                fresh.recovery = .query(absenceAfter: .seconds(60))
                fresh.restore(at: 1000)
                fresh.ask(at: Int64(asked))
                fresh.license(1, ground, at: Int64(asked) + 2)
                fresh.rows = [row()]
                #expect(fresh.rules() == (isGood ? [] : [.groundless]), "\(ground) asked at \(asked)")
            }
        }
    }

    @Test func `absence is no ground for what the provider has shown`() {
        var story = Case.lost(.query(absenceAfter: .seconds(60)))
        let seen = ProviderOperation(providerId: "7", kind: .refund, outcome: .processing, amount: .absent)
        story.take(.operationReported(Self.operation, seen, at: Self.start))
        story.ask(at: 70)
        story.license(2, .absent, at: 72)
        story.rows = [row(2)]
        #expect(story.rules() == [.groundless])
    }

    @Test func `not executed is a ground only where nothing earlier may have acted`() {
        for (outcome, isGood) in [
            (DispatchOutcome.notSent(reason: "unreachable"), true), (.unknown(reason: "deadline"), false),
            (.accepted, false),
        ] {
            var story = Case()
            story.license()
            story.mark()
            story.observe(outcome)
            story.license(2, .notExecuted, at: 10)
            story.rows = [row(2)]
            #expect(story.rules() == (isGood ? [] : [.groundless]), "\(outcome)")
        }
    }

    @Test func `a ground is held against how the payer pays`() {
        let terms = { (method: PaymentMethod) in
            PaymentTerms(
                mode: .sale,
                method: method,
                amount: nil,
                reference: "r",
                description: nil,
                customer: nil,
                instrument: nil,
                expiresAt: Self.start.adding(.seconds(3600)),
                details: [:],
                metadata: [:]
            )
        }
        let facts = AccountFacts(id: Self.account, name: "a", provider: "portmone", mode: .test, version: 1)
        for method in [PaymentMethod.hosted, .wallet] {
            for ground in [DispatchLicense.Ground.sameKey, .absent] {
                var story = Case()
                story.recovery = .sameKey(lifetime: .seconds(3600))
                story.openings = [.wallet: .query(absenceAfter: .seconds(60))]
                story.take(.created(terms(method), account: facts))
                story.license(purpose: .operation(.sale))
                story.mark()
                story.observe(.unknown(reason: "deadline"))
                story.ask(at: 70)
                story.license(2, ground, at: 72, purpose: .operation(.sale))
                story.rows = [row(2)]
                let isGood = (method == .hosted) == (ground == .sameKey)
                #expect(story.rules() == (isGood ? [] : [.groundless]), "\(method) \(ground)")
            }
        }
    }

    @Test func `no ground holds while an earlier licence is open`() {
        var story = Case()
        story.recovery = .sameKey(lifetime: .seconds(3600))
        story.license()
        story.license(2, .sameKey, at: 10)
        story.rows = [row(1), row(2)]
        #expect(story.rules() == [.groundless])
    }

    @Test func `the first is no ground for a second, and a closed attempt is one`() {
        for (ground, isClosed, isGood) in [
            (DispatchLicense.Ground.first, false, false), (.closed, false, false), (.closed, true, true),
        ] {
            var story = Case.lost(.none)
            if isClosed { story.take(.attemptClosed(.expired, by: .absence)) }
            story.license(2, ground, at: 10)
            story.rows = [row(2)]
            #expect(story.rules() == (isGood ? [] : [.groundless]), "\(ground)")
        }
    }

    @Test func `a bank's answer goes on only to an order that the provider opened`() {
        for isOpened in [true, false] {
            var story = Case()
            story.license()
            story.mark()
            story.observe(.accepted)
            if isOpened { story.take(.orderOpened(ProviderOrder(id: "order", handover: [:]))) }
            let completion = Uuid(high: 0xC0, low: 1)
            story.license(1, .completion, at: 10, digest: "bb", effect: completion)
            story.mark(at: 11, effect: completion)
            story.observe(.accepted, at: 12, effect: completion)
            #expect(story.rules() == (isOpened ? [] : [.groundless]))
        }
    }

    @Test func `a look that nobody took is no ground for what follows it`() {
        var story = Case()
        story.license(1, .baseline)
        story.mark()
        story.observe(.accepted)
        #expect(story.rules() == [.groundless])
        var looked = Case()
        looked.ask(at: 0)
        looked.license(1, .baseline, at: 5)
        looked.mark(at: 6)
        looked.observe(.accepted, at: 7)
        #expect(looked.rules().isEmpty)
    }

    @Test func `an override holds for the licence that its approval gave`() {
        for (approved, isGood) in [(true, true), (false, false)] {
            var story = Case.lost(.none)
            let proposal = Resolution(
                id: Uuid(high: 3, low: 3),
                verdict: .sendAgain(Self.operation),
                evidence: "the provider's support says so",
                by: "ann",
                seenVersion: 3
            )
            story.take(.resolutionProposed(proposal), cause: 4)
            if approved { story.take(.resolutionApproved(proposal: proposal.id, by: "bob"), cause: 5) }
            story.license(2, .operatorOverride, at: 10, cause: 5)
            story.rows = [row(2)]
            #expect(story.rules() == (isGood ? [] : [.groundless]))
        }
    }

    @Test func `an open licence needs its row, and a closed operation no row that sends`() {
        var story = Case()
        story.license()
        #expect(story.rules() == [.rowMissing])
        story.rows = [row()]
        #expect(story.rules().isEmpty)
        story.closed = [Self.operation]
        #expect(story.rules() == [.sendableAfterClose])
        #expect(story.rules(now: 600).isEmpty)
        story.rows = [row(1, .sending)]
        #expect(story.rules().isEmpty)
        story.rows = []
        #expect(story.rules() == [.openAfterClose])
    }

    @Test func `an outcome that was kept and never decided is found`() {
        var story = Case()
        story.license()
        story.mark()
        story.rows = [row(1, .observed)]
        #expect(story.rules(now: 899).isEmpty)
        #expect(story.rules(now: 900) == [.answerStuck])
    }

    @Test func `a row needs the newest licence of its effect`() {
        var story = Case()
        #expect(story.book.breach(of: row())?.rule == .rowUnlicensed)
        story.license()
        #expect(story.book.breach(of: row()) == nil)
        #expect(story.book.breach(of: row(2))?.rule == .rowUnlicensed)
    }
}
