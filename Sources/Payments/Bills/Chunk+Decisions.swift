package import EventSourcing
package import Kernel

/// A request about a chunk, or an answer of one of its bills.
package enum ChunkCommand: StoredCommand, Hashable {
    case begin(ChunkHead)
    case billAnswered(String, refusal: String?)
    /// Two persons decided about a bill that this chunk carries.
    case billResolved(BillStanding)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case begin = "chunk.begin"
        case billAnswered = "chunk.bill_answered"
        case billResolved = "chunk.bill_resolved"
        /// The payer's app tells what its SDK said; the body is the SDK's list.
        case claim = "chunk.claim"
    }
}

/// A message that a chunk wants.
package struct ChunkRequest: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// We pay.
        case payment
        /// The app pays: nothing is sent from here.
        case handover
    }

    package let kind: Kind
    package let effect: EffectId
    package let ordinal: Int32
    package let ground: DispatchLicense.Ground
    package let notBefore: Timestamp
}

/// The consequences of an input to a chunk.
package struct ChunkDecision: Hashable, Sendable {
    package var events: [ChunkEvent] = []
    package var request: ChunkRequest?

    package init() {}
}

extension Chunk {
    /// Licences for one chunk at most, each proved unsent or undone.
    package static let mostLicenses: Int32 = 12
    private static let longestWait = 300

    package func decide(_ command: ChunkCommand, at now: Timestamp) -> ChunkDecision {
        var decision = ChunkDecision()
        switch command {
        case .begin(let head):
            guard self.head == nil else { return decision }
            decision.events = [.begun(head)]
        case .billAnswered(let bill, let refusal):
            guard let head, answers[bill] == nil, head.lines.contains(where: { $0.id == bill }) else { return decision }
            decision.events = [.billAnswered(bill, refusal: refusal)]
            var after = self
            after.evolve(decision.events[0])
            guard after.isAnswered else { return decision }
            if after.admitted.isEmpty {
                decision.events.append(.settled(nil, at: now))
            } else {
                decision.request = after.request(.first, notBefore: max(now, head.notBefore))
            }
        case .billResolved(let standing):
            guard standings[standing.id] != standing, answers[standing.id] != nil else { return decision }
            decision.events = [.reported([standing], foreign: [])]
            settle(&decision, nil, now)
        }
        return decision
    }

    /// Reads what became of a message.
    package func observed(
        _ effect: EffectId,
        _ ordinal: Int32,
        _ outcome: DispatchOutcome,
        _ reading: BillReading,
        at now: Timestamp
    ) -> ChunkDecision {
        var decision = ChunkDecision()
        guard let dispatch = dispatches.first(where: { $0.license.effect == effect && $0.license.ordinal == ordinal })
        else { return decision }
        if dispatch.outcome != outcome { decision.events.append(.observed(effect, ordinal: ordinal, outcome)) }
        switch outcome {
        case .notSent(let reason):
            // Later evidence about this message has been weighed already.
            guard dispatch.isInFlight else { return ChunkDecision() }
            again(.notExecuted, reason, &decision, now)
        case .notExecuted, .refused:
            guard dispatch.isInFlight else { return ChunkDecision() }
            guard case .notExecuted(let trouble, let code) = reading.whole else { break }
            giveUp(code ?? trouble.rawValue, trouble, &decision, now)
        case .unknown:
            // That nobody heard an answer is no news of a message that was answered, or that never left.
            guard dispatch.outcome?.isDefinitive != true else { return ChunkDecision() }
            if case .unanswered = reading.whole, !dispatch.isInFlight { return ChunkDecision() }
            take(reading, silence: .answer, &decision, now)
        case .accepted, .duplicate, .answered: take(reading, silence: .answer, &decision, now)
        }
        return decision
    }

    /// Reads what the payer's app says.
    package func claimed(_ reading: BillReading, at now: Timestamp) throws(Rejection) -> ChunkDecision {
        guard let head, isAnswered else { throw Rejection(.claimNotAwaited, "Nothing was given to an app.") }
        var decision = ChunkDecision()
        guard head.mode == .sdk || action != nil || reading.standings.allSatisfy({ standings[$0.id]?.source == .claim })
        else { throw Rejection(.claimNotAwaited, "No app is asked about these bills.") }
        // Unattended, an app speaks for the bill alone that its payer was asked about.
        let heard =
            head.mode == .sdk
            ? reading.standings.map(\.asClaim)
            : reading.standings.filter { $0.id == action?.bill }.map(\.asClaimOfStep)
        take(
            BillReading(
                .reports,
                standings: heard,
                unreached: reading.unreached,
                action: nil,
                foreign: reading.foreign
            ),
            silence: head.mode == .sdk ? .claim : nil,
            &decision,
            now
        )
        return decision
    }

