package import EventSourcing
package import Kernel

/// The stored names of payment events; a changed shape gets a new version beside the old one, never in its place.
package enum PaymentEventName: String, CaseIterable, Sendable {
    case created = "payment.created.v1"
    case routed = "payment.routed.v1"
    case attemptOpened = "attempt.opened.v1"
    case dispatchLicensed = "dispatch.licensed.v1"
    case dispatchObserved = "dispatch.observed.v1"
    case dispatchRevoked = "dispatch.revoked.v1"
    case operationRequested = "operation.requested.v1"
    case operationAdopted = "operation.adopted.v1"
    case operationReported = "operation.reported.v1"
    case operationEnded = "operation.ended.v1"
    case totalReported = "operation.total_reported.v1"
    case attemptReported = "attempt.reported.v1"
    case attemptClosed = "attempt.closed.v1"
    case orderOpened = "attempt.order_opened.v1"
    case cancelRequested = "payment.cancel_requested.v1"
    case expiryReached = "payment.expiry_reached.v1"
    case holdExpired = "payment.hold_expired.v1"
    case claimRecorded = "payment.claim_recorded.v1"
    case contradictionFound = "payment.contradiction_found.v1"
    case lateSuccess = "payment.late_success.v1"
    case overReturned = "payment.over_returned.v1"
    case instrumentSaved = "payment.instrument_saved.v1"
    case instrumentReported = "payment.instrument_reported.v1"
    case receiptReported = "payment.receipt_reported.v1"
    case methodReported = "payment.method_reported.v1"
    case seriesReported = "payment.series_reported.v1"
    case seriesDebitReported = "payment.series_debit_reported.v1"
    case feeReported = "payment.fee_reported.v1"
    case commissionReported = "payment.commission_reported.v1"
    case unrecognisedReported = "payment.unrecognised_reported.v1"
    case auxiliaryRequested = "payment.errand_requested.v1"
    case disputeRecorded = "dispute.recorded.v1"
    case evidenceAdded = "evidence.added.v1"
    case resolutionProposed = "resolution.proposed.v1"
    case resolutionApproved = "resolution.approved.v1"
    case recoveryBegan = "payment.recovery_began.v1"
}

extension PaymentEvent {
    package var name: PaymentEventName {
        switch self {
        case .created: .created
        case .routed: .routed
        case .attemptOpened: .attemptOpened
        case .dispatchLicensed: .dispatchLicensed
        case .dispatchObserved: .dispatchObserved
        case .dispatchRevoked: .dispatchRevoked
        case .operationRequested: .operationRequested
        case .operationAdopted: .operationAdopted
        case .operationReported: .operationReported
        case .operationEnded: .operationEnded
        case .totalReported: .totalReported
        case .attemptReported: .attemptReported
        case .orderOpened: .orderOpened
        case .attemptClosed: .attemptClosed
        case .cancelRequested: .cancelRequested
        case .expiryReached: .expiryReached
        case .holdExpired: .holdExpired
        case .claimRecorded: .claimRecorded
        case .contradictionFound: .contradictionFound
        case .lateSuccess: .lateSuccess
        case .overReturned: .overReturned
        case .instrumentSaved: .instrumentSaved
        case .instrumentReported: .instrumentReported
        case .receiptReported: .receiptReported
        case .methodReported: .methodReported
        case .seriesReported: .seriesReported
        case .seriesDebitReported: .seriesDebitReported
        case .feeReported: .feeReported
        case .commissionReported: .commissionReported
        case .unrecognisedReported: .unrecognisedReported
        case .auxiliaryRequested: .auxiliaryRequested
        case .disputeRecorded: .disputeRecorded
        case .evidenceAdded: .evidenceAdded
        case .resolutionProposed: .resolutionProposed
        case .resolutionApproved: .resolutionApproved
        case .recoveryBegan: .recoveryBegan
        }
    }

