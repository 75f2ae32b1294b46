import Crypto
package import EventSourcing
package import Kernel

/// A bill in a chunk.
package struct BillReservation: Hashable, Sendable, JsonWritable {
    package let batch: BillBatchId
    package let chunk: Uuid
    package let line: BillLine
    package let mode: BillMode

    package init(batch: BillBatchId, chunk: Uuid, line: BillLine, mode: BillMode) {
        self.batch = batch
        self.chunk = chunk
        self.line = line
        self.mode = mode
    }

    package func write(into out: inout JsonText) {
        out.member("batch", batch)
        out.member("chunk", chunk)
        out.member("line", line)
        out.member("mode", mode)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            batch: try fields.id("batch"),
            chunk: try fields.uuid("chunk"),
            line: try BillLine(fields.fields("line")),
            mode: try fields.word("mode")
        )
    }
}

/// A person's word on a bill that nobody knows about, with the reason.
package struct BillResolution: Hashable, Sendable, JsonWritable {
    package let id: Uuid
    package let outcome: BillOutcome
    package let paid: Money?
    package let evidence: String
    package let by: String
    package let seenVersion: Int32

    package init(id: Uuid, outcome: BillOutcome, paid: Money?, evidence: String, by: String, seenVersion: Int32) {
        self.id = id
        self.outcome = outcome
        self.paid = paid
        self.evidence = evidence
        self.by = by
        self.seenVersion = seenVersion
    }

    package func write(into out: inout JsonText) {
        out.member("by", by)
        out.member("evidence", evidence)
        out.member("id", id)
        out.member("outcome", outcome)
        out.member("paid", paid)
        out.member("seenVersion", seenVersion)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            id: try fields.uuid("id"),
            outcome: try fields.word("outcome"),
            paid: try fields.optionalMoney("paid"),
            evidence: try fields.text("evidence"),
            by: try fields.text("by"),
            seenVersion: try fields.int32("seenVersion")
        )
    }
}

/// A fact about a bill of a provider account.
package enum BillEvent: StoredEvent, Hashable {
    case reserved(BillReservation, at: Timestamp)
    case reported(BillStanding, chunk: Uuid, cause: Uuid, at: Timestamp)
    case resolutionProposed(BillResolution, at: Timestamp)
    case resolutionApproved(Uuid, by: String, at: Timestamp)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case reserved = "bill.claimed.v1"
        case reported = "bill.reported.v1"
        case resolutionProposed = "bill.resolution_proposed.v1"
        case resolutionApproved = "bill.resolution_approved.v1"
    }

    package var name: Name {
        switch self {
        case .reserved: .reserved
        case .reported: .reported
        case .resolutionProposed: .resolutionProposed
        case .resolutionApproved: .resolutionApproved
        }
    }
}

/// A request about a bill, or a report of one of its chunks.
package enum BillCommand: StoredCommand, Hashable {
    case reserve(BillReservation)
    case report(BillStanding, chunk: Uuid)
    case propose(BillOutcome, paid: Money?, evidence: String, seen: Int32)
    case approve(Uuid, seen: Int32)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case reserve = "bill.claim"
        case report = "bill.report"
        case propose = "bill.propose"
        case approve = "bill.approve"
    }
}

