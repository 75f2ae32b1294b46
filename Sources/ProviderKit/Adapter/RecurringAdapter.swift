package import Payments
package import Schedules

/// An adapter whose provider takes the payments of a schedule.
package protocol RecurringAdapter: Adapter {
    /// Tells what an account can do with recurring payments.
    func recurrence(_ settings: AccountSettings) -> RecurrenceLimits

    /// Puts into a payment's terms what registers the series that it activates; as they are unless the adapter says
    /// otherwise.
    func enrol(_ payment: PaymentTerms, in schedule: ScheduleTerms, _ settings: AccountSettings) throws(PlanFailure)
        -> PaymentTerms
}

extension RecurringAdapter {
    package var recurring: (any RecurringAdapter)? { self }

    package func enrol(_ payment: PaymentTerms, in schedule: ScheduleTerms, _ settings: AccountSettings)
        throws(PlanFailure) -> PaymentTerms
    {
        payment
    }
}
