package import EventSourcing
package import Kernel

extension Decline: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("code", code)
        out.member("reason", reason)
        out.member("tableVersion", tableVersion)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            reason: try fields.word("reason"),
            code: try fields.optionalText("code"),
            tableVersion: try fields.int("tableVersion")
        )
    }
}

extension PayerAction: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .handover: out.member("is", "handover")
        case .threeDSecure: out.member("is", "threeDSecure")
        case .redirect: out.member("is", "redirect")
        case .clarify(let names):
            out.member("fields", names)
            out.member("is", "clarify")
        case .retryInForm(let left, let seconds):
            out.member("attemptsLeft", left)
            out.member("is", "retryInForm")
            out.member("seconds", seconds)
        case .customerAction: out.member("is", "customerAction")
        case .approval: out.member("is", "approval")
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "handover": self = .handover
        case "threeDSecure": self = .threeDSecure
        case "redirect": self = .redirect
        case "clarify": self = .clarify(fields: try fields.value("fields").items?.compactMap(\.text) ?? [])
        case "retryInForm":
            self = .retryInForm(
                attemptsLeft: try fields.optionalInt("attemptsLeft"),
                seconds: try fields.optionalInt("seconds")
            )
        case "customerAction": self = .customerAction
        case "approval": self = .approval
        default: throw CodecFailure("is")
        }
    }
}

extension ProviderOutcome: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .waiting(let action):
            out.member("action", action)
            out.member("is", "waiting")
        case .processing: out.member("is", "processing")
        case .ambiguous: out.member("is", "ambiguous")
        case .succeeded: out.member("is", "succeeded")
        case .declined(let decline):
            out.member("decline", decline)
            out.member("is", "declined")
        case .expired: out.member("is", "expired")
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "waiting": self = .waiting(try PayerAction(fields.fields("action")))
        case "processing": self = .processing
        case "ambiguous": self = .ambiguous
        case "succeeded": self = .succeeded
        case "declined": self = .declined(try Decline(fields.fields("decline")))
        case "expired": self = .expired
        default: throw CodecFailure("is")
        }
    }
}

extension ProviderOperation: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("amount", amount.money)
        out.member("amountSays", amount.says)
        out.member("askedAt", askedAt)
        out.member("changedAt", changedAt)
        out.member("createdAt", createdAt)
        out.member("kind", kind)
        out.member("ourReference", ourReference)
        out.member("outcome", outcome)
        out.member("providerId", providerId)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            providerId: try fields.text("providerId"),
            kind: try fields.word("kind"),
            outcome: try ProviderOutcome(fields.fields("outcome")),
            amount: try EvidenceAmount(fields),
            ourReference: try fields.optionalText("ourReference"),
            createdAt: try fields.optionalTime("createdAt"),
            changedAt: try fields.optionalTime("changedAt"),
            askedAt: try fields.optionalTime("askedAt")
        )
    }
}

extension EvidenceAmount {
    /// The word that stands in place of an amount.
    ///
    /// Nothing stands beside an amount, and nothing stands in events that are older than the word.
    fileprivate var says: Json? {
        switch self {
        case .stated, .undeclared: nil
        case .absent: ["is": "absent"]
        case .unstated(let message): ["in": .string(message), "is": "unstated"]
        case .unreadable(let text): ["is": "unreadable", "text": .string(text)]
        }
    }

    /// Reads `amount`, or `amountSays` in its place.
    fileprivate init(_ fields: Fields) throws(CodecFailure) {
        if let money = try fields.optionalMoney("amount") {
            self = .stated(money)
            return
        }
        guard fields.has("amountSays") else {
            self = .undeclared
            return
        }
        let said = try fields.fields("amountSays")
        switch try said.text("is") {
        case "absent": self = .absent
        case "unstated": self = .unstated(in: try said.text("in"))
        case "unreadable": self = .unreadable(try said.text("text"))
        default: throw CodecFailure("amountSays")
        }
    }
}

extension AttemptEnding: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .declined(let decline):
            out.member("decline", decline)
            out.member("is", "declined")
        case .expired: out.member("is", "expired")
        case .cancelled: out.member("is", "cancelled")
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "declined": self = .declined(try Decline(fields.fields("decline")))
        case "expired": self = .expired
        case "cancelled": self = .cancelled
        default: throw CodecFailure("is")
        }
    }
}

