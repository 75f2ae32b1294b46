import EventSourcing
package import Kernel
package import Payments
import Schedules

extension Payment {
    /// A payment as answers show it: no app parameters, no addresses that are signed, no sealed values, no secrets.
    ///
    /// `obligations` are its own, or those with the deadlines that its account's lifetimes give.
    package func document(_ obligations: [Obligation], createdAt: Timestamp, updatedAt: Timestamp) -> Json {
        .compact([
            ("id", shownId), ("object", .string(objectName)), ("version", .integer(Int64(version))),
            ("status", .string(status.rawValue)), ("mode", (terms?.mode.rawValue).map(Json.string)),
            ("method", (terms?.method.rawValue).map(Json.string)), ("amount", terms?.amount?.json),
            ("amounts", currency.map { amounts.json($0) }), ("fee", fee?.json),
            ("commission", commission?.json), ("reference", terms?.reference.map(Json.string)),
            ("description", terms?.description.map(Json.string)), ("customer", terms?.customer.map(Json.string)),
            ("country", terms?.country.map(Json.string)), ("instrument", terms?.instrument?.json),
            ("schedule", shownSchedule),
            ("adopted", terms?.adopted?.json),
            ("recurring", terms?.recurring?.json),
            ("series", series?.json), ("metadata", terms?.metadata.shownLabels),
            ("account", account?.shown), ("expiresAt", terms?.expiresAt.json), ("attempt", shownAttempt),
            ("earlierAttempts", list(shownEarlierAttempts)), ("routes", list(routes.map(\.shown))),
            ("nextAction", payerAction.map { $0.shown }),
            ("operations", .array(operations.map { $0.shown(in: currency) })),
            ("errands", list(shownAuxiliaryRequests)), ("savedInstruments", list(instruments.map(\.json))),
            ("disputes", list(shownDisputes)), ("receipts", list(shownReceipts)),
            ("obligations", list(obligations.map(\.json))), ("evidence", list(shownEvidence)),
            ("resolutions", list(shownResolutions)),
            ("contradictions", list(shownContradictions)),
            ("unrecognised", list(unrecognised.sorted().map(Json.string))), ("createdAt", createdAt.json),
            ("updatedAt", updatedAt.json),
        ])
    }

    /// The schedule that it activates or is an occurrence of.
    private var shownSchedule: Json? { terms?.occurrence.map { ScheduleId($0.schedule).json } }

    private var shownAttempt: Json? {
        guard let attempt else { return nil }
        return .compact([
            ("number", .integer(Int64(attempt.number))), ("reference", .string(attempt.reference)),
            ("deadline", attempt.deadline.json), ("open", .bool(attempt.isOpen)),
            ("ending", attempt.strongestEnding?.shown), ("providerMethod", methodAtProvider.map(Json.string)),
            ("cancelRequested", cancelRequestedBy == nil ? nil : true),
            ("expiryReached", expiryReached ? true : nil),
        ])
    }

    private var shownAuxiliaryRequests: [Json] {
        auxiliaryRequests.map { auxiliary in
            [
                "kind": .string(auxiliary.request.kind.rawValue), "state": .string(auxiliary.state.rawValue),
                "at": auxiliary.request.at.json,
            ]
        }
    }

    /// Attempts that another one followed, with the accounts where they were made.
    private var shownEarlierAttempts: [Json] {
        pastAttempts.map { past in
            .compact([
                ("number", .integer(Int64(past.attempt.number))), ("account", past.account.shown),
                ("reference", .string(past.attempt.reference)), ("deadline", past.attempt.deadline.json),
                ("open", false),
                ("ending", past.attempt.strongestEnding?.shown),
                ("providerMethod", past.methodAtProvider.map(Json.string)),
            ])
        }
    }

    private var shownEvidence: [Json] {
        addedEvidence.map { ["text": .string($0.text), "by": .string($0.by), "at": $0.at.json] }
    }

    private var shownContradictions: [Json] {
        let open = Set(openContradictions)
        return standingContradictions.sorted().map { found in
            [
                "kind": .string(found.kind.rawValue), "detail": .string(found.detail),
                "open": .bool(open.contains(found)),
            ]
        }
    }

    private var shownResolutions: [Json] {
        proposals.values.sorted { ($0.seenVersion, $0.id) < ($1.seenVersion, $1.id) }.map { resolution in
            [
                "id": resolution.id.json, "verdict": resolution.verdict.json,
                "evidence": .string(resolution.evidence), "by": .string(resolution.by),
                "seenVersion": .integer(Int64(resolution.seenVersion)),
                "approved": .bool(approved.contains(resolution.id)),
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
    package var shown: Json { json }
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

extension RouteDecision {
    /// The decision as answers and commands show it.
    package var shown: Json {
        .compact([
            ("cause", cause.json), ("at", at.json), ("rulesNumber", .integer(Int64(rulesNumber))),
            ("rule", rule.map(Json.string)), ("accountMode", .string(accountMode.rawValue)),
            ("question", question.json),
            ("skipped", .array(skipped.map { ["rule": .string($0.rule), "part": .string($0.part.rawValue)] })),
            ("chosen", chosen?.shown), ("candidates", .array(candidates.map(\.shown))),
            ("lastResort", isLastResort ? true : nil), ("fallback", fallback.json),
        ])
    }
}

extension RouteCandidate {
    fileprivate var shown: Json {
        let word: String
        var reason: Reason?
        switch verdict {
        case .chosen: word = "chosen"
        case .available: word = "available"
        case .passed(let why):
            word = "passed"
            reason = why
        }
        return .compact([
            ("account", facts?.shown ?? ["id": account.json]), ("verdict", .string(word)),
            ("reason", reason.map { .string($0.rawValue) }), ("weight", weight.map { .integer(Int64($0)) }),
        ])
    }
}
