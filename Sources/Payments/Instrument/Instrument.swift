package import EventSourcing
package import Kernel

/// A saved payment credential: the provider's token and masked data, never a card number.
package struct Instrument: Hashable, Sendable {
    package let id: InstrumentId
    package private(set) var version: Int32 = 0
    package private(set) var saved: SavedInstrument?
    package private(set) var removedAt: Timestamp?
    /// Since when the provider does not take it any more, until it is saved again.
    package private(set) var staleSince: Timestamp?

    package init(id: InstrumentId) { self.id = id }

    package static func fold(_ id: InstrumentId, _ events: some Sequence<InstrumentEvent>) -> Instrument {
        var instrument = Instrument(id: id)
        for event in events { instrument.evolve(event) }
        return instrument
    }

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: InstrumentEvent) {
        version += 1
        switch event {
        case .saved(let saved, _):
            self.saved = saved
            removedAt = nil
            staleSince = nil
        case .removed(_, _, let at): removedAt = at
        case .staled(_, let at): staleSince = at
        }
    }

    /// Decides a command.
    package func decide(_ command: InstrumentCommand, _ context: CommandContext) throws(Rejection)
        -> [InstrumentEvent]
    {
        switch command {
        case .save(let wanted):
            if let saved, !saved.isSameCredential(as: wanted) {
                throw Rejection(.instrumentMismatch, "This id names another credential.")
            }
            if isUsable, saved?.isUnchanged(by: wanted) == true { return [] }
            return [.saved(wanted, at: context.now)]
        case .remove(let reason):
            guard saved != nil else { throw Rejection(.instrumentUnknown, "There is no such instrument.") }
            guard removedAt == nil else { return [] }
            return [.removed(by: context.actor.id, reason: reason, at: context.now)]
        case .markStale(let reason, let asUsed):
            // Credentials that were renewed since the message was made are not the ones that were refused.
            guard saved != nil, staleSince == nil, asUsed == version else { return [] }
            return [.staled(reason: reason, at: context.now)]
        }
    }

    /// Whether a payment may use it.
    package var isUsable: Bool { saved != nil && removedAt == nil && staleSince == nil }

    /// The provider's token, sealed; `nil` once it was removed.
    package var usableToken: Json? { isUsable ? saved?.fact.token : nil }
}

extension Instrument {
    /// Refuses a new payment that may not use this credential.
    ///
    /// A credential that was saved without a customer has no owner: whoever may create payments may use it.
    package func checkUse(by terms: PaymentTerms, account: Uuid, at now: Timestamp) throws(Rejection) {
        guard let saved, saved.account == account else { throw .instrumentUnknownHere }
        if let owner = saved.customer, owner != terms.customer {
            throw Rejection(.instrumentNotOwned, "The instrument is another customer's.", path: "instrument")
        }
        guard isUsable else {
            throw Rejection(.instrumentRemoved, "The instrument was removed.", path: "instrument")
        }
        if let end = saved.fact.end, now >= end {
            throw Rejection(.instrumentExpired, "The instrument's last month is over.", path: "instrument")
        }
    }
}

extension Rejection {
    /// One word for what does not exist and for what another merchant or account holds.
    package static var instrumentUnknownHere: Rejection {
        Rejection(.instrumentUnknown, "There is no such instrument at this account.", path: "instrument")
    }
}

