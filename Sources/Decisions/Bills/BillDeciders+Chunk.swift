import EventSourcing
import Kernel
import Payments
import ProviderKit

extension BillDeciders {
    func chunk(_ history: History, _ input: InputRecord, _ context: DecisionContext) throws(Undecidable)
        -> Decided
    {
        let sender = context.sender(adapters)
        return try ChunkCase(chunk: folds.state(input, history), input: input, context: context, sender: sender)
            .decided()
    }
}

/// One input meeting one chunk.
private struct ChunkCase {
    let chunk: Chunk
    let input: InputRecord
    let context: DecisionContext
    let sender: Sender?

    private var versions: Json { BillDeciders.versions(sender?.adapter) }

    func decided() throws(Undecidable) -> Decided {
        switch try decision() {
        case .success(let decision): return complete(decision)
        case .failure(let error):
            return .rejected(error, keeping: .none, versions: versions)
        }
    }

    private func decision() throws(Undecidable) -> Result<ChunkDecision, Rejection> {
        let meta = try InputMeta(input)
        switch input.kind {
        case .command:
            guard let name = ChunkCommand.Name(rawValue: input.name), let json = try? Json(input.body) else {
                throw Undecidable("chunk command")
            }
            if name == .claim { return try claim(json) }
            do throws(CodecFailure) {
                return .success(chunk.decide(try ChunkCommand(name: name, json), at: context.now))
            } catch {
                throw Undecidable("chunk command: \(error.path)")
            }
        case .answer: return .success(try observed(meta))
        case .timer: return .success(ChunkDecision())
        case .notification, .browserReturn, .claim, .imported: throw Undecidable("kind \(input.kind)")
        }
    }

    private func claim(_ json: Json) throws(Undecidable) -> Result<ChunkDecision, Rejection> {
        guard let bills = sender?.adapter.bills else { throw Undecidable("account") }
        let reading: BillReading
        do throws(ClaimFailure) { reading = try bills.claim(json, chunk.admitted) } catch {
            return .failure(Rejection(planCode: "claim_invalid", error.reason, path: error.path))
        }
        do throws(Rejection) { return .success(try chunk.claimed(reading, at: context.now)) } catch {
            return .failure(error)
        }
    }

    private func observed(_ meta: InputMeta) throws(Undecidable) -> ChunkDecision {
        guard let effect = meta.effect, let ordinal = meta.ordinal, let sender, let bills = sender.adapter.bills
        else { throw Undecidable("answer to an unknown message") }
        let observation = try input.observation(.operation(.sale), meta)
        let (outcome, reading) = sender.adapter.declaration.believed(
            bills.read(observation, chunk.admitted, sender.settings),
            of: observation
        )
        return chunk.observed(effect, ordinal, outcome, reading, at: context.now)
    }

    // MARK: What is committed

    private func complete(_ made: ChunkDecision) -> Decided {
        var decision = made
        var effects: [EffectChange] = []
        if let request = made.request { license(request, &decision, &effects) }
        let after = chunk.after(decision.events)
        if after.isSettled, !chunk.isSettled, !after.dispatches.isEmpty { effects.append(.remove(after.effect.uuid)) }
        var decided = Decided(decision.events, after: after, versions: versions)
        decided.effects = effects
        decided.forwards = forwards(decision.events, after)
        return decided
    }

    private func license(_ request: ChunkRequest, _ decision: inout ChunkDecision, _ effects: inout [EffectChange]) {
        guard let head = chunk.head, let sender, let bills = sender.adapter.bills else {
            return chunk.giveUp("account_unknown", nil, &decision, context.now)
        }
        let after = chunk.after(decision.events)
        if request.kind == .payment, chunk.mayHaveLeft(context.epoch) {
            return after.doubt(&decision, context.now)
        }
        let planned = PlannedBills(
            purpose: request.kind == .payment ? .payment : .handover,
            lines: after.admitted,
            cardToken: context.instrument?.usableToken,
            cardMask: context.instrument?.saved?.fact.masked,
            credentials: context.credentials?.usableToken,
            login: context.credentials?.saved?.fact.login,
            isByWallet: head.isByWallet
        )
        do throws(PlanFailure) {
            let template = try bills.plan(planned, sender.settings)
            // The same bytes as before: what is sent again is what was licensed first.
            let first = request.kind == .payment ? chunk.dispatches.first : nil
            let license = sender.license(
                request.effect,
                request.kind == .payment ? .operation(.sale) : .handover,
                ordinal: request.ordinal,
                ground: request.ground,
                digest: first?.license.templateDigest ?? template.digest,
                at: context.now,
                notBefore: request.notBefore,
                sendBefore: request.notBefore.adding(BillDeciders.window)
            )
            switch (request.kind, first) {
            case (.handover, _): break
            case (.payment, nil):
                effects.append(
                    sender.row(
                        template,
                        request.effect,
                        notBefore: license.notBefore,
                        sendBefore: license.sendBefore
                    )
                )
            case (.payment, _?):
                effects.append(
                    .resend(
                        request.effect.uuid,
                        ordinal: request.ordinal,
                        notBefore: license.notBefore,
                        sendBefore: license.sendBefore
                    )
                )
            }
            decision.events.append(.licensed(license, credentials: context.credentials?.version))
        } catch {
            let trouble: BillTrouble? = error.code == "credentials_stale" ? .credentialsStale : nil
            after.giveUp(error.code, trouble, &decision, context.now)
        }
    }

    private func forwards(_ events: [ChunkEvent], _ after: Chunk) -> [InputRecord] {
        guard let head = after.head else { return [] }
        var made: [InputRecord] = []
        func tell(_ stream: StreamName, _ command: some StoredCommand) {
            made.append(input.leads(to: command, of: stream, account: head.account, by: "chunk", at: context.now))
        }
        func tell(_ bill: String, _ command: BillCommand) {
            tell(Bill.stream(bill, account: head.account, input.stream.merchant), command)
        }
        for event in events {
            switch event {
            case .begun(let head):
                for line in head.lines {
                    tell(
                        line.id,
                        .reserve(BillReservation(batch: head.batch, chunk: after.id, line: line, mode: head.mode))
                    )
                }
            case .reported(let standings, _):
                // What two persons decided about a bill comes from its own stream.
                for standing in standings where standing.source != .operator {
                    tell(standing.id, .report(standing, chunk: after.id))
                }
            case .settled:
                for bill in after.unreached where after.standings[bill] == nil {
                    tell(bill, .report(.unsent(bill, reason: "not_reached"), chunk: after.id))
                }
            case .billAnswered, .licensed, .observed, .actionRequired, .released: break
            }
        }
        if let report = after.report, report != chunk.report, Self.isNews(events) {
            let batch = StreamName(input.stream.merchant, .billBatch, head.batch.uuid)
            tell(batch, BillBatchCommand.chunkReported(report))
        }
        if after.trouble == .credentialsStale, !chunk.isSettled, after.isSettled, let used = after.credentialsVersion {
            let stream = StreamName(input.stream.merchant, .instrument, head.credentials.uuid)
            tell(stream, InstrumentCommand.report(.invalid(code: "provider_refused", asUsed: used)))
        }
        return made
    }

    /// The batch hears of outcomes, of a payer who must act, and of the end; not of each admission.
    private static func isNews(_ events: [ChunkEvent]) -> Bool {
        events.contains { event in
            switch event {
            case .reported, .actionRequired, .settled: true
            case .begun, .billAnswered, .licensed, .observed, .released: false
            }
        }
    }
}
