import Crypto
import EventSourcing
import Kernel
import Payments
import ProviderKit

extension BillDeciders {
    func batch(_ history: [RecordedEvent], _ input: InputRecord, _ context: DecisionContext) throws(Undecidable)
        -> Decided
    {
        let batch = BillBatch.fold(BillBatchId(input.stream.id), try history.read(BillBatchEvent.init(type:data:)))
        return try BatchCase(batch: batch, input: input, context: context, adapters: adapters).decided()
    }
}

/// One input meeting one batch.
private struct BatchCase {
    let batch: BillBatch
    let input: InputRecord
    let context: DecisionContext
    let adapters: AdapterRegistry

    private var adapter: (any Adapter)? { context.account.flatMap { adapters[$0.facts.provider] } }

    private func batchContext(_ actor: Actor) -> BillBatchContext {
        BillBatchContext(
            command: CommandContext(now: context.now, input: input.id, actor: actor),
            pages: context.pages.mapValues(\.bytes),
            card: context.instrument,
            credentials: context.credentials,
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
                return .rejected(error, keeping: .none, versions: BillDeciders.versions(adapter))
            }
            return try complete(made)
        case .answer: return try complete(observed(meta, around))
        case .timer: return try complete(BillBatchDecision())
        case .notification, .browserReturn, .claim, .imported: throw Undecidable("kind \(input.kind)")
        }
    }

    private func command(_ meta: InputMeta) throws(Rejection) -> BillBatchCommand {
        let malformed = Rejection(planCode: "command_malformed", "The stored command can't be read.", path: nil)
        guard let name = BillBatchCommand.Name(rawValue: input.name) else { throw malformed }
        guard name == .addPage else {
            guard let json = try? Json(input.body), let command = try? BillBatchCommand(name: name, json) else {
                throw malformed
            }
            return command
        }
        guard let head = batch.head else { throw .billBatchUnknown }
        guard let number = meta.json["page"]?.integer.flatMap({ Int(exactly: $0) }), number >= 1 else {
            throw malformed
        }
        do throws(BillPage.Failure) {
            let page = try BillPage(input.body, first: batch.firstOrdinal(of: number), currency: head.currency)
            return .addPage(number, digest: Hex.encode(Digest.sha256(input.body)), page)
        } catch {
            throw Rejection(.pageInvalid, "Line \(error.line) of the page: \(error.reason).")
        }
    }

    private func observed(_ meta: InputMeta, _ around: BillBatchContext) throws(Undecidable) -> BillBatchDecision {
        guard let effect = meta.effect, let account = context.account, let bills = adapter?.bills,
            let page = batch.page(asked: effect)
        else { throw Undecidable("answer to an unknown message") }
        guard let lines = batch.lines(of: page, around.pages) else { return BillBatchDecision() }
        let observation = try input.observation(.query, meta)
        let settings = account.settings(publicUrl: context.publicUrl)
        let (outcome, reading) = bills.price(observation, lines, settings)
        return batch.priced(effect, outcome, reading, around)
    }

    // MARK: What is committed

    private func complete(_ made: BillBatchDecision) throws(Undecidable) -> Decided {
        var events = made.events
        var decided = Decided()
        for request in made.prices {
            do throws(PlanFailure) {
                guard let account = context.account, let adapter, let bills = adapter.bills else {
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
                    account.settings(publicUrl: context.publicUrl)
                )
                let maker = BillLicense(account: account, adapter: adapter, now: context.now)
                let license = maker.made(
                    template,
                    .query,
                    request.effect,
                    1,
                    .first,
                    request.notBefore
                )
                // A question may be asked anew at any time, with the newest credentials.
                decided.effects.append(maker.effect(template, license))
                events.append(.priceLicensed(page: request.page, license))
            } catch {
                let trouble: BillTrouble = error.code == "credentials_stale" ? .credentialsStale : .unpriced
                events.append(.paused(trouble, at: context.now))
            }
        }
        for event in events {
            if case .priceObserved(_, let effect, _) = event { decided.effects.append(.remove(effect)) }
        }
        decided.events = events.map(\.draft)
        decided.outcome = .events(events.count)
        decided.versions = BillDeciders.versions(adapter)
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
        let told = ChunkCommand.begin(chunk)
        return Forward(from: input, now: context.now).input(
            to: StreamName(input.stream.merchant, .chunk, plan.chunk),
            told.name.rawValue,
            told.json,
            account: head.account,
            by: "batch"
        )
    }

    /// The credentials that were given last.
    private func credentials(of head: BillBatchHead) -> InstrumentId {
        context.credentials?.id ?? batch.credentials ?? head.credentials
    }
}
