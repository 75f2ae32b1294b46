import EventSourcing
package import Kernel
package import Payments
package import Schedules

/// What the decision about a schedule needs to look up, read from its stream and the input.
struct ScheduleNeeds {
    private(set) var account: Uuid?
    private(set) var zone: String?
    private(set) var quietZone: String?
    private(set) var instruments: [InstrumentId] = []

    init(_ history: [RecordedEvent], _ input: InputRecord) {
        let schedule = try? ScheduleDecider.fold(input.stream, history)
        if let terms = schedule?.terms { take(terms) }
        guard input.kind == .command, let name = ScheduleCommand.Name(rawValue: input.name),
            let body = try? Json(input.body), let command = try? ScheduleCommand(name: name, body)
        else { return }
        switch command {
        case .create(let terms): take(terms)
        case .activate(let activation): add(activation.instrument)
        case .change(let change):
            zone = change.rule?.zone ?? zone
            add(change.instrument)
            add(change.fallback)
        case .pause, .resume, .cancel, .run: break
        }
    }

    private mutating func take(_ terms: ScheduleTerms) {
        account = terms.account
        zone = terms.rule?.zone
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
    package let instruments: [Instrument]

    init(_ needs: ScheduleNeeds, _ merchant: MerchantNumber, _ zones: any ZoneSource, _ book: AccountBook)
        async throws(StoreFailure)
    {
        zone = try await Self.zone(needs.zone, zones)
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
        zone = try await Self.zone(digest: json["zone"]?.text, zones)
        quietZone = try await Self.zone(digest: json["quietZone"]?.text, zones)
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

    private static func zone(digest: String?, _ zones: any ZoneSource) async throws(StoreFailure) -> ZoneData? {
        guard let digest else { return nil }
        return try await zones.zone(digest: digest)
    }

    /// What the decision record keeps.
    package var json: Json {
        .compact([
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
        for instrument in instruments {
            guard let fact = instrument.saved?.fact else { continue }
            var expiry: CardExpiry?
            if let year = fact.expiryYear, let month = fact.expiryMonth {
                expiry = CardExpiry(year: year, month: month)
            }
            // A removed credential is as good as an expired one.
            if !instrument.isUsable { expiry = CardExpiry(year: 1970, month: 1) }
            cards[instrument.id] = ScheduleContext.Card(expiry: expiry, scheme: fact.scheme)
        }
        return cards
    }
}
