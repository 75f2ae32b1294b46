package import Kernel
package import Schedules

/// The filter of a list of schedules.
package struct ScheduleQuery: Hashable, Sendable {
    package enum Order: String, Hashable, Sendable, CaseIterable {
        case newest
        /// The soonest first; only those that wait for a moment.
        case nextRun
    }

    package var status: ScheduleStatus?
    package var customer: String?
    /// Charged by the series, or held in reserve by it.
    package var instrument: InstrumentId?
    package var account: Uuid?
    package var reference: String?
    package var nextFrom: Timestamp?
    package var nextBefore: Timestamp?
    package var order = Order.newest
    /// Where the page begins; `nil` for the first.
    package var cursor: PageCursor?
    package var limit = 20

    package init() {}
}
