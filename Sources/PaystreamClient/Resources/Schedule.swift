public import Foundation

public enum ScheduleRunner: String, CaseIterable, Sendable {
    case provider, paystream
}

public enum Presence: String, CaseIterable, Sendable {
    case unattended, customerPresent
}

public enum OccurrenceState: String, CaseIterable, Sendable {
    case planned, inFlight, declined, waiting, stepUp, succeeded, skipped, givenUp, dropped
}

/// Recurring payments of one customer.
public struct Schedule: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let object: String
    public let version: Int?
    public let status: String
    public let kind: Open<SeriesKind>?
    public let runner: Open<ScheduleRunner>?
    public let presence: Open<Presence>?
    public let account: String?
    public let instrument: String?
    /// Charged where the other instrument can't be.
    public let fallback: String?
    public let customer: String?
    public let reference: String?
    public let description: String?
    public let amount: Money?
    /// As the daemon keeps it, with all that the command left out.
    public let rule: JsonValue?
    public let mandate: JsonValue?
    public let policy: JsonValue?
    public let activation: Open<PaymentMode>?
    public let activateBy: Date?
    /// The payment that activated it.
    public let activatedBy: String?
    public let metadata: JsonValue?
    public let nextAt: Date?
    public let collected: Int64?
    public let paid: Int?
    /// The provider's id of the series.
    public let series: String?
    public let occurrences: [Occurrence]?
    public let cause: Cause?
    public let expiringInstruments: [String]?
    /// Payments whose money somebody must give back.
    public let paidTwice: [String]?
    public let createdAt: Date?
    public let updatedAt: Date?

    /// Why it is paused, or how it ended.
    public struct Cause: Codable, Hashable, Sendable {
        public let reason: String?
        public let by: String?
        public let at: Date
    }
}

/// One due charge of a schedule; it may take several tries, each a payment.
public struct Occurrence: Codable, Hashable, Sendable {
    public let ordinal: Int
    public let state: Open<OccurrenceState>
    /// A day of the schedule's zone, as in `2028-01-31`.
    public let date: String?
    public let dueAt: Date?
    /// Nothing is charged before it.
    public let startAt: Date?
    public let endedAt: Date?
    public let amount: Money?
    public let reason: String?
    public let payment: String?
    public let nextAction: Action?
    public let isLate: Bool?
    public let reasons: [String]?
    public let paidTwice: [String]?

    /// What the customer is asked: to go on with a payment, or to be there when the occurrence is run.
    public struct Action: Codable, Hashable, Sendable {
        public let `is`: String
        public let payment: String?
        public let ordinal: Int?
        public let presence: Open<Presence>?
        public let until: Date
    }
}
