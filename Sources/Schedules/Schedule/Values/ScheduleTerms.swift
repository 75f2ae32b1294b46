package import Kernel

/// Names the schedule kind of identifier.
package enum ScheduleKindTag: IdentifierKind { package static let prefix = "sch" }

package typealias ScheduleId = Identifier<ScheduleKindTag>

/// The kind of series that the customer agreed to, in the providers' words.
package enum ScheduleKind: String, Hashable, Sendable, CaseIterable {
    /// The customer is present each time; there is no calendar.
    case oneClick
    /// On a fixed calendar.
    case regular
    /// We begin each payment: on a calendar or when the backend asks.
    case autopayment
}

/// Whose calendar fires; fixed for the schedule's life.
package enum ScheduleRunner: String, Hashable, Sendable, CaseIterable {
    /// The provider debits by itself: nothing is started from here, its debits are matched.
    case provider
    case paystream
}

/// Whether the customer takes part in each occurrence.
package enum Presence: String, Hashable, Sendable, CaseIterable {
    case unattended
    /// Each occurrence asks the customer to confirm it.
    case customerPresent
}

/// How the payment began that makes a series active.
package enum ActivationMode: String, Hashable, Sendable, CaseIterable {
    case sale, authorize, verify
    /// Saves a credential and proves no consent to be charged: it never activates a series.
    case tokenize
}

/// The limits of what the customer agreed to; nothing is charged outside them.
package struct Mandate: Hashable, Sendable {
    /// The last day on which may be charged, in the rule's zone.
    package let expiresOn: CivilDate?
    /// Two charges lie at least so many calendar days apart, counted in the rule's zone.
    package let minimumDays: Int?

    package init(expiresOn: CivilDate? = nil, minimumDays: Int? = nil) {
        self.expiresOn = expiresOn
        self.minimumDays = minimumDays
    }
}

/// The terms that a merchant registers.
package struct ScheduleTerms: Hashable, Sendable {
    package let kind: ScheduleKind
    package let runner: ScheduleRunner
    package let presence: Presence
    /// The provider account that charges.
    package let account: Uuid
    /// `nil` until the activating payment brings it.
    package var instrument: InstrumentId?
    /// Charged instead where the instrument can't be.
    package var fallback: InstrumentId?
    package let customer: String?
    package let reference: String?
    package let description: String?
    /// The amount of each occurrence; it may differ from the first payment's, and a list has amounts of its own.
    package var amount: Money?
    /// `nil` for series without a calendar.
    package var rule: ScheduleRule?
    package let mandate: Mandate
    package let activation: ActivationMode
    /// A series that nobody activates until then expires.
    package let activateBy: Timestamp
    package var policy: FiringPolicy
    /// Values that the adapter needs for each payment, in canonical JSON.
    package var details: Json
    package let metadata: Json

    package init(
        kind: ScheduleKind,
        runner: ScheduleRunner,
        presence: Presence,
        account: Uuid,
        instrument: InstrumentId?,
        fallback: InstrumentId?,
        customer: String?,
        reference: String?,
        description: String?,
        amount: Money?,
        rule: ScheduleRule?,
        mandate: Mandate,
        activation: ActivationMode,
        activateBy: Timestamp,
        policy: FiringPolicy,
        details: Json,
        metadata: Json
    ) {
        self.kind = kind
        self.runner = runner
        self.presence = presence
        self.account = account
        self.instrument = instrument
        self.fallback = fallback
        self.customer = customer
        self.reference = reference
        self.description = description
        self.amount = amount
        self.rule = rule
        self.mandate = mandate
        self.activation = activation
        self.activateBy = activateBy
        self.policy = policy
        self.details = details
        self.metadata = metadata
    }
}
