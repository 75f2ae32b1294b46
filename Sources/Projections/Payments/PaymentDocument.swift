import EventSourcing
package import Kernel
package import Payments
import Schedules

extension Payment {
    /// A payment as answers show it: no app parameters, no addresses that are signed, no sealed values, no secrets.
    ///
    /// `obligations` are its own, or those with the deadlines that its account's lifetimes give. `version` is told in place of its own.
    package func document(
        _ obligations: [Obligation],
        createdAt: Timestamp,
        updatedAt: Timestamp,
        version: Int32? = nil,
        capturePlan: CapturePlan? = nil
    ) -> [UInt8] {
        let status = status
        return JsonText.object(reserving: 2048) { out in
            writeHead(version ?? self.version, status, into: &out)
            writeTerms(into: &out)
            writeAttempts(into: &out)
            out.member("nextAction", payerAction(status)?.shown)
            out.member("operations", listing: operations, isAlwaysShown: true) { $0.write(in: currency, into: &$1) }
            writeAuxiliaryRequests(into: &out)
            out.member("savedInstruments", list(instruments.map(\.json)))
            out.member("disputes", list(shownDisputes))
            out.member("receipts", list(shownReceipts))
            out.member("obligations", listing: obligations) { $0.write(into: &$1) }
            writeFindings(into: &out)
            out.member("createdAt", createdAt)
            out.member("updatedAt", updatedAt)
            out.member("capturePlan", capturePlan)
        }
    }

    private func writeHead(_ version: Int32, _ status: PaymentStatus, into out: inout JsonText) {
        out.member("id", shownId)
        out.member("object", objectName)
        out.member("version", Int64(version))
        out.member("status", status.rawValue)
        out.member("mode", terms?.mode.rawValue)
        out.member("method", terms?.method.rawValue)
        out.member("amount", terms?.amount)
        if let currency { out.member("amounts") { amounts.write(in: currency, into: &$0) } }
        out.member("fee", fee)
        out.member("commission", commission)
    }

    private func writeTerms(into out: inout JsonText) {
        out.member("reference", terms?.reference)
        out.member("description", terms?.description)
        out.member("customer", terms?.customer)
        out.member("country", terms?.country)
        out.member("instrument", terms?.instrument)
        out.member("schedule", terms?.occurrence.map { ScheduleId($0.schedule) })
        out.member("paymentLink", terms?.paymentLink)
        out.member("adopted", terms?.adopted)
        out.member("recurring", terms?.recurring)
        out.member("series", series)
        out.member("metadata", terms?.metadata.shownLabels)
        if let account { out.member("account") { account.writeShown(into: &$0) } }
        out.member("expiresAt", terms?.expiresAt)
    }

    private func writeAttempts(into out: inout JsonText) {
        if let attempt {
            out.member("attempt") { out in
                out.member("number", Int64(attempt.number))
                out.member("reference", attempt.reference)
                out.member("deadline", attempt.deadline)
                out.member("open", attempt.isOpen)
                out.member("ending", attempt.strongestEnding?.shown)
                out.member("providerMethod", methodAtProvider)
                out.member("cancelRequested", cancelRequestedBy == nil ? nil : true)
                out.member("expiryReached", expiryReached ? true : nil)
            }
        }
        // Attempts that another one followed, with the accounts where they were made.
        out.member("earlierAttempts", listing: pastAttempts) { past, out in
            out.member("number", Int64(past.attempt.number))
            out.member("account") { past.account.writeShown(into: &$0) }
            out.member("reference", past.attempt.reference)
            out.member("deadline", past.attempt.deadline)
            out.member("open", false)
            out.member("ending", past.attempt.strongestEnding?.shown)
            out.member("providerMethod", past.methodAtProvider)
        }
        out.member("routes", listing: routes) { $0.writeShown(into: &$1) }
    }

    private func writeAuxiliaryRequests(into out: inout JsonText) {
        out.member("errands", listing: auxiliaryRequests) { auxiliary, out in
            out.member("kind", auxiliary.request.kind.rawValue)
            out.member("state", auxiliary.state.rawValue)
            out.member("at", auxiliary.request.at)
        }
    }

