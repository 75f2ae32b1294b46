import Crypto
package import EventSourcing
import Kernel
import Payments
package import ProviderKit

/// Every kind of stream by its decider: the one function that live work and replay share.
package struct Deciders: Sendable {
    /// The states that the deciders made, for whoever shows or checks the same streams.
    package let folds: FoldCache
    private let payments: PaymentDecider
    private let bills: BillDeciders
    private let instruments: InstrumentDecider
    private let schedules: ScheduleDecider

    package init(adapters: AdapterRegistry, folds: FoldCache = FoldCache()) {
        self.folds = folds
        payments = PaymentDecider(adapters: adapters, folds: folds)
        bills = BillDeciders(adapters: adapters, folds: folds)
        instruments = InstrumentDecider(adapters: adapters, folds: folds)
        schedules = ScheduleDecider(adapters: adapters, folds: folds)
    }

    package func decide(
        _ history: History,
        _ input: InputRecord,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        let decided = try decision(history, input, context)
        if let after = decided.after { folds.foresee(after, of: input.stream, by: decided.events) }
        return decided
    }

    private func decision(
        _ history: History,
        _ input: InputRecord,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        switch input.stream.kind {
        case .payment, .transfer: try payments.decide(history, input, context)
        case .account:
            try plain(input, context, Account.decide, try folds.state(input, history))
        case .routing:
            try plain(input, context, Routing.decide, try folds.state(input, history))
        case .instrument: try instruments.decide(history, input, context)
        case .arrivals: try arrivals(history, input, context)
        case .billBatch: try bills.batch(history, input, context)
        case .chunk: try bills.chunk(history, input, context)
        case .bill: try bills.bill(history, input, context)
        case .schedule: try schedules.decide(history, input, context)
        case .webhookEndpoint:
            try plain(input, context, WebhookEndpoint.decide, try folds.state(input, history))
        case .paymentLink: try plain(input, context, PaymentLink.decide, try folds.state(input, history))
        case .merchant: try merchant(history, input, context)
        }
    }

    /// Whether an input should be the first of its stream.
    package func begins(_ input: InputRecord) -> Bool {
        guard input.kind == .command else { return false }
        return input.stream.kind.isPayment && input.name == PaymentCommand.Name.create.text(in: input.stream.kind)
            || input.stream.kind == .billBatch && input.name == BillBatchCommand.Name.create.rawValue
            || input.stream.kind == .webhookEndpoint && input.name == WebhookEndpointCommand.Name.create.rawValue
            || input.stream.kind == .paymentLink && input.name == PaymentLinkCommand.Name.create.rawValue
    }

    /// Decides a command to an aggregate that sends nothing.
    private func plain<State: Aggregate, Command: StoredCommand>(
        _ input: InputRecord,
        _ context: DecisionContext,
        _ decide: (State) -> (Command, CommandContext) throws(Rejection) -> [State.Event],
        _ state: State
    ) throws(Undecidable) -> Decided {
        guard input.kind == .command else { throw Undecidable("kind \(input.kind)") }
        let around = CommandContext(now: context.now, input: input.id, actor: try InputMeta(input).actor)
        do throws(Rejection) {
            let events = try decide(state)(try input.demanded(), around)
            return Decided(events, after: state.after(events), versions: [:])
        } catch {
            return .rejected(error, keeping: .none, versions: [:])
        }
    }

    /// An act of an administrator; what a second person approves goes to its stream with the approval.
    private func merchant(
        _ history: History,
        _ input: InputRecord,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        let merchant: Merchant = try folds.state(input, history)
        var decided = try plain(input, context, Merchant.decide, merchant)
        guard !decided.events.isEmpty, case .approve(let id)? = try? input.demanded() as MerchantCommand,
            let change = merchant[change: id],
            case .command(let kind, let stream, let name, let body) = change.what,
            let kind = StreamKind(rawValue: kind)
        else { return decided }
        decided.forwards.append(
            .sent(
                .version5(namespace: id, name: "approved"),
                to: StreamName(input.stream.merchant, kind, stream),
                name,
                body.canonical,
                by: Actor(id: change.by, isOperator: true),
                at: context.now
            )
        )
        return decided
    }

    /// A verified notification that matches nothing is kept under its references.
    private func arrivals(
        _ history: History,
        _ input: InputRecord,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        let meta = try InputMeta(input)
        let arrivals: Arrivals = try folds.state(input, history)
        let events = arrivals.decide(
            .keep(Arrival(input: input.id, references: meta.references)),
            CommandContext(now: context.now, input: input.id, actor: meta.actor)
        )
        return Decided(events, after: arrivals.after(events), versions: [:])
    }
}
