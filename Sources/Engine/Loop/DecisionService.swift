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
    private let notices: DecisionNotices
    private let build: String
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
        watch: ProviderWatch
    ) {
        self.store = store
        self.streamCache = streamCache
        self.references = references
        self.deciders = deciders
        self.contexts = contexts
        self.vault = vault
        self.notifier = notifier
        self.meters = meters
        self.build = build
        notices = DecisionNotices(meters: meters, log: log, watch: watch)
    }

    /// Decides each piece; those of one stream follow each other in their order, neighbours don't disturb each other.
    package func decide(_ works: [Work]) async -> [WorkOutcome] {
        var standing = Standing(outcomes: Self.turnedAway(works))
        var failure = StoreFailure(.retry, detail: "conflicts without end")
        for number in 0..<(Self.rounds + works.count) {
            let open = Self.firstOfEachStream(works, standing.outcomes)
            if open.isEmpty { break }
            do throws(StoreFailure) {
                // The epoch first: what is read belongs to it or to a newer one, under which nothing is written.
                let epoch = try await contexts.epoch()
                let inputs = open.map { works[$0].input }
                var histories = try await knownStreams(of: inputs, isFirstLook: number == 0, standing.versions)
                try await round(works, open, &histories, epoch, &standing)
            } catch {
                failure = error
                switch error.code {
                // Where the server was away, or another one answers, the log may be another.
                case .unavailable, .unknown, .moved:
                    streamCache.forgetAll()
                    contexts.forgetEpoch()
                // Who brings what can't be read takes nothing from his neighbours.
                case .corrupt: for index in open { streamCache.forget(works[index].input.stream) }
                // Says nothing about what is held.
                case .retry, .timeout: break
                }
                if error.code == .moved { standing.conflictingReferences = [:] }
                guard [.retry, .unknown, .moved].contains(error.code) else { break }
            }
        }
        if failure.isAboutData, works.count > 1 {
            // One of them is to blame, and no neighbour waits for it; what follows it in its own stream does.
            var failed: Set<StreamName> = []
            for index in works.indices
            where standing.outcomes[index] == nil && !failed.contains(works[index].input.stream) {
                let alone = await decide([works[index]]).first ?? .unavailable(failure)
                if case .unavailable = alone { failed.insert(works[index].input.stream) }
                standing.outcomes[index] = alone
            }
        }
        return standing.outcomes.map { $0 ?? .unavailable(failure) }
    }

    /// How the pieces of a batch stand between two rounds.
    private struct Standing {
        var outcomes: [WorkOutcome?]
        /// Names that turned out to be another stream's.
        var conflictingReferences: [Int: [Reference]] = [:]
        /// Versions that streams turned out to have come to.
        var versions: [StreamName: Int32] = [:]
        /// What is to be told of a decision whose commit's answer was lost.
        var untold: [Int: [Decided.Notice]] = [:]
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

    /// The streams as far as they are known, and to `versions` at least; one that its input should begin is taken for empty at
    /// the first look.
    private func knownStreams(of inputs: [InputRecord], isFirstLook: Bool, _ versions: [StreamName: Int32])
        async throws(StoreFailure) -> [History]
    {
        var histories = [History](repeating: History(), count: inputs.count)
        let read = inputs.indices.filter { !isFirstLook || !deciders.begins(inputs[$0]) }
        let known = try await streamCache.known(read.map { inputs[$0].stream }, to: versions)
        for (index, history) in zip(read, known) { histories[index] = history }
        return histories
    }

    private func round(
        _ works: [Work],
        _ open: [Int],
        _ histories: inout [History],
        _ epoch: RecoveryEpoch?,
        _ standing: inout Standing
    ) async throws(StoreFailure) {
        var units: [CommitUnit] = []
        var decisions: [Decided] = []
        var indices: [Int] = []
        let neighbours = Set(open.map { works[$0].input.stream })
        var seen = try await contexts.instruments(of: zip(open, histories).map { (works[$0].input, $1) })
        for (index, history) in zip(open, histories) {
            let foreign = standing.conflictingReferences[index] ?? []
            switch try await look(works[index], history, epoch, foreign, neighbours, seen) {
            case .ready(let unit, let decided):
                units.append(unit)
                decisions.append(decided)
                indices.append(index)
            case .again: continue
            case .over(let outcome): standing.outcomes[index] = outcome
            }
        }
        // What was read is let go of, so that the cache appends to it in its place.
        (histories, seen) = ([], SeenInstruments())
        guard !units.isEmpty else { return }
        let begun = ContinuousClock.now
        let results = try await commit(units, epoch, indices, decisions, &standing)
        meters.commitTime.observe(begun.duration(to: .now))
        meters.batchSize.observe(units.count)
        for (number, result) in results.enumerated() {
            let (index, unit) = (indices[number], units[number])
            if case .referenceTaken(let name, _) = result,
                works[index].input.kind != .command || name.kind == Reference.mandateUse,
                standing.conflictingReferences[index]?.contains(name) != true
            {
                // Evidence is always booked, and one charge by a mandate refuses the other: once more, knowing that this
                // name is another stream's.
                standing.conflictingReferences[index, default: []].append(name)
                continue
            }
            standing.outcomes[index] = outcome(result, unit, epoch)
            if case .conflict(let version) = result { standing.versions[unit.stream] = version }
            let lost = standing.untold.removeValue(forKey: index) ?? []
            switch result {
            case .committed:
                count(works[index].input.kind, unit.record.outcome)
                notices.tell(decisions[number].notices, unit.stream)
            // The commit whose answer was lost had happened.
            case .duplicate: notices.tell(lost, unit.stream)
            case .conflict, .busy, .fenced, .referenceTaken, .foreign: continue
            }
        }
    }

    /// Commits; what is to be told of the decisions is kept where the answer is lost.
    private func commit(
        _ units: [CommitUnit],
        _ epoch: RecoveryEpoch?,
        _ indices: [Int],
        _ decisions: [Decided],
        _ standing: inout Standing
    ) async throws(StoreFailure) -> [CommitOutcome] {
        do throws(StoreFailure) { return try await store.commit(units, epoch: epoch) } catch {
            if error.code == .unknown {
                for (index, decided) in zip(indices, decisions) where !decided.notices.isEmpty {
                    standing.untold[index] = decided.notices
                }
            }
            throw error
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
            return newest.last == history.last ? .over(.undecidable(error.reason)) : .again
        }
        guard case .rejected = decided.outcome else { return .ready(unit, decided) }
        switch try await contexts.standing(ofRefused: work.input, history, context) {
        case .final: return .ready(unit, decided)
        case .overtaken: return .again
        // What is decided beside it is seen in another round; for everything else it waits in its mailbox.
        case .early(let stream): return neighbours.contains(stream) ? .again : .over(.busy)
        }
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
        case .conflict(let version):
            // It is read on from what is held, unless that is more than there is.
            if version < unit.record.baseVersion { streamCache.forget(unit.stream) }
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
