import EventSourcing
import Kernel
import Payments

/// One stored event of each shape: name of the golden file, stored form, and the reader that must give it back.
struct EventSample {
    let name: String
    let draft: EventDraft
    /// Reads the stored form and writes it again.
    let again: @Sendable (EventDraft) throws(CodecFailure) -> EventDraft

    static let all: [EventSample] = payments + small + bills + webhooks + links + merchants

    private static func payment(_ name: String, _ event: PaymentEvent) -> EventSample {
        EventSample(name: name, draft: event.draft) { (draft) throws(CodecFailure) in
            let read = try PaymentEvent(type: draft.type, data: draft.data)
            guard read == event else { throw CodecFailure("value of \(name)") }
            return read.draft
        }
    }

    private static func routing(_ name: String, _ event: RoutingEvent) -> EventSample {
        EventSample(name: name, draft: event.draft) { (draft) throws(CodecFailure) in
            let read = try RoutingEvent(type: draft.type, data: draft.data)
            guard read == event else { throw CodecFailure("value of \(name)") }
            return read.draft
        }
    }

    private static let operation = OperationId(Samples.uuid(0x0F))
    private static let effect = EffectId(Samples.uuid(0x0E))
    private static let dispute = DisputeId(Samples.uuid(0x0D))
    private static let proposal = Samples.uuid(0x0C)
    private static let at = Samples.noon

    private static let payments: [EventSample] =
        beginnings + outcomes(of: "dispatch.observed.v1") + transactions + attempts + endings + notes + resolutions

    private static let beginnings: [EventSample] = [
        payment("payment.created.v1", .created(Samples.terms(.sale), account: Samples.facts)),
        payment("payment.created.v1.occurrence", .created(occurrenceTerms, account: Samples.facts)),
        payment("payment.created.v1.full", .created(fullTerms, account: Samples.facts)),
        payment("payment.created.v1.adopted", .created(adoptedTerms, account: Samples.facts)),
        payment("payment.created.v1.link", .created(linkedTerms, account: Samples.facts)),
        payment("payment.created.v1.link_language", .created(chosenTerms, account: Samples.facts)),
        payment(
            "payment.series_reported.v1",
            .seriesReported(SeriesFact(id: "1640000321", isActive: true, kind: .regular))
        ),
        payment(
            "payment.series_debit_reported.v1",
            .seriesDebitReported(
                SeriesDebit(payment: "s-1", series: "1640000321", amount: .cents(990), outcome: .succeeded, at: at),
                at: at
            )
        ),
        payment(
            "payment.series_debit_reported.v1.declined",
            .seriesDebitReported(
                SeriesDebit(
                    payment: "s-1",
                    series: "1640000321",
                    amount: .cents(990),
                    outcome: .declined(Decline(reason: .insufficientFunds, code: "10105", tableVersion: 1)),
                    at: nil
                ),
                at: at
            )
        ),
        payment("payment.routed.v1", .routed(FallbackStory.first)),
        payment("payment.routed.v1.fallback", .routed(FallbackStory.second)),
        payment(
            "operation.requested.v1.earlier_attempt",
            .operationRequested(request(.refund, .cents(500), target: operation, attempt: 1))
        ),
        payment("attempt.opened.v1", .attemptOpened(number: 1, reference: "abc234", deadline: at)),
        payment("attempt.order_opened.v1", .orderOpened(ProviderOrder(id: "70906e55", handover: ["url": "https://p"]))),
        payment("dispatch.licensed.v1", .dispatchLicensed(license(.operation(.capture), operation))),
        payment("dispatch.licensed.v1.query", .dispatchLicensed(license(.query, nil))),
        payment("dispatch.licensed.v1.handover", .dispatchLicensed(license(.handover, nil))),
        payment("dispatch.revoked.v1", .dispatchRevoked(effect, ordinal: 2, reason: "operation closed")),
        payment("operation.requested.v1", .operationRequested(request(.refund, .cents(500), target: operation))),
        payment("operation.requested.v1.bare", .operationRequested(request(.tokenize, nil, target: nil))),
        payment("operation.adopted.v1", .operationAdopted(request(.capture, .cents(500), target: nil))),
        payment(
            "operation.total_reported.v1",
            .totalReported(
                ToldTotal(kind: .refund, attempt: 1, total: .cents(700), listed: .cents(500), books: true),
                at: at
            )
        ),
    ]

