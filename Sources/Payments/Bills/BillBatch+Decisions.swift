import Crypto
package import EventSourcing
package import Kernel

/// A request about a batch, or a report of one of its chunks.
package enum BillBatchCommand: StoredCommand, Hashable {
    case create(BillBatchHead)
    /// A page by its number; its bytes are the input's body.
    case addPage(Int, digest: String, BillPage)
    /// Closes the upload; what the client counted must be what was taken.
    case submit(count: Int?, total: Money?)
    case chunkReported(ChunkReport)
    case resume(credentials: InstrumentId?)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case create = "bill_batch.create"
        case addPage = "bill_batch.page"
        case submit = "bill_batch.submit"
        case chunkReported = "bill_batch.chunk_reported"
        case resume = "bill_batch.continue"
    }
}

/// Everything that a batch's decision may look at beside the state.
package struct BillBatchContext: Sendable {
    package let command: CommandContext
    /// The bytes of pages, by their numbers, as their inputs hold them.
    package let pages: [Int: [UInt8]]
    package let card: Instrument?
    package let credentials: Instrument?
    /// Whether something new may begin at the account.
    package let isAccountOpen: Bool
    /// The newest recovery epoch.
    package let epoch: RecoveryEpoch?

    package init(
        command: CommandContext,
        pages: [Int: [UInt8]],
        card: Instrument?,
        credentials: Instrument?,
        isAccountOpen: Bool = true,
        epoch: RecoveryEpoch? = nil
    ) {
        self.command = command
        self.pages = pages
        self.card = card
        self.credentials = credentials
        self.isAccountOpen = isAccountOpen
        self.epoch = epoch
    }
}

/// A question about the price of a page's bills.
package struct PriceRequest: Hashable, Sendable {
    package let page: Int
    package let lines: [BillLine]
    package let effect: EffectId
    package let notBefore: Timestamp
}

/// The prices in an answer, or why there are none.
package enum PriceReading: Hashable, Sendable {
    case priced(commission: Money)
    /// The provider knows none of the bills, or not all of them.
    case unknownBills
    case credentialsRefused
    /// Asked again under the same licence's successor.
    case unreadable(reason: String)
}

/// The consequences of an input to a batch.
package struct BillBatchDecision: Hashable, Sendable {
    package var events: [BillBatchEvent] = []
    package var prices: [PriceRequest] = []

    package init() {}
}

extension BillBatch {
    /// Chunks in a row without a readable answer after which the batch rests.
    package static let mostSilent = 3
    /// Questions about one page's price before the batch rests.
    package static let mostPriceTries = 5
    package static let mostPages = 2000

    package func decide(_ command: BillBatchCommand, _ context: BillBatchContext) throws(Rejection)
        -> BillBatchDecision
    {
        var decision = BillBatchDecision()
        switch command {
        case .create(let head):
            guard self.head == nil else { throw Rejection(.billBatchExists, "There is such a batch.") }
            try Self.check(head, context)
            decision.events = [.created(head, by: context.command.actor.id, at: context.command.now)]
        case .addPage(let number, let digest, let page):
            decision.events = try add(number, digest, page, context)
        case .submit(let count, let total):
            guard let submitted = try submitted(count, total, context) else { return decision }
            decision.events = [submitted]
            proceed(&decision, context)
        case .chunkReported(let report):
            guard live[report.chunk] != nil || settled[report.chunk] != nil else { return decision }
            decision.events = [.chunkReported(report)]
            if let trouble = pause(after: report) { decision.events.append(Self.paused(trouble, context)) }
            proceed(&decision, context)
        case .resume(let given):
            guard let head else { throw .billBatchUnknown }
            guard phase == .paused else { throw Rejection(.billBatchNotPaused, "The batch does not wait for this.") }
            let wanted = given ?? credentials
            guard let wanted, context.credentials?.id == wanted else {
                throw Rejection(.credentialsStale, "New credentials are needed.", path: "credentials")
            }
            try Self.checkCredentials(head, context)
            decision.events = [
                .continued(credentials: wanted, by: context.command.actor.id, at: context.command.now)
            ]
            proceed(&decision, context)
        }
        return decision
    }

    /// Reads what became of a question about prices.
    package func priced(
        _ effect: EffectId,
        _ outcome: DispatchOutcome,
        _ reading: PriceReading,
        _ context: BillBatchContext
    ) -> BillBatchDecision {
        var decision = BillBatchDecision()
        guard phase == .pricing || phase == .paused, let page = page(asked: effect), commissions[page] == nil else {
            return decision
        }
        decision.events = [.priceObserved(page: page, effect, outcome)]
        switch reading {
        case .priced(let commission): decision.events.append(.pagePriced(page: page, commission: commission))
        case .unknownBills:
            decision.events.append(
                .priceRefused(page: page, reason: "unknown_bills", at: context.command.now)
            )
        case .credentialsRefused:
            decision.events.append(.paused(.credentialsStale, at: context.command.now))
        case .unreadable:
            guard priceDispatches.count(where: { $0.page == page }) % Self.mostPriceTries != 0 else {
                decision.events.append(.paused(.unpriced, at: context.command.now))
                break
            }
        }
        proceed(&decision, context)
        return decision
    }

