package import Kernel
package import Payments

/// Something that was learned about the outside, as it was stored.
package enum Observation: Hashable, Sendable {
    /// The answer to a dispatch of ours.
    case answered(DispatchPurpose, status: Int, headers: [String: String], body: [UInt8])
    /// Nothing left the process.
    case notSent(DispatchPurpose, reason: String)
    /// Bytes left and nothing usable came back.
    case sentNoAnswer(DispatchPurpose, reason: String)
    /// A notification that was authenticated; the body is the stored one, personal fields sealed.
    case notification(body: [UInt8])
}

/// The circumstances that `interpret` may look at beside the observation.
package struct InterpretContext: Hashable, Sendable {
    package let settings: AccountSettings
    /// Our reference of the payment at the provider; a message about another one is a contradiction.
    package let paymentReference: String
    package let terms: PaymentTerms
    /// Whether the payment was given to a form or SDK, or may have been: an unknown reference is then no failure, and a
    /// refused try no end.
    package let isHandover: Bool
    /// The order that the provider opened for the attempt.
    package let order: ProviderOrder?
    /// The operations seen at the provider before, for words that mean something else after a hold or a capture.
    package let known: [ProviderOperation]
    /// Whether somebody here asked for the payment, or its hold, to be given up.
    package let isCancelRequested: Bool
    /// The payment's operations, for providers that tell running totals instead of operations.
    package let operations: [KnownOperation]

    package init(
        settings: AccountSettings,
        paymentReference: String,
        terms: PaymentTerms,
        isHandover: Bool,
        order: ProviderOrder? = nil,
        known: [ProviderOperation] = [],
        isCancelRequested: Bool = false,
        operations: [KnownOperation] = []
    ) {
        self.settings = settings
        self.paymentReference = paymentReference
        self.terms = terms
        self.isHandover = isHandover
        self.order = order
        self.known = known
        self.isCancelRequested = isCancelRequested
        self.operations = operations
    }
}

/// One operation of a payment as it is known before an observation.
package struct KnownOperation: Hashable, Sendable {
    package let kind: OperationKind
    /// Our reference of it at the provider.
    package let reference: String
    /// The amount that was asked for; `nil` where nobody here asked.
    package let requested: Money?
    /// Asked for, possibly sent, and not ended yet.
    package let isAwaited: Bool
    /// The amount that it moved so far, by evidence.
    package let moved: Money?
    /// The answer to its message was lost, and none is on its way.
    package let isAnswerLost: Bool

    package init(
        kind: OperationKind,
        reference: String,
        requested: Money?,
        isAwaited: Bool,
        moved: Money?,
        isAnswerLost: Bool = false
    ) {
        self.kind = kind
        self.reference = reference
        self.requested = requested
        self.isAwaited = isAwaited
        self.moved = moved
        self.isAnswerLost = isAnswerLost
    }
}

/// The verdict on the bytes of a notification.
package enum Authentication: Hashable, Sendable {
    /// The provider's own, to be stored and interpreted.
    case verified(VerifiedNotification)
    /// Not the provider's, or broken: kept in quarantine for a while, outside the log.
    case rejected(reason: String)
    /// The provider does not sign this one: a hint that triggers a query.
    case unsigned(VerifiedNotification)
    /// Unsigned and well-formed, and of a kind that no document names: acknowledged, alerted and kept in quarantine.
    case unrecognised(what: String)
}

/// The proof of a notification before it is stored: one delivery, authenticated as a whole, and the events in it.
package struct VerifiedNotification: Hashable, Sendable {
    /// Which of our keys verified it.
    package let keyId: String
    /// In the order of the delivery; each becomes an input of its own.
    package let events: [NotifiedEvent]

    package init(keyId: String, events: [NotifiedEvent]) {
        self.keyId = keyId
        self.events = events
    }

    /// A delivery of one event.
    package init(
        deliveryId: String? = nil,
        keyId: String,
        references: [(kind: String, value: String)],
        content: Json? = nil,
        credential: CredentialNews? = nil
    ) {
        let event = NotifiedEvent(
            deliveryId: deliveryId,
            references: references,
            content: content,
            credential: credential
        )
        self.init(keyId: keyId, events: [event])
    }
}

/// One event of a delivery: routed, deduplicated, stored and interpreted alone.
package struct NotifiedEvent: Hashable, Sendable {
    /// The provider's own id of the event, under which it delivers the event again; `nil` where it gives none: then nothing is
    /// taken for a repetition, for equal words may be news.
    package let deliveryId: String?
    /// References that lead to a stream, the surest first: (kind, value), as `("payment", "…")`.
    package let references: [(kind: String, value: String)]
    /// The part that is stored and interpreted in place of the whole body, as JSON.
    package let content: Json?
    /// The news that it brings of a saved credential.
    package let credential: CredentialNews?

    package init(
        deliveryId: String?,
        references: [(kind: String, value: String)],
        content: Json? = nil,
        credential: CredentialNews? = nil
    ) {
        self.deliveryId = deliveryId
        self.references = references
        self.content = content
        self.credential = credential
    }

    package static func == (left: NotifiedEvent, right: NotifiedEvent) -> Bool {
        left.deliveryId == right.deliveryId && left.references.map(\.kind) == right.references.map(\.kind)
            && left.references.map(\.value) == right.references.map(\.value) && left.content == right.content
            && left.credential == right.credential
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(deliveryId) }
}

/// News of a saved credential, by the provider's own name of it, which is in memory alone.
package struct CredentialNews: Hashable, Sendable {
    package let token: Secret
    /// The payer's name that the credential was saved under.
    package let customer: String?
    package let report: InstrumentCommand.Report

    package init(token: Secret, customer: String?, report: InstrumentCommand.Report) {
        self.token = token
        self.customer = customer
        self.report = report
    }
}

/// The fate of a notification, for the answer.
package enum NotificationVerdict: Hashable, Sendable {
    /// Stored durably, also where nobody knows the payment.
    case stored
    case rejected(reason: String)
    /// It could not be stored now: the provider should repeat it.
    case unavailable
}
