package import EventSourcing
package import Kernel

/// A fact about a payment.
///
/// The cases are the storage format: see `PaymentEvent+Codec` and the golden files.
package enum PaymentEvent: StoredEvent, Hashable {
    case created(PaymentTerms, account: AccountFacts)
    /// The account was chosen by rules: at the creation, or for another attempt; one without a chosen account ends the search.
    case routed(RouteDecision)
    /// The payer may be led to the provider under this reference until the deadline.
    case attemptOpened(number: Int, reference: String, deadline: Timestamp)
    case dispatchLicensed(DispatchLicense)
    case dispatchObserved(EffectId, ordinal: Int32, DispatchOutcome, at: Timestamp)
    case dispatchRevoked(EffectId, ordinal: Int32, reason: String)
    case operationRequested(OperationRequest)
    /// An operation that nobody here asked for was seen at the provider.
    case operationAdopted(OperationRequest)
    /// Something was seen of a provider operation that adds to what was known.
    case operationReported(OperationId, ProviderOperation, at: Timestamp)
    case operationEnded(OperationId, OperationEnding)
    /// The provider told a running total that adds to what was known.
    case totalReported(ToldTotal, at: Timestamp)
    case attemptReported(AttemptFact, at: Timestamp)
    /// The provider opened its order for the attempt.
    case orderOpened(ProviderOrder)
    case attemptClosed(AttemptEnding, by: AttemptCloser)
    case cancelRequested(actor: String)
    case expiryReached(at: Timestamp)
    /// The hold's lifetime ended and nobody saw what the provider did with it.
    case holdExpired(Money, at: Timestamp)
    case claimRecorded(meaning: String, code: String, concern: ClaimConcern? = nil, at: Timestamp)
    case contradictionFound(Contradiction)
    case lateSuccess(OperationId)
    case overReturned(Money)
    case instrumentSaved(InstrumentId, InstrumentFact)
    /// The provider or the payer gave a saved credential up.
    case instrumentReported(InstrumentId, InstrumentCommand.Report)
    /// The provider told something for people and their books, or an app claims that it was told.
    case receiptReported(Receipt, isClaimed: Bool)
    case methodReported(String, scheme: String? = nil)
    case seriesReported(SeriesFact)
    /// The provider debited the series that this payment registered; the money is none of this payment's.
    case seriesDebitReported(SeriesDebit, at: Timestamp)
    /// What an attempt's provider keeps, or took of the payer: of the newest attempt then, where none is named.
    case feeReported(Money, attempt: Int? = nil)
    case commissionReported(Money, attempt: Int? = nil)
    case unrecognisedReported(what: String, value: String)
    /// Somebody wants the provider to do something that moves no money.
    case auxiliaryRequested(AuxiliaryRequestFact)
    case disputeRecorded(Dispute)
    case evidenceAdded(AddedEvidence)
    case resolutionProposed(Resolution)
    case resolutionApproved(proposal: Uuid, by: String)
    /// The log may lack what happened to this payment before the epoch began: the provider is asked before anything is sent.
    case recoveryBegan(RecoveryEpoch)
}

/// Who closed an attempt.
package enum AttemptCloser: String, Hashable, Sendable, CaseIterable {
    case provider
    /// A query after the proof time found nothing.
    case absence
    case operatorDecision
}

/// An operation as it enters the stream.
package struct OperationRequest: Hashable, Sendable {
    package let id: OperationId
    package let kind: OperationKind
    package let amount: Money?
    package let target: OperationId?
    package let reference: String
    package let actor: String
    package let reason: String?
    package let at: Timestamp
    /// Details in the command for the adapter alone, as the positions of a partial capture.
    package let details: Json?
    /// The earlier attempt that it belongs to; `nil` for the attempt that was the newest when it entered.
    package let attempt: Int?
    /// Whether an operator asked while evidence froze the payment: it doesn't hold up a refund that knew of it.
    package let byOperator: Bool

    package init(
        id: OperationId,
        kind: OperationKind,
        amount: Money?,
        target: OperationId?,
        reference: String,
        actor: String,
        reason: String?,
        at: Timestamp,
        details: Json? = nil,
        attempt: Int? = nil,
        byOperator: Bool = false
    ) {
        self.id = id
        self.kind = kind
        self.amount = amount
        self.target = target
        self.reference = reference
        self.actor = actor
        self.reason = reason
        self.at = at
        self.details = details
        self.attempt = attempt
        self.byOperator = byOperator
    }
}

/// Money that the payer's bank takes back until it is decided who is right.
package struct Dispute: Hashable, Sendable {
    package enum Stage: String, Hashable, Sendable, CaseIterable {
        case opened, won, lost
    }

    package let id: DisputeId
    /// The capture or sale in question.
    package let capture: OperationId
    package let amount: Money
    package let stage: Stage
    package let reason: String?
    package let at: Timestamp
    /// Until when the merchant's answer has to be with the provider or the bank; `nil` where nobody said.
    package let answerBy: Timestamp?

    package init(
        id: DisputeId,
        capture: OperationId,
        amount: Money,
        stage: Stage,
        reason: String?,
        at: Timestamp,
        answerBy: Timestamp? = nil
    ) {
        self.id = id
        self.capture = capture
        self.amount = amount
        self.stage = stage
        self.reason = reason
        self.at = at
        self.answerBy = answerBy
    }
}

/// A finding of a person beside the log.
package struct AddedEvidence: Hashable, Sendable {
    package let text: String
    package let by: String
    package let at: Timestamp

    package init(text: String, by: String, at: Timestamp) {
        self.text = text
        self.by = by
        self.at = at
    }
}

/// An operator's proposal for something that evidence has not cleared up; another person approves it.
package struct Resolution: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        /// The operation happened, with this amount.
        case succeeded(OperationId, Money)
        /// The operation did not happen.
        case failed(OperationId)
        /// The operation may be sent once more.
        case sendAgain(OperationId)
        /// The contradiction or late success was dealt with; new licences are possible again.
        case acknowledged
        /// The attempt can no longer be paid.
        case attemptDead
    }

    package let id: Uuid
    package let verdict: Verdict
    package let evidence: String
    package let by: String
    /// Version of the stream that the person saw; newer evidence makes the proposal stale.
    package let seenVersion: Int32

    package init(id: Uuid, verdict: Verdict, evidence: String, by: String, seenVersion: Int32) {
        self.id = id
        self.verdict = verdict
        self.evidence = evidence
        self.by = by
        self.seenVersion = seenVersion
    }
}