    /// What people and the payment itself found out.
    private func writeFindings(into out: inout JsonText) {
        out.member("evidence", listing: addedEvidence) { added, out in
            out.member("text", added.text)
            out.member("by", added.by)
            out.member("at", added.at)
        }
        let sorted = proposals.values.sorted { ($0.seenVersion, $0.id) < ($1.seenVersion, $1.id) }
        out.member("resolutions", listing: sorted) { resolution, out in
            out.member("id", resolution.id)
            out.member("verdict", resolution.verdict)
            out.member("evidence", resolution.evidence)
            out.member("by", resolution.by)
            out.member("seenVersion", Int64(resolution.seenVersion))
            out.member("approved", approved.contains(resolution.id))
        }
        out.member("contradictions", listing: standingContradictions.sorted()) { found, out in
            out.member("kind", found.kind.rawValue)
            out.member("detail", found.detail)
            out.member("open", !flags.settledContradictions.contains(found))
        }
        out.member("unrecognised", list(unrecognised.sorted().map(Json.string)))
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
    func write(in currency: Currency?, into out: inout JsonText) {
        out.member("id", id)
        out.member("kind", kind.rawValue)
        out.member("origin", origin.rawValue)
        out.member("state", state.word)
        out.member("amount", requested)
        out.member("booked", currency.map { Money(booked(in: $0), $0) })
        out.member("target", target)
        out.member("reference", reference)
        out.member("reason", reason)
        out.member("decline", decline?.shown)
        out.member("because", because)
        out.member("requestedAt", requestedAt)
        out.member("sightings", listing: sorted) { $0.writeShown(into: &$1) }
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
    func writeShown(into out: inout JsonText) {
        out.member("providerId", providerId)
        out.member("kind", kind.rawValue)
        out.member("outcome") { outcome.writeShown(into: &$0) }
        out.member("amount", amount.money)
        out.member("createdAt", createdAt)
        out.member("changedAt", changedAt)
    }
}

extension ProviderOutcome {
    func writeShown(into out: inout JsonText) {
        switch self {
        case .waiting(let action):
            out.member("is", "waiting")
            out.member("action", action.shown)
        case .processing: out.member("is", "processing")
        case .ambiguous: out.member("is", "ambiguous")
        case .succeeded: out.member("is", "succeeded")
        case .declined(let decline):
            out.member("is", "declined")
            out.member("decline", decline.shown)
        case .expired: out.member("is", "expired")
        }
    }
}

extension RouteDecision {
    /// The decision as answers and commands show it.
    package var shown: Json { .reading(writeShown(into:)) }

    func writeShown(into out: inout JsonText) {
        if case .created = cause {
            out.member("cause") { $0.member("is", "created") }
        } else {
            out.member("cause", cause)
        }
        out.member("at", at)
        out.member("rulesNumber", Int64(rulesNumber))
        out.member("rule", rule)
        out.member("accountMode", accountMode.rawValue)
        out.member("question") { question.writeShown(into: &$0) }
        out.member("skipped", listing: skipped, isAlwaysShown: true) { skipped, out in
            out.member("rule", skipped.rule)
            out.member("part", skipped.part.rawValue)
        }
        if let chosen { out.member("chosen") { chosen.writeShown(into: &$0) } }
        out.member("candidates", listing: candidates, isAlwaysShown: true) { $0.writeShown(into: &$1) }
        out.member("lastResort", isLastResort ? true : nil)
        out.member("fallback") { out in
            out.member("attempts", Int64(fallback.attempts))
            out.member("on", fallback.words)
        }
    }
}

extension RouteQuestion {
    fileprivate func writeShown(into out: inout JsonText) {
        out.member("accountMode", accountMode?.rawValue)
        out.member("amount", amount)
        out.member("country", country)
        out.member("customer", customer)
        out.member("method", method.rawValue)
        out.member("mode", mode.rawValue)
        out.member("payment", payment)
        out.member("provider", provider)
    }
}

extension RouteCandidate {
    fileprivate func writeShown(into out: inout JsonText) {
        let word: String
        var reason: Reason?
        switch verdict {
        case .chosen: word = "chosen"
        case .available: word = "available"
        case .passed(let why):
            word = "passed"
            reason = why
        }
        out.member("account") { out in
            if let facts { facts.writeShown(into: &out) } else { out.member("id", account) }
        }
        out.member("verdict", word)
        out.member("reason", reason?.rawValue)
        out.member("weight", weight.map { Int64($0) })
    }
}
