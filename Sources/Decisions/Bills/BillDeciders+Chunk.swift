import EventSourcing
import Kernel
import Payments
import ProviderKit

extension BillDeciders {
    func chunk(_ history: [RecordedEvent], _ input: InputRecord, _ context: DecisionContext) throws(Undecidable)
        -> Decided
    {
        let chunk = Chunk.fold(input.stream.id, try history.read(ChunkEvent.init(type:data:)))
        return try ChunkCase(chunk: chunk, input: input, context: context, adapters: adapters).decided()
    }
}

/// One input meeting one chunk.
private struct ChunkCase {
    let chunk: Chunk
    let input: InputRecord
    let context: DecisionContext
    let adapters: AdapterRegistry

    private var adapter: (any Adapter)? { context.account.flatMap { adapters[$0.facts.provider] } }

    func decided() throws(Undecidable) -> Decided {
        switch try decision() {
        case .success(let decision): return complete(decision)
        case .failure(let error):
            return .rejected(error, keeping: .none, versions: BillDeciders.versions(adapter))
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
        guard let bills = adapter?.bills else { throw Undecidable("account") }
        let reading: BillReading
        do throws(ClaimFailure) { reading = try bills.claim(json, chunk.admitted) } catch {
            return .failure(Rejection(planCode: "claim_invalid", error.reason, path: error.path))
        }
        do throws(Rejection) { return .success(try chunk.claimed(reading, at: context.now)) } catch {
            return .failure(error)
        }
    }

    private func observed(_ meta: InputMeta) throws(Undecidable) -> ChunkDecision {
        guard let effect = meta.effect, let ordinal = meta.ordinal, let account = context.account,
            let adapter, let bills = adapter.bills
        else { throw Undecidable("answer to an unknown message") }
        let observation = try input.observation(.operation(.sale), meta)
        let settings = account.settings(publicUrl: context.publicUrl)
        let (outcome, reading) = adapter.declaration.believed(
            bills.read(observation, chunk.admitted, settings),
            of: observation
        )
        return chunk.observed(effect, ordinal, outcome, reading, at: context.now)
    }

    // MARK: What is committed

    private func complete(_ made: ChunkDecision) -> Decided {
        var decision = made
        var decided = Decided()
        if let request = made.request { license(request, &decision, &decided.effects) }
        var after = chunk
        for event in decision.events { after.evolve(event) }
        if after.isSettled, !chunk.isSettled, !after.dispatches.isEmpty {
            decided.effects.append(.remove(after.effect))
        }
        decided.events = decision.events.map(\.draft)
        decided.outcome = .events(decision.events.count)
        decided.versions = BillDeciders.versions(adapter)
        decided.forwards = forwards(decision.events, after)
        return decided
    }

    private func license(_ request: ChunkRequest, _ decision: inout ChunkDecision, _ effects: inout [PlannedEffect]) {
        guard let head = chunk.head, let account = context.account, let adapter, let bills = adapter.bills else {
            return chunk.giveUp("account_unknown", nil, &decision, context.now)
        }
        var after = chunk
        for event in decision.events { after.evolve(event) }
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
            let template = try bills.plan(planned, account.settings(publicUrl: context.publicUrl))
            let maker = BillLicense(account: account, adapter: adapter, now: context.now)
            let purpose: DispatchPurpose = request.kind == .payment ? .operation(.sale) : .handover
            var license = maker.made(
                template,
                purpose,
                request.effect,
                request.ordinal,
                request.ground,
                request.notBefore
            )
            switch (request.kind, chunk.dispatches.first) {
            case (.handover, _): break
            case (.payment, nil): effects.append(maker.effect(template, license))
            case (.payment, let first?):
                // The same bytes as before: what is sent again is what was licensed first.
                license = license.with(digest: first.license.templateDigest)
                effects.append(
                    .resend(
                        request.effect,
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
        let forward = Forward(from: input, now: context.now)
        var made: [InputRecord] = []
        func tell(_ bill: String, _ command: BillCommand) {
            let stream = Bill.stream(bill, account: head.account, input.stream.merchant)
            made.append(
                forward.input(to: stream, command.name.rawValue, command.json, account: head.account, by: "chunk")
            )
        }
        for event in events {
            switch event {
            case .begun(let head):
                for line in head.lines {
                    tell(line.id, .claim(BillClaim(batch: head.batch, chunk: after.id, line: line, mode: head.mode)))
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
            let told = BillBatchCommand.chunkReported(report)
            made.append(forward.input(to: batch, told.name.rawValue, told.json, account: head.account, by: "chunk"))
        }
        if after.trouble == .credentialsStale, !chunk.isSettled, after.isSettled, let used = after.credentialsVersion {
            let stream = StreamName(input.stream.merchant, .instrument, head.credentials.uuid)
            let command = InstrumentCommand.report(.invalid(code: "provider_refused", asUsed: used))
            made.append(
                forward.input(to: stream, command.name.rawValue, command.json, account: head.account, by: "chunk")
            )
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

extension DispatchLicense {
    fileprivate func with(digest: String) -> DispatchLicense {
        DispatchLicense(
            effect: effect,
            purpose: purpose,
            operation: operation,
            ordinal: ordinal,
            ground: ground,
            templateDigest: digest,
            account: account,
            accountVersion: accountVersion,
            adapterVersion: adapterVersion,
            licensedAt: licensedAt,
            notBefore: notBefore,
            sendBefore: sendBefore
        )
    }
}
