package import Decisions
package import EventSourcing
import Kernel
import Payments
package import Telemetry

/// One input to be decided, and how it stands in the store.
package struct Work: Sendable {
    package let input: InputRecord
    /// The mailbox that holds it; `nil` on the fast path, where it is written with its decision.
    package let fence: Int64?
    /// The message that it answers, on the fast path: nobody waits for its answer from then on.
    package let answers: EffectLease?

    package init(input: InputRecord, fence: Int64?, answers: EffectLease? = nil) {
        self.input = input
        self.fence = fence
        self.answers = answers
    }
}

/// The outcome of a piece of work.
package enum WorkOutcome: Hashable, Sendable {
    case decided(version: Int32, DecisionOutcome)
    /// Decided before: by this call that was repeated, or by somebody else.
    case duplicate(version: Int32)
    /// Its stream has undecided inputs, or what it names has some that may lift its refusal: through the mailbox, please.
    case busy
    /// The mailbox went to another worker.
    case fenced
    /// It can't be decided; the reason is for quarantine.
    case undecidable(String)
    /// Its stream's id is that of a stream of another kind.
    case foreign(StreamKind)
    /// The store could not be reached in time; nothing is known to be written.
    case unavailable(StoreFailure)
}

/// Loads, decides and commits batches of inputs: the one place where decisions become durable.
package struct DecisionService: Sendable {
    private let store: any EventStore
    private let streamCache: StreamCache
    private let references: ReferenceCache
    private let deciders: Deciders
    private let contexts: Contexts
    private let vault: any Vault
    private let notifier: CommitNotifier
    private let meters: EngineMeters
    private let log: Logger
    private let build: String
    private let watch: ProviderWatch?
    /// Rounds of conflicts or deadlocks before an input is given back.
    private static let rounds = 12
    /// New inputs of one stream that a batch decides; each costs a commit that the whole batch waits for.
    package static let newInputsOfStream = 4

    package init(
        store: any EventStore,
        streamCache: StreamCache,
        references: ReferenceCache,
        deciders: Deciders,
        contexts: Contexts,
        vault: any Vault,
        notifier: CommitNotifier,
        meters: EngineMeters,
        log: Logger,
        build: String,
        watch: ProviderWatch? = nil
    ) {
        self.store = store
        self.streamCache = streamCache
        self.references = references
        self.deciders = deciders
        self.contexts = contexts
        self.vault = vault
        self.notifier = notifier
        self.meters = meters
        self.log = log
        self.build = build
        self.watch = watch
    }

    /// Decides each piece; those of one stream follow each other in their order, neighbours don't disturb each other.
    package func decide(_ works: [Work]) async -> [WorkOutcome] {
        var outcomes = Self.turnedAway(works)
        var conflictingReferences: [Int: [Reference]] = [:]
        var failure = StoreFailure(.retry, detail: "conflicts without end")
        for number in 0..<(Self.rounds + works.count) {
            let open = Self.firstOfEachStream(works, outcomes)
            if open.isEmpty { break }
            do throws(StoreFailure) {
                // The epoch first: what is read belongs to it or to a newer one, under which nothing is written.
                let epoch = try await contexts.epoch()
                var histories = try await knownStreams(of: open.map { works[$0].input }, isFirstLook: number == 0)
                try await round(works, open, &histories, epoch, &outcomes, &conflictingReferences)
            } catch {
                failure = error
                // A statement that took too long says nothing about what is held.
                if error.code != .retry, error.code != .timeout {
                    streamCache.forgetAll()
                    contexts.forgetEpoch()
                }
                if error.code == .moved { conflictingReferences = [:] }
                guard [.retry, .unknown, .moved].contains(error.code) else { break }
            }
        }
        if failure.isAboutData, works.count > 1 {
            // One of them is to blame, and no neighbour waits for it; what follows it in its own stream does.
            var failed: Set<StreamName> = []
            for index in works.indices where outcomes[index] == nil && !failed.contains(works[index].input.stream) {
                let alone = await decide([works[index]]).first ?? .unavailable(failure)
                if case .unavailable = alone { failed.insert(works[index].input.stream) }
                outcomes[index] = alone
            }
        }
        return outcomes.map { $0 ?? .unavailable(failure) }
    }

    /// Who brings many new inputs of one stream holds up nobody else: those beyond a few go through its mailbox.
    private static func turnedAway(_ works: [Work]) -> [WorkOutcome?] {
        var counts: [StreamName: Int] = [:]
        return works.map { work in
            guard work.fence == nil else { return nil }
            counts[work.input.stream, default: 0] += 1
            return counts[work.input.stream, default: 0] > newInputsOfStream ? .busy : nil
        }
    }

    private static func firstOfEachStream(_ works: [Work], _ outcomes: [WorkOutcome?]) -> [Int] {
        var streams: Set<StreamName> = []
        var inputs: Set<Uuid> = []
        return works.indices.filter { index in
            outcomes[index] == nil && streams.insert(works[index].input.stream).inserted
                && inputs.insert(works[index].input.id).inserted
        }
    }

    /// The streams as far as they are known; one that its input should begin is taken for empty at the first look.
    private func knownStreams(of inputs: [InputRecord], isFirstLook: Bool) async throws(StoreFailure)
        -> [History]
    {
        var histories = [History](repeating: History(), count: inputs.count)
        let read = inputs.indices.filter { !isFirstLook || !deciders.begins(inputs[$0]) }
        for (index, history) in zip(read, try await streamCache.known(read.map { inputs[$0].stream })) {
            histories[index] = history
        }
        return histories
    }

    private func round(
        _ works: [Work],
        _ open: [Int],
        _ histories: inout [History],
        _ epoch: RecoveryEpoch?,
        _ outcomes: inout [WorkOutcome?],
        _ conflictingReferences: inout [Int: [Reference]]
    ) async throws(StoreFailure) {
        var units: [CommitUnit] = []
        var decisions: [Decided] = []
        var indices: [Int] = []
        let neighbours = Set(open.map { works[$0].input.stream })
        var seen = try await contexts.instruments(of: zip(open, histories).map { (works[$0].input, $1) })
        for (index, history) in zip(open, histories) {
            let foreign = conflictingReferences[index] ?? []
            switch try await look(works[index], history, epoch, foreign, neighbours, seen) {
            case .ready(let unit, let decided):
                units.append(unit)
                decisions.append(decided)
                indices.append(index)
            case .again: continue
            case .over(let outcome): outcomes[index] = outcome
            }
        }
        // What was read is let go of, so that the cache appends to it in its place.
        (histories, seen) = ([], SeenInstruments())
        guard !units.isEmpty else { return }
        let begun = ContinuousClock.now
        let results = try await store.commit(units, epoch: epoch)
        meters.commitTime.observe(begun.duration(to: .now))
        meters.batchSize.observe(units.count)
        for (number, result) in results.enumerated() {
            let (index, unit) = (indices[number], units[number])
            if case .referenceTaken(let name, _) = result,
                works[index].input.kind != .command || name.kind == Reference.mandateUse,
                conflictingReferences[index]?.contains(name) != true
            {
                // Evidence is always booked, and one charge by a mandate refuses the other: once more, knowing that this
                // name is another stream's.
                conflictingReferences[index, default: []].append(name)
                continue
            }
            outcomes[index] = outcome(result, unit, epoch)
            guard case .committed = result else { continue }
            count(works[index].input.kind, unit.record.outcome)
            for notice in decisions[number].notices {
                switch notice {
                case .alert(let alert): tell(alert, unit.stream)
                case .alarm(let alarm): tell(alarm, unit.stream)
                case .health(let health): await watch?.note(health.signal, of: health.account, unit.stream.merchant)
                }
            }
        }
    }

    /// What a round makes of an input.
    private enum Weighed {
        case ready(CommitUnit, Decided)
        /// Another round sees more.
        case again
        case over(WorkOutcome)
    }

    private func look(
        _ work: Work,
        _ history: History,
        _ epoch: RecoveryEpoch?,
        _ foreign: [Reference],
        _ neighbours: Set<StreamName>,
        _ seen: SeenInstruments
    ) async throws(StoreFailure) -> Weighed {
        let weighed: Weighed
        do throws(StoreFailure) {
            var context = try await contexts.now(history, work.input, epoch, seen)
            context.foreignReferences = foreign
            weighed = try await weigh(work, history, context, neighbours)
        } catch {
            // What it alone asks for takes too long: no neighbour waits for it once more.
            guard error.code == .timeout else { throw error }
            weighed = .over(.unavailable(error))
        }
        return weighed
    }

    private func weigh(
        _ work: Work,
        _ history: History,
        _ context: DecisionContext,
        _ neighbours: Set<StreamName>
    ) async throws(StoreFailure) -> Weighed {
        let decided: Decided
        let unit: CommitUnit
        do throws(Undecidable) {
            decided = try deciders.decide(history, work.input, context)
            unit = try self.unit(work, history, context, decided)
        } catch {
            // What can't be decided on an old view may be decided on the newest: another node may have gone on.
            let newest = try await streamCache.current([work.input.stream])[0]
            return newest.version == history.version ? .over(.undecidable(error.reason)) : .again
        }
        guard case .rejected = decided.outcome else { return .ready(unit, decided) }
        switch try await contexts.standing(ofRefused: work.input, history, context) {
        case .final: return .ready(unit, decided)
        case .overtaken: return .again
        // What is decided beside it is seen in another round; for everything else it waits in its mailbox.
        case .early(let stream): return neighbours.contains(stream) ? .again : .over(.busy)
        }
    }

    private func tell(_ alert: Decided.AppAlert, _ stream: StreamName) {
        meters.reported(alert)
        log.warning(
            "an app reported what concerns a person",
            [
                "code": .text(alert.code), "concern": .text(alert.concern.rawValue), "payment": LogValue(stream.id),
                "provider": .text(alert.provider),
            ]
        )
    }

    private func tell(_ alarm: Decided.MoneyAlarm, _ stream: StreamName) {
        meters.alarmed(alarm)
        log.warning(
            "money that nobody expected",
            [
                "detail": .text(alarm.detail), "payment": LogValue(stream.id), "provider": .text(alarm.provider),
                "what": .text(alarm.what.rawValue),
            ]
        )
    }

    private func count(_ kind: InputKind, _ outcome: DecisionOutcome) {
        switch outcome {
        case .events(0): meters.decided(kind, "nothing")
        case .events: meters.decided(kind, "events")
        case .rejected: meters.decided(kind, "rejected")
        }
    }

    /// `nil` means another round.
    private func outcome(_ result: CommitOutcome, _ unit: CommitUnit, _ epoch: RecoveryEpoch?) -> WorkOutcome? {
        switch result {
        case .committed(let version, let position, let events, let ready):
            let decision = RecordedDecision(
                input: unit.input.id,
                stream: unit.stream,
                position: position,
                record: unit.record
            )
            contexts.committed(decision, in: epoch)
            streamCache.committed(unit.stream, base: unit.record.baseVersion, events, in: epoch)
            references.committed(unit.references, of: unit.stream, in: epoch)
            notifier.committed(
                unit.stream,
                version: version,
                position: position,
                ready: ready,
                mustClaim: unit.effects.count(where: \.makesReady) > ready.count
            )
            if !unit.forwards.isEmpty { notifier.mail.ring() }
            return .decided(version: version, unit.record.outcome)
        case .duplicate(let version): return .duplicate(version: version)
        case .conflict:
            streamCache.forget(unit.stream)
            return nil
        case .busy: return .busy
        case .fenced: return .fenced
        case .referenceTaken(let reference, let owner):
            return .undecidable("reference \(reference.kind) belongs to \(owner)")
        case .foreign(let kind): return .foreign(kind)
        }
    }

    private func unit(
        _ work: Work,
        _ history: History,
        _ context: DecisionContext,
        _ decided: Decided
    ) throws(Undecidable) -> CommitUnit {
        let input = work.input
        let versions = JsonText.canonical { out in
            out.member("build", build)
            out.member("of", decided.versions)
        }
        let mac = input.kind == .command ? try InputMeta(input).mac : nil
        return CommitUnit(
            stream: input.stream,
            input: work.fence.map { .admitted(id: input.id, fence: $0) } ?? .new(input),
            record: DecisionRecord(
                baseVersion: history.version,
                context: context.canonical,
                versions: versions,
                outcome: decided.outcome
            ),
            events: decided.events,
            commandMac: mac,
            references: decided.references,
            answers: work.answers,
            effects: try decided.effects.map { change throws(Undecidable) in try sealed(change, input.stream) },
            timers: decided.timers,
            forwards: decided.forwards
        )
    }

    /// Nobody reads a template in the database: it is stored sealed.
    private func sealed(_ change: EffectChange, _ stream: StreamName) throws(Undecidable) -> EffectChange {
        guard case .create(let effect) = change else { return change }
        do throws(VaultFailure) {
            return .create(
                effect.with(
                    template: try vault.seal(template: effect.template, effect: effect.id, merchant: stream.merchant)
                )
            )
        } catch {
            throw Undecidable("template: \(error.code.rawValue)")
        }
    }
}
