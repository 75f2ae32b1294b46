package import Kernel

/// How far an observation can be trusted.
package enum Trust: String, Hashable, Sendable {
    /// Signed by the provider, or its answer to our own request over an authenticated connection.
    case verified
    /// A browser return, an app's claim, an unsigned notification: it triggers a query and decides nothing.
    case hint
}

/// Where one provider operation stands.
package enum ProviderOutcome: Hashable, Sendable {
    /// The payer is asked for something.
    case waiting(PayerAction)
    case processing
    /// The provider does not know or does not say: neither success nor failure.
    case ambiguous
    case succeeded
    case declined(Decline)
    /// The provider closed it unpaid.
    case expired

    package var isFinal: Bool {
        switch self {
        case .succeeded, .declined, .expired: true
        case .waiting, .processing, .ambiguous: false
        }
    }
}

/// One operation at the provider, as an observation tells of it.
package struct ProviderOperation: Hashable, Sendable {
    /// The provider's id, unique inside the payment; transactions with the same id are merged.
    package private(set) var providerId: String
    package let kind: OperationKind
    package let outcome: ProviderOutcome
    /// The amount in the field that the adapter declares as the echo.
    package let amount: EvidenceAmount
    /// A reference of ours that the provider echoes for this operation, as ecommpay's `merchant_refund_id`.
    package private(set) var ourReference: String?
    package let createdAt: Timestamp?
    /// When the provider changed it last; orders transactions that are not final.
    package let changedAt: Timestamp?
    /// When the question or request that was answered with it could leave; orders transactions that are final.
    package private(set) var askedAt: Timestamp?

    package init(
        providerId: String,
        kind: OperationKind,
        outcome: ProviderOutcome,
        amount: EvidenceAmount,
        ourReference: String? = nil,
        createdAt: Timestamp? = nil,
        changedAt: Timestamp? = nil,
        askedAt: Timestamp? = nil
    ) {
        self.providerId = providerId
        self.kind = kind
        self.outcome = outcome
        self.amount = amount
        self.ourReference = ourReference
        self.createdAt = createdAt
        self.changedAt = changedAt
        self.askedAt = askedAt
    }

    package func named(_ name: String) -> ProviderOperation {
        var copy = self
        copy.providerId = name
        return copy
    }

    func asked(at time: Timestamp?) -> ProviderOperation {
        var copy = self
        copy.askedAt = time
        return copy
    }

    func about(_ reference: String) -> ProviderOperation {
        var copy = self
        copy.ourReference = reference
        return copy
    }
}

/// A word about the attempt as a whole.
package enum AttemptFact: Hashable, Sendable {
    /// The provider does not know our reference (yet).
    case notRegistered
    /// A word for the payment that came without a usable operation.
    case reading(AttemptReading)
    /// The provider will accept no further try under this reference: declined for good, expired, cancelled.
    case closed(AttemptEnding)
}

/// The provider's word for a payment, where no operation says more.
///
/// Words come in any order, so an attempt keeps the furthest one: each case goes only to those named.
package enum AttemptReading: Hashable, Sendable {
    /// Goes to `moneyWithoutOperation`, or to another action of the payer: fewer tries left are further.
    case waiting(PayerAction)
    /// Goes to `waiting` and `moneyWithoutOperation`.
    case processing
    /// Goes to `processing`, `waiting` and `moneyWithoutOperation`.
    case ambiguous
    /// The furthest: goes to another word of its kind at most.
    ///
    /// A money word (`success`, `awaiting capture`, `refunded` …) without an operation, or an operation that can't be read:
    /// books nothing, asks for a query; a look that says so could not tell.
    case moneyWithoutOperation(String)
}

/// How an attempt ended at the provider.
///
/// An attempt keeps every ending that was seen, and the strongest counts: each case gives way only to those named.
package enum AttemptEnding: Hashable, Sendable {
    /// The strongest: gives way to another refusal at most.
    case declined(Decline)
    /// The weakest: gives way to `cancelled` and `declined`.
    case expired
    /// Gives way to `declined`.
    case cancelled
}

/// The outcome of one request of ours, apart from what it says about money.
///
/// A message has none while it is under way, and gets each of them from there.
package enum DispatchOutcome: Hashable, Sendable {
    /// Nothing left the process.
    ///
    /// Goes to a definitive answer if one comes all the same, never to `unknown`.
    case notSent(reason: String)
    /// It may have been executed: no answer, or one that says nothing.
    ///
    /// Goes to a definitive answer if one comes late, never to `notSent`.
    case unknown(reason: String)
    /// Taken for execution; the outcome comes later, as evidence about the operation. Definitive.
    case accepted
    /// A definitive answer that this message did nothing; of earlier ones under the same key it proves nothing.
    case notExecuted(Decline)
    /// The same of a capture, void or refund: it counts once a look has shown how the money stands. Definitive.
    ///
    /// The aggregate makes it of `notExecuted`.
    case refused(Decline)
    /// Our id is known already: the earlier request decides. Definitive.
    case duplicate(code: String)
    /// A question that was answered. Definitive.
    case answered
}

