package import EventSourcing
package import Kernel

extension Decline {
    package var json: Json {
        .compact([
            ("code", code.map(Json.string)), ("reason", .string(reason.rawValue)),
            ("tableVersion", .integer(Int64(tableVersion))),
        ])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            reason: try fields.word("reason"),
            code: try fields.optionalText("code"),
            tableVersion: try fields.int("tableVersion")
        )
    }
}

extension PayerAction {
    package var json: Json {
        switch self {
        case .handover: ["is": "handover"]
        case .threeDSecure: ["is": "threeDSecure"]
        case .redirect: ["is": "redirect"]
        case .clarify(let names): ["fields": .array(names.map(Json.string)), "is": "clarify"]
        case .retryInForm(let left, let seconds):
            .compact([
                ("attemptsLeft", left.map { .integer(Int64($0)) }), ("is", "retryInForm"),
                ("seconds", seconds.map { .integer(Int64($0)) }),
            ])
        case .customerAction: ["is": "customerAction"]
        case .approval: ["is": "approval"]
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

extension ProviderOutcome {
    package var json: Json {
        switch self {
        case .waiting(let action): ["action": action.json, "is": "waiting"]
        case .processing: ["is": "processing"]
        case .ambiguous: ["is": "ambiguous"]
        case .succeeded: ["is": "succeeded"]
        case .declined(let decline): ["decline": decline.json, "is": "declined"]
        case .expired: ["is": "expired"]
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

extension ProviderOperation {
    package var json: Json {
        .compact([
            ("amount", amount.money?.json), ("amountSays", amount.says), ("askedAt", askedAt?.json),
            ("changedAt", changedAt?.json), ("createdAt", createdAt?.json), ("kind", .string(kind.rawValue)),
            ("ourReference", ourReference.map(Json.string)),
            ("outcome", outcome.json), ("providerId", .string(providerId)),
        ])
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

extension AttemptEnding {
    package var json: Json {
        switch self {
        case .declined(let decline): ["decline": decline.json, "is": "declined"]
        case .expired: ["is": "expired"]
        case .cancelled: ["is": "cancelled"]
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

extension AttemptFact {
    package var json: Json {
        switch self {
        case .notRegistered: ["is": "notRegistered"]
        case .reading(.waiting(let action)): ["action": action.json, "is": "waiting"]
        case .reading(.processing): ["is": "processing"]
        case .reading(.ambiguous): ["is": "ambiguous"]
        case .reading(.moneyWithoutOperation(let word)): ["is": "moneyWithoutOperation", "word": .string(word)]
        case .closed(let ending): ["ending": ending.json, "is": "closed"]
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

extension DispatchOutcome {
    package var json: Json {
        switch self {
        case .notSent(let reason): ["is": "notSent", "reason": .string(reason)]
        case .unknown(let reason): ["is": "unknown", "reason": .string(reason)]
        case .accepted: ["is": "accepted"]
        case .notExecuted(let decline): ["decline": decline.json, "is": "notExecuted"]
        case .refused(let decline): ["decline": decline.json, "is": "refused"]
        case .duplicate(let code): ["code": .string(code), "is": "duplicate"]
        case .answered: ["is": "answered"]
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

extension OperationEnding {
    package var json: Json {
        switch self {
        case .refused(let decline): ["decline": decline.json, "is": "refused"]
        case .notSent(let reason): ["is": "notSent", "reason": .string(reason)]
        case .absent: ["is": "absent"]
        case .bookedByOperator(let amount): ["amount": amount.json, "is": "bookedByOperator"]
        case .failedByOperator(let reason): ["is": "failedByOperator", "reason": .string(reason)]
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

extension InstrumentFact {
    package var json: Json {
        .compact([
            ("expiryMonth", expiryMonth.map { .integer(Int64($0)) }),
            ("expiryYear", expiryYear.map { .integer(Int64($0)) }), ("fingerprint", .string(fingerprint)),
            ("login", login), ("mandate", mandate?.json), ("masked", masked.map(Json.string)),
            ("networkReference", networkReference.map(Json.string)), ("scheme", scheme.map(Json.string)),
            ("token", token),
        ])
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

extension InstrumentFact.Mandate {
    package var json: Json {
        .compact([("days", .integer(days)), ("endsAt", endsAt?.json), ("zoneHours", .integer(zoneHours))])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            endsAt: try fields.optionalTime("endsAt"),
            days: try fields.integer("days"),
            zoneHours: try fields.integer("zoneHours")
        )
    }
}
