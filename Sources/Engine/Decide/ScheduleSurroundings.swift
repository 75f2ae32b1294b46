import EventSourcing
package import Kernel
package import Payments
import ProviderKit
package import Schedules

/// What the decision about a schedule needs to look up, read from its stream and the input.
struct ScheduleNeeds {
    private(set) var account: Uuid?
    private(set) var zone: String?
    private(set) var quietZone: String?
    private(set) var business: String?
    /// What an adoption names exactly; everything else takes what holds now.
    private(set) var adoption: CalendarAdoption?
    private(set) var instruments: [InstrumentId] = []

    init(_ history: [RecordedEvent], _ input: InputRecord) {
        let schedule = try? ScheduleDecider.fold(input.stream, history)
        if let terms = schedule?.terms { take(terms) }
        adoption = CalendarAdoption(input)
        if input.name == OccurrenceResult.name { add(OccurrenceResult(input)?.instrument) }
        guard input.kind == .command, let name = ScheduleCommand.Name(rawValue: input.name),
            let body = try? Json(input.body), let command = try? ScheduleCommand(name: name, body)
        else { return }
        switch command {
        case .create(let terms): take(terms)
        case .activate(let activation): add(activation.instrument)
        case .change(let change):
            if let rule = change.rule { (zone, business) = (rule.zone, rule.businessDays?.calendar) }
            if let quiet = change.policy?.quiet { quietZone = quiet.zone }
            add(change.instrument)
            add(change.fallback)
        case .pause, .resume, .cancel, .run: break
        }
    }

    private mutating func take(_ terms: ScheduleTerms) {
        account = terms.account
        zone = terms.rule?.zone
        business = terms.rule?.businessDays?.calendar
        quietZone = terms.policy.quiet?.zone
        add(terms.instrument)
        add(terms.fallback)
    }

    private mutating func add(_ instrument: InstrumentId?) {
        guard let instrument, !instruments.contains(instrument) else { return }
        instruments.append(instrument)
    }
}

/// What a schedule's decision saw: zone data by digest and instruments by version, so that replay finds them again.
package struct ScheduleSurroundings: Hashable, Sendable {
    package let zone: ZoneData?
    package let quietZone: ZoneData?
    package let business: BusinessCalendar?
    package let instruments: [Instrument]
    /// What the merchant's own clock showed; `nil` where it has none.
    package let clock: Timestamp?

    init(
        _ needs: ScheduleNeeds,
        _ merchant: MerchantNumber,
        _ zones: any ZoneSource,
        _ book: AccountBook,
        clock: Timestamp?
    ) async throws(StoreFailure) {
        self.clock = clock
        switch needs.adoption {
        case .zone(let name, let digest)? where name == needs.zone: zone = try await zones.zone(digest: digest)
        case .zone?, .business?, nil: zone = try await Self.zone(needs.zone, zones)
        }
        switch needs.adoption {
        case .business(let name, let version)? where name == needs.business:
            business = try await zones.businessCalendar(named: name, version: version)
        case .zone?, .business?, nil: business = try await Self.business(needs.business, nil, zones)
        }
        quietZone = try await Self.zone(needs.quietZone, zones)
        var found: [Instrument] = []
        for id in needs.instruments {
            if let instrument = try await book.instrument(id, merchant) { found.append(instrument) }
        }
        instruments = found
    }

    /// The same values again, by what the record kept; a digest that nobody has any more leaves the zone out.
    init(recorded json: Json, _ merchant: MerchantNumber, _ zones: any ZoneSource, _ book: AccountBook)
        async throws(StoreFailure)
    {
        clock = json["clock"]?.text.flatMap { Timestamp($0) }
        zone = try await Self.zone(digest: json["zone"]?.text, zones)
        quietZone = try await Self.zone(digest: json["quietZone"]?.text, zones)
        business = try await Self.business(
            json.at("business", "name")?.text,
            json.at("business", "version")?.integer.map { Int($0) },
            zones
        )
        var found: [Instrument] = []
        for item in json["instruments"]?.items ?? [] {
            guard let id = item["id"]?.text.flatMap({ InstrumentId($0) }), let version = item["version"]?.integer,
                let instrument = try await book.instrument(id, merchant, version: Int32(clamping: version))
            else { continue }
            found.append(instrument)
        }
        instruments = found
    }

    private static func zone(_ name: String?, _ zones: any ZoneSource) async throws(StoreFailure) -> ZoneData? {
        guard let name else { return nil }
        return try await zones.zone(named: name)
    }

    private static func business(_ name: String?, _ version: Int?, _ zones: any ZoneSource) async throws(StoreFailure)
        -> BusinessCalendar?
    {
        guard let name else { return nil }
        return try await zones.businessCalendar(named: name, version: version)
    }

    private static func zone(digest: String?, _ zones: any ZoneSource) async throws(StoreFailure) -> ZoneData? {
        guard let digest else { return nil }
        return try await zones.zone(digest: digest)
    }

    /// What rules are read by.
    var calendar: CalendarData? { zone.map { CalendarData(zone: $0, business: business) } }

    /// What the decision record keeps.
    package var json: Json {
        .compact([
            (
                "business",
                business.map { ["name": .string($0.name), "version": .integer(Int64($0.version))] }
            ),
            ("clock", clock?.json),
            (
                "instruments",
                instruments.isEmpty
                    ? nil : .array(instruments.map { ["id": $0.id.json, "version": .integer(Int64($0.version))] })
            ),
            ("quietZone", quietZone.map { .string($0.digest) }), ("zone", zone.map { .string($0.digest) }),
        ])
    }

    /// What is known of the cards.
    var cards: [InstrumentId: ScheduleContext.Card] {
        var cards: [InstrumentId: ScheduleContext.Card] = [:]
        for instrument in instruments { cards[instrument.id] = ScheduleContext.Card(instrument) }
        return cards
    }
}
