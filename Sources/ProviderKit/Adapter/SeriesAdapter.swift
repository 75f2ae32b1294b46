package import Kernel
package import Payments
package import Schedules

/// An adapter whose provider keeps series of debits that payments register.
package protocol SeriesAdapter: RecurringAdapter {
    /// The series that payments may register.
    var seriesKinds: Set<RecurringTerms.Kind> { get }

    /// The series that a schedule becomes where the provider runs it; refuses what the provider has no words for.
    func registration(of schedule: ScheduleTerms, _ settings: AccountSettings) throws(PlanFailure) -> RecurringTerms

    /// Makes the unsigned request about a series of debits.
    func plan(_ request: SeriesRequest, _ context: SeriesContext) throws(PlanFailure) -> RequestTemplate

    /// Reads what came of a message that changes or cancels a series.
    func readSeries(_ answer: MessageAnswer, _ ask: SeriesAsk, _ settings: AccountSettings) -> SeriesOutcome
}

extension SeriesAdapter {
    package var series: (any SeriesAdapter)? { self }
}

extension PlanFailure {
    /// The provider runs no series by itself.
    package static let runsNoSeries = PlanFailure(
        code: "runner_not_supported",
        path: "runner",
        detail: "the provider runs no series"
    )
}

/// A question or wish about a series that a payment registered.
package enum SeriesRequest: Hashable, Sendable {
    /// A debit that we begin: a payment of its own, under its own reference.
    case debit(Money, customer: String, reference: String)
    /// Another calendar, amount or expiry for debits that the provider begins.
    case update(RecurringTerms)
    case cancel
}

/// The circumstances of a request about a series.
package struct SeriesContext: Hashable, Sendable {
    /// The provider's id of the series.
    package let series: String
    /// Our reference of the payment that registered it.
    package let registeredBy: String
    package let settings: AccountSettings

    package init(series: String, registeredBy: String, settings: AccountSettings) {
        self.series = series
        self.registeredBy = registeredBy
        self.settings = settings
    }
}
