package import EventSourcing
package import Kernel
package import Payments
package import Schedules

// MARK: - Saved cards

extension PublicEvent {
    /// What a decision about a saved credential tells; `account` is what is known of its account.
    package static func all(
        _ last: RecordedEvent,
        from before: Instrument,
        to after: Instrument,
        account: AccountFacts?
    ) -> [PublicEvent] {
        guard after.saved != nil else { return [] }
        let changes: [(PublicEventType, Bool)] = [
            (.instrumentSaved, after.savedVersion != before.savedVersion),
            (.instrumentExpired, after.status == .expired && before.status != .expired),
            (.instrumentInvalid, after.status == .invalid && before.status != .invalid),
            (.instrumentRemoved, after.removed != nil && before.removed == nil),
        ]
        return all(
            changes.filter(\.1).map { PublicChange($0.0) },
            or: .instrumentUpdated,
            last,
            EventDocument(
                "instrument",
                after.id.json,
                before.document(account),
                after.document(account),
                apartFrom: ["uses", "lastUsedAt"]
            )
        )
    }
}

extension Instrument {
    /// A saved credential as it is read, with its account by name, provider and mode.
    package func document(_ account: AccountFacts?) -> Json {
        guard var members = shown.members else { return shown }
        members["account"] = account?.shown
        return .object(members)
    }
}

// MARK: - Schedules

extension PublicEvent {
    /// What a decision about a schedule tells, by its events.
    package static func all(_ events: ArraySlice<RecordedEvent>, from before: Schedule, to after: Schedule)
        -> [PublicEvent]
    {
        guard after.terms != nil, let last = events.last else { return [] }
        let changes = events.compactMap { try? ScheduleEvent($0) }.compactMap(\.change)
        let sorted = PublicEventType.schedules.flatMap { type in changes.filter { $0.type == type } }
        return all(
            sorted,
            or: .scheduleUpdated,
            last,
            EventDocument("schedule", after.id.json, before.shown, after.shown)
        )
    }
}

extension ScheduleEvent {
    fileprivate var change: PublicChange? {
        switch self {
        case .registered: PublicChange(.scheduleCreated)
        case .activated: PublicChange(.scheduleActivated)
        case .paused: PublicChange(.schedulePaused)
        case .resumed: PublicChange(.scheduleResumed)
        case .changed: PublicChange(.scheduleChanged)
        case .completed: PublicChange(.scheduleCompleted)
        case .cancelled: PublicChange(.scheduleCancelled)
        case .expired: PublicChange(.scheduleExpired)
        case .expiryNoticed(_, _, let ordinal, _): Self.change(.scheduleInstrumentExpiring, ordinal)
        case .started(let one):
            one.attempt == 1 ? Self.change(.occurrenceDue, one.ordinal, one.payment, one.amount) : nil
        case .stepUpRequested(let ordinal, let payment, _, _):
            Self.change(.occurrenceActionRequired, ordinal, payment)
        case .succeeded(let ordinal, let payment, let amount, _):
            Self.change(.occurrencePaid, ordinal, payment, amount)
        case .paidTwice(let ordinal, let payment, let amount, _):
            Self.change(.occurrencePaidTwice, ordinal, payment, amount)
        case .failed(let ordinal, let payment, let failure, _):
            Self.change(
                .occurrenceFailed,
                ordinal,
                payment,
                decline: .compact([
                    ("kind", .string(failure.kind.rawValue)), ("code", failure.code.map(Json.string)),
                ])
            )
        case .gaveUp(let ordinal, _, _, _): Self.change(.occurrenceGivenUp, ordinal)
        case .skipped(let first, let end, let reason, _):
            Self.change(.occurrenceSkipped, first, last: max(first, end), reason: reason.rawValue)
        case .planned, .retried, .registrationUnwanted, .debitUnmatched, .requestLicensed, .requestObserved,
            .requestEnded:
            nil
        }
    }

    private static func change(
        _ type: PublicEventType,
        _ ordinal: Int,
        _ payment: PaymentId? = nil,
        _ amount: Money? = nil,
        last: Int? = nil,
        reason: String? = nil,
        decline: Json? = nil
    ) -> PublicChange {
        PublicChange(
            type,
            .compact([
                ("object", "occurrence"), ("ordinal", .integer(Int64(ordinal))),
                ("last", last.map { .integer(Int64($0)) }), ("payment", payment?.json), ("amount", amount?.json),
                ("reason", reason.map(Json.string)), ("decline", decline),
            ])
        )
    }
}

// MARK: - Bills

extension PublicEvent {
    /// What a decision about a batch of bills tells; `account` is what is known of its account.
    package static func all(
        _ last: RecordedEvent,
        from before: BillBatch,
        to after: BillBatch,
        account: AccountFacts?
    ) -> [PublicEvent] {
        guard after.head != nil else { return [] }
        let isGoingOn = before.phase == .paused && (after.phase == .pricing || after.phase == .running)
        var changes: [(PublicEventType, Bool)] = [
            (.batchCreated, before.head == nil),
            (.batchSubmitted, after.submittedAt != nil && before.submittedAt == nil),
            (.batchActionRequired, after.status == .requiresAction && before.status != .requiresAction),
            (.batchPaused, after.phase == .paused && before.phase != .paused), (.batchResumed, isGoingOn),
        ]
        if let end = after.status.end { changes.append((end, before.status != after.status)) }
        return all(
            changes.filter(\.1).map { PublicChange($0.0) },
            or: .batchUpdated,
            last,
            EventDocument(
                "bill_batch",
                after.id.json,
                before.document(account: account?.shown),
                after.document(account: account?.shown)
            )
        )
    }

    /// What a decision about one bill tells: it is named by the provider's id of it, as where it is read.
    package static func all(_ last: RecordedEvent, from before: Bill, to after: Bill) -> [PublicEvent] {
        guard let id = after.reservation?.line.id else { return [] }
        let isNew = after.word != before.word || before.reservation == nil
        return all(
            isNew ? [PublicChange(after.word)] : [],
            or: .billUpdated,
            last,
            EventDocument("bill", .string(id), before.document, after.document)
        )
    }
}

extension BillBatch.Status {
    /// What tells that a batch is over.
    fileprivate var end: PublicEventType? {
        switch self {
        case .completed: .batchCompleted
        case .partiallyCompleted: .batchPartiallyCompleted
        case .failed: .batchFailed
        case .claimed: .batchClaimed
        case .unresolved: .batchUnresolved
        case .open, .pricing, .processing, .requiresAction, .paused: nil
        }
    }
}

extension Bill {
    /// How it stands.
    fileprivate var word: PublicEventType {
        switch standing?.outcome {
        case nil: .billPending
        case .requiresAction?: .billActionRequired
        case .paid?: .billPaid
        case .held?: .billHeld
        case .refunded?: .billRefunded
        case .cancelled?: .billCancelled
        case .claimed?: .billClaimed
        case .failed?: .billFailed
        case .refused?: .billRefused
        case .unknown?: .billUnknown
        }
    }
}