    private static func outcomes(of name: String) -> [EventSample] {
        let outcomes: [(String, DispatchOutcome)] = [
            ("notSent", .notSent(reason: "expired")), ("unknown", .unknown(reason: "timeout")),
            ("accepted", .accepted), ("notExecuted", .notExecuted(Samples.decline)),
            ("refused", .refused(Samples.decline)), ("duplicate", .duplicate(code: "3230")), ("answered", .answered),
        ]
        return outcomes.map { payment("\(name).\($0.0)", .dispatchObserved(effect, ordinal: 1, $0.1, at: at)) }
    }

    private static let transactions: [EventSample] = {
        let actions: [(String, PayerAction)] = [
            ("handover", .handover), ("threeDSecure", .threeDSecure), ("redirect", .redirect),
            ("clarify", .clarify(fields: ["customer_ssn"])),
            ("retryInForm", .retryInForm(attemptsLeft: 4, seconds: 500)),
            ("retryInForm.bare", .retryInForm(attemptsLeft: nil, seconds: nil)), ("customerAction", .customerAction),
            ("approval", .approval),
        ]
        let outcomes: [(String, ProviderOutcome)] =
            actions.map { ("waiting.\($0.0)", .waiting($0.1)) } + [
                ("processing", .processing), ("ambiguous", .ambiguous), ("succeeded", .succeeded),
                ("declined", .declined(Decline(reason: .unknown, code: nil, tableVersion: 1))), ("expired", .expired),
            ]
        let bare = ProviderOperation(providerId: "x", kind: .sale, outcome: .processing, amount: .undeclared)
        return outcomes.map { name, outcome in
            payment(
                "operation.reported.v1.\(name)",
                .operationReported(operation, Samples.seen("50288", .sale, outcome, 1999, reference: "abc234"), at: at)
            )
        } + [payment("operation.reported.v1.bare", .operationReported(operation, bare, at: at))]
    }()

    private static let attempts: [EventSample] = {
        let facts: [(String, AttemptFact)] = [
            ("notRegistered", .notRegistered), ("waiting", .reading(.waiting(.approval))),
            ("processing", .reading(.processing)), ("ambiguous", .reading(.ambiguous)),
            ("moneyWithoutOperation", .reading(.moneyWithoutOperation("success"))),
            ("closed", .closed(.declined(Samples.decline))),
        ]
        return facts.map { payment("attempt.reported.v1.\($0.0)", .attemptReported($0.1, at: at)) } + [
            payment("attempt.closed.v1", .attemptClosed(.expired, by: .absence)),
            payment("attempt.closed.v1.cancelled", .attemptClosed(.cancelled, by: .operatorDecision)),
            payment("attempt.closed.v1.declined", .attemptClosed(.declined(Samples.decline), by: .provider)),
        ]
    }()

    private static let endings: [EventSample] = [
        ("refused", OperationEnding.refused(Samples.decline)), ("notSent", .notSent(reason: "expired")),
        ("absent", .absent), ("bookedByOperator", .bookedByOperator(.cents(500))),
        ("failedByOperator", .failedByOperator("e-mail 7")),
    ]
    .map { payment("operation.ended.v1.\($0.0)", .operationEnded(operation, $0.1)) }

    private static let notes: [EventSample] =
        [
            payment("payment.cancel_requested.v1", .cancelRequested(actor: "key:shop")),
            payment("payment.expiry_reached.v1", .expiryReached(at: at)),
            payment("payment.hold_expired.v1", .holdExpired(.cents(499), at: at)),
            payment("payment.claim_recorded.v1", .claimRecorded(meaning: "success", code: "0", at: at)),
            payment(
                "payment.contradiction_found.v1",
                .contradictionFound(Contradiction(kind: .amount, detail: "operation 50288", basis: .books))
            ),
            payment(
                "payment.claim_recorded.v1.concern",
                .claimRecorded(meaning: "error", code: "event:noPartnerForClient", concern: .configuration, at: at)
            ),
            payment(
                "payment.errand_requested.v1",
                .auxiliaryRequested(
                    AuxiliaryRequestFact(
                        id: EffectId(Samples.uuid(0x0E)),
                        kind: .completeDelivery,
                        actor: "key:shop",
                        details: ["items": []],
                        at: at
                    )
                )
            ),
            payment("payment.late_success.v1", .lateSuccess(operation)),
            payment("payment.over_returned.v1", .overReturned(.cents(1))),
            payment("payment.instrument_saved.v1", .instrumentSaved(InstrumentId(Samples.uuid(0x0B)), instrument)),
            payment(
                "payment.instrument_reported.v1",
                .instrumentReported(InstrumentId(Samples.uuid(0x0B)), .invalid(code: "51"))
            ),
            payment(
                "payment.instrument_reported.v1.removed",
                .instrumentReported(InstrumentId(Samples.uuid(0x0B)), .removedByPayer)
            ),
        ] + receipts + [
            payment("payment.method_reported.v1", .methodReported("card")),
            payment("payment.method_reported.v1.scheme", .methodReported("card", scheme: "visa")),
            payment("payment.fee_reported.v1", .feeReported(.cents(30))),
            payment("payment.fee_reported.v1.attempt", .feeReported(.cents(30), attempt: 1)),
            payment("payment.commission_reported.v1", .commissionReported(.cents(7))),
            payment("payment.unrecognised_reported.v1", .unrecognisedReported(what: "status", value: "new word")),
            payment(
                "dispute.recorded.v1.deadline",
                .disputeRecorded(
                    Dispute(
                        id: dispute,
                        capture: operation,
                        amount: .cents(5),
                        stage: .opened,
                        reason: nil,
                        at: at,
                        answerBy: at.adding(.seconds(604_800))
                    )
                )
            ),
            payment(
                "dispute.recorded.v1",
                .disputeRecorded(
                    Dispute(id: dispute, capture: operation, amount: .cents(5), stage: .opened, reason: "10.4", at: at)
                )
            ),
        ]

