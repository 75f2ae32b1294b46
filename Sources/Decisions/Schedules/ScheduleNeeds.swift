package import EventSourcing
package import Kernel
import Payments
package import Schedules

/// Names of everything that the decision about a schedule looks up, read from its stream and the input.
package struct ScheduleNeeds {
    package private(set) var account: Uuid?
    package private(set) var zone: String?
    package private(set) var quietZone: String?
    package private(set) var business: String?
    /// The data that an adoption names exactly; everything else takes what holds now.
    package private(set) var adoption: CalendarAdoption?
    package private(set) var instruments: [InstrumentId] = []

    package init(_ schedule: Schedule?, _ input: InputRecord) {
        if let terms = schedule?.terms { take(terms) }
        adoption = CalendarAdoption(input)
        if input.name == OccurrenceResult.name { add(OccurrenceResult(input)?.instrument) }
        guard let command: ScheduleCommand = try? input.command() else { return }
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
