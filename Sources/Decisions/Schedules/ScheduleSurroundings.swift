import EventSourcing
package import Kernel
package import Payments
import ProviderKit
package import Schedules

/// Zone data by digest and instruments by version, as a schedule's decision saw them: replay finds them again.
package struct ScheduleSurroundings: Hashable, Sendable, JsonWritable {
    package let zone: ZoneData?
    package let quietZone: ZoneData?
    package let business: BusinessCalendar?
    package let instruments: [Instrument]
    /// The reading of the merchant's own clock; `nil` where it has none.
    package let clock: Timestamp?

    package init(
        zone: ZoneData?,
        quietZone: ZoneData?,
        business: BusinessCalendar?,
        instruments: [Instrument],
        clock: Timestamp?
    ) {
        self.zone = zone
        self.quietZone = quietZone
        self.business = business
        self.instruments = instruments
        self.clock = clock
    }

    /// The calendar that rules are read by.
    var calendar: CalendarData? { zone.map { CalendarData(zone: $0, business: business) } }

    /// The part that the decision record keeps.
    package func write(into out: inout JsonText) {
        if let business {
            out.member("business") { out in
                out.member("name", business.name)
                out.member("version", business.version)
            }
        }
        out.member("clock", clock)
        out.member("instruments", listing: instruments) { $0.writeName(into: &$1) }
        out.member("quietZone", quietZone?.digest)
        out.member("zone", zone?.digest)
    }

    /// The cards by their instruments.
    var cards: [InstrumentId: ScheduleContext.Card] {
        var cards: [InstrumentId: ScheduleContext.Card] = [:]
        for instrument in instruments { cards[instrument.id] = ScheduleContext.Card(instrument) }
        return cards
    }
}
