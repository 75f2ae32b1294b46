import Crypto
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
    package static let version = 3

    private let adapters: AdapterRegistry

    package init(adapters: AdapterRegistry) { self.adapters = adapters }

    package func decide(
        _ history: [RecordedEvent],
        _ input: InputRecord,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        let payment = try Self.fold(input.stream, history)
        guard let account = context.account, let adapter = adapters[account.facts.provider] else {
            throw Undecidable("account")
        }
        let case0 = try PaymentCase(payment, input, context, account, adapter)
        return try case0.decide()
    }

    /// Folds a payment's stream.
    package static func fold(_ stream: StreamName, _ history: [RecordedEvent]) throws(Undecidable) -> Payment {
        var payment = Payment(id: PaymentId(stream.id))
        for event in history {
            do throws(CodecFailure) {
                payment.evolve(try PaymentEvent(type: event.type, data: event.data))
            } catch {
                throw Undecidable("event \(event.version): \(error.path)")
            }
        }
        return payment
    }
}

/// One input meeting one payment.
private struct PaymentCase {
    let payment: Payment
    let input: InputRecord
    let context: DecisionContext
    let account: ConfiguredAccount
    let adapter: any Adapter
    let settings: AccountSettings
    let capabilities: Capabilities
    let meta: InputMeta

    init(
        _ payment: Payment,
        _ input: InputRecord,
        _ context: DecisionContext,
        _ account: ConfiguredAccount,
        _ adapter: any Adapter
    ) throws(Undecidable) {
        self.payment = payment
        self.input = input
        self.context = context
        self.account = account
        self.adapter = adapter
        settings = account.settings(publicUrl: context.publicUrl)
        do { capabilities = try adapter.capabilities(settings) } catch { throw Undecidable("settings: \(error.path)") }
        meta = try InputMeta(input)
    }

    var versions: Json {
        [
            "adapter": .integer(Int64(adapter.declaration.version)),
            "currencies": .integer(Int64(Currency.tableVersion)),
            "decider": .integer(Int64(PaymentDecider.version)),
            "tables": .integer(Int64(adapter.declaration.tableVersion)),
        ]
    }

    var decisionContext: PaymentContext {
        PaymentContext(
            now: context.now,
            input: input.id,
            actor: meta.actor,
            account: account.facts,
            capabilities: capabilities,
            adapterVersion: adapter.declaration.version,
            opening: opening
        )
    }

    /// How the payment of a create command begins.
    private var opening: Opening {
        guard case .create(let terms)? = try? storedCommand() else { return .handover }
        return adapter.opening(terms, settings)
    }

    func decide() throws(Undecidable) -> Decided {
        switch input.kind {
        case .command:
            do throws(Rejection) {
                let command = try self.command()
                return try complete(try payment.decide(command, decisionContext), refuses: true)
            } catch {
                return .rejected(error, keeping: wakes(of: payment), versions: versions)
            }
        case .answer: return try observe(.facts(facts(try answer()), trust: .verified, dispatch: dispatchRef))
        case .notification:
            return try observe(.facts(facts(.notification(body: input.body)), trust: meta.trust, dispatch: nil))
        case .browserReturn: return try observe(.browserReturn)
        case .timer:
            return try observe(.timer).resting(until: context.now.adding(capabilities.polling.cap), from: context.now)
        case .claim, .imported: throw Undecidable("kind \(input.kind)")
        }
    }

    private func observe(_ observation: PaymentObservation) throws(Undecidable) -> Decided {
        do throws(Rejection) {
            return try complete(payment.decide(observation, decisionContext), refuses: false)
        } catch {
            throw Undecidable("observation refused: \(error.code)")
        }
    }

    /// Reads the command and lets the adapter check what a new payment asks for.
    private func command() throws(Rejection) -> PaymentCommand {
        let command = try storedCommand()
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
        if terms.instrument != nil {
            guard let instrument = context.instrument else { throw .instrumentUnknownHere }
            try instrument.checkUse(by: terms, account: account.facts.id, at: context.now)
        }
        do { try adapter.check(terms, settings, at: context.now) } catch {
            throw Rejection(planCode: error.code, error.detail, path: error.path)
        }
        return command
    }

