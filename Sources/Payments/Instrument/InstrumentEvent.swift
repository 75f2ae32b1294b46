package import EventSourcing
package import Kernel

/// A fact about a saved credential.
package enum InstrumentEvent: StoredEvent, Hashable {
    case saved(SavedInstrument, at: Timestamp)
    /// A payment or transfer was created with it, by the id of its stream and its kind, which earlier events don't name; one
    /// that `holds` keeps other charges by its payer's mandate away until it has an outcome.
    case used(Uuid, kind: InstrumentUser?, holds: Bool, at: Timestamp)
    /// Money was taken by it, by the id of the payment's stream; the time is of the merchant's own clock where it has one.
    case charged(Uuid, at: Timestamp)
    /// A payment that held it ended without taking money.
    case useEnded(Uuid, at: Timestamp)
    case ended(InstrumentEnd, at: Timestamp)
    case removed(by: String, reason: String?, at: Timestamp)
    case removalLicensed(MessageLicense)
    case removalObserved(EffectId, ordinal: Int32, RemovalOutcome, at: Timestamp)
    case removalEnded(RemovalEnd, at: Timestamp)
    /// The provider is asked whether it still keeps it.
    case checkLicensed(MessageLicense)
    case checkObserved(EffectId, CredentialListing, at: Timestamp)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case saved = "instrument.saved.v1"
        case used = "instrument.used.v1"
        case charged = "instrument.charged.v1"
        case useEnded = "instrument.use_ended.v1"
        case expired = "instrument.expired.v1"
        case removed = "instrument.removed.v1"
        case removalLicensed = "instrument.removal_licensed.v1"
        case removalObserved = "instrument.removal_observed.v1"
        case removalEnded = "instrument.removal_ended.v1"
        case checkLicensed = "instrument.check_licensed.v1"
        case checkObserved = "instrument.check_observed.v1"
    }

    package var name: Name {
        switch self {
        case .saved: .saved
        case .used: .used
        case .charged: .charged
        case .useEnded: .useEnded
        case .ended: .expired
        case .removed: .removed
        case .removalLicensed: .removalLicensed
        case .removalObserved: .removalObserved
        case .removalEnded: .removalEnded
        case .checkLicensed: .checkLicensed
        case .checkObserved: .checkObserved
        }
    }
}

extension InstrumentEvent {
    package func write(into out: inout JsonText) {
        switch self {
        case .saved(let saved, let at):
            out.member("at", at)
            out.member("saved", saved)
        case .used(let stream, let kind, let holds, let at):
            out.member("at", at)
            out.member("by", stream)
            out.member("holds", holds ? true : nil)
            out.member("kind", kind)
        case .charged(let stream, let at), .useEnded(let stream, let at):
            out.member("at", at)
            out.member("by", stream)
        case .ended(let end, let at):
            out.member("at", at)
            out.member("because", end)
        case .removed(let actor, let reason, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("reason", reason)
        case .removalLicensed(let license), .checkLicensed(let license): license.write(into: &out)
        case .checkObserved(let effect, let listing, let at):
            out.member("at", at)
            out.member("effect", effect)
            out.member("listing", listing)
        case .removalObserved(let effect, let ordinal, let outcome, let at):
            out.member("at", at)
            out.member("effect", effect)
            out.member("ordinal", ordinal)
            out.member("outcome", outcome)
        case .removalEnded(let end, let at):
            out.member("at", at)
            out.member("code", end.code)
            out.member("end", end.word)
        }
    }

    /// Reads the payload of a stored event.
    package init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
        switch name {
        case .saved: self = .saved(try SavedInstrument(fields.fields("saved")), at: try fields.time("at"))
        case .used:
            self = .used(
                try fields.uuid("by"),
                kind: try fields.user("kind"),
                holds: try fields.optional("holds", \.flag) ?? false,
                at: try fields.time("at")
            )
        case .charged: self = .charged(try fields.uuid("by"), at: try fields.time("at"))
        case .useEnded: self = .useEnded(try fields.uuid("by"), at: try fields.time("at"))
        case .expired: self = .ended(try InstrumentEnd(fields.fields("because")), at: try fields.time("at"))
        case .removed:
            self = .removed(
                by: try fields.text("by"),
                reason: try fields.optionalText("reason"),
                at: try fields.time("at")
            )
        case .removalLicensed: self = .removalLicensed(try MessageLicense(fields))
        case .removalObserved:
            self = .removalObserved(
                try fields.id("effect"),
                ordinal: try fields.int32("ordinal"),
                try RemovalOutcome(fields.fields("outcome")),
                at: try fields.time("at")
            )
        case .removalEnded: self = .removalEnded(try RemovalEnd(fields), at: try fields.time("at"))
        case .checkLicensed: self = .checkLicensed(try MessageLicense(fields))
        case .checkObserved:
            self = .checkObserved(
                try fields.id("effect"),
                try CredentialListing(fields.fields("listing")),
                at: try fields.time("at")
            )
        }
    }
}

extension SavedInstrument: JsonWritable {
    package func write(into out: inout JsonText) { write(into: &out, charged: nil) }

    /// Writes it with the first charge, where it is saved by one.
    func write(into out: inout JsonText, charged: InstrumentCommand.Charge?) {
        out.member("account", account)
        out.member("charged", charged)
        out.member("customer", customer)
        out.member("fact", fact)
        out.member("payment", payment)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            fact: try InstrumentFact(fields.fields("fact")),
            account: try fields.uuid("account"),
            customer: try fields.optionalText("customer"),
            payment: try fields.optionalId("payment")
        )
    }
}

extension InstrumentEnd: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .lastMonth: out.member("is", "lastMonth")
        case .invalid(let code):
            out.member("code", code)
            out.member("is", "invalid")
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "lastMonth": self = .lastMonth
        case "invalid": self = .invalid(code: try fields.optionalText("code"))
        default: throw CodecFailure("is")
        }
    }
}

extension RemovalOutcome: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .removed: out.member("is", "removed")
        case .refused(let code):
            out.member("code", code)
            out.member("is", "refused")
        case .unknown(let reason):
            out.member("is", "unknown")
            out.member("reason", reason)
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "removed": self = .removed
        case "refused": self = .refused(code: try fields.optionalText("code"))
        case "unknown": self = .unknown(reason: try fields.text("reason"))
        default: throw CodecFailure("is")
        }
    }
}

extension RemovalEnd {
    init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("end") {
        case "removed": self = .removed
        case "refused": self = .refused(code: try fields.optionalText("code"))
        case "unknown": self = .unknown
        case "notSupported": self = .notSupported
        default: throw CodecFailure("end")
        }
    }
}

/// The kinds of streams that use a credential.
package enum InstrumentUser: String, Hashable, Sendable, CaseIterable {
    case payment, transfer

    package init(_ kind: StreamKind) { self = kind == .transfer ? .transfer : .payment }

    package var streamKind: StreamKind {
        switch self {
        case .payment: .payment
        case .transfer: .transfer
        }
    }
}

extension Fields {
    /// Reads what used a credential; `nil` where nothing is named.
    func user(_ name: String) throws(CodecFailure) -> InstrumentUser? {
        try optional(name) { $0.text.flatMap { InstrumentUser(rawValue: $0) } }
    }
}
