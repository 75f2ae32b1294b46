import EventSourcing
import Http
package import Kernel
import Payments
import Projections
import Schedules

/// A payment as the API shows it: no app parameters, no addresses that are signed, no sealed values, no secrets.
package struct PaymentResource {
    let payment: Payment
    private let createdAt: Timestamp
    private let updatedAt: Timestamp
    private let obligations: [Obligation]

    package init(_ snapshot: PaymentSnapshot) {
        payment = snapshot.payment
        obligations = snapshot.obligations
        createdAt = snapshot.events.first?.recordedAt ?? .epoch
        updatedAt = snapshot.events.last?.recordedAt ?? .epoch
    }

    static func location(_ stream: StreamName) -> String {
        stream.kind == .transfer
            ? "/v1/transfers/\(TransferId(stream.id))" : "/v1/payments/\(PaymentId(stream.id))"
    }

    static func location(of payment: Payment) -> String {
        payment.isTransfer ? "/v1/transfers/\(TransferId(payment.id.uuid))" : "/v1/payments/\(payment.id)"
    }

    /// Answers for a payment whose creation waits for its turn.
    static func accepted(_ stream: StreamName, mode: AccountFacts.Mode?) -> HttpResponse {
        let isTransfer = stream.kind == .transfer
        let id = isTransfer ? TransferId(stream.id).json : PaymentId(stream.id).json
        let object: Json = isTransfer ? "transfer" : "payment"
        return HttpResponse.json(202, ["id": id, "object": object, "status": "accepted"]).with(mode)
    }

    func response(_ status: Int) -> HttpResponse {
        .thing(status, json, version: payment.version, payment.account?.mode)
    }

    package var json: Json {
        let terms = payment.terms
        return .compact([
            ("id", payment.shownId), ("object", .string(payment.objectName)),
            ("version", .integer(Int64(payment.version))),
            ("status", .string(payment.status.rawValue)), ("mode", (terms?.mode.rawValue).map(Json.string)),
            ("method", (terms?.method.rawValue).map(Json.string)), ("amount", terms?.amount?.json),
            ("amounts", payment.currency.map { payment.amounts.json($0) }), ("fee", payment.fee?.json),
            ("commission", payment.commission?.json), ("reference", terms?.reference.map(Json.string)),
            ("description", terms?.description.map(Json.string)), ("customer", terms?.customer.map(Json.string)),
            ("country", country), ("instrument", terms?.instrument?.json), ("schedule", schedule),
            ("adopted", terms?.adopted?.json),
            ("recurring", terms?.recurring?.json),
            ("series", payment.series?.json), ("metadata", terms?.metadata.shownLabels),
            ("account", payment.account?.shown), ("expiresAt", terms?.expiresAt.json), ("attempt", attempt),
            ("earlierAttempts", list(earlierAttempts)), ("routes", list(payment.routes.map(\.shown))),
            ("nextAction", payment.payerAction.map { $0.shown }),
            ("operations", .array(payment.operations.map { $0.shown(in: payment.currency) })),
            ("errands", list(auxiliaryRequests)), ("savedInstruments", list(payment.instruments.map(\.json))),
            ("disputes", list(payment.shownDisputes)), ("receipts", list(payment.shownReceipts)),
            ("obligations", list(obligations.map(\.json))), ("evidence", list(evidence)),
            ("resolutions", list(resolutions)),
            ("contradictions", list(contradictions)),
            ("unrecognised", list(payment.unrecognised.sorted().map(Json.string))), ("createdAt", createdAt.json),
            ("updatedAt", updatedAt.json),
        ])
    }

    private var country: Json? { payment.terms?.country.map(Json.string) }

    /// The schedule that it activates or is an occurrence of.
    private var schedule: Json? { payment.terms?.occurrence.map { ScheduleId($0.schedule).json } }

    private var attempt: Json? {
        guard let attempt = payment.attempt else { return nil }
        return .compact([
            ("number", .integer(Int64(attempt.number))), ("reference", .string(attempt.reference)),
            ("deadline", attempt.deadline.json), ("open", .bool(attempt.isOpen)),
            ("ending", attempt.strongestEnding?.shown), ("providerMethod", payment.methodAtProvider.map(Json.string)),
            ("cancelRequested", payment.cancelRequestedBy == nil ? nil : true),
            ("expiryReached", payment.expiryReached ? true : nil),
        ])
    }

    private var auxiliaryRequests: [Json] {
        payment.auxiliaryRequests.map { auxiliary in
            [
                "kind": .string(auxiliary.request.kind.rawValue), "state": .string(auxiliary.state.rawValue),
                "at": auxiliary.request.at.json,
            ]
        }
    }

    /// Attempts that another one followed, with the accounts where they were made.
    private var earlierAttempts: [Json] {
        payment.pastAttempts.map { past in
            .compact([
                ("number", .integer(Int64(past.attempt.number))), ("account", past.account.shown),
                ("reference", .string(past.attempt.reference)), ("deadline", past.attempt.deadline.json),
                ("open", false),
                ("ending", past.attempt.strongestEnding?.shown),
                ("providerMethod", past.methodAtProvider.map(Json.string)),
            ])
        }
    }

    private var evidence: [Json] {
        payment.addedEvidence.map { ["text": .string($0.text), "by": .string($0.by), "at": $0.at.json] }
    }

    private var contradictions: [Json] {
        let open = Set(payment.openContradictions)
        return payment.standingContradictions.sorted().map { found in
            [
                "kind": .string(found.kind.rawValue), "detail": .string(found.detail),
                "open": .bool(open.contains(found)),
            ]
        }
    }

    private var resolutions: [Json] {
        payment.proposals.values.sorted { ($0.seenVersion, $0.id) < ($1.seenVersion, $1.id) }.map { resolution in
            [
                "id": resolution.id.json, "verdict": resolution.verdict.json,
                "evidence": .string(resolution.evidence), "by": .string(resolution.by),
                "seenVersion": .integer(Int64(resolution.seenVersion)),
                "approved": .bool(payment.approved.contains(resolution.id)),
            ]
        }
    }

    /// An empty list is left out.
    private func list(_ items: [Json]) -> Json? { items.isEmpty ? nil : .array(items) }
}

