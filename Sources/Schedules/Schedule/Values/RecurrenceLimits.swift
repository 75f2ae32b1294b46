/// The abilities of an account's method with series: the adapter's declaration, passed in as a value.
package struct RecurrenceLimits: Hashable, Sendable {
    /// None where the method can't recur.
    package let kinds: Set<ScheduleKind>
    package let runners: Set<ScheduleRunner>
    /// Whether the account can charge without the customer.
    package let unattended: Bool
    package let periods: Set<Period>
    /// How many periods may lie between two charges, as ecommpay's 1 to 100.
    package let intervals: ClosedRange<Int>
    /// Where the mandate must name the least distance of two charges in days, as SberPay's 1 to 28.
    package let minimumDays: ClosedRange<Int>?
    /// Whether the mandate must name its last day.
    package let needsExpiry: Bool
    /// Minor units of one charge.
    package let amounts: ClosedRange<Int64>
    /// Longest explicit list.
    package let dates: Int

    package init(
        kinds: Set<ScheduleKind> = Set(ScheduleKind.allCases),
        runners: Set<ScheduleRunner> = [.paystream],
        unattended: Bool = true,
        periods: Set<Period> = Set(Period.allCases),
        intervals: ClosedRange<Int> = 1...ScheduleRule.interval,
        minimumDays: ClosedRange<Int>? = nil,
        needsExpiry: Bool = false,
        amounts: ClosedRange<Int64> = 1...Int64.max,
        dates: Int = ScheduleRule.datesPerList
    ) {
        self.kinds = kinds
        self.runners = runners
        self.unattended = unattended
        self.periods = periods
        self.intervals = intervals
        self.minimumDays = minimumDays
        self.needsExpiry = needsExpiry
        self.amounts = amounts
        self.dates = dates
    }

    /// A method that can't recur at all.
    package static let none = RecurrenceLimits(kinds: [], runners: [], unattended: false)
}
