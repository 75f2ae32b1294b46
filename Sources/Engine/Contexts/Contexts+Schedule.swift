import Decisions
import EventSourcing
import Kernel
import Payments
import Schedules

extension Contexts {
    /// Looks up what a schedule's decision sees: its account, its zones, its instruments.
    func schedule(_ history: History, _ input: InputRecord, _ seen: SeenInstruments)
        async throws(StoreFailure) -> DecisionContext
    {
        let own = try await clocks.reading(of: input.stream.merchant).map { Self.reading($0, for: input) }
        let now = own == nil ? Self.reading(clock(), for: input) : clock()
        let wanted = ScheduleNeeds(try? folds.fold(input.stream, history), input)
        var account: ConfiguredAccount?
        if let id = wanted.account { account = try await book.newest(id, input.stream.merchant) }
        var context = DecisionContext(now: now, publicUrl: publicUrl, account: account, instrument: nil)
        context.schedule = try await surroundings(wanted, input.stream.merchant, seen, clock: own)
        return context
    }

    private func surroundings(
        _ needs: ScheduleNeeds,
        _ merchant: MerchantNumber,
        _ seen: SeenInstruments,
        clock: Timestamp?
    ) async throws(StoreFailure) -> ScheduleSurroundings {
        let zone: ZoneData?
        switch needs.adoption {
        case .zone(let name, let digest)? where name == needs.zone: zone = try await zones.zone(digest: digest)
        case .zone?, .business?, nil: zone = try await self.zone(needs.zone)
        }
        let business: BusinessCalendar?
        switch needs.adoption {
        case .business(let name, let version)? where name == needs.business:
            business = try await zones.businessCalendar(named: name, version: version)
        case .zone?, .business?, nil: business = try await self.business(needs.business, nil)
        }
        let quietZone = try await self.zone(needs.quietZone)
        var found: [Instrument] = []
        for id in needs.instruments {
            if let instrument = try await self.instrument(id, merchant, seen) { found.append(instrument) }
        }
        return ScheduleSurroundings(
            zone: zone,
            quietZone: quietZone,
            business: business,
            instruments: found,
            clock: clock
        )
    }

    /// Looks the same values up again by what the record kept; a digest that nobody has any more leaves the zone out.
    func surroundings(recorded json: Json, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> ScheduleSurroundings
    {
        let zone = try await self.zone(digest: json["zone"]?.text)
        let quietZone = try await self.zone(digest: json["quietZone"]?.text)
        let business = try await self.business(
            json.at("business", "name")?.text,
            json.at("business", "version")?.integer.map { Int($0) }
        )
        var found: [Instrument] = []
        for item in json["instruments"]?.items ?? [] {
            guard let id = item["id"]?.text.flatMap({ InstrumentId($0) }), let version = item["version"]?.integer,
                let instrument = try await self.instrument(id, merchant, version: Int32(clamping: version))
            else { continue }
            found.append(instrument)
        }
        return ScheduleSurroundings(
            zone: zone,
            quietZone: quietZone,
            business: business,
            instruments: found,
            clock: json["clock"]?.text.flatMap { Timestamp($0) }
        )
    }

    private func zone(_ name: String?) async throws(StoreFailure) -> ZoneData? {
        guard let name else { return nil }
        return try await zones.zone(named: name)
    }

    private func zone(digest: String?) async throws(StoreFailure) -> ZoneData? {
        guard let digest else { return nil }
        return try await zones.zone(digest: digest)
    }

    private func business(_ name: String?, _ version: Int?) async throws(StoreFailure) -> BusinessCalendar? {
        guard let name else { return nil }
        return try await zones.businessCalendar(named: name, version: version)
    }
}
