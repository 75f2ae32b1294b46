import Decisions
import EventSourcing
import Kernel
import Payments

extension Contexts {
    /// How the refusal of a command stands to the saved credentials that it names.
    enum RefusalStanding {
        /// Whatever was known of them before the command was seen.
        case final
        /// Something was decided about one of them since it was looked up.
        case overtaken
        /// The mailbox of one of them holds what may lift the refusal: a payment showed it, and its own decision is to come.
        case early(StreamName)
    }

    /// Holds a refusal against what waits for the credentials that its command names: only what was admitted before the
    /// command, so that nobody waits for ever.
    func standing(ofRefused input: InputRecord, _ history: History, _ context: DecisionContext)
        async throws(StoreFailure) -> RefusalStanding
    {
        let merchant = input.stream.merchant
        for (id, seen) in credentials(named: input, history, context) {
            let stream = StreamName(merchant, .instrument, id.uuid)
            // The mailbox first: what leaves it meanwhile is seen in the stream.
            if try await book.store.awaits(stream, InstrumentCommand.lifting, before: input.id) {
                return .early(stream)
            }
            if try await instrument(id, merchant)?.version ?? 0 != seen { return .overtaken }
        }
        return .final
    }

    /// The credentials that a command names, each with the version that its decision saw; 0 where there was none.
    private func credentials(named input: InputRecord, _ history: History, _ context: DecisionContext)
        -> [(id: InstrumentId, seen: Int32)]
    {
        guard input.kind == .command else { return [] }
        if input.stream.kind.isPayment {
            guard history.isEmpty, let id = instrumentNamed(in: history, input) else { return [] }
            return [(id, context.instrument?.version ?? 0)]
        }
        if input.stream.kind == .billBatch {
            let named = Fields(stored: input.body)
            let card: InstrumentId? = try? named?.optionalId("instrument")
            let user: InstrumentId? = try? named?.optionalId("credentials")
            return (card.map { [($0, context.instrument?.version ?? 0)] } ?? [])
                + (user.map { [($0, context.credentials?.version ?? 0)] } ?? [])
        }
        guard input.stream.kind == .schedule else { return [] }
        let known = context.schedule?.instruments ?? []
        return ScheduleNeeds(try? folds.fold(input.stream, history), input).instruments.map { id in
            (id, known.first { $0.id == id }?.version ?? 0)
        }
    }
}
