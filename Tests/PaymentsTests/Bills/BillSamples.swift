import EventSourcing
import Kernel
import Payments

/// Values that the tests of bills share.
enum BillSamples {
    static let batch = BillBatchId(Samples.uuid(0xBA7))
    static let chunk = Samples.uuid(0xC40)
    static let card = InstrumentId(Samples.uuid(0xCA6D))
    static let credentials = InstrumentId(Samples.uuid(0xC6ED))
    static let at = Samples.noon

    static var hryvnia: Currency {
        guard let currency = Currency("UAH") else { preconditionFailure("the table has UAH") }
        return currency
    }

    static func money(_ minor: Int64) -> Money { Money(minor, hryvnia) }

    static func line(_ ordinal: Int, _ id: String? = nil) -> BillLine {
        BillLine(ordinal: ordinal, id: id ?? "b-\(ordinal)", amount: money(1000))
    }

    static func limits(_ perChunk: Int = 2, inFlight: Int = 1) -> BillLimits {
        BillLimits(billsPerChunk: perChunk, chunksInFlight: inFlight, spacing: .milliseconds(500))
    }

    static func head(
        mode: BillMode = .serverToken,
        isPriced: Bool = false,
        isByWallet: Bool = false,
        limits: BillLimits = limits()
    ) -> BillBatchHead {
        BillBatchHead(
            account: Samples.accountId,
            mode: mode,
            currency: hryvnia,
            instrument: card,
            credentials: credentials,
            customer: "c-1",
            reference: "march",
            isPriced: isPriced,
            isByWallet: isByWallet,
            limits: limits
        )
    }

    static func chunkHead(_ lines: [BillLine], mode: BillMode = .serverToken, epoch: Int32? = nil) -> ChunkHead {
        ChunkHead(
            batch: batch,
            account: Samples.accountId,
            mode: mode,
            currency: hryvnia,
            instrument: card,
            credentials: credentials,
            customer: "c-1",
            isByWallet: false,
            lines: lines,
            notBefore: at,
            epoch: epoch
        )
    }

    static func instrument(_ id: InstrumentId, scheme: String, _ later: [InstrumentEvent] = []) -> Instrument {
        let saved = SavedInstrument(
            fact: InstrumentFact(
                token: Samples.sealed,
                fingerprint: scheme,
                masked: nil,
                scheme: scheme,
                expiryYear: nil,
                expiryMonth: nil
            ),
            account: Samples.accountId,
            customer: "c-1",
            payment: nil
        )
        return Instrument.fold(id, [.saved(saved, at: at)] + later)
    }

    static func context(
        _ pages: [Int: [UInt8]] = [:],
        input: UInt64 = 1,
        card events: [InstrumentEvent] = [],
        isAccountOpen: Bool = true,
        epoch: RecoveryEpoch? = nil
    ) -> BillBatchContext {
        BillBatchContext(
            command: Samples.context(input: input),
            pages: pages,
            card: instrument(card, scheme: "visa", events),
            credentials: instrument(credentials, scheme: InstrumentFact.credentialsScheme),
            isAccountOpen: isAccountOpen,
            epoch: epoch
        )
    }

    static func bytes(_ ids: [String]) -> [UInt8] {
        Array(ids.map { "{\"id\":\"\($0)\",\"amount\":{\"value\":1000,\"currency\":\"UAH\"}}\n" }.joined().utf8)
    }

    static func license(_ purpose: DispatchPurpose = .operation(.sale), ordinal: Int32 = 1) -> DispatchLicense {
        DispatchLicense(
            effect: Chunk(id: chunk).effect,
            purpose: purpose,
            operation: nil,
            ordinal: ordinal,
            ground: ordinal == 1 ? .first : .notExecuted,
            templateDigest: String(repeating: "ab", count: 32),
            account: Samples.accountId,
            accountVersion: 1,
            adapterVersion: 1,
            licensedAt: at,
            notBefore: at,
            sendBefore: at.adding(.seconds(600))
        )
    }

    static func standing(_ id: String, _ outcome: BillOutcome, _ source: BillStanding.Source = .answer)
        -> BillStanding
    {
        var standing = BillStanding(id: id, outcome: outcome, source: source)
        if outcome == .paid {
            standing.paid = money(1000)
            standing.commission = money(50)
        }
        return standing
    }
}

extension EventSample {
    private static func batch(_ name: String, _ event: BillBatchEvent) -> EventSample {
        EventSample(name: name, draft: event.draft) { (draft) throws(CodecFailure) in
            let read = try BillBatchEvent(type: draft.type, data: draft.data)
            guard read == event else { throw CodecFailure("value of \(name)") }
            return read.draft
        }
    }

    private static func chunk(_ name: String, _ event: ChunkEvent) -> EventSample {
        EventSample(name: name, draft: event.draft) { (draft) throws(CodecFailure) in
            let read = try ChunkEvent(type: draft.type, data: draft.data)
            guard read == event else { throw CodecFailure("value of \(name)") }
            return read.draft
        }
    }

    private static func bill(_ name: String, _ event: BillEvent) -> EventSample {
        EventSample(name: name, draft: event.draft) { (draft) throws(CodecFailure) in
            let read = try BillEvent(type: draft.type, data: draft.data)
            guard read == event else { throw CodecFailure("value of \(name)") }
            return read.draft
        }
    }

