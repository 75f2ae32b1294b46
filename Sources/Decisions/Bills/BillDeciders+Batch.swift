import Crypto
import EventSourcing
import Kernel
import Payments
import ProviderKit

extension BillDeciders {
    func batch(_ history: History, _ input: InputRecord, _ context: DecisionContext) throws(Undecidable)
        -> Decided
    {
        let sender = context.sender(adapters)
        return try BatchCase(batch: folds.state(input, history), input: input, context: context, sender: sender)
            .decided()
    }
}

/// One input meeting one batch.
private struct BatchCase {
    let batch: BillBatch
    let input: InputRecord
    let context: DecisionContext
    let sender: Sender?

    private var versions: Json { BillDeciders.versions(sender?.adapter) }

    private func batchContext(_ actor: Actor) -> BillBatchContext {
        BillBatchContext(
            command: CommandContext(now: context.now, input: input.id, actor: actor),
            pages: context.pages.mapValues(\.bytes),
            card: context.instrument,
            credentials: context.credentials,
            isAccountOpen: context.account?.isOpen ?? true,
            epoch: context.epoch
        )
    }

    func decided() throws(Undecidable) -> Decided {
        let meta = try InputMeta(input)
        let around = batchContext(meta.actor)
        switch input.kind {
        case .command:
            let made: BillBatchDecision
            do throws(Rejection) {
                try meta.demand(batch.version)
                made = try batch.decide(try command(meta), around)
            } catch {
                return .rejected(error, keeping: .none, versions: versions)
            }
            return try complete(made)
        case .answer: return try complete(observed(meta, around))
        case .timer: return try complete(BillBatchDecision())
        case .notification, .browserReturn, .claim, .imported: throw Undecidable("kind \(input.kind)")
        }
    }

    private func command(_ meta: InputMeta) throws(Rejection) -> BillBatchCommand {
        guard input.name == BillBatchCommand.Name.addPage.rawValue else { return try input.demanded() }
        guard let head = batch.head else { throw .billBatchUnknown }
        guard let number = meta.page, number >= 1 else { throw .malformed }
        do throws(BillPage.Failure) {
            let page = try BillPage(input.body, first: batch.firstOrdinal(of: number), currency: head.currency)
            return .addPage(number, digest: Hex.encode(Digest.sha256(input.body)), page)
        } catch {
            throw Rejection(.pageInvalid, "Line \(error.line) of the page: \(error.reason).")
        }
    }

    private func observed(_ meta: InputMeta, _ around: BillBatchContext) throws(Undecidable) -> BillBatchDecision {
        guard let effect = meta.effect, let sender, let bills = sender.adapter.bills,
            let page = batch.page(asked: effect)
        else { throw Undecidable("answer to an unknown message") }
        guard let lines = batch.lines(of: page, around.pages) else { return BillBatchDecision() }
        let observation = try input.observation(.query, meta)
        let (outcome, reading) = bills.price(observation, lines, sender.settings)
        return batch.priced(effect, outcome, reading, around)
    }

    // MARK: What is committed

    private func complete(_ made: BillBatchDecision) throws(Undecidable) -> Decided {
        var events = made.events
        var effects: [EffectChange] = []
        for request in made.prices {
            do throws(PlanFailure) {
                guard let sender, let bills = sender.adapter.bills else {
                    throw PlanFailure(code: "account_unknown", detail: "the account does not pay bills")
                }
                let template = try bills.plan(
                    PlannedBills(
                        purpose: .price,
                        lines: request.lines,
                        cardToken: context.instrument?.usableToken,
                        cardMask: nil,
                        credentials: context.credentials?.usableToken,
                        isByWallet: false
                    ),
                    sender.settings
                )
                let sendBefore = request.notBefore.adding(BillDeciders.window)
                let license = sender.license(
                    request.effect,
                    .query,
                    digest: template.digest,
                    at: context.now,
                    notBefore: request.notBefore,
                    sendBefore: sendBefore
                )
                // A question may be asked anew at any time, with the newest credentials.
                effects.append(
                    sender.row(template, request.effect, notBefore: request.notBefore, sendBefore: sendBefore)
                )
                events.append(.priceLicensed(page: request.page, license))
            } catch {
                let trouble: BillTrouble = error.code == "credentials_stale" ? .credentialsStale : .unpriced
                events.append(.paused(trouble, at: context.now))
            }
        }
        for event in events {
            if case .priceObserved(_, let effect, _) = event { effects.append(.remove(effect.uuid)) }
        }
        var decided = Decided(events, after: batch.after(events), versions: versions)
        decided.effects = effects
        for event in events { if let told = try forward(event) { decided.forwards.append(told) } }
        return decided
    }

    /// A chunk that was made begins in its own stream.
    private func forward(_ event: BillBatchEvent) throws(Undecidable) -> InputRecord? {
        guard case .chunkMade(let plan) = event, let head = batch.head else { return nil }
        guard let lines = batch.lines(of: plan, context.pages.mapValues(\.bytes)) else { throw Undecidable("page") }
        let chunk = ChunkHead(
            batch: batch.id,
            account: head.account,
            mode: head.mode,
            currency: head.currency,
            instrument: head.instrument,
            credentials: credentials(of: head),
            customer: head.customer,
            isByWallet: head.isByWallet,
            lines: lines,
            notBefore: plan.notBefore,
            epoch: context.epoch?.number
        )
        return input.leads(
            to: ChunkCommand.begin(chunk),
            of: StreamName(input.stream.merchant, .chunk, plan.chunk),
            account: head.account,
            by: "batch",
            at: context.now
        )
    }

    /// The credentials that were given last.
    private func credentials(of head: BillBatchHead) -> InstrumentId {
        context.credentials?.id ?? batch.credentials ?? head.credentials
    }
}
