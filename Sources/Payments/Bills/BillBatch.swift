import EventSourcing
package import Kernel

/// Many bills that are paid as one task: what was uploaded, how far it is, and how the whole stands.
///
/// The bills themselves are in the pages that the events name; each is a stream of its own, and a chunk carries some.
package struct BillBatch: Aggregate {
    package enum Phase: String, Hashable, Sendable, CaseIterable {
        /// Takes pages.
        ///
        /// Goes to `pricing` by `submitted` where bills are priced, else to `running`.
        case open
        /// Asks what the bills cost.
        ///
        /// Goes to `running` with the last `pagePriced`, to `ended` by `priceRefused` where the provider does not know the
        /// bills, and to `paused` where it refuses the credentials or gives no price.
        case pricing
        /// Makes chunks while there are bills.
        ///
        /// Goes to `paused` by a chunk's trouble or a restored log, and to `ended` by `rolledUp` when every chunk has settled
        /// and no bill is left.
        case running
        /// Makes no chunk until somebody says so.
        ///
        /// Goes back to `pricing` or `running` by `continued`. An answer about prices that comes meanwhile counts: the last
        /// `pagePriced` leads to `running`, and `priceRefused` to `ended`.
        case paused
        /// Every bill was asked for, or none will be.
        ///
        /// The end; late words about bills change the sums and roll the batch up again.
        case ended
    }

    /// One chunk as the batch knows it.
    package struct Progress: Hashable, Sendable {
        package let plan: ChunkPlan
        package var report: ChunkReport?
        package var isLive: Bool { report.map { !$0.isSettled } ?? true }
    }

    package let id: BillBatchId
    package private(set) var version: Int32 = 0
    package private(set) var head: BillBatchHead?
    package private(set) var createdAt: Timestamp?
    package private(set) var pages: [BillPageFacts] = []
    package private(set) var phase = Phase.open
    package private(set) var submittedAt: Timestamp?
    package private(set) var digest: String?
    package private(set) var total: Money?
    package private(set) var credentials: InstrumentId?
    package private(set) var trouble: BillTrouble?
    /// Questions about prices, each with its page.
    package private(set) var priceDispatches: [(page: Int, dispatch: Dispatch)] = []
    package private(set) var commissions: [Int: Money] = [:]
    package private(set) var refusedPrice: String?
    package private(set) var chunksMade = 0
    /// Chunks that have not settled, by their numbers; of settled ones only the sums are kept.
    package private(set) var live: [Uuid: Progress] = [:]
    package private(set) var settled = [Uuid: BillTally]()
    package private(set) var isRolledUp: BillWhole?
    package private(set) var endedAt: Timestamp?
    /// The next bill that no chunk carries yet.
    package private(set) var page = 1
    package private(set) var offset = 0
    /// Bills of earlier chunks that the provider did not reach.
    package private(set) var again: [BillLine] = []
    package private(set) var lastStart: Timestamp?
    /// The newest recovery epoch that it was paused for.
    package private(set) var metEpoch: Int32 = 0
    /// Chunks in a row without an answer that can be read.
    package private(set) var silent = 0

    package init(id: BillBatchId) { self.id = id }

    package var count: Int { pages.reduce(0) { $0 + $1.count } }

    /// The place of a page's first bill.
    package func firstOrdinal(of number: Int) -> Int {
        1 + pages.prefix { $0.number < number }.reduce(0) { $0 + $1.count }
    }

    /// Whether every bill is in some chunk.
    package var isUsedUp: Bool { page > pages.count && again.isEmpty }

    /// The bill whose payer must act, and its chunk.
    package var waiting: (chunk: Uuid, bill: String)? {
        for (id, progress) in live.sorted(by: { $0.key < $1.key }) {
            if let bill = progress.report?.waitsFor { return (id, bill) }
        }
        return nil
    }

    /// The count of how the bills stand so far; those that no chunk has reported are left out.
    package var tally: BillTally? {
        guard let head else { return nil }
        var sum = BillTally(head.currency)
        for tally in settled.values { sum.add(tally) }
        for progress in live.values { if let report = progress.report { sum.add(report.tally) } }
        return sum
    }

    /// Pages that the next decision may need: those that the next chunks begin in.
    package var neededPages: [BillPageFacts] {
        switch phase {
        case .open, .pricing, .running, .paused:
            let first = commissionsPending ?? page
            return pages.filter { (first...(first + 1)).contains($0.number) || (page...(page + 1)).contains($0.number) }
        case .ended: return []
        }
    }

    private var commissionsPending: Int? {
        head?.isPriced == true ? pages.first { commissions[$0.number] == nil }?.number : nil
    }

    // MARK: Evolving

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: BillBatchEvent) {
        version += 1
        switch event {
        case .created(let head, _, let at):
            self.head = head
            credentials = head.credentials
            createdAt = at
        case .pageTaken(let page): pages.append(page)
        case .submitted(_, let total, let digest, let at):
            submittedAt = at
            self.total = total
            self.digest = digest
            phase = head?.isPriced == true ? .pricing : .running
        case .priceLicensed(let page, let license): priceDispatches.append((page, Dispatch(license: license)))
        case .priceObserved(_, let effect, let outcome):
            for index in priceDispatches.indices where priceDispatches[index].dispatch.license.effect == effect {
                priceDispatches[index].dispatch.outcome = outcome
            }
        case .pagePriced(let page, let commission):
            commissions[page] = commission
            if commissions.count == pages.count { phase = .running }
        case .priceRefused(_, let reason, let at):
            refusedPrice = reason
            phase = .ended
            endedAt = at
        case .chunkMade(let plan): made(plan)
        case .chunkReported(let report): reported(report)
        case .paused(let trouble, _, let epoch):
            self.trouble = trouble
            if let epoch { metEpoch = epoch }
            phase = .paused
        case .continued(let credentials, _, _):
            self.credentials = credentials
            trouble = nil
            silent = 0
            phase = head?.isPriced == true && commissions.count < pages.count ? .pricing : .running
        case .rolledUp(let whole, _, let at):
            isRolledUp = whole
            phase = .ended
            endedAt = at
        }
    }

    private mutating func made(_ plan: ChunkPlan) {
        chunksMade += 1
        lastStart = plan.notBefore
        live[plan.chunk] = Progress(plan: plan)
        switch plan.bills {
        case .slice(let page, let offset, let count):
            assert(page == self.page && offset == self.offset, "a chunk begins where the last one ended")
            self.page = page
            self.offset = offset + count
            if let facts = pages.first(where: { $0.number == page }), self.offset >= facts.count {
                self.page += 1
                self.offset = 0
            }
        case .lines(let lines):
            assert(lines == Array(again.prefix(lines.count)), "bills that went back are tried again in their order")
            again.removeFirst(min(lines.count, again.count))
        }
    }

    private mutating func reported(_ report: ChunkReport) {
        let wasSettled = settled[report.chunk] != nil
        guard report.isSettled || wasSettled else {
            live[report.chunk]?.report = report
            return
        }
        live[report.chunk] = nil
        settled[report.chunk] = report.tally
        guard !wasSettled else { return }
        again += report.remaining
        silent = report.trouble == .unanswered ? silent + 1 : 0
    }
}
