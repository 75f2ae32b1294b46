import EventSourcing
package import Kernel

/// A fact about a schedule; the cases are the storage format.
package enum ScheduleEvent: StoredEvent, Hashable {
    case registered(ScheduleTerms, by: String, at: Timestamp)
    case activated(Activation, at: Timestamp)
    /// A payment registered the series when it was over already, or a second time: nothing here is charged by it, and the
    /// provider that would run it is asked to cancel it.
    case registrationUnwanted(Activation, at: Timestamp)
    /// An occurrence is going to be charged; a second one for the same ordinal replaces the first before it started.
    case planned(OccurrencePlan)
    /// A payment was asked for, or the provider's own debit was seen.
    case started(OccurrenceTry)
    case succeeded(ordinal: Int, payment: PaymentId, amount: Money, at: Timestamp)
    case failed(ordinal: Int, payment: PaymentId?, Failure, at: Timestamp)
    /// Another try is going to be made.
    case retried(OccurrenceRetry)
    /// The customer must take part in this payment, or begin another try until the deadline.
    case stepUpRequested(ordinal: Int, payment: PaymentId, deadline: Timestamp, policy: PolicyVersion)
    case gaveUp(ordinal: Int, DunningPolicy.GiveUp, policy: PolicyVersion, at: Timestamp)
    /// These ordinals are not charged, first to last.
    case skipped(first: Int, last: Int, SkipReason, at: Timestamp)
    /// An ordinal was paid a second time: somebody must give money back.
    case paidTwice(ordinal: Int, payment: PaymentId, amount: Money, at: Timestamp)
    /// The provider debited something that no occurrence explains.
    case debitUnmatched(payment: PaymentId, series: String, amount: Money, at: Timestamp)
    /// The card's last month ends before this occurrence is due.
    case expiryNoticed(InstrumentId, CardExpiry, ordinal: Int, at: Timestamp)
    case paused(reason: String, by: String, at: Timestamp)
    case resumed(Missed, by: String, at: Timestamp)
    case changed(ScheduleChange, by: String, at: Timestamp)
    case completed(at: Timestamp)
    case cancelled(reason: String?, by: String, at: Timestamp)
    case expired(Expiry, at: Timestamp)
    /// The provider that runs the series is asked for something.
    case requestLicensed(SeriesLicense)
    case requestObserved(EffectId, ordinal: Int32, SeriesOutcome, at: Timestamp)
    /// Nothing more is sent of it; without an outcome that says so, somebody must look at it.
    case requestEnded(EffectId, at: Timestamp)

    /// Why ordinals are not charged.
    package enum SkipReason: String, Hashable, Sendable, CaseIterable {
        /// The catch-up policy leaves them out.
        case late
        /// They fell due while the schedule was paused.
        case paused
        /// They fell due before the customer had agreed.
        case beforeActivation
        /// A rule or date that replaced theirs.
        case changed
        /// They fall on the day of a neighbour.
        case coincides
        /// The mandate is over, or would be by then.
        case mandate
        /// The provider was to debit and nothing was seen of it: an alert.
        case unobserved
    }

    package enum Expiry: String, Hashable, Sendable, CaseIterable {
        case notActivated, mandate
    }

    /// The treatment of occurrences that fell due during a pause.
    package enum Missed: String, Hashable, Sendable, CaseIterable {
        case skip
        /// The catch-up policy decides, as after an outage.
        case catchUp
    }

    /// Which policy decided.
    package struct PolicyVersion: Hashable, Sendable {
        package let name: String
        package let version: Int

        package init(name: String, version: Int) {
            self.name = name
            self.version = version
        }
    }

    /// A decline, as far as dunning looks at it.
    package struct Failure: Hashable, Sendable {
        package let kind: DeclineKind
        package let code: String?

        /// The code of a payment that its payer did not finish in time.
        package static let expired = "expired"

        package init(kind: DeclineKind, code: String?) {
            self.kind = kind
            self.code = code
        }

        var isExpiry: Bool { kind == .unknown && code == Self.expired }
    }
}

