import EventSourcing
import Kernel
import Payments
import Testing

/// The life of a batch: pages, submission, chunks, pauses and the end.
struct BillBatchTests {
    /// A batch that took a page of these bills, and the bytes of that page.
    private func open(_ ids: [String], _ head: BillBatchHead = BillSamples.head()) throws -> (BillBatch, [UInt8]) {
        var batch = BillBatch(id: BillSamples.batch)
        for event in try batch.decide(.create(head), BillSamples.context()).events { batch.evolve(event) }
        let bytes = BillSamples.bytes(ids)
        let page = try BillPage(bytes, first: 1, currency: BillSamples.hryvnia)
        for event in try batch.decide(.addPage(1, digest: "d1", page), BillSamples.context(input: 2)).events {
            batch.evolve(event)
        }
        return (batch, bytes)
    }

    private func submitted(_ ids: [String], _ head: BillBatchHead = BillSamples.head()) throws
        -> (BillBatch, [Int: [UInt8]], BillBatchDecision)
    {
        var (batch, bytes) = try open(ids, head)
        let decision = try batch.decide(.submit(count: ids.count, total: nil), BillSamples.context([1: bytes]))
        for event in decision.events { batch.evolve(event) }
        return (batch, [1: bytes], decision)
    }

    private func report(
        _ chunk: Uuid,
        _ outcomes: [BillOutcome],
        _ trouble: BillTrouble? = nil,
        remaining: [BillLine] = [],
        isSettled: Bool = true,
        waitsFor: String? = nil
    ) -> BillBatchCommand {
        .chunkReported(
            ChunkReport(
                chunk: chunk,
                tally: BillTally(
                    outcomes.enumerated().map { BillSamples.standing("b-\($0.offset)", $0.element) },
                    BillSamples.hryvnia
                ),
                isSettled: isSettled,
                waitsFor: waitsFor,
                remaining: remaining,
                trouble: trouble
            )
        )
    }

    private func step(
        _ batch: inout BillBatch,
        _ command: BillBatchCommand,
        _ pages: [Int: [UInt8]],
        epoch: RecoveryEpoch? = nil
    ) throws -> [BillBatchEvent] {
        let events = try batch.decide(command, BillSamples.context(pages, epoch: epoch)).events
        for event in events { batch.evolve(event) }
        return events
    }

    private func plans(_ events: [BillBatchEvent]) -> [ChunkPlan] {
        events.compactMap { if case .chunkMade(let plan) = $0 { plan } else { nil } }
    }