    // MARK: Taking bills

    /// Credentials pay the bills of their own account and customer, in a new batch and in one that goes on.
    private static func checkCredentials(_ head: BillBatchHead, _ context: BillBatchContext) throws(Rejection) {
        guard let credentials = context.credentials, let saved = credentials.saved, saved.account == head.account,
            saved.fact.scheme == InstrumentFact.credentialsScheme
        else {
            throw Rejection(.credentialsUnknown, "There are no such credentials at this account.", path: "credentials")
        }
        guard credentials.usableToken != nil else {
            throw Rejection(.credentialsStale, "New credentials are needed.", path: "credentials")
        }
        if let owner = saved.customer, owner != head.customer {
            throw Rejection(.instrumentNotOwned, "The credentials are another customer's.", path: "credentials")
        }
    }

    private static func check(_ head: BillBatchHead, _ context: BillBatchContext) throws(Rejection) {
        guard context.isAccountOpen else { throw .closedAccount }
        try checkCredentials(head, context)
        guard let instrument = head.instrument else {
            guard head.mode == .sdk else {
                throw Rejection(.instrumentUnknown, "Unattended payment needs a saved card.", path: "instrument")
            }
            return
        }
        guard let card = context.card, card.id == instrument,
            card.saved?.fact.scheme != InstrumentFact.credentialsScheme
        else { throw .instrumentUnknownHere }
        try card.checkUse(by: head.customer, account: head.account, at: context.command.now)
    }

    private func add(_ number: Int, _ digest: String, _ page: BillPage, _ context: BillBatchContext) throws(Rejection)
        -> [BillBatchEvent]
    {
        guard let head else { throw .billBatchUnknown }
        if let known = pages.first(where: { $0.number == number }) {
            guard known.digest == digest else {
                throw Rejection(.pageDiffers, "Page \(number) was taken with other bytes.", path: "page")
            }
            return []
        }
        guard phase == .open else { throw Rejection(.billBatchClosed, "The batch takes no more bills.") }
        guard number == pages.count + 1, number <= Self.mostPages else {
            throw Rejection(.pageOutOfOrder, "The next page is \(pages.count + 1).", path: "page")
        }
        if head.mode == .sdk {
            let most = head.isByWallet ? 1 : head.limits.billsPerChunk
            guard count + page.lines.count <= most else {
                throw Rejection(.tooManyBills, "An app pays at most \(most) bills at once.")
            }
        }
        guard page.total.currency == head.currency, (try? sum(adding: page.total)) != nil else {
            throw Rejection(.amountOverflow, "The sum is too large.")
        }
        return [
            .pageTaken(
                BillPageFacts(
                    number: number,
                    input: context.command.input,
                    count: page.lines.count,
                    digest: digest,
                    total: page.total
                )
            )
        ]
    }

    private func sum(adding part: Money) throws(MoneyFailure) -> Money {
        var sum = part
        for page in pages { sum = try sum.adding(page.total) }
        return sum
    }

    private func submitted(_ count: Int?, _ total: Money?, _ context: BillBatchContext) throws(Rejection)
        -> BillBatchEvent?
    {
        guard let head else { throw .billBatchUnknown }
        guard phase == .open else { return nil }
        guard !pages.isEmpty, let sum = try? sum(adding: .zero(head.currency)) else {
            throw Rejection(.billBatchEmpty, "There is no bill to pay.")
        }
        guard count ?? self.count == self.count, total ?? sum == sum else {
            throw Rejection(.billBatchDiffers, "Taken were \(self.count) bills of \(sum) in all.")
        }
        let all = pages.map(\.digest).joined(separator: "\n")
        return .submitted(
            count: self.count,
            total: sum,
            digest: Hex.encode(Digest.sha256(Array(all.utf8))),
            at: context.command.now
        )
    }

    // MARK: Going on

    private func pause(after report: ChunkReport) -> BillTrouble? {
        guard phase == .running, live[report.chunk] != nil, let trouble = report.trouble else { return nil }
        var after = self
        after.evolve(.chunkReported(report))
        // Where nothing is left to send there is nothing to stop.
        guard !after.isUsedUp else { return nil }
        switch trouble {
        case .credentialsStale, .refused, .unpriced, .logRestored: return trouble
        case .unanswered: return silent + 1 >= Self.mostSilent ? trouble : nil
        }
    }