/// The customer-present payment that made a series active.
package struct Activation: Hashable, Sendable {
    package let payment: PaymentId
    package let mode: ActivationMode
    package let instrument: InstrumentId?
    /// The provider's id of the series.
    package let series: String?
    /// The provider's name of the payment that registered it.
    package let reference: String?

    package init(
        payment: PaymentId,
        mode: ActivationMode,
        instrument: InstrumentId?,
        series: String?,
        reference: String? = nil
    ) {
        self.reference = reference
        self.payment = payment
        self.mode = mode
        self.instrument = instrument
        self.series = series
    }
}

/// An occurrence as it was planned, with all that made it what it is.
package struct OccurrencePlan: Hashable, Sendable {
    package let ordinal: Int
    package let date: CivilDate
    package let dueAt: Timestamp
    /// When it is charged: `dueAt`, or later by catch-up, quiet hours or the mandate's distance.
    package let startAt: Timestamp
    package let amount: Money
    /// Digest of the zone data; `nil` where the backend asked and no calendar was looked at.
    package let zoneDigest: String?
    package let reasons: [RuleOccurrence.Reason]
    /// Planned after it was due.
    package let isLate: Bool

    package init(
        ordinal: Int,
        date: CivilDate,
        dueAt: Timestamp,
        startAt: Timestamp,
        amount: Money,
        zoneDigest: String?,
        reasons: [RuleOccurrence.Reason],
        isLate: Bool
    ) {
        self.ordinal = ordinal
        self.date = date
        self.dueAt = dueAt
        self.startAt = startAt
        self.amount = amount
        self.zoneDigest = zoneDigest
        self.reasons = reasons
        self.isLate = isLate
    }
}

/// One payment of an occurrence.
package struct OccurrenceTry: Hashable, Sendable {
    package let ordinal: Int
    /// 1 for the first.
    package let attempt: Int
    package let payment: PaymentId
    package let amount: Money
    package let instrument: InstrumentId?
    package let presence: Presence
    package let origin: ScheduleRunner
    package let at: Timestamp

    package init(
        ordinal: Int,
        attempt: Int,
        payment: PaymentId,
        amount: Money,
        instrument: InstrumentId?,
        presence: Presence,
        origin: ScheduleRunner,
        at: Timestamp
    ) {
        self.ordinal = ordinal
        self.attempt = attempt
        self.payment = payment
        self.amount = amount
        self.instrument = instrument
        self.presence = presence
        self.origin = origin
        self.at = at
    }
}

/// Another try of an occurrence, and who decided it.
package struct OccurrenceRetry: Hashable, Sendable {
    package let ordinal: Int
    package let startAt: Timestamp
    /// Charges another instrument than the schedule's.
    package let instrument: InstrumentId?
    package let after: DeclineKind
    package let policy: ScheduleEvent.PolicyVersion

    package init(
        ordinal: Int,
        startAt: Timestamp,
        instrument: InstrumentId?,
        after: DeclineKind,
        policy: ScheduleEvent.PolicyVersion
    ) {
        self.ordinal = ordinal
        self.startAt = startAt
        self.instrument = instrument
        self.after = after
        self.policy = policy
    }
}

/// The last month of a card, and whose it is.
package struct CardExpiry: Hashable, Sendable {
    package let year: Int
    package let month: Int

    package init(year: Int, month: Int) {
        self.year = year
        self.month = month
    }

    /// When its last month is over everywhere on Earth.
    package var end: Timestamp? {
        guard (1...9998).contains(year), (1...12).contains(month) else { return nil }
        return CivilDate(monthNumber: Int64(year * 12 + month), day: 1).map {
            Timestamp(seconds: $0.daysSinceEpoch * 86_400 + 12 * 3600)
        }
    }
}