    /// The payload as it is stored.
    package func write(into out: inout JsonText) {
        switch self {
        case .created(let terms, let account):
            out.member("account", account)
            out.member("terms", terms)
        case .routed(let decision): decision.write(into: &out)
        case .attemptOpened(let number, let reference, let deadline):
            out.member("deadline", deadline)
            out.member("number", number)
            out.member("reference", reference)
        case .dispatchLicensed(let license): license.write(into: &out)
        case .dispatchObserved(let effect, let ordinal, let outcome, let at):
            out.member("at", at)
            out.member("effect", effect)
            out.member("ordinal", ordinal)
            out.member("outcome", outcome)
        case .dispatchRevoked(let effect, let ordinal, let reason):
            out.member("effect", effect)
            out.member("ordinal", ordinal)
            out.member("reason", reason)
        case .operationRequested(let request), .operationAdopted(let request): request.write(into: &out)
        case .operationReported(let id, let sighted, let at):
            out.member("at", at)
            out.member("operation", id)
            out.member("sighted", sighted)
        case .operationEnded(let id, let ending):
            out.member("ending", ending)
            out.member("operation", id)
        case .totalReported(let told, let at):
            out.member("at", at)
            out.member("told", told)
        case .attemptReported(let fact, let at):
            out.member("at", at)
            out.member("fact", fact)
        case .orderOpened(let order):
            out.member("handover", order.handover)
            out.member("id", order.id)
        case .attemptClosed(let ending, let closer):
            out.member("by", closer)
            out.member("ending", ending)
        case .cancelRequested(let actor): out.member("actor", actor)
        case .expiryReached(let at): out.member("at", at)
        case .holdExpired(let amount, let at):
            out.member("amount", amount)
            out.member("at", at)
        case .claimRecorded, .contradictionFound, .lateSuccess, .overReturned, .feeReported, .commissionReported,
            .instrumentSaved, .instrumentReported, .receiptReported, .methodReported, .seriesReported,
            .seriesDebitReported, .unrecognisedReported, .auxiliaryRequested, .disputeRecorded, .evidenceAdded,
            .resolutionProposed, .resolutionApproved, .recoveryBegan:
            writeNote(into: &out)
        }
    }

    private func writeNote(into out: inout JsonText) {
        switch self {
        case .claimRecorded(let meaning, let code, let concern, let at):
            out.member("at", at)
            out.member("code", code)
            out.member("concern", concern)
            out.member("meaning", meaning)
        case .contradictionFound(let found):
            out.member("basis", found.basis)
            out.member("detail", found.detail)
            out.member("kind", found.kind)
        case .lateSuccess(let operation): out.member("operation", operation)
        case .overReturned(let amount): out.member("amount", amount)
        case .feeReported(let amount, let attempt), .commissionReported(let amount, let attempt):
            out.member("amount", amount)
            out.member("attempt", attempt)
        case .instrumentSaved(let id, let fact):
            out.member("fact", fact)
            out.member("instrument", id)
        case .instrumentReported(let id, let report):
            out.member("instrument", id)
            out.member("report", report)
        case .receiptReported(let receipt, let isClaimed):
            out.member("claimed", isClaimed)
            out.member("receipt", receipt.json)
        case .methodReported(let method, let scheme):
            out.member("method", method)
            out.member("scheme", scheme)
        case .seriesReported(let series): series.write(into: &out)
        case .seriesDebitReported(let debit, let at):
            out.member("at", at)
            out.member("debit", debit)
        case .unrecognisedReported(let what, let value):
            out.member("value", value)
            out.member("what", what)
        case .auxiliaryRequested(let request): request.write(into: &out)
        case .disputeRecorded(let dispute): dispute.write(into: &out)
        case .evidenceAdded(let added):
            out.member("at", added.at)
            out.member("by", added.by)
            out.member("text", added.text)
        case .resolutionProposed(let resolution): resolution.write(into: &out)
        case .resolutionApproved(let proposal, let by):
            out.member("by", by)
            out.member("proposal", proposal)
        case .recoveryBegan(let epoch): epoch.write(into: &out)
        default: preconditionFailure("written before")
        }
    }

    /// Reads the payload of a stored event.
    package init(_ name: PaymentEventName, _ fields: Fields) throws(CodecFailure) {
        self = try Self.read(name, fields)
    }