extension Json {
    /// Labels, where there are any.
    fileprivate var shownLabels: Json? { members?.isEmpty == true ? nil : self }
}

extension AttemptEnding {
    var shown: Json {
        switch self {
        case .declined(let decline): ["is": "declined", "decline": decline.shown]
        case .expired: ["is": "expired"]
        case .cancelled: ["is": "cancelled"]
        }
    }
}

extension PayerAction {
    /// The action by name; addresses and SDK objects have routes of their own.
    var shown: Json { json }
}

extension Operation {
    func shown(in currency: Currency?) -> Json {
        .compact([
            ("id", id.json), ("kind", .string(kind.rawValue)), ("origin", .string(origin.rawValue)),
            ("state", .string(state.word)), ("amount", requested?.json),
            ("booked", currency.map { Money(booked(in: $0), $0).json }), ("target", target?.json),
            ("reference", .string(reference)), ("reason", reason.map(Json.string)),
            ("decline", decline?.shown), ("because", because.map(Json.string)), ("requestedAt", requestedAt.json),
            ("sightings", transactions.isEmpty ? nil : .array(sorted.map(\.shown))),
        ])
    }

    private var decline: Decline? {
        guard case .failed(let decline) = state else { return nil }
        return decline
    }

    private var because: String? {
        if case .notExecuted(let word) = state { return word }
        return isShownAfterRefusal ? "shown_after_refusal" : nil
    }

    private var sorted: [ProviderOperation] {
        transactions.values.map(\.latest).sorted {
            ($0.createdAt ?? .epoch, $0.providerId) < ($1.createdAt ?? .epoch, $1.providerId)
        }
    }
}

extension Operation.State {
    /// The word for it; the values behind it have members of their own.
    var word: String {
        switch self {
        case .requested: "requested"
        case .pending: "pending"
        case .indeterminate: "indeterminate"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .notExecuted: "notExecuted"
        }
    }
}

extension ProviderOperation {
    var shown: Json {
        .compact([
            ("providerId", .string(providerId)), ("kind", .string(kind.rawValue)), ("outcome", outcome.shown),
            ("amount", amount.money?.json), ("createdAt", createdAt?.json), ("changedAt", changedAt?.json),
        ])
    }
}

extension ProviderOutcome {
    var shown: Json {
        switch self {
        case .waiting(let action): ["is": "waiting", "action": action.shown]
        case .processing: ["is": "processing"]
        case .ambiguous: ["is": "ambiguous"]
        case .succeeded: ["is": "succeeded"]
        case .declined(let decline): ["is": "declined", "decline": decline.shown]
        case .expired: ["is": "expired"]
        }
    }
}