extension InstrumentFact {
    /// When its last month is over everywhere on Earth; `nil` where no expiry is known.
    var end: Timestamp? {
        guard let year = expiryYear.flatMap({ Int64(exactly: $0) }),
            let month = expiryMonth.flatMap({ Int64(exactly: $0) }),
            let next = CivilDate(year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
        else { return nil }
        return Timestamp(seconds: next.daysSinceEpoch * 86_400 + Self.lastZoneSeconds)
    }

    /// The last time zone is twelve hours behind UTC.
    private static let lastZoneSeconds: Int64 = 12 * 3600
}

/// A credential with the account and the payer that it belongs to.
package struct SavedInstrument: Hashable, Sendable {
    package let fact: InstrumentFact
    /// The account whose provider issued the token.
    package let account: Uuid
    /// The payer at the merchant, as the merchant calls them.
    package let customer: String?
    /// The payment that brought it.
    package let payment: PaymentId?

    package init(fact: InstrumentFact, account: Uuid, customer: String?, payment: PaymentId?) {
        self.fact = fact
        self.account = account
        self.customer = customer
        self.payment = payment
    }

    func isSameCredential(as other: SavedInstrument) -> Bool {
        account == other.account && fact.fingerprint == other.fact.fingerprint && customer == other.customer
    }

    /// Sealing the same token again gives other bytes; the fingerprint tells that it is the same.
    func isUnchanged(by other: SavedInstrument) -> Bool {
        isSameCredential(as: other) && fact.masked == other.fact.masked && fact.scheme == other.fact.scheme
            && fact.expiryYear == other.fact.expiryYear && fact.expiryMonth == other.fact.expiryMonth
    }
}

/// What happened to a saved credential.
package enum InstrumentEvent: Hashable, Sendable {
    case saved(SavedInstrument, at: Timestamp)
    case removed(by: String, reason: String?, at: Timestamp)
    /// The provider does not take it any more; it is good again once it is saved anew.
    case staled(reason: String, at: Timestamp)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case saved = "instrument.saved.v1"
        case removed = "instrument.removed.v1"
        case staled = "instrument.staled.v1"
    }

    package var name: Name {
        switch self {
        case .saved: .saved
        case .removed: .removed
        case .staled: .staled
        }
    }
}

/// What is asked of a saved credential.
package enum InstrumentCommand: Hashable, Sendable {
    case save(SavedInstrument)
    case remove(reason: String?)
    /// The provider refused it as it stood at a version of its stream.
    case markStale(reason: String, asUsed: Int32)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case save = "instrument.save"
        case remove = "instrument.remove"
        case markStale = "instrument.mark_stale"
    }

    package var name: Name {
        switch self {
        case .save: .save
        case .remove: .remove
        case .markStale: .markStale
        }
    }
}

extension InstrumentEvent {
    package var draft: EventDraft { EventDraft(type: name.rawValue, data: json.canonical) }

    package var json: Json {
        switch self {
        case .saved(let saved, let at): ["at": at.json, "saved": saved.json]
        case .removed(let actor, let reason, let at):
            .compact([("at", at.json), ("by", .string(actor)), ("reason", reason.map(Json.string))])
        case .staled(let reason, let at): ["at": at.json, "reason": .string(reason)]
        }
    }

    /// Reads a stored event.
    package init(type: String, data: [UInt8]) throws(CodecFailure) {
        guard let name = Name(rawValue: type), let json = try? Json(data) else { throw CodecFailure(type) }
        let fields = Fields(json)
        switch name {
        case .saved: self = .saved(try SavedInstrument(fields.fields("saved")), at: try fields.time("at"))
        case .removed:
            self = .removed(
                by: try fields.text("by"),
                reason: try fields.optionalText("reason"),
                at: try fields.time("at")
            )
        case .staled: self = .staled(reason: try fields.text("reason"), at: try fields.time("at"))
        }
    }
}

extension InstrumentCommand {
    package var json: Json {
        switch self {
        case .save(let saved): saved.json
        case .remove(let reason): .compact([("reason", reason.map(Json.string))])
        case .markStale(let reason, let asUsed):
            ["asUsed": .integer(Int64(asUsed)), "reason": .string(reason)]
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        switch name {
        case .save: self = .save(try SavedInstrument(Fields(json)))
        case .remove: self = .remove(reason: try Fields(json).optionalText("reason"))
        case .markStale:
            self = .markStale(reason: try Fields(json).text("reason"), asUsed: try Fields(json).int32("asUsed"))
        }
    }
}

extension SavedInstrument {
    package var json: Json {
        .compact([
            ("account", account.json), ("customer", customer.map(Json.string)), ("fact", fact.json),
            ("payment", payment?.json),
        ])
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
