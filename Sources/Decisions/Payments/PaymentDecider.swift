package import EventSourcing
import Kernel
package import Payments
package import ProviderKit

/// Decides an input of a payment's stream, purely: replay calls the same function.
///
/// 1. folds the stream, 2. asks the adapter what the input says, 3. asks the aggregate what follows, 4. plans the messages
/// that it wants and licenses them.
package struct PaymentDecider: Sendable {
    /// Raised when the same input may decide other events than before.
    package static let version = 26

    private let adapters: AdapterRegistry
    private let folds: FoldCache

    package init(adapters: AdapterRegistry, folds: FoldCache = FoldCache()) {
        self.adapters = adapters
        self.folds = folds
    }

    package func decide(
        _ history: History,
        _ input: InputRecord,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        let payment: Payment = try folds.state(input, history)
        guard let sender = context.sender(adapters) else { throw Undecidable("account") }
        return try PaymentCase(payment, input, context, sender, adapters).decide()
    }
}

/// One input meeting one payment.
struct PaymentCase {
    let payment: Payment
    let input: InputRecord
    let context: DecisionContext
    /// The account that the input is about.
    let sender: Sender
    let adapters: AdapterRegistry
    let capabilities: Capabilities
    let meta: InputMeta
    /// Number of the attempt that the input is about.
    let focus: Int

    init(
        _ payment: Payment,
        _ input: InputRecord,
        _ context: DecisionContext,
        _ sender: Sender,
        _ adapters: AdapterRegistry
    ) throws(Undecidable) {
        self.payment = payment
        self.input = input
        self.context = context
        self.sender = sender
        self.adapters = adapters
        focus = payment.attemptNumber(at: sender.account.facts.id)
        do { capabilities = try sender.adapter.capabilities(sender.settings) } catch {
            throw Undecidable("settings: \(error.path)")
        }
        meta = try InputMeta(input)
    }

    var account: ConfiguredAccount { sender.account }
    var adapter: any Adapter { sender.adapter }
    private var settings: AccountSettings { sender.settings }

    var versions: Json {
        [
            "adapter": .integer(Int64(adapter.declaration.version)),
            "currencies": .integer(Int64(Currency.tableVersion)),
            "decider": .integer(Int64(PaymentDecider.version)),
            "tables": .integer(Int64(adapter.declaration.tableVersion)),
        ]
    }

    private func decisionContext(_ route: RouteDecision? = nil, _ opening: Opening = .handover) -> PaymentContext {
        PaymentContext(
            now: context.now,
            input: input.id,
            actor: meta.actor,
            account: account.facts,
            capabilities: capabilities,
            adapterVersion: adapter.declaration.version,
            opening: opening,
            route: route,
            fallbackRoutes: fallbackRoutes,
            epoch: context.epoch,
            isInstrumentRemoved: context.instrument?.removed != nil
        )
    }

    /// Routes a new payment again, by what its input names, so that its event tells what this decision saw.
    private func route(_ terms: PaymentTerms) throws(Rejection) -> RouteDecision? {
        guard let reference = meta.route else { return nil }
        guard let routes = context.routes, routes.routing.version == reference.routing else {
            throw Rejection(planCode: "route_unresolved", "The routing that chose the account is not there.", path: nil)
        }
        let decision = routes.routing.route(reference.question, among: known(routes), at: reference.at)
        guard decision.chosen?.id == account.facts.id else {
            throw Rejection(planCode: "route_changed", "The rules give another account.", path: nil)
        }
        return decision
    }

    private func known(_ routes: DecisionContext.Routes) -> [Uuid: RouteAccount] {
        var known: [Uuid: RouteAccount] = [:]
        for other in routes.accounts {
            known[other.facts.id] = adapters.routed(other.facts, isOpen: other.isOpen, currencies: other.currencies)
        }
        return known
    }

    /// The accounts that the payment may go on to, asked whether they take its terms.
    private var fallbackRoutes: FallbackRoutes? {
        guard payment.mayFallBack, let routes = context.routes, let terms = payment.terms else { return nil }
        var openings: [Uuid: Opening] = [:]
        var refusals: Set<Uuid> = []
        for other in routes.accounts {
            let id = other.facts.id
            guard let other = Sender(other, adapters, context) else { continue }
            openings[id] = other.adapter.opening(terms, other.settings)
            do throws(PlanFailure) { try other.adapter.check(terms, other.settings, at: context.now) } catch {
                refusals.insert(id)
            }
        }
        return FallbackRoutes(routing: routes.routing, accounts: known(routes), openings: openings, refusals: refusals)
    }

    func decide() throws(Undecidable) -> Decided {
        switch input.kind {
        case .command:
            do throws(Rejection) {
                try meta.demand(payment.version)
                let command = try self.command()
                var begun = decisionContext()
                if case .create(let terms) = command {
                    begun = decisionContext(try route(terms), adapter.opening(terms, settings))
                }
                return try complete(try payment.decide(command, begun), refuses: true)
            } catch {
                var refused = Decided.rejected(error, keeping: timers(of: payment), versions: versions)
                if case .create(let terms)? = try? input.demanded() as PaymentCommand, payment.terms == nil,
                    let forward = Payment.occurrenceForward(refusing: terms, error.code, input, at: context.now)
                {
                    refused.forwards = [forward]
                }
                return refused
            }
        case .answer: return try observe(.facts(facts(try answer()), trust: .verified, dispatch: dispatchRef))
        case .notification:
            return try observe(.facts(facts(.notification(body: input.body)), trust: meta.trust, dispatch: nil))
        case .browserReturn: return try observe(.browserReturn)
        case .timer:
            return try observe(.timer).resting(
                .machine,
                until: context.now.adding(capabilities.polling.cap),
                from: context.now
            )
        case .claim, .imported: throw Undecidable("kind \(input.kind)")
        }
    }

