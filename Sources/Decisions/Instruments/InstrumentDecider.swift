import Crypto
package import EventSourcing
import Kernel
import Payments
package import ProviderKit

/// Decides an input of an instrument's stream, purely: replay calls the same function.
///
/// A credential that we remove is removed at the provider, too, where the provider takes such a request.
package struct InstrumentDecider: Sendable {
    /// Raised when the same input may decide other events than before.
    package static let version = 5

    private let adapters: AdapterRegistry

    package init(adapters: AdapterRegistry) { self.adapters = adapters }

    package func decide(
        _ history: [RecordedEvent],
        _ input: InputRecord,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        let id = InstrumentId(input.stream.id)
        let instrument = Instrument.fold(id, try history.read(InstrumentEvent.init(type:data:)))
        let meta = try InputMeta(input)
        switch input.kind {
        case .command:
            do throws(Rejection) {
                return try command(instrument, input, meta, context)
            } catch {
                return .rejected(error, keeping: Self.wakes(of: instrument), versions: versions(context))
            }
        case .answer: return try answer(instrument, input, meta, context)
        case .timer: return complete(instrument, input, instrument.decideEnd(at: context.now), [], context)
        case .notification, .browserReturn, .claim, .imported: throw Undecidable("kind \(input.kind)")
        }
    }

    private func command(
        _ instrument: Instrument,
        _ input: InputRecord,
        _ meta: InputMeta,
        _ context: DecisionContext
    ) throws(Rejection) -> Decided {
        guard let name = InstrumentCommand.Name(rawValue: input.name), let body = try? Json(input.body),
            let command = try? InstrumentCommand(name: name, body)
        else { throw Rejection(planCode: "command_malformed", "The stored command can't be read.", path: nil) }
        var events = try instrument.decide(
            command,
            CommandContext(now: context.now, input: input.id, actor: meta.actor)
        )
        var effects: [PlannedEffect] = []
        if case .remove = command, !events.isEmpty {
            var after = instrument
            for event in events { after.evolve(event) }
            events.append(removal(of: after, context, &effects))
        }
        if case .check = command, instrument.isCheckDue {
            guard let license = check(of: instrument, context, &effects) else {
                throw Rejection(planCode: "check_not_supported", "The provider lists no such credentials.", path: nil)
            }
            events.append(.checkLicensed(license))
        }
        return complete(instrument, input, events, effects, context)
    }

    /// The licence of the message that asks the provider, or the news that there is none.
    private func removal(
        of instrument: Instrument,
        _ context: DecisionContext,
        _ effects: inout [PlannedEffect]
    ) -> InstrumentEvent {
        let alone = InstrumentEvent.removalEnded(.notSupported, at: context.now)
        guard let account = context.account, let adapter = adapters[account.facts.provider],
            let credentials = adapter.credentials, let saved = instrument.saved
        else { return alone }
        let template: RequestTemplate
        do throws(PlanFailure) {
            template = try credentials.planRemoval(
                SavedCredential(token: saved.fact.token, customer: saved.customer),
                account.settings(publicUrl: context.publicUrl)
            )
        } catch {
            return .removalEnded(.refused(code: error.code), at: context.now)
        }
        let message = LicensedMessage(template, instrument.removalEffect, account, adapter, at: context.now)
        effects.append(message.effect)
        return .removalLicensed(message.license)
    }

    /// The licence of the question whether the provider still keeps the credential; `nil` where it can't be asked.
    private func check(
        of instrument: Instrument,
        _ context: DecisionContext,
        _ effects: inout [PlannedEffect]
    ) -> MessageLicense? {
        guard let account = context.account, let adapter = adapters[account.facts.provider],
            let saved = instrument.saved,
            let template = try? adapter.credentials?.planCheck(
                SavedCredential(token: saved.fact.token, customer: saved.customer),
                account.settings(publicUrl: context.publicUrl)
            )
        else { return nil }
        let message = LicensedMessage(template, instrument.checkEffect, account, adapter, at: context.now)
        effects.append(message.effect)
        return message.license
    }

    private func answer(
        _ instrument: Instrument,
        _ input: InputRecord,
        _ meta: InputMeta,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        guard let effect = meta.effect, let ordinal = meta.ordinal else { throw Undecidable("answer to nothing") }
        guard let account = context.account, let credentials = adapters[account.facts.provider]?.credentials else {
            throw Undecidable("account")
        }
        let answer = try input.answer(meta)
        let settings = account.settings(publicUrl: context.publicUrl)
        if instrument.awaitsCheck(effect) {
            let listing = credentials.readCheck(answer, of: instrument.saved?.fact.fingerprint ?? "", settings)
            let decision = instrument.decide(listing, effect: effect, at: context.now)
            return complete(instrument, input, decision.events, again(decision.repeats), context)
        }
        let outcome = credentials.readRemoval(answer, settings)
        var effects: [PlannedEffect] = []
        let isAsked = instrument.openCheck != nil
        let question = isLost(answer) && !isAsked ? check(of: instrument, context, &effects) : nil
        let decision = instrument.decide(
            outcome,
            effect: effect,
            ordinal: ordinal,
            asksFirst: question != nil || isAsked,
            at: context.now
        )
        guard let question, decision.repeats == nil, case .removalObserved(_, _, .unknown, _)? = decision.events.last
        else { return complete(instrument, input, decision.events, again(decision.repeats), context) }
        return complete(instrument, input, decision.events + [.checkLicensed(question)], effects, context)
    }

    /// Whether bytes left and nobody knows what they led to.
    private func isLost(_ answer: MessageAnswer) -> Bool {
        switch answer {
        case .notSent: false
        case .noAnswer, .answered: true
        }
    }

    private func again(_ license: MessageLicense?) -> [PlannedEffect] {
        license.map { [.again($0, Instrument.repetition)] } ?? []
    }

    private func complete(
        _ instrument: Instrument,
        _ input: InputRecord,
        _ events: [InstrumentEvent],
        _ effects: [PlannedEffect],
        _ context: DecisionContext
    ) -> Decided {
        var after = instrument
        for event in events { after.evolve(event) }
        var decided = Decided()
        decided.events = events.map(\.draft)
        decided.outcome = .events(events.count)
        decided.versions = versions(context)
        let gone = instrument.liveEffects.subtracting(after.liveEffects)
        decided.effects = effects + gone.sorted { $0.uuid < $1.uuid }.map { .remove($0) }
        decided.wakes = Self.wakes(of: after)
        decided.forwards = removalNews(instrument, after, input, context)
        return decided
    }

    /// Tells those that wait with a removed credential, once each: they look how they stand.
    private func removalNews(
        _ before: Instrument,
        _ after: Instrument,
        _ input: InputRecord,
        _ context: DecisionContext
    ) -> [InputRecord] {
        after.usesToTell(since: before).map { stream, user in
            InputRecord(
                id: .version5(namespace: stream, name: "removed:\(input.id)"),
                stream: StreamName(input.stream.merchant, user.streamKind, stream),
                kind: .command,
                name: PaymentCommand.Name.sync.text(in: user.streamKind),
                meta: InputMeta.command(
                    actor: Actor(id: after.id.text, isOperator: false),
                    account: nil,
                    traceparent: nil,
                    correlation: nil
                ).canonical,
                body: PaymentCommand.sync.json.canonical,
                receivedAt: context.now
            )
        }
    }

    private static func wakes(of instrument: Instrument) -> Wakes {
        Wakes(machine: nil, business: instrument.nextEnd)
    }

    private func versions(_ context: DecisionContext) -> Json {
        let adapter = context.account.flatMap { adapters[$0.facts.provider] }
        return .compact([
            ("adapter", adapter.map { .integer(Int64($0.declaration.version)) }),
            ("decider", .integer(Int64(Self.version))),
        ])
    }
}
