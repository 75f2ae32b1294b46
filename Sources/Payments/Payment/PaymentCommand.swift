package import EventSourcing
package import Kernel

/// A request of a backend, an operator or an app about a payment.
package enum PaymentCommand: StoredCommand, Hashable {
    case create(PaymentTerms)
    /// A debit that a provider made by itself becomes a payment, or is told again.
    case adopt(PaymentTerms, SeriesDebit)
    /// An app's claim about what its SDK said; decides nothing, asks for a query.
    ///
    /// `concern` is what a person must know of; `receipt` what the app was told for the payer; `completion` what the payer's
    /// bank gave, as a value that is kept in memory alone: it completes the operation that waits for it.
    case confirm(
        meaning: String,
        code: String,
        concern: ClaimConcern? = nil,
        receipt: Receipt? = nil,
        completion: Json? = nil
    )
    /// `nil` takes all that is held; `details` are the adapter's, as the positions that are shipped.
    case capture(amount: Money?, reason: String?, details: Json? = nil)
    /// Gives the hold back, or cancels an unpaid payment; `nil` gives all back.
    case void(amount: Money?, reason: String?)
    /// `nil` gives back all that is left of the capture; `capture == nil` picks the first with room.
    ///
    /// `details` are the adapter's, as the positions that came back.
    case refund(amount: Money?, capture: OperationId?, reason: String?, details: Json? = nil)
    /// Tells the provider that all is delivered; `details` are the adapter's.
    case completeDelivery(details: Json? = nil)
    case sync
    case recordDispute(
        id: DisputeId,
        capture: OperationId?,
        amount: Money,
        stage: Dispute.Stage,
        reason: String?,
        answerBy: Timestamp? = nil
    )
    /// Adds a finding of a person beside the log, as in a bank statement; it decides nothing.
    case addEvidence(String)
    case propose(Resolution.Verdict, evidence: String, seenVersion: Int32)
    case approve(proposal: Uuid, seenVersion: Int32)

    /// The case without its values: the columns of the command table.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        case create = "payment.create"
        case adopt = "payment.adopt"
        case confirm = "payment.confirm"
        case capture = "payment.capture"
        case void = "payment.void"
        case refund = "payment.refund"
        case completeDelivery = "payment.complete_delivery"
        case sync = "payment.sync"
        case recordDispute = "payment.dispute"
        case addEvidence = "payment.add_evidence"
        case propose = "payment.propose"
        case approve = "payment.approve"
    }

    package var name: Name {
        switch self {
        case .create: .create
        case .adopt: .adopt
        case .confirm: .confirm
        case .capture: .capture
        case .void: .void
        case .refund: .refund
        case .completeDelivery: .completeDelivery
        case .sync: .sync
        case .recordDispute: .recordDispute
        case .addEvidence: .addEvidence
        case .propose: .propose
        case .approve: .approve
        }
    }
}

/// Who speaks, and with which right.
package struct Actor: Hashable, Sendable {
    package let id: String
    /// Operators may refund a frozen payment and resolve.
    package let isOperator: Bool

    package init(id: String, isOperator: Bool) {
        self.id = id
        self.isOperator = isOperator
    }
}

/// Everything a decision may look at beside the state and the input; recorded with the decision.
package struct PaymentContext: Hashable, Sendable {
    package let now: Timestamp
    /// Id of the input: names of new things derive from it.
    package let input: Uuid
    package let actor: Actor
    package let account: AccountFacts
    package let capabilities: Capabilities
    package let adapterVersion: Int
    /// How a payment of these terms begins at the account.
    package let opening: Opening
    /// How the account of a new payment was chosen, where rules chose it.
    package let route: RouteDecision?
    /// Facts about other accounts, where the payment may go on to one of them.
    package let fallbackRoutes: FallbackRoutes?
    /// The newest recovery epoch.
    package let epoch: RecoveryEpoch?
    /// Whether the credential that the payment names was removed.
    package let isInstrumentRemoved: Bool

    package init(
        now: Timestamp,
        input: Uuid,
        actor: Actor,
        account: AccountFacts,
        capabilities: Capabilities,
        adapterVersion: Int,
        opening: Opening = .handover,
        route: RouteDecision? = nil,
        fallbackRoutes: FallbackRoutes? = nil,
        epoch: RecoveryEpoch? = nil,
        isInstrumentRemoved: Bool = false
    ) {
        self.now = now
        self.input = input
        self.actor = actor
        self.account = account
        self.capabilities = capabilities
        self.adapterVersion = adapterVersion
        self.opening = opening
        self.route = route
        self.fallbackRoutes = fallbackRoutes
        self.epoch = epoch
        self.isInstrumentRemoved = isInstrumentRemoved
    }
}

/// The accounts that a payment may go on to, as a decision sees them.
package struct FallbackRoutes: Hashable, Sendable {
    package let routing: Routing
    package let accounts: [Uuid: RouteAccount]
    /// How the payment would begin at each.
    package let openings: [Uuid: Opening]
    /// Accounts whose adapter does not take the payment's terms.
    package let refusals: Set<Uuid>

    package init(
        routing: Routing,
        accounts: [Uuid: RouteAccount],
        openings: [Uuid: Opening],
        refusals: Set<Uuid>
    ) {
        self.routing = routing
        self.accounts = accounts
        self.openings = openings
        self.refusals = refusals
    }
}

/// How a payment begins at a provider.
package enum Opening: String, Hashable, Sendable, CaseIterable {
    /// We make the address or SDK object ourselves; nothing is sent.
    case handover
    /// A message of ours opens an order, or charges a saved instrument; it is the initial operation's own message.
    case request
}

/// A decision: events to append, and messages to plan, license and append after them.
package struct PaymentDecision: Hashable, Sendable {
    package var events: [PaymentEvent]
    package var dispatches: [DispatchRequest]
    /// The plans that will follow once a question is answered: a plan that fails refuses the command at once.
    package var rehearsals: [PlannedDispatch] = []

    package init(events: [PaymentEvent] = [], dispatches: [DispatchRequest] = []) {
        self.events = events
        self.dispatches = dispatches
    }
}

/// A message that the aggregate wants; its template is planned outside, its licence is appended with the decision.
package struct DispatchRequest: Hashable, Sendable {
    package let effect: EffectId
    package let planned: PlannedDispatch
    /// Number of the attempt, whose account sends it.
    package let attempt: Int
    package let operation: OperationId?
    package let ordinal: Int32
    package let ground: DispatchLicense.Ground
    package let notBefore: Timestamp
    package let sendBefore: Timestamp

    package init(
        effect: EffectId,
        planned: PlannedDispatch,
        attempt: Int,
        operation: OperationId?,
        ordinal: Int32,
        ground: DispatchLicense.Ground,
        notBefore: Timestamp,
        sendBefore: Timestamp
    ) {
        self.effect = effect
        self.planned = planned
        self.attempt = attempt
        self.operation = operation
        self.ordinal = ordinal
        self.ground = ground
        self.notBefore = notBefore
        self.sendBefore = sendBefore
    }
}
