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
    private let folds: FoldCache

    package init(adapters: AdapterRegistry, folds: FoldCache) {
        self.adapters = adapters
        self.folds = folds
    }

    package func decide(
        _ history: History,
        _ input: InputRecord,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        let meta = try InputMeta(input)
        let met = InstrumentCase(
            instrument: try folds.state(input, history),
            input: input,
            meta: meta,
            context: context,
            sender: context.sender(adapters)
        )
        switch input.kind {
        case .command:
            do throws(Rejection) { return try met.command() } catch {
                return .rejected(error, keeping: met.timers(of: met.instrument), versions: met.versions)
            }
        case .answer: return try met.answer()
        case .timer: return met.complete(met.instrument.decideEnd(at: context.now))
        case .notification, .browserReturn, .claim, .imported: throw Undecidable("kind \(input.kind)")
        }
    }
}

/// One input meeting one instrument.
private struct InstrumentCase {
    let instrument: Instrument
    let input: InputRecord
    let meta: InputMeta
    let context: DecisionContext
    let sender: Sender?

    func command() throws(Rejection) -> Decided {
        let command: InstrumentCommand = try input.demanded()
        var events = try instrument.decide(
            command,
            CommandContext(now: context.now, input: input.id, actor: meta.actor)
        )
        var effects: [EffectChange] = []
        if case .remove = command, !events.isEmpty {
            events.append(removal(of: instrument.after(events), &effects))
        }
        if case .check = command, instrument.isCheckDue {
            guard let license = check(&effects) else {
                throw Rejection(planCode: "check_not_supported", "The provider lists no such credentials.", path: nil)
            }
            events.append(.checkLicensed(license))
        }
        return complete(events, effects)
    }

    /// The licence of the message that asks the provider, or the news that there is none.
    private func removal(of instrument: Instrument, _ effects: inout [EffectChange]) -> InstrumentEvent {
        guard let sender, let credentials = sender.adapter.credentials, let saved = instrument.saved else {
            return .removalEnded(.notSupported, at: context.now)
        }
        do throws(PlanFailure) {
            let credential = SavedCredential(token: saved.fact.token, customer: saved.customer)
            let template = try credentials.planRemoval(credential, sender.settings)
            let (license, row) = sender.message(template, instrument.removalEffect, at: context.now)
            effects.append(row)
            return .removalLicensed(license)
        } catch {
            return .removalEnded(.refused(code: error.code), at: context.now)
        }
    }

    /// The licence of the question whether the provider still keeps the credential; `nil` where it can't be asked.
    private func check(_ effects: inout [EffectChange]) -> MessageLicense? {
        guard let sender, let saved = instrument.saved,
            let template = try? sender.adapter.credentials?.planCheck(
                SavedCredential(token: saved.fact.token, customer: saved.customer),
                sender.settings
            )
        else { return nil }
        let (license, row) = sender.message(template, instrument.checkEffect, at: context.now)
        effects.append(row)
        return license
    }

    func answer() throws(Undecidable) -> Decided {
        guard let effect = meta.effect, let ordinal = meta.ordinal else { throw Undecidable("answer to nothing") }
        guard let sender, let credentials = sender.adapter.credentials else { throw Undecidable("account") }
        let answer = try input.answer(meta)
        if instrument.awaitsCheck(effect) {
            let fingerprint = instrument.saved?.fact.fingerprint ?? ""
            let listing = credentials.readCheck(answer, of: fingerprint, sender.settings)
            let decision = instrument.decide(listing, effect: effect, at: context.now)
            return complete(decision.events, again(decision.repeats))
        }
        var effects: [EffectChange] = []
        let isAsked = instrument.openCheck != nil
        let question = isLost(answer) && !isAsked ? check(&effects) : nil
        let decision = instrument.decide(
            credentials.readRemoval(answer, sender.settings),
            effect: effect,
            ordinal: ordinal,
            asksFirst: question != nil || isAsked,
            at: context.now
        )
        guard let question, decision.repeats == nil, case .removalObserved(_, _, .unknown, _)? = decision.events.last
        else { return complete(decision.events, again(decision.repeats)) }
        return complete(decision.events + [.checkLicensed(question)], effects)
    }

    /// Whether bytes left and nobody knows what they led to.
    private func isLost(_ answer: MessageAnswer) -> Bool {
        switch answer {
        case .notSent: false
        case .noAnswer, .answered: true
        }
    }

    private func again(_ license: MessageLicense?) -> [EffectChange] {
        license.map { [.again($0, Instrument.repetition)] } ?? []
    }

    func complete(_ events: [InstrumentEvent], _ effects: [EffectChange] = []) -> Decided {
        let after = instrument.after(events)
        var decided = Decided(events, after: after, versions: versions, timers: timers(of: after))
        decided.effects = effects
        decided.remove(instrument.liveEffects.subtracting(after.liveEffects))
        decided.forwards = removalNews(after)
        return decided
    }

    /// Tells those that wait with a removed credential, once each: they look how they stand.
    private func removalNews(_ after: Instrument) -> [InputRecord] {
        after.usesToTell(since: instrument).map { stream, user in
            .sent(
                .version5(namespace: stream, name: "removed:\(input.id)"),
                to: StreamName(input.stream.merchant, user.streamKind, stream),
                PaymentCommand.Name.sync.text(in: user.streamKind),
                PaymentCommand.sync.canonical,
                by: Actor(id: after.id.text, isOperator: false),
                at: context.now
            )
        }
    }

    func timers(of instrument: Instrument) -> Timers { Timers(machine: nil, business: instrument.nextEnd) }

    var versions: Json {
        .compact([
            ("adapter", sender.map { .integer(Int64($0.adapter.declaration.version)) }),
            ("decider", .integer(Int64(InstrumentDecider.version))),
        ])
    }
}
