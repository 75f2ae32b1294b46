import Decisions
import EventSourcing
import Kernel
import Payments

/// Streams of saved instruments as the store had them when a batch of decisions began.
struct SeenInstruments: Sendable {
    fileprivate var streams: [StreamName: History] = [:]
}

extension Contexts {
    /// Reads the saved instruments that a batch of decisions looks at, all of them by one statement.
    ///
    /// A decision alone reads its own when it looks. What can't be read is left out: its decision meets the failure, and no
    /// neighbour does.
    func instruments(of batch: [(input: InputRecord, history: History)]) async throws(StoreFailure) -> SeenInstruments {
        guard batch.count > 1 else { return SeenInstruments() }
        let wanted = Array(Set(batch.flatMap { instrumentStreams($0.input, $0.history) }))
        do throws(StoreFailure) {
            let found = try await streamCache.current(wanted)
            return SeenInstruments(streams: Dictionary(uniqueKeysWithValues: zip(wanted, found)))
        } catch {
            guard error.isAboutData || error.code == .timeout else { throw error }
            return SeenInstruments()
        }
    }

    private func instrumentStreams(_ input: InputRecord, _ history: History) -> [StreamName] {
        let ids =
            if input.stream.kind == .schedule {
                ScheduleNeeds(try? folds.fold(input.stream, history), input).instruments
            } else if input.stream.kind.isPayment {
                [instrumentNamed(in: history, input)].compactMap(\.self)
            } else {
                [InstrumentId]()
            }
        return ids.map { StreamName(input.stream.merchant, .instrument, $0.uuid) }
    }

    /// A saved instrument as it is now, removed ones too.
    func instrument(
        _ id: InstrumentId,
        _ merchant: MerchantNumber,
        _ seen: SeenInstruments = SeenInstruments()
    ) async throws(StoreFailure) -> Instrument? {
        let stream = StreamName(merchant, .instrument, id.uuid)
        if let history = seen.streams[stream] { return try instrument(stream, history) }
        return try instrument(stream, try await streamCache.current([stream])[0])
    }

    /// The same as a decision saw it.
    func instrument(
        _ id: InstrumentId,
        _ merchant: MerchantNumber,
        version: Int32
    ) async throws(StoreFailure) -> Instrument? {
        let stream = StreamName(merchant, .instrument, id.uuid)
        return try instrument(stream, try await streamCache.stream(stream, at: version))
    }

    private func instrument(_ stream: StreamName, _ history: History) throws(StoreFailure) -> Instrument? {
        let instrument: Instrument
        do throws(CodecFailure) { instrument = try folds.fold(stream, history) } catch {
            throw StoreFailure(.corrupt, detail: "\(stream) \(error.path)")
        }
        return instrument.saved == nil ? nil : instrument
    }

    /// A credential as a decision saw it, or as it is now where it was removed.
    ///
    /// Whether one whose last month is over or that was refused elsewhere still pays is the provider's to say.
    func unlessRemoved(_ seen: Instrument?, _ merchant: MerchantNumber) async throws(StoreFailure) -> Instrument? {
        let newest = try await whileUsable(seen, merchant)
        return newest?.removed == nil ? seen : newest
    }

    /// The same, or as it is now where nothing may be paid with it any more, as where a provider refused a login.
    func whileUsable(_ seen: Instrument?, _ merchant: MerchantNumber) async throws(StoreFailure) -> Instrument? {
        guard let seen, let newest = try await self.instrument(seen.id, merchant) else { return seen }
        return newest.isUsable ? seen : newest
    }

    /// The account whose provider issued the credential.
    static func accountOfInstrument(_ history: History) -> Uuid? {
        guard let first = history.first, let event = try? InstrumentEvent(first),
            case .saved(let saved, _) = event
        else { return nil }
        return saved.account
    }

    /// The instrument that a payment was created with, or that its creation names.
    func instrumentNamed(in history: History, _ input: InputRecord) -> InstrumentId? {
        if let beginning = beginnings.beginning(of: history) { return beginning.instrument }
        guard input.name == PaymentCommand.Name.create.text(in: input.stream.kind) else { return nil }
        return try? Fields(stored: input.body)?.optionalId("instrument")
    }
}