    @Test func `a page is taken once, and the same number with other bytes is refused`() throws {
        let (batch, bytes) = try open(["b-1"])
        let page = try BillPage(bytes, first: 1, currency: BillSamples.hryvnia)
        #expect(try batch.decide(.addPage(1, digest: "d1", page), BillSamples.context()).events.isEmpty)
        #expect(
            refusal { () throws(Rejection) in
                try batch.decide(.addPage(1, digest: "d2", page), BillSamples.context())
            } == "page_differs"
        )
        #expect(
            refusal { () throws(Rejection) in
                try batch.decide(.addPage(3, digest: "d3", page), BillSamples.context())
            } == "page_out_of_order"
        )
    }

    @Test func `a batch is not made at a closed account`() {
        #expect(
            refusal { () throws(Rejection) in
                try BillBatch(id: BillSamples.batch)
                    .decide(.create(BillSamples.head()), BillSamples.context(isAccountOpen: false))
            } == "account_closed"
        )
    }

    @Test(
        arguments: [
            (.ended(.invalid(code: nil), at: BillSamples.at), "instrument_invalid"),
            (.ended(.lastMonth, at: BillSamples.at), "instrument_expired"),
            (.removed(by: "payer", reason: nil, at: BillSamples.at), "instrument_removed"),
        ] as [(InstrumentEvent, String)]
    )
    func `a card that can't pay is refused by its reason`(event: InstrumentEvent, code: String) {
        #expect(
            refusal { () throws(Rejection) in
                try BillBatch(id: BillSamples.batch)
                    .decide(.create(BillSamples.head()), BillSamples.context(card: [event]))
            } == code
        )
    }

    @Test func `what the client counted must be what was taken, and nothing comes afterwards`() throws {
        let (batch, bytes) = try open(["b-1", "b-2"])
        let context = BillSamples.context([1: bytes])
        #expect(
            refusal { () throws(Rejection) in try batch.decide(.submit(count: 3, total: nil), context) }
                == "bill_batch_differs"
        )
        #expect(
            refusal { () throws(Rejection) in
                try batch.decide(.submit(count: 2, total: BillSamples.money(1)), context)
            } == "bill_batch_differs"
        )
        let (closed, pages, _) = try submitted(["b-1", "b-2"])
        #expect(try closed.decide(.submit(count: nil, total: nil), BillSamples.context(pages)).events.isEmpty)
        let page = try BillPage(BillSamples.bytes(["b-9"]), first: 3, currency: BillSamples.hryvnia)
        #expect(
            refusal { () throws(Rejection) in
                try closed.decide(.addPage(2, digest: "d2", page), BillSamples.context())
            } == "bill_batch_closed"
        )
    }

    @Test func `every bill is in one chunk, chunks keep their distance, and the end is rolled up`() throws {
        var (batch, pages, decision) = try submitted(["b-1", "b-2", "b-3", "b-4", "b-5"])
        var seen: [BillLine] = []
        var starts: [Timestamp] = []
        var open = plans(decision.events)
        var events: [BillBatchEvent] = []
        while let plan = open.first {
            #expect(open.count == 1)
            seen += batch.lines(of: plan, pages) ?? []
            starts.append(plan.notBefore)
            events = try step(&batch, report(plan.chunk, [.paid, .failed]), pages)
            open = plans(events)
        }
        #expect(seen.map(\.ordinal) == [1, 2, 3, 4, 5])
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $1.since($0) >= .milliseconds(500) })
        #expect(batch.status == .partiallyCompleted)
        guard case .rolledUp(.partiallyCompleted, let tally, _)? = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(tally.counts == [.paid: 3, .failed: 3])
        #expect(tally.charged == BillSamples.money(3000))
    }

    @Test func `stale credentials stop the batch until there are new ones`() throws {
        var (batch, pages, decision) = try submitted(["b-1", "b-2", "b-3"])
        let plan = try #require(plans(decision.events).first)
        let events = try step(
            &batch,
            report(plan.chunk, [], .credentialsStale, remaining: [BillSamples.line(1), BillSamples.line(2)]),
            pages
        )
        #expect(plans(events).isEmpty)
        #expect(batch.status == .paused)
        #expect(batch.trouble == .credentialsStale)
        let next = try step(&batch, .resume(credentials: BillSamples.credentials), pages)
        #expect(plans(next).map(\.bills) == [.lines([BillSamples.line(1), BillSamples.line(2)])])
        #expect(batch.status == .processing)
    }

    @Test func `a refused message stops at once and silent ones after some`() throws {
        var (batch, pages, decision) = try submitted((1...12).map { "b-\($0)" })
        var plan = try #require(plans(decision.events).first)
        for round in 1...BillBatch.mostSilent {
            let events = try step(&batch, report(plan.chunk, [.unknown, .unknown], .unanswered), pages)
            guard round < BillBatch.mostSilent else { break }
            plan = try #require(plans(events).first)
        }
        #expect(batch.status == .paused)
        let events = try step(&batch, .resume(credentials: nil), pages)
        plan = try #require(plans(events).first)
        _ = try step(&batch, report(plan.chunk, [.unknown, .unknown], .refused), pages)
        #expect(batch.trouble == .refused)
        #expect(batch.phase == .paused)
    }

    @Test func `a batch that a restore may have set back makes no chunk until somebody has looked, once`() throws {
        for number in Int32(1)...2 {
            var (batch, pages, decision) = try submitted((1...6).map { "b-\($0)" })
            let epoch = RecoveryEpoch(number: number, begunAt: BillSamples.at.adding(.seconds(60)))
            let first = try #require(plans(decision.events).first)
            var events = try step(&batch, report(first.chunk, [.unknown, .unknown]), pages, epoch: epoch)
            #expect(plans(events).isEmpty)
            #expect(batch.trouble == .logRestored)
            #expect(batch.metEpoch == number)
            events = try step(&batch, .resume(credentials: nil), pages, epoch: epoch)
            let second = try #require(plans(events).first)
            events = try step(&batch, report(second.chunk, [.paid, .paid]), pages, epoch: epoch)
            #expect(plans(events).count == 1)
            #expect(batch.phase == .running)
        }
    }

    @Test func `a batch that was stopped for the restore by its chunk is not stopped for it again`() throws {
        var (batch, pages, decision) = try submitted(["b-1", "b-2", "b-3"])
        let epoch = RecoveryEpoch(number: 1, begunAt: BillSamples.at)
        let first = try #require(plans(decision.events).first)
        _ = try step(&batch, report(first.chunk, [.unknown, .unknown], .logRestored), pages, epoch: epoch)
        #expect(batch.trouble == .logRestored)
        #expect(plans(try step(&batch, .resume(credentials: nil), pages, epoch: epoch)).count == 1)
    }

    @Test func `the second life of a lost upload waits, an upload of later days and one that an app pays do not`()
        throws
    {
        for (days, mode, waits) in [
            (2, BillMode.serverToken, true), (3, .serverToken, false), (2, .sdk, false),
        ] {
            let (batch, bytes) = try open(["b-1"], BillSamples.head(mode: mode))
            let epoch = RecoveryEpoch(number: 1, begunAt: BillSamples.at.adding(.seconds(-days * 86_400)))
            let events = try batch.decide(
                .submit(count: nil, total: nil),
                BillSamples.context([1: bytes], epoch: epoch)
            ).events
            #expect(plans(events).isEmpty == waits, "\(days) days after, \(mode)")
        }
    }

    @Test func `a batch without a bill left to ask for is rolled up after a restore as before`() throws {
        var (batch, pages, decision) = try submitted(["b-1"])
        let first = try #require(plans(decision.events).first)
        let epoch = RecoveryEpoch(number: 1, begunAt: BillSamples.at)
        _ = try step(&batch, report(first.chunk, [.unknown]), pages, epoch: epoch)
        #expect(batch.phase == .ended)
        #expect(batch.isRolledUp == .unresolved)
    }

    @Test func `while a payer must act no chunk is made, and the rest follows`() throws {
        var (batch, pages, decision) = try submitted(
            ["b-1", "b-2", "b-3"],
            BillSamples.head(limits: BillSamples.limits(2, inFlight: 2))
        )
        let first = plans(decision.events)
        #expect(first.count == 2)
        var events = try step(
            &batch,
            report(first[0].chunk, [.requiresAction], isSettled: false, waitsFor: "b-1"),
            pages
        )
        #expect(batch.status == .requiresAction)
        events = try step(&batch, report(first[1].chunk, [.paid]), pages)
        #expect(plans(events).isEmpty)
        events = try step(&batch, report(first[0].chunk, [.paid], remaining: [BillSamples.line(2)]), pages)
        #expect(plans(events).map(\.bills) == [.lines([BillSamples.line(2)])])
    }

    @Test func `late evidence changes the sums and the word, never the chunks`() throws {
        var (batch, pages, decision) = try submitted(["b-1", "b-2"])
        let plan = try #require(plans(decision.events).first)
        _ = try step(&batch, report(plan.chunk, [.paid, .unknown]), pages)
        #expect(batch.status == .unresolved)
        let events = try step(&batch, report(plan.chunk, [.paid, .paid]), pages)
        #expect(batch.status == .completed)
        #expect(plans(events).isEmpty)
    }

    @Test func `bills that the provider does not know end the batch before one is paid`() throws {
        var (batch, pages, decision) = try submitted(["b-1"], BillSamples.head(isPriced: true))
        let request = try #require(decision.prices.first)
        batch.evolve(.priceLicensed(page: 1, BillSamples.license(.query)))
        #expect(request.page == 1)
        let effect = BillSamples.license(.query).effect
        let refused = batch.priced(effect, .answered, .unknownBills, BillSamples.context(pages))
        for event in refused.events { batch.evolve(event) }
        #expect(batch.status == .failed)
        #expect(batch.chunksMade == 0)
    }

    @Test func `priced bills are paid, and a silent price is asked again a few times`() throws {
        var (batch, pages, decision) = try submitted(["b-1"], BillSamples.head(isPriced: true))
        #expect(decision.prices.count == 1)
        let effect = BillSamples.license(.query).effect
        batch.evolve(.priceLicensed(page: 1, BillSamples.license(.query)))
        let again = batch.priced(
            effect,
            .unknown(reason: "timeout"),
            .unreadable(reason: "timeout"),
            BillSamples.context(pages)
        )
        #expect(again.prices.count == 1)
        for event in again.events { batch.evolve(event) }
        decision = batch.priced(
            effect,
            .answered,
            .priced(commission: BillSamples.money(7)),
            BillSamples.context(pages)
        )
        for event in decision.events { batch.evolve(event) }
        #expect(plans(decision.events).count == 1)
        #expect(batch.commissions == [1: BillSamples.money(7)])
    }

    @Test func `an app is given one screen, and a wallet one bill`() throws {
        let head = BillSamples.head(mode: .sdk, limits: BillSamples.limits(2))
        #expect(
            refusal { () throws(Rejection) in
                let batch = BillBatch.fold(BillSamples.batch, [.created(head, by: "x", at: .epoch)])
                guard
                    let page = try? BillPage(
                        BillSamples.bytes(["1", "2", "3"]),
                        first: 1,
                        currency: BillSamples.hryvnia
                    )
                else { return }
                _ = try batch.decide(.addPage(1, digest: "d", page), BillSamples.context())
            } == "too_many_bills"
        )
        #expect(
            refusal { () throws(Rejection) in
                let wallet = BillSamples.head(mode: .sdk, isByWallet: true)
                let batch = BillBatch.fold(BillSamples.batch, [.created(wallet, by: "x", at: .epoch)])
                guard let page = try? BillPage(BillSamples.bytes(["1", "2"]), first: 1, currency: BillSamples.hryvnia)
                else { return }
                _ = try batch.decide(.addPage(1, digest: "d", page), BillSamples.context())
            } == "too_many_bills"
        )
    }
}