    private static func read(_ name: PaymentEventName, _ fields: Fields) throws(CodecFailure) -> PaymentEvent {
        switch name {
        case .created:
            .created(try PaymentTerms(fields.fields("terms")), account: try AccountFacts(fields.fields("account")))
        case .routed: .routed(try RouteDecision(fields))
        case .attemptOpened:
            .attemptOpened(
                number: try fields.int("number"),
                reference: try fields.text("reference"),
                deadline: try fields.time("deadline")
            )
        case .dispatchLicensed: .dispatchLicensed(try DispatchLicense(fields))
        case .dispatchObserved:
            .dispatchObserved(
                try fields.id("effect"),
                ordinal: try fields.int32("ordinal"),
                try DispatchOutcome(fields.fields("outcome")),
                at: try fields.time("at")
            )
        case .dispatchRevoked:
            .dispatchRevoked(
                try fields.id("effect"),
                ordinal: try fields.int32("ordinal"),
                reason: try fields.text("reason")
            )
        case .operationRequested: .operationRequested(try OperationRequest(fields))
        case .operationAdopted: .operationAdopted(try OperationRequest(fields))
        case .operationReported:
            .operationReported(
                try fields.id("operation"),
                try ProviderOperation(fields.fields("sighted")),
                at: try fields.time("at")
            )
        case .operationEnded: .operationEnded(try fields.id("operation"), try OperationEnding(fields.fields("ending")))
        case .totalReported: .totalReported(try ToldTotal(fields.fields("told")), at: try fields.time("at"))
        case .attemptReported: .attemptReported(try AttemptFact(fields.fields("fact")), at: try fields.time("at"))
        case .attemptClosed: .attemptClosed(try AttemptEnding(fields.fields("ending")), by: try fields.word("by"))
        case .orderOpened:
            .orderOpened(ProviderOrder(id: try fields.text("id"), handover: try fields.value("handover")))
        case .cancelRequested: .cancelRequested(actor: try fields.text("actor"))
        case .expiryReached: .expiryReached(at: try fields.time("at"))
        case .holdExpired: .holdExpired(try fields.money("amount"), at: try fields.time("at"))
        case .claimRecorded, .contradictionFound, .lateSuccess, .overReturned, .instrumentSaved,
            .instrumentReported, .receiptReported, .methodReported, .seriesReported, .seriesDebitReported, .feeReported,
            .commissionReported, .unrecognisedReported, .auxiliaryRequested, .disputeRecorded, .evidenceAdded,
            .resolutionProposed, .resolutionApproved, .recoveryBegan:
            try readNote(name, fields)
        }
    }

    private static func readNote(_ name: PaymentEventName, _ fields: Fields) throws(CodecFailure) -> PaymentEvent {
        switch name {
        case .claimRecorded:
            .claimRecorded(
                meaning: try fields.text("meaning"),
                code: try fields.text("code"),
                concern: try fields.optionalWord("concern"),
                at: try fields.time("at")
            )
        case .contradictionFound:
            .contradictionFound(
                Contradiction(
                    kind: try fields.word("kind"),
                    detail: try fields.text("detail"),
                    basis: try fields.word("basis")
                )
            )
        case .lateSuccess: .lateSuccess(try fields.id("operation"))
        case .overReturned: .overReturned(try fields.money("amount"))
        case .instrumentSaved: .instrumentSaved(try fields.id("instrument"), try InstrumentFact(fields.fields("fact")))
        case .instrumentReported:
            .instrumentReported(try fields.id("instrument"), try InstrumentCommand.Report(fields.fields("report")))
        case .receiptReported:
            .receiptReported(try Receipt(fields.fields("receipt")), isClaimed: try fields.flag("claimed"))
        case .methodReported:
            .methodReported(try fields.text("method"), scheme: try fields.optionalText("scheme"))
        case .seriesReported: .seriesReported(try SeriesFact(fields))
        case .seriesDebitReported:
            .seriesDebitReported(try SeriesDebit(fields.fields("debit")), at: try fields.time("at"))
        case .feeReported: .feeReported(try fields.money("amount"), attempt: try fields.optionalInt("attempt"))
        case .commissionReported:
            .commissionReported(try fields.money("amount"), attempt: try fields.optionalInt("attempt"))
        case .unrecognisedReported:
            .unrecognisedReported(what: try fields.text("what"), value: try fields.text("value"))
        case .auxiliaryRequested: .auxiliaryRequested(try AuxiliaryRequestFact(fields))
        case .disputeRecorded: .disputeRecorded(try Dispute(fields))
        case .evidenceAdded:
            .evidenceAdded(
                AddedEvidence(text: try fields.text("text"), by: try fields.text("by"), at: try fields.time("at"))
            )
        case .resolutionProposed: .resolutionProposed(try Resolution(fields))
        case .resolutionApproved:
            .resolutionApproved(proposal: try fields.uuid("proposal"), by: try fields.text("by"))
        case .recoveryBegan: .recoveryBegan(try RecoveryEpoch(fields))
        case .created, .routed, .attemptOpened, .dispatchLicensed, .dispatchObserved, .dispatchRevoked,
            .operationRequested,
            .operationAdopted, .operationReported, .operationEnded, .totalReported, .attemptReported, .attemptClosed,
            .orderOpened, .cancelRequested, .expiryReached, .holdExpired:
            preconditionFailure("read before")
        }
    }
}