/// A credential that the provider offers to keep.
package struct InstrumentFact: Hashable, Sendable {
    /// The provider's token, sealed.
    package let token: Json
    /// A keyed digest of the token: equal tokens, equal digests.
    package let fingerprint: String
    /// As in `431422******0056`.
    package let masked: String?
    /// As in `visa`.
    package let scheme: String?
    package let expiryYear: Int?
    package let expiryMonth: Int?
    /// The mandate that its payer gave; `nil` where nothing was agreed or the message does not say.
    package let mandate: Mandate?
    /// How the card's network names the payment at which its payer agreed to later charges.
    package let networkReference: String?
    /// The user's own login, sealed, where the token stands for a password.
    package let login: Json?

    /// A payer's consent to later charges.
    package struct Mandate: Hashable, Sendable {
        /// From then on nothing may be charged; `nil` where it does not end.
        package let endsAt: Timestamp?
        /// Calendar days between two charges at the least: the next one may come on the day so many days later.
        package let days: Int64
        /// How far the provider's days are ahead of those in UTC.
        package let zoneHours: Int64

        package init(endsAt: Timestamp?, days: Int64, zoneHours: Int64 = 0) {
            self.endsAt = endsAt
            self.days = days
            self.zoneHours = zoneHours
        }

        /// The first moment of a day in the provider's zone.
        func begin(ofDay day: Int64) -> Timestamp { Timestamp(seconds: day * 86_400 - zoneHours * 3600) }

        /// The day of a moment in the provider's zone, counted from 1970.
        func day(of moment: Timestamp) -> Int64 {
            (moment.seconds + zoneHours * 3600).floorDivided(by: 86_400).quotient
        }
    }

    package init(
        token: Json,
        fingerprint: String,
        masked: String?,
        scheme: String?,
        expiryYear: Int?,
        expiryMonth: Int?,
        mandate: Mandate? = nil,
        networkReference: String? = nil,
        login: Json? = nil
    ) {
        self.token = token
        self.fingerprint = fingerprint
        self.masked = masked
        self.scheme = scheme
        self.expiryYear = expiryYear
        self.expiryMonth = expiryMonth
        self.mandate = mandate
        self.networkReference = networkReference
        self.login = login
    }
}

/// The order that a provider opened for an attempt; later messages name it by its id.
package struct ProviderOrder: Hashable, Sendable {
    /// The provider's id, as SberPay's `orderId`.
    package let id: String
    /// Values of the provider's answer that the payer's device needs, by names that the adapter chose.
    ///
    /// Addresses and session values stand sealed, as they were stored.
    package let handover: Json

    package init(id: String, handover: Json = [:]) {
        self.id = id
        self.handover = handover
    }

    /// Whether a part of the answer was left out when it was kept: there was no key for the payer's values.
    package var isCut: Bool { handover.members?.members.contains { $0.value.isNull } == true }

    /// Whether the payer's device gets nothing that it could go on with.
    package var isWithoutHandover: Bool { handover.members?.isEmpty != false || isCut }
}

/// A provider's word on a dispute about a payment.
package struct DisputeFact: Hashable, Sendable {
    /// The provider's id of the dispute; `nil` where it only flags the charge.
    package let providerId: String?
    /// The provider's id of the charge in question; `nil` where it names none.
    package let charge: String?
    /// Where the message is declared never to state it, all of the charge.
    package let amount: EvidenceAmount
    package let stage: Dispute.Stage
    package let reason: String?

    package init(
        providerId: String?,
        charge: String?,
        amount: EvidenceAmount,
        stage: Dispute.Stage,
        reason: String? = nil
    ) {
        self.providerId = providerId
        self.charge = charge
        self.amount = amount
        self.stage = stage
        self.reason = reason
    }
}

/// News of a credential that was saved before, by its fingerprint.
package struct InstrumentNews: Hashable, Sendable {
    package let fingerprint: String
    package let report: InstrumentCommand.Report

    package init(fingerprint: String, report: InstrumentCommand.Report) {
        self.fingerprint = fingerprint
        self.report = report
    }
}

/// One thing that an adapter reads out of an observation, in normalized terms.
package enum Fact: Hashable, Sendable {
    case operation(ProviderOperation)
    /// A list or a running total of operations of one kind.
    case statement(Statement)
    /// The message shows every operation of these kinds: what it does not show is not there any more.
    case complete(Set<OperationKind>)
    case attempt(AttemptFact)
    case order(ProviderOrder)
    case dispatch(DispatchOutcome)
    case instrument(InstrumentFact)
    /// A credential that the provider or the payer gave up.
    case instrumentNews(InstrumentNews)
    case receipt(Receipt)
    case dispute(DisputeFact)
    /// The provider's name of the method that the payer chose, as later requests need it, and the card's scheme where it is told.
    case method(String, scheme: String? = nil)
    /// A series of debits that the payment registered, as the provider keeps it.
    case series(SeriesFact)
    /// The provider debited that series by itself.
    case seriesDebit(SeriesDebit)
    /// The money that the provider keeps, in total for the payment.
    case fee(Money)
    /// The money that the payer paid on top, in total for the payment.
    case commission(Money)
    /// The message is about another project, amount or payment than ours.
    case contradiction(ContradictionKind, detail: String)
    /// The message, however well proved, says too little: how the payment stands must be asked.
    case question
    /// The provider answers every message under a key as it answered the first: a refusal here holds for all of them.
    ///
    /// It counts where the account's adapter declares answers of this name (`Capabilities.firstAnswers`).
    case firstAnswer(String)
    /// A status, code or type that no table knows: kept raw and alerted.
    case unrecognised(what: String, value: String)
}

/// Which two claims can't both be true.
package enum ContradictionKind: String, Hashable, Sendable, CaseIterable {
    case amount, currency, identity, outcome
    /// More was taken or given back than was held or asked for.
    case excess
    /// The provider undid, or took, what nobody asked it to.
    case unasked
    /// The provider no longer shows what it had shown.
    case vanished
    /// Money is told, look after look, and no operation that explains it.
    case moneyWithoutOperation = "money_without_operation"
}