    private static let receipts: [EventSample] = [
        (
            "", Receipt("50288", Dictionary(uniqueKeysWithValues: Receipt.Field.allCases.map { ($0, $0.rawValue) })),
            true
        ),
        (".bare", Receipt("50288", [.payee: "Shop"]), false),
    ]
    .compactMap { suffix, receipt, isClaimed in
        receipt.map { payment("payment.receipt_reported.v1\(suffix)", .receiptReported($0, isClaimed: isClaimed)) }
    }

    private static let resolutions: [EventSample] = {
        let verdicts: [(String, Resolution.Verdict)] = [
            ("succeeded", .succeeded(operation, .cents(500))), ("failed", .failed(operation)),
            ("sendAgain", .sendAgain(operation)), ("acknowledged", .acknowledged), ("attemptDead", .attemptDead),
        ]
        return verdicts.map { name, verdict in
            let resolution = Resolution(
                id: proposal,
                verdict: verdict,
                evidence: "e-mail 7",
                by: "alice",
                seenVersion: 12
            )
            return payment("resolution.proposed.v1.\(name)", .resolutionProposed(resolution))
        } + [
            payment("evidence.added.v1", .evidenceAdded(AddedEvidence(text: "statement 27", by: "alice", at: at))),
            payment("resolution.approved.v1", .resolutionApproved(proposal: proposal, by: "bob")),
            payment("payment.recovery_began.v1", .recoveryBegan(RecoveryEpoch(number: 1, begunAt: at))),
        ]
    }()

    private static func license(_ purpose: DispatchPurpose, _ operation: OperationId?) -> DispatchLicense {
        DispatchLicense(
            effect: effect,
            purpose: purpose,
            operation: operation,
            ordinal: 1,
            ground: .first,
            templateDigest: "00ff",
            account: Samples.accountId,
            accountVersion: 3,
            adapterVersion: 1,
            licensedAt: at,
            notBefore: at,
            sendBefore: at.adding(.seconds(600))
        )
    }

    private static func request(
        _ kind: OperationKind,
        _ amount: Money?,
        target: OperationId?,
        attempt: Int? = nil
    ) -> OperationRequest {
        OperationRequest(
            id: operation,
            kind: kind,
            amount: amount,
            target: target,
            reference: "abc234",
            actor: "key:shop",
            reason: target == nil ? nil : "returned goods",
            at: at,
            attempt: attempt
        )
    }

    private static func instrument(_ name: String, _ event: InstrumentEvent) -> EventSample {
        EventSample(name: name, draft: event.draft) { (draft) throws(CodecFailure) in
            let read = try InstrumentEvent(type: draft.type, data: draft.data)
            guard read == event else { throw CodecFailure("value of \(name)") }
            return read.draft
        }
    }

    private static let removal = MessageLicense(
        effect: effect,
        ordinal: 1,
        templateDigest: "00",
        account: Samples.accountId,
        accountVersion: 2,
        adapterVersion: 1,
        licensedAt: at,
        sendBefore: at
    )