extension AttemptFact: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .notRegistered: out.member("is", "notRegistered")
        case .reading(.waiting(let action)):
            out.member("action", action)
            out.member("is", "waiting")
        case .reading(.processing): out.member("is", "processing")
        case .reading(.ambiguous): out.member("is", "ambiguous")
        case .reading(.moneyWithoutOperation(let word)):
            out.member("is", "moneyWithoutOperation")
            out.member("word", word)
        case .closed(let ending):
            out.member("ending", ending)
            out.member("is", "closed")
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "notRegistered": self = .notRegistered
        case "waiting": self = .reading(.waiting(try PayerAction(fields.fields("action"))))
        case "processing": self = .reading(.processing)
        case "ambiguous": self = .reading(.ambiguous)
        case "moneyWithoutOperation": self = .reading(.moneyWithoutOperation(try fields.text("word")))
        case "closed": self = .closed(try AttemptEnding(fields.fields("ending")))
        default: throw CodecFailure("is")
        }
    }
}

extension DispatchOutcome: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .notSent(let reason):
            out.member("is", "notSent")
            out.member("reason", reason)
        case .unknown(let reason):
            out.member("is", "unknown")
            out.member("reason", reason)
        case .accepted: out.member("is", "accepted")
        case .notExecuted(let decline):
            out.member("decline", decline)
            out.member("is", "notExecuted")
        case .refused(let decline):
            out.member("decline", decline)
            out.member("is", "refused")
        case .duplicate(let code):
            out.member("code", code)
            out.member("is", "duplicate")
        case .answered: out.member("is", "answered")
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "notSent": self = .notSent(reason: try fields.text("reason"))
        case "unknown": self = .unknown(reason: try fields.text("reason"))
        case "accepted": self = .accepted
        case "notExecuted": self = .notExecuted(try Decline(fields.fields("decline")))
        case "refused": self = .refused(try Decline(fields.fields("decline")))
        case "duplicate": self = .duplicate(code: try fields.text("code"))
        case "answered": self = .answered
        default: throw CodecFailure("is")
        }
    }
}

extension OperationEnding: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .refused(let decline):
            out.member("decline", decline)
            out.member("is", "refused")
        case .notSent(let reason):
            out.member("is", "notSent")
            out.member("reason", reason)
        case .absent: out.member("is", "absent")
        case .bookedByOperator(let amount):
            out.member("amount", amount)
            out.member("is", "bookedByOperator")
        case .failedByOperator(let reason):
            out.member("is", "failedByOperator")
            out.member("reason", reason)
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "refused": self = .refused(try Decline(fields.fields("decline")))
        case "notSent": self = .notSent(reason: try fields.text("reason"))
        case "absent": self = .absent
        case "bookedByOperator": self = .bookedByOperator(try fields.money("amount"))
        case "failedByOperator": self = .failedByOperator(try fields.text("reason"))
        default: throw CodecFailure("is")
        }
    }
}

extension InstrumentFact: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("expiryMonth", expiryMonth)
        out.member("expiryYear", expiryYear)
        out.member("fingerprint", fingerprint)
        out.member("login", login)
        out.member("mandate", mandate)
        out.member("masked", masked)
        out.member("networkReference", networkReference)
        out.member("scheme", scheme)
        out.member("token", token)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            token: try fields.value("token"),
            fingerprint: try fields.text("fingerprint"),
            masked: try fields.optionalText("masked"),
            scheme: try fields.optionalText("scheme"),
            expiryYear: try fields.optionalInt("expiryYear"),
            expiryMonth: try fields.optionalInt("expiryMonth"),
            mandate: fields.has("mandate") ? try Mandate(fields.fields("mandate")) : nil,
            networkReference: try fields.optionalText("networkReference"),
            login: fields.has("login") ? try fields.value("login") : nil
        )
    }
}

extension InstrumentFact.Mandate: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("days", days)
        out.member("endsAt", endsAt)
        out.member("zoneHours", zoneHours)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            endsAt: try fields.optionalTime("endsAt"),
            days: try fields.integer("days"),
            zoneHours: try fields.integer("zoneHours")
        )
    }
}