/// One bill of one provider account, whichever batches name it: the guard against paying it twice.
///
/// Its stream's id is made of the account and the provider's id of the bill, so that every batch meets the same stream.
package struct Bill: Aggregate, Hashable {
    package private(set) var version: Int32 = 0
    /// The chunk that has it now, or had it last.
    package private(set) var reservation: BillReservation?
    /// Where it stands by each chunk that ever had it.
    package private(set) var standings: [Uuid: BillStanding] = [:]
    package private(set) var proposals: [Uuid: BillResolution] = [:]
    package private(set) var approved: Set<Uuid> = []
    /// Version of the newest event that is evidence.
    package private(set) var evidenceVersion: Int32 = 0

    package init() {}

    /// It holds nothing of its name.
    package init(id _: Uuid) {}

    /// The stream of a bill.
    package static func stream(_ id: String, account: Uuid, _ merchant: MerchantNumber) -> StreamName {
        StreamName(merchant, .bill, .version5(namespace: account, name: "bill:\(id)"))
    }

    package var standing: BillStanding? { reservation.flatMap { standings[$0.chunk] } }

    /// Why it may not be paid once more; `nil` where it may.
    package func refusal(of wanted: BillReservation) -> String? {
        guard let reservation else { return nil }
        if standings.values.contains(where: { $0.outcome == .paid || $0.outcome == .held }) { return "bill_paid" }
        if standings.values.contains(where: { $0.outcome == .claimed }) { return "bill_unresolved" }
        guard let standing else { return reservation.batch == wanted.batch ? "bill_repeated" : "bill_in_progress" }
        guard standing.outcome.mayBeRepeated else {
            return standing.outcome == .refunded ? "bill_refunded" : "bill_unresolved"
        }
        // An app that was asked about an unattended payment has not proved that nothing was paid: written before that was a claim.
        if standing.source == .claim, reservation.mode == .serverToken { return "bill_unresolved" }
        return reservation.batch == wanted.batch && standing.source != .ourselves ? "bill_repeated" : nil
    }

    package func decide(_ command: BillCommand, _ context: CommandContext) throws(Rejection) -> [BillEvent] {
        switch command {
        case .reserve(let wanted):
            guard reservation?.chunk != wanted.chunk, refusal(of: wanted) == nil else { return [] }
            return [.reserved(wanted, at: context.now)]
        case .report(let standing, let chunk):
            let merged = standings[chunk]?.merged(with: standing) ?? standing
            guard merged != standings[chunk] else { return [] }
            return [.reported(merged, chunk: chunk, cause: context.input, at: context.now)]
        case .propose(let outcome, let paid, let evidence, let seen):
            try refuseStranger(context.actor)
            try refuseStale(seen)
            try refuseNeedless(outcome, paid)
            let resolution = BillResolution(
                id: .version5(namespace: context.input, name: "resolution"),
                outcome: outcome,
                paid: paid,
                evidence: evidence,
                by: context.actor.id,
                seenVersion: seen
            )
            return [.resolutionProposed(resolution, at: context.now)]
        case .approve(let id, let seen):
            try refuseStranger(context.actor)
            guard let proposal = proposals[id] else {
                throw Rejection(.proposalUnknown, "There is no such proposal.")
            }
            guard !approved.contains(id) else { return [] }
            guard proposal.by != context.actor.id else { throw Rejection(.sameActor, "A second person approves.") }
            try refuseStale(proposal.seenVersion)
            try refuseStale(seen)
            try refuseNeedless(proposal.outcome, proposal.paid)
            guard let reservation else { throw Rejection(.billUnknown, "There is no such bill.") }
            return [
                .resolutionApproved(id, by: context.actor.id, at: context.now),
                .reported(
                    verdict(proposal, reservation),
                    chunk: reservation.chunk,
                    cause: context.input,
                    at: context.now
                ),
            ]
        }
    }

    private func verdict(_ proposal: BillResolution, _ reservation: BillReservation) -> BillStanding {
        var standing = BillStanding(id: reservation.line.id, outcome: proposal.outcome, source: .operator)
        if proposal.outcome == .paid {
            standing.paid = proposal.paid ?? reservation.line.amount
            standing.amountDiffers = standing.paid != reservation.line.amount
        }
        standing.errorText = proposal.evidence
        return standing
    }

    private func refuseStranger(_ actor: Actor) throws(Rejection) {
        guard actor.isOperator else { throw Rejection(.operatorNeeded, "An operator resolves bills.") }
    }

    /// Newer evidence makes what a person saw stale.
    private func refuseStale(_ seen: Int32) throws(Rejection) {
        guard reservation != nil else { throw Rejection(.billUnknown, "There is no such bill.") }
        guard seen >= evidenceVersion, seen <= version else {
            throw Rejection(.proposalStale, "Evidence arrived since version \(seen); look again.")
        }
    }

    private func refuseNeedless(_ outcome: BillOutcome, _ paid: Money?) throws(Rejection) {
        let isProved = standing.map { $0.outcome.isKnown && $0.source != .claim } ?? true
        guard !isProved else { throw Rejection(.nothingToResolve, "Evidence has settled this already.") }
        guard outcome.isKnown, outcome != .refused else {
            throw Rejection(.nothingToResolve, "A verdict says what became of the bill.", path: "outcome")
        }
        guard let paid else { return }
        guard outcome == .paid, paid.minor > 0 else {
            throw Rejection(.amountNotAllowed, "Only a paid bill has an amount.", path: "paid")
        }
        guard paid.currency == reservation?.line.amount.currency else {
            throw Rejection(.currencyMismatch, "The bill is in another currency.", path: "paid")
        }
    }

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: BillEvent) {
        version += 1
        switch event {
        case .reserved(let reservation, _):
            self.reservation = reservation
            evidenceVersion = version
        case .reported(let standing, let chunk, _, _):
            standings[chunk] = standing
            evidenceVersion = version
        case .resolutionProposed(let resolution, _): proposals[resolution.id] = resolution
        case .resolutionApproved(let id, _, _): approved.insert(id)
        }
    }
}