    static let bills: [EventSample] = batchSamples + chunkSamples + billSamples

    private static let batchSamples: [EventSample] = {
        let at = BillSamples.at
        let slice = ChunkPlan(
            chunk: BillSamples.chunk,
            number: 1,
            bills: .slice(page: 1, offset: 0, count: 2),
            notBefore: at
        )
        let again = ChunkPlan(
            chunk: BillSamples.chunk,
            number: 2,
            bills: .lines([BillSamples.line(3)]),
            notBefore: at
        )
        let tally = BillTally([BillSamples.standing("b-1", .paid)], BillSamples.hryvnia)
        let report = ChunkReport(
            chunk: BillSamples.chunk,
            tally: tally,
            isSettled: true,
            waitsFor: nil,
            remaining: [BillSamples.line(3)],
            trouble: .unanswered
        )
        let effect = Chunk(id: BillSamples.chunk).effect
        return [
            batch("bill_batch.created.v1", .created(BillSamples.head(), by: "key:shop", at: at)),
            batch(
                "bill_batch.page_taken.v1",
                .pageTaken(
                    BillPageFacts(
                        number: 1,
                        input: Samples.uuid(5),
                        count: 2,
                        digest: "00ff",
                        total: BillSamples.money(2000)
                    )
                )
            ),
            batch(
                "bill_batch.submitted.v1",
                .submitted(count: 2, total: BillSamples.money(2000), digest: "00ff", at: at)
            ),
            batch("bill_batch.price_licensed.v1", .priceLicensed(page: 1, BillSamples.license(.query))),
            batch("bill_batch.price_observed.v1", .priceObserved(page: 1, effect, .answered)),
            batch("bill_batch.page_priced.v1", .pagePriced(page: 1, commission: BillSamples.money(100))),
            batch("bill_batch.price_refused.v1", .priceRefused(page: 1, reason: "unknown_bills", at: at)),
            batch("bill_batch.chunk_made.v1", .chunkMade(slice)),
            batch("bill_batch.chunk_made.v1.again", .chunkMade(again)),
            batch("bill_batch.chunk_reported.v1", .chunkReported(report)),
            batch("bill_batch.paused.v1", .paused(.credentialsStale, at: at)),
            batch("bill_batch.paused.v1.epoch", .paused(.logRestored, at: at, epoch: 2)),
            batch(
                "bill_batch.continued.v1",
                .continued(credentials: BillSamples.credentials, by: "key:shop", at: at)
            ),
            batch("bill_batch.rolled_up.v1", .rolledUp(.partiallyCompleted, tally, at: at)),
        ]
    }()

    private static let chunkSamples: [EventSample] = {
        let effect = Chunk(id: BillSamples.chunk).effect
        var failed = BillSamples.standing("b-2", .failed)
        failed.errorCode = "51"
        failed.errorText = "no money"
        let action = BillReading.Action(bill: "b-2", handover: ["acsUrl": Samples.sealed])
        return [
            chunk("chunk.begun.v1", .begun(BillSamples.chunkHead([BillSamples.line(1), BillSamples.line(2)]))),
            chunk("chunk.begun.v1.epoch", .begun(BillSamples.chunkHead([BillSamples.line(1)], epoch: 2))),
            chunk("chunk.bill_answered.v1", .billAnswered("b-1", refusal: nil)),
            chunk("chunk.bill_answered.v1.refused", .billAnswered("b-1", refusal: "bill_paid")),
            chunk("chunk.licensed.v1", .licensed(BillSamples.license(), credentials: 3)),
            chunk("chunk.observed.v1", .observed(effect, ordinal: 1, .unknown(reason: "timeout"))),
            chunk("chunk.reported.v1", .reported([BillSamples.standing("b-1", .paid), failed], foreign: ["b-9"])),
            chunk("chunk.action_required.v1", .actionRequired(action, unreached: ["b-3"])),
            chunk("chunk.released.v1", .released(["b-1"], reason: "credentials_stale")),
            chunk("chunk.settled.v1", .settled(nil, at: BillSamples.at)),
            chunk("chunk.settled.v1.trouble", .settled(.refused, at: BillSamples.at)),
        ]
    }()

    private static let billSamples: [EventSample] = {
        let at = BillSamples.at
        let reservation = BillReservation(
            batch: BillSamples.batch,
            chunk: BillSamples.chunk,
            line: BillSamples.line(1),
            mode: .serverToken
        )
        let resolution = BillResolution(
            id: Samples.uuid(0xE5),
            outcome: .paid,
            paid: BillSamples.money(1000),
            evidence: "seen in the cabinet",
            by: "ann",
            seenVersion: 2
        )
        return [
            bill("bill.claimed.v1", .reserved(reservation, at: at)),
            bill(
                "bill.reported.v1",
                .reported(BillSamples.standing("b-1", .paid), chunk: BillSamples.chunk, cause: Samples.uuid(6), at: at)
            ),
            bill("bill.resolution_proposed.v1", .resolutionProposed(resolution, at: at)),
            bill("bill.resolution_approved.v1", .resolutionApproved(resolution.id, by: "bob", at: at)),
        ]
    }()
}