    /// Adds what the state behind the decision's events wants: questions, chunks, and the end.
    private func proceed(_ decision: inout BillBatchDecision, _ context: BillBatchContext) {
        var after = self
        for event in decision.events { after.evolve(event) }
        switch after.phase {
        case .pricing: if let request = after.priceRequest(context) { decision.prices.append(request) }
        case .running:
            while let plan = after.nextChunk(context) {
                if after.mayHaveGoneOn(context) {
                    decision.events.append(Self.paused(.logRestored, context))
                    return
                }
                decision.events.append(.chunkMade(plan))
                after.evolve(.chunkMade(plan))
            }
            after.rollUp(&decision, context)
        case .ended: after.rollUp(&decision, context)
        case .open, .paused: break
        }
    }

    private static func paused(_ trouble: BillTrouble, _ context: BillBatchContext) -> BillBatchEvent {
        .paused(trouble, at: context.command.now, epoch: trouble == .logRestored ? context.epoch?.number : nil)
    }

    /// Whether chunks that the log has lost may have carried the next bills, or an earlier life of the batch did, and nobody
    /// has looked yet.
    private func mayHaveGoneOn(_ context: BillBatchContext) -> Bool {
        guard head?.mode == .serverToken, let createdAt, let epoch = context.epoch, epoch.number > metEpoch else {
            return false
        }
        return createdAt < epoch.begunAt.adding(Payment.retryWindow)
    }

    private func rollUp(_ decision: inout BillBatchDecision, _ context: BillBatchContext) {
        guard refusedPrice == nil, live.isEmpty, isUsedUp, let tally, tally.whole != isRolledUp else { return }
        decision.events.append(.rolledUp(tally.whole, tally, at: context.command.now))
    }

    private func priceRequest(_ context: BillBatchContext) -> PriceRequest? {
        guard let next = pages.first(where: { commissions[$0.number] == nil }),
            let bytes = context.pages[next.number], let head,
            let page = try? BillPage(bytes, first: firstOrdinal(of: next.number), currency: head.currency)
        else { return nil }
        let earlier = priceDispatches.filter { $0.page == next.number }
        guard !earlier.contains(where: \.dispatch.isInFlight) else { return nil }
        let wait = Duration.seconds(earlier.isEmpty ? 0 : 1 << min(earlier.count, 5))
        return PriceRequest(
            page: next.number,
            lines: page.lines,
            effect: EffectId(.version5(namespace: id.uuid, name: "price:\(next.number):\(earlier.count + 1)")),
            notBefore: context.command.now.adding(wait)
        )
    }

    private func nextChunk(_ context: BillBatchContext) -> ChunkPlan? {
        guard let head, live.count < head.limits.chunksInFlight, waiting == nil else { return nil }
        let bills: ChunkPlan.Bills
        let most = head.limits.billsPerChunk
        if !again.isEmpty {
            bills = .lines(Array(again.prefix(most)))
        } else {
            guard let facts = pages.first(where: { $0.number == page }), context.pages[page] != nil else { return nil }
            bills = .slice(page: page, offset: offset, count: min(most, facts.count - offset))
        }
        let earliest = lastStart.map { $0.adding(head.limits.spacing) } ?? context.command.now
        return ChunkPlan(
            chunk: .version5(namespace: id.uuid, name: "chunk:\(chunksMade + 1)"),
            number: chunksMade + 1,
            bills: bills,
            notBefore: max(earliest, context.command.now)
        )
    }
}

extension BillBatch {
    /// The page whose price a message asks for.
    package func page(asked effect: EffectId) -> Int? {
        priceDispatches.first { $0.dispatch.license.effect == effect }?.page
    }

    /// The bills of a page; `nil` where the context lacks it.
    package func lines(of page: Int, _ pages: [Int: [UInt8]]) -> [BillLine]? {
        guard let head, let bytes = pages[page] else { return nil }
        return try? BillPage(bytes, first: firstOrdinal(of: page), currency: head.currency).lines
    }

    /// The bills of a plan; `nil` where the context lacks their page.
    package func lines(of plan: ChunkPlan, _ pages: [Int: [UInt8]]) -> [BillLine]? {
        switch plan.bills {
        case .lines(let lines): return lines
        case .slice(let number, let offset, let count):
            guard let lines = lines(of: number, pages), offset + count <= lines.count else { return nil }
            return Array(lines[offset..<(offset + count)])
        }
    }
}

extension InstrumentFact {
    /// The scheme of a saved credential that stands for a user's password at the provider, and is no card.
    package static let credentialsScheme = "credentials"
}

extension Rejection {
    package static var billBatchUnknown: Rejection { Rejection(.billBatchUnknown, "There is no such batch.") }
}