    private func storedCommand() throws(Rejection) -> PaymentCommand {
        guard let name = PaymentCommand.Name(input.name, in: input.stream.kind), let body = try? Json(input.body),
            let command = try? PaymentCommand(name: name, body)
        else { throw Rejection(planCode: "command_malformed", "The stored command can't be read.", path: nil) }
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
        let reason = meta.json["reason"]?.text ?? ""
        switch AnswerName(rawValue: input.name) {
        case .answered:
            var headers: [String: String] = [:]
            for member in meta.json["headers"]?.members?.members ?? [] { headers[member.name] = member.value.text }
            let status = meta.json["status"]?.integer ?? 0
            return .answered(purpose, status: Int(status), headers: headers, body: input.body)
        case .notSent: return .notSent(purpose, reason: reason)
        case .noAnswer: return .sentNoAnswer(purpose, reason: reason)
        case nil: throw Undecidable("answer \(input.name)")
        }
    }

    private func facts(_ observation: Observation) -> [Fact] {
        guard let terms = payment.terms, let attempt = payment.attempt else { return [] }
        return adapter.interpret(
            observation,
            InterpretContext(
                settings: settings,
                paymentReference: attempt.reference,
                terms: terms,
                isHandover: !payment.handovers.isEmpty || payment.order != nil,
                order: payment.order,
                known: payment.operations.flatMap(\.orderedSightings).map(\.latest),
                isCancelRequested: payment.cancelRequestedBy != nil,
                operations: payment.operations.map(known)
            )
        )
    }

    private func known(_ operation: Operation) -> KnownOperation {
        let moved = payment.currency.map { Money(operation.booked(in: $0), $0) }
        return KnownOperation(
            kind: operation.kind,
            reference: operation.reference,
            requested: operation.requested,
            isAwaited: operation.origin == .commanded && !operation.isClosed && !operation.dispatches.isEmpty,
            moved: moved.flatMap { $0.minor > 0 ? $0 : nil },
            isAnswerLost: operation.isAnswerLost
        )
    }

    func wakes(of payment: Payment) -> Wakes {
        let wakes = payment.wakes(capabilities)
        return Wakes(machine: wakes.machine, business: wakes.business)
    }
}

extension PaymentCase {
    /// Plans and licenses the messages of a decision and puts together what is committed.
    fileprivate func complete(_ decision: PaymentDecision, refuses: Bool) throws(Rejection) -> Decided {
        var events = decision.events
        var after = payment
        for event in events { after.evolve(event) }
        var decided = Decided()
        if refuses { try rehearse(decision.rehearsals) }
        for request in decision.dispatches {
            do throws(PlanFailure) {
                let license = try license(request, after, &decided.effects)
                events.append(.dispatchLicensed(license))
                after.evolve(.dispatchLicensed(license))
            } catch {
                if refuses { throw Rejection(planCode: error.code, error.detail, path: error.path) }
                guard let operation = request.operation else { continue }
                let ended = PaymentEvent.operationEnded(operation, .notSent(reason: "plan: \(error.code)"))
                events.append(ended)
                after.evolve(ended)
            }
        }
        let gone = payment.liveEffects.subtracting(after.liveEffects)
        decided.effects += gone.sorted { $0.uuid < $1.uuid }.map { .remove($0) }
        let needless = after.needlessEffects.subtracting(payment.needlessEffects)
        decided.effects += needless.sorted { $0.uuid < $1.uuid }.map { .revoke($0) }
        decided.events = events.map(\.draft)
        decided.outcome = .events(events.count)
        decided.versions = versions
        decided.references = events.compactMap(reference)
        decided.wakes = wakes(of: after)
        decided.forwards = events.compactMap { forward($0, after) }
        decided.alerts = events.compactMap(alert)
        return decided
    }

    /// Plans what is licensed later, so that what can't be sent is refused now.
    private func rehearse(_ rehearsals: [PlannedDispatch]) throws(Rejection) {
        guard let terms = payment.terms else { return }
        for planned in rehearsals {
            do throws(PlanFailure) {
                _ = try adapter.plan(
                    planned,
                    PlanContext(terms: terms, settings: settings, instrumentToken: context.instrument?.usableToken)
                )
            } catch {
                throw Rejection(planCode: error.code, error.detail, path: error.path)
            }
        }
    }