    private static let small: [EventSample] = [
        EventSample(
            name: "account.configured.v1",
            draft: AccountEvent.configured(
                Samples.configuration(currencies: [Samples.euro]),
                by: "root",
                at: at
            ).draft
        ) { (draft) throws(CodecFailure) in try AccountEvent(type: draft.type, data: draft.data).draft },
        EventSample(name: "account.closed.v1", draft: AccountEvent.closed(by: "root", at: at).draft) {
            (draft) throws(CodecFailure) in try AccountEvent(type: draft.type, data: draft.data).draft
        },
        routing("routing.rules_set.v1", .rulesSet(RouteSamples.rules, number: 3, by: "root", at: at)),
        routing(
            "routing.breaker_opened.v1",
            .breakerChanged(RouteSamples.first, .opened(RouteSamples.failing, until: at, trip: 2), at: at)
        ), routing("routing.breaker_half_opened.v1", .breakerChanged(RouteSamples.first, .halfOpened, at: at)),
        routing(
            "routing.breaker_closed.v1",
            .breakerChanged(RouteSamples.first, .closed(RouteSamples.failing), at: at)
        ),
        routing("routing.set.v1", .set([Samples.accountId], by: "root", at: at)),
        instrument(
            "instrument.saved.v1",
            .saved(
                SavedInstrument(
                    fact: instrument,
                    account: Samples.accountId,
                    customer: "c-1",
                    payment: PaymentId(Samples.uuid(3))
                ),
                at: at
            )
        ),
        instrument("instrument.used.v1", .used(Samples.uuid(3), kind: nil, holds: false, at: at)),
        instrument("instrument.used.v1.holds", .used(Samples.uuid(3), kind: nil, holds: true, at: at)),
        instrument("instrument.used.v1.payment", .used(Samples.uuid(3), kind: .payment, holds: false, at: at)),
        instrument("instrument.used.v1.transfer", .used(Samples.uuid(3), kind: .transfer, holds: true, at: at)),
        instrument("instrument.use_ended.v1", .useEnded(Samples.uuid(3), at: at)),
        instrument("instrument.charged.v1", .charged(Samples.uuid(3), at: at)),
        instrument("instrument.expired.v1", .ended(.lastMonth, at: at)),
        instrument("instrument.expired.v1.invalid", .ended(.invalid(code: "51"), at: at)),
        instrument("instrument.check_licensed.v1", .checkLicensed(removal)),
        instrument("instrument.check_observed.v1", .checkObserved(effect, .notListed, at: at)),
        instrument("instrument.check_observed.v1.listed", .checkObserved(effect, .listed, at: at)),
        instrument(
            "instrument.check_observed.v1.unknown",
            .checkObserved(effect, .unknown(reason: "HTTP 500"), at: at)
        ),
        instrument(
            "instrument.saved.v1.mandate",
            .saved(
                SavedInstrument(
                    fact: InstrumentFact(
                        token: Samples.sealed,
                        fingerprint: "f1",
                        masked: nil,
                        scheme: nil,
                        expiryYear: nil,
                        expiryMonth: nil,
                        mandate: InstrumentFact.Mandate(endsAt: at, days: 14, zoneHours: 3)
                    ),
                    account: Samples.accountId,
                    customer: "c-1",
                    payment: nil
                ),
                at: at
            )
        ),
        instrument("instrument.removal_licensed.v1", .removalLicensed(removal)),
        instrument("instrument.removal_observed.v1", .removalObserved(effect, ordinal: 1, .removed, at: at)),
        instrument(
            "instrument.removal_observed.v1.refused",
            .removalObserved(effect, ordinal: 1, .refused(code: "403"), at: at)
        ),
        instrument(
            "instrument.removal_observed.v1.unknown",
            .removalObserved(effect, ordinal: 1, .unknown(reason: "timeout"), at: at)
        ),
        instrument("instrument.removal_ended.v1", .removalEnded(.notSupported, at: at)),
        instrument("instrument.removal_ended.v1.refused", .removalEnded(.refused(code: "403"), at: at)),
        EventSample(
            name: "instrument.removed.v1",
            draft: InstrumentEvent.removed(by: "root", reason: "lost", at: at).draft
        ) { (draft) throws(CodecFailure) in try InstrumentEvent(type: draft.type, data: draft.data).draft },
        EventSample(
            name: "arrival.kept.v1",
            draft: ArrivalsEvent.kept(
                Arrival(input: Samples.uuid(4), references: [Arrival.Reference(kind: "payment", value: "ord-2")]),
                at: at
            ).draft
        ) { (draft) throws(CodecFailure) in try ArrivalsEvent(type: draft.type, data: draft.data).draft },
    ]
}