    private func observe(_ observation: PaymentObservation) throws(Undecidable) -> Decided {
        do throws(Rejection) {
            return try complete(payment.decide(observation, decisionContext()), refuses: false)
        } catch {
            throw Undecidable("observation refused: \(error.code)")
        }
    }

    /// Reads the command and lets the adapter check what a new payment asks for.
    private func command() throws(Rejection) -> PaymentCommand {
        let command: PaymentCommand = try input.demanded()
        guard case .create(let terms) = command else { return command }
        guard terms.streamKind == input.stream.kind else {
            throw Rejection(.transferMisplaced, "Transfers and payments are created apart.", path: "mode")
        }
        guard adapter.declaration.modes.contains(terms.mode) else {
            throw Rejection(
                planCode: "mode_not_supported",
                "\(account.facts.provider) knows no \(terms.mode.rawValue).",
                path: "mode"
            )
        }
        guard account.isOpen else { throw .closedAccount }
        if terms.instrument != nil {
            guard let instrument = context.instrument else { throw .instrumentUnknownHere }
            guard !context.foreignReferences.contains(where: { $0.kind == Reference.mandateUse }) else {
                throw .instrumentInUse
            }
            // A day of the payer's mandate is one of business: a test merchant's own clock counts it.
            try instrument.checkUse(by: terms, account: account.facts.id, at: context.clock ?? context.now)
        }
        if let kind = terms.recurring?.kind, adapter.series?.seriesKinds.contains(kind) != true {
            throw Rejection(
                planCode: "recurring_not_supported",
                "\(account.facts.provider) keeps no such series.",
                path: "recurring"
            )
        }
        do { try adapter.check(terms, settings, at: context.now) } catch {
            throw Rejection(planCode: error.code, error.detail, path: error.path)
        }
        return command
    }

    private var dispatchRef: PaymentObservation.DispatchRef? {
        guard let effect = meta.effect, let ordinal = meta.ordinal else { return nil }
        return PaymentObservation.DispatchRef(effect: effect, ordinal: ordinal)
    }

    /// The observation that an answer's input holds, for the purpose that its licence names.
    private func answer() throws(Undecidable) -> Observation {
        guard let ref = dispatchRef, let purpose = payment.dispatch(ref)?.license.purpose else {
            throw Undecidable("answer to an unknown dispatch")
        }
        return try input.wholeObservation(purpose, meta)
    }

    private func facts(_ observation: Observation) -> [Fact] {
        EvidenceReading(adapter, settings).facts(observation, of: payment, attempt: focus, owned: owned)
    }

    /// Turns a fact that names another payment's order or series into a contradiction; the other facts still count.
    private func owned(_ fact: Fact) -> Fact {
        let name: Reference
        switch fact {
        case .order(let order): name = .order(order, account)
        case .series(let series): name = .series(series, account)
        case .operation, .statement, .complete, .attempt, .dispatch, .instrument, .instrumentNews, .receipt, .dispute,
            .method, .seriesDebit, .fee, .commission, .contradiction, .question, .firstAnswer, .unrecognised:
            return fact
        }
        guard context.foreignReferences.contains(name) else { return fact }
        return .contradiction(.identity, detail: "\(name.kind) \(name.value) belongs to another payment")
    }

    /// When the payment wants to be woken, by what the account of its newest attempt can do.
    func timers(of payment: Payment) -> Timers {
        var can = capabilities
        if let current = payment.account?.id, current != account.facts.id, let other = try? sender(current) {
            can = (try? other.adapter.capabilities(other.settings)) ?? can
        }
        let timers = payment.timers(can)
        return Timers(machine: timers.machine, business: timers.business)
    }

    /// The account that sends a message of this payment.
    func sender(_ id: Uuid?) throws(PlanFailure) -> Sender {
        guard let id, id != account.facts.id else { return sender }
        guard let other = Sender(context.account(id), adapters, context) else {
            throw PlanFailure(code: "account_unknown", detail: "the account of another attempt")
        }
        return other
    }
}

extension Payment {
    /// The attempt that an input is about: a notification names its account, an answer the message that it answers;
    /// everything else is about the current one.
    package func attemptNumber(of meta: InputMeta?, _ kind: InputKind) -> Int {
        switch kind {
        case .notification: return meta?.account.map { attemptNumber(at: $0) } ?? attemptNumber
        case .answer:
            guard let effect = meta?.effect, let ordinal = meta?.ordinal,
                let dispatch = dispatch(PaymentObservation.DispatchRef(effect: effect, ordinal: ordinal))
            else { return attemptNumber }
            return attemptNumber(at: dispatch.license.account)
        case .command, .browserReturn, .timer, .claim, .imported: return attemptNumber
        }
    }
}