    private func license(
        _ request: DispatchRequest,
        _ payment: Payment,
        _ effects: inout [PlannedEffect]
    ) throws(PlanFailure) -> DispatchLicense {
        let digest: String
        if request.ordinal > 1, let operation = request.operation.flatMap({ payment.operation($0) }),
            let first = operation.dispatches.first
        {
            digest = first.license.templateDigest
            effects.append(
                .resend(
                    request.effect,
                    ordinal: request.ordinal,
                    notBefore: request.notBefore,
                    sendBefore: request.sendBefore
                )
            )
        } else {
            guard let terms = payment.terms else { throw PlanFailure(code: "payment_unknown", detail: "no terms") }
            let template = try adapter.plan(
                request.planned,
                PlanContext(terms: terms, settings: settings, instrumentToken: context.instrument?.usableToken)
            )
            let bytes = template.json.canonical
            digest = Hex.encode(Digest.sha256(bytes))
            if request.planned.purpose != .handover {
                effects.append(
                    .create(
                        request.effect,
                        account: account.facts.id,
                        template: bytes,
                        notBefore: request.notBefore,
                        sendBefore: request.sendBefore,
                        deadline: adapter.declaration.requestDeadline
                    )
                )
            }
        }
        return DispatchLicense(
            effect: request.effect,
            purpose: request.planned.purpose,
            operation: request.operation,
            ordinal: request.ordinal,
            ground: request.ground,
            templateDigest: digest,
            account: account.facts.id,
            accountVersion: account.facts.version,
            adapterVersion: adapter.declaration.version,
            licensedAt: context.now,
            notBefore: request.notBefore,
            sendBefore: request.sendBefore
        )
    }

    /// Our names at the provider lead notifications to this stream.
    private func reference(_ event: PaymentEvent) -> Reference? {
        switch event {
        case .attemptOpened(_, let reference, _):
            return Reference(account: account.facts.id, kind: "payment", value: reference)
        case .operationRequested(let request) where !request.kind.isInitial:
            return Reference(account: account.facts.id, kind: "operation", value: request.reference)
        case .orderOpened(let order):
            return Reference(account: account.facts.id, kind: "order", value: order.id)
        case .created, .dispatchLicensed, .dispatchObserved, .dispatchRevoked, .operationRequested, .operationAdopted,
            .operationReported, .operationEnded, .attemptReported, .attemptClosed, .cancelRequested, .expiryReached,
            .holdExpired, .claimRecorded, .contradictionFound, .lateSuccess, .overReturned, .instrumentSaved,
            .methodReported, .feeReported, .commissionReported, .unrecognisedReported, .errandRequested,
            .disputeRecorded,
            .resolutionProposed, .resolutionApproved:
            return nil
        }
    }

    private func alert(_ event: PaymentEvent) -> Decided.Alert? {
        guard case .claimRecorded(_, let code, let concern?, _) = event else { return nil }
        return Decided.Alert(provider: account.facts.provider, concern: concern, code: code)
    }

    /// A credential that evidence offered becomes an input of its own stream.
    private func forward(_ event: PaymentEvent, _ payment: Payment) -> InputRecord? {
        guard case .instrumentSaved(let id, let fact) = event else { return nil }
        let body: Json = .compact([
            ("account", account.facts.id.json), ("customer", payment.terms?.customer.map(Json.string)),
            ("fact", fact.json), ("payment", payment.id.json),
        ])
        return InputRecord(
            id: .version5(namespace: id.uuid, name: "save:\(input.id)"),
            stream: StreamName(input.stream.merchant, .instrument, id.uuid),
            kind: .command,
            name: "instrument.save",
            meta: InputMeta.command(
                actor: Actor(id: payment.id.text, isOperator: false),
                account: account.facts.id,
                traceparent: nil,
                correlation: nil
            ).canonical,
            body: body.canonical,
            receivedAt: context.now
        )
    }
}

/// The names of inputs that tell what became of a dispatch.
package enum AnswerName: String, Sendable, CaseIterable {
    case answered = "effect.answered"
    case notSent = "effect.not_sent"
    case noAnswer = "effect.no_answer"
}
