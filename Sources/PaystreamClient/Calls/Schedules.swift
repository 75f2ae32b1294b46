/// Recurring payments.
public struct Schedules: Sendable {
    let exchange: Exchange

    /// Creates a schedule; a payment that names it activates it.
    public func create(_ schedule: NewSchedule, _ options: CommandOptions = .init()) async throws(PaystreamError)
        -> Schedule
    {
        try await exchange.command(["v1", "schedules"], schedule, options)
    }

    public func get(_ id: String) async throws(PaystreamError) -> Schedule {
        try await exchange.read(Call(path: ["v1", "schedules", id]))
    }

    public func list(
        customer: String? = nil,
        status: String? = nil,
        reference: String? = nil,
        limit: Int? = nil
    ) -> Pages<Schedule> {
        let query = [
            ("customer", customer), ("status", status), ("reference", reference), ("limit", limit.map { "\($0)" }),
        ]
        return Pages(exchange: exchange, call: Call(path: ["v1", "schedules"], query: query))
    }

    /// What became of its charges, and what is planned.
    public func occurrences(_ id: String, limit: Int? = nil) -> Pages<Occurrence> {
        let call = Call(path: ["v1", "schedules", id, "occurrences"], query: [("limit", limit.map { "\($0)" })])
        return Pages(exchange: exchange, call: call, cursor: "after")
    }

    public func change(
        _ id: String,
        _ change: ScheduleChange,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Schedule { try await command(id, "change", change, options) }

    public func pause(
        _ id: String,
        reason: String? = nil,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Schedule { try await command(id, "pause", ScheduleAsk(reason: reason), options) }

    /// Goes on; what fell due meanwhile is charged only where `catchesUp` says so.
    public func resume(
        _ id: String,
        catchesUp: Bool = false,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Schedule {
        try await command(id, "resume", ScheduleAsk(missed: catchesUp ? "catchUp" : "skip"), options)
    }

    public func cancel(
        _ id: String,
        reason: String? = nil,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Schedule { try await command(id, "cancel", ScheduleAsk(reason: reason), options) }

    /// Runs an occurrence now, with the customer there or not.
    public func run(
        _ id: String,
        ordinal: Int? = nil,
        amount: Money? = nil,
        presence: Presence? = nil,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> Schedule {
        let ask = ScheduleAsk(ordinal: ordinal, amount: amount, presence: presence?.rawValue)
        return try await command(id, "run", ask, options)
    }

    private func command(
        _ id: String,
        _ name: String,
        _ body: some Encodable & Sendable,
        _ options: CommandOptions
    ) async throws(PaystreamError) -> Schedule {
        try await exchange.command(["v1", "schedules", id, name], body, options)
    }
}

private struct ScheduleAsk: Encodable, Sendable {
    var reason: String?
    var missed: String?
    var ordinal: Int?
    var amount: Money?
    var presence: String?
}

/// A schedule to be created.
public struct NewSchedule: Codable, Hashable, Sendable {
    /// An id of your own (`NewId.schedule()`); without it the daemon makes one.
    public var id: String?
    public var kind: SeriesKind
    public var runner: ScheduleRunner?
    public var presence: Presence?
    public var account: String?
    public var instrument: String?
    public var fallback: String?
    public var customer: String?
    public var reference: String?
    public var description: String?
    public var amount: Money?
    public var rule: ScheduleRule?
    public var mandate: JsonValue?
    public var activation: PaymentMode?
    /// A moment, as in `2028-01-31T10:00:00Z`.
    public var activateBy: String?
    public var policy: JsonValue?
    public var details: JsonValue?
    public var metadata: [String: String]?

    public init(kind: SeriesKind, amount: Money? = nil, customer: String? = nil, rule: ScheduleRule? = nil) {
        self.kind = kind
        self.amount = amount
        self.customer = customer
        self.rule = rule
    }
}

/// A period with a start, or a list of dates.
public struct ScheduleRule: Codable, Hashable, Sendable {
    public var every: Int?
    public var period: Period?
    public var dates: [DatedAmount]?
    /// A day, as in `2028-01-31`.
    public var start: String?
    public var anchorDay: Int?
    /// On the zone's clocks, as in `10:00`.
    public var time: String?
    /// Of the IANA database, as in `Europe/Berlin`.
    public var zone: String
    public var end: End?
    public var skippedHour: String?
    public var doubledHour: String?
    public var businessDays: BusinessDays?

    public init(zone: String, period: Period? = nil, every: Int? = nil, start: String? = nil, time: String? = nil) {
        self.zone = zone
        self.period = period
        self.every = every
        self.start = start
        self.time = time
    }

    public enum Period: String, Codable, CaseIterable, Sendable {
        case day, week, month, quarter, halfYear, year
    }

    public struct DatedAmount: Codable, Hashable, Sendable {
        public var date: String
        public var amount: Money

        public init(date: String, amount: Money) {
            self.date = date
            self.amount = amount
        }
    }

    public struct End: Codable, Hashable, Sendable {
        public var lastDate: String?
        public var count: Int?
        public var total: Money?

        public init(lastDate: String? = nil, count: Int? = nil, total: Money? = nil) {
            self.lastDate = lastDate
            self.count = count
            self.total = total
        }
    }

    public struct BusinessDays: Codable, Hashable, Sendable {
        public var shift: String
        public var calendar: String

        public init(shift: String, calendar: String) {
            self.shift = shift
            self.calendar = calendar
        }
    }
}

/// What of a schedule is to change; the rest stays.
public struct ScheduleChange: Codable, Hashable, Sendable {
    public var amount: Money?
    public var instrument: String?
    public var fallback: String?
    public var rule: ScheduleRule?
    public var nextDate: String?
    public var policy: JsonValue?

    public init() {}
}

extension SeriesKind: Codable {}
extension ScheduleRunner: Codable {}
extension Presence: Codable {}