    // MARK: Parts

    private func request(_ ground: DispatchLicense.Ground, notBefore: Timestamp) -> ChunkRequest {
        ChunkRequest(
            kind: head?.mode == .sdk ? .handover : .payment,
            effect: effect,
            ordinal: Int32(dispatches.count) + 1,
            ground: ground,
            notBefore: notBefore
        )
    }

    /// Another licence where nothing left, after a pause that grows.
    private func again(
        _ ground: DispatchLicense.Ground,
        _ reason: String,
        _ decision: inout ChunkDecision,
        _ now: Timestamp
    ) {
        let why = DispatchReason(reason)
        let isTransient = why.passes || why == .expired
        guard isTransient, dispatches.count < Self.mostLicenses else {
            giveUp(reason, isTransient ? .unanswered : nil, &decision, now)
            return
        }
        let wait = min(1 << min(dispatches.count, 16), Self.longestWait)
        decision.request = request(ground, notBefore: now.adding(.seconds(wait)))
    }

    /// Nothing was done and this chunk tries nothing again: the bills are unpaid for sure.
    ///
    /// Where the trouble is not theirs, they go back to the batch, which makes another chunk of them once it goes on.
    package func giveUp(_ reason: String, _ trouble: BillTrouble?, _ decision: inout ChunkDecision, _ now: Timestamp) {
        let open = admitted.filter { standings[$0.id] == nil }
        if !open.isEmpty {
            decision.events.append(
                trouble == nil
                    ? .reported(open.map { .unsent($0.id, reason: reason) }, foreign: [])
                    : .released(open.map(\.id), reason: reason)
            )
        }
        settle(&decision, trouble, now)
    }

    /// Whether the log may have lost that it was sent: it was made before the newest recovery epoch.
    package func mayHaveLeft(_ epoch: RecoveryEpoch?) -> Bool {
        guard let epoch, let head else { return false }
        return head.epoch ?? 0 < epoch.number
    }

    /// Asks for nothing: what became of the bills is lost, and each is unknown until somebody says more.
    package func doubt(_ decision: inout ChunkDecision, _ now: Timestamp) {
        take(BillReading(.unanswered(reason: "log_restored")), silence: .answer, &decision, now, .logRestored)
    }

    /// Takes standings; `silence` names who left the bills without one unmentioned, where the reading is about all.
    private func take(
        _ reading: BillReading,
        silence: BillStanding.Source?,
        _ decision: inout ChunkDecision,
        _ now: Timestamp,
        _ cause: BillTrouble = .unanswered
    ) {
        let known = Set(admitted.map(\.id))
        let unreached = admitted.map(\.id).filter { reading.unreached.contains($0) && standings[$0] == nil }
        var found = Dictionary(reading.standings.map { ($0.id, $0.asCounted) }) { $0.merged(with: $1) }
        if let source = silence {
            // A bill without a word is unknown, never unpaid.
            for id in known where found[id] == nil && standings[id] == nil && !unreached.contains(id) {
                found[id] = BillStanding(id: id, outcome: .unknown, source: source)
            }
        }
        let changed = admitted.compactMap { line -> BillStanding? in
            guard let new = found[line.id] else { return nil }
            let merged = standings[line.id]?.merged(with: new) ?? new
            return merged == standings[line.id] ? nil : merged
        }
        if !changed.isEmpty || !reading.foreign.isEmpty {
            decision.events.append(.reported(changed, foreign: reading.foreign))
        }
        if let action = reading.action, self.action == nil, known.contains(action.bill), !isSettled {
            decision.events.append(.actionRequired(action, unreached: unreached))
        }
        let trouble: BillTrouble?
        switch reading.whole {
        case .reports: trouble = nil
        case .notExecuted(let word, _), .refused(let word, _): trouble = word
        case .unanswered: trouble = cause
        }
        settle(&decision, trouble, now)
    }

    /// Ends the chunk where no bill waits for its payer or an app.
    private func settle(_ decision: inout ChunkDecision, _ trouble: BillTrouble?, _ now: Timestamp) {
        var after = self
        for event in decision.events { after.evolve(event) }
        guard !after.isSettled, after.action == nil else { return }
        let waiting = Set(after.unreached)
        guard after.admitted.allSatisfy({ after.standings[$0.id] != nil || waiting.contains($0.id) }) else { return }
        decision.events.append(.settled(trouble, at: now))
    }
}
