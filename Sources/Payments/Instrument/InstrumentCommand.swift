package import EventSourcing
package import Kernel

/// A request about a saved credential, or news of it.
package enum InstrumentCommand: StoredCommand, Hashable {
    /// A payment or a person brought it; `charged` where the same decision of a payment saved it and took money by it.
    case save(SavedInstrument, charged: Charge? = nil)
    /// A payment or transfer was created with it, by the id and the kind of its stream; earlier commands name no kind.
    case use(Uuid, InstrumentUser? = nil)
    /// A payment took money by it, or saved it while it took money; `at` where its merchant's own clock tells the day.
    case charge(Uuid, at: Timestamp? = nil)
    /// A payment by it came to an end without taking money.
    case endUse(Uuid)
    /// A provider said something about it.
    case report(Report)
    case remove(reason: String?)
    /// Asks the provider whether it still keeps it.
    case check

    /// The stream of a payment that took money; `at` as in `charge`.
    package struct Charge: Hashable, Sendable {
        package let by: Uuid
        package let at: Timestamp

        package init(by: Uuid, at: Timestamp) {
            self.by = by
            self.at = at
        }
    }

    package enum Report: Hashable, Sendable {
        /// `asUsed` is the version that was refused: a credential that was saved anew since is another one.
        case invalid(code: String?, asUsed: Int32? = nil)
        /// The payer removed it in the provider's form.
        case removedByPayer
    }

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case save = "instrument.save"
        case use = "instrument.use"
        case charge = "instrument.charge"
        case endUse = "instrument.end_use"
        case report = "instrument.report"
        case remove = "instrument.remove"
        case check = "instrument.check"
    }

    /// Those that may lift a refusal of whoever would use it: it is saved, or another charge by its payer's mandate came to an end.
    package static let lifting = [Name.save.rawValue, Name.charge.rawValue, Name.endUse.rawValue]

    package var name: Name {
        switch self {
        case .save: .save
        case .use: .use
        case .charge: .charge
        case .endUse: .endUse
        case .report: .report
        case .remove: .remove
        case .check: .check
        }
    }
}

extension Instrument {
    /// Decides a command; a removal by us asks for a message to the provider, too, which is planned outside.
    package func decide(_ command: InstrumentCommand, _ context: CommandContext) throws(Rejection)
        -> [InstrumentEvent]
    {
        switch command {
        case .save(let wanted, let charge):
            return try save(wanted, context) + (charge.map { [.charged($0.by, at: $0.at)] } ?? [])
        case .use(let stream, let kind):
            return saved == nil ? [] : [.used(stream, kind: kind, holds: mandate != nil, at: context.now)]
        case .charge(let stream, let at): return saved == nil ? [] : [.charged(stream, at: at ?? context.now)]
        case .endUse(let stream):
            guard openUses.contains(stream) || waitingUses[stream] != nil else { return [] }
            return [.useEnded(stream, at: context.now)]
        case .report(.invalid(let code, let asUsed)):
            return isUsable && savedVersion <= asUsed ?? .max ? [.ended(.invalid(code: code), at: context.now)] : []
        case .report(.removedByPayer):
            guard saved != nil, removed == nil else { return [] }
            return [
                .removed(by: Self.payer, reason: nil, at: context.now), .removalEnded(.removed, at: context.now),
            ]
        case .remove(let reason):
            guard saved != nil else { throw Rejection(.instrumentUnknown, "There is no such instrument.") }
            guard removed == nil else { return [] }
            return [.removed(by: context.actor.id, reason: reason, at: context.now)]
        case .check:
            // The question is planned outside.
            try checkAskable()
            return []
        }
    }

    private func save(_ wanted: SavedInstrument, _ context: CommandContext) throws(Rejection) -> [InstrumentEvent] {
        if let saved, !saved.isSameCredential(as: wanted) {
            throw Rejection(.instrumentMismatch, "This id names another credential.")
        }
        if isUsable, saved?.isUnchanged(by: wanted) == true { return [] }
        // A payment that was made by it before it was removed brings it back to nobody.
        if removed != nil, let payment = wanted.payment, waitingUses[payment.uuid] != nil { return [] }
        return [.saved(wanted, at: context.now)]
    }

    /// Takes note that the last month is over.
    package func decideEnd(at now: Timestamp) -> [InstrumentEvent] {
        guard let end = nextEnd, now >= end else { return [] }
        return [.ended(.lastMonth, at: now)]
    }

    /// Who removed it where the payer did, in the provider's form.
    package static let payer = "payer"
}

extension InstrumentCommand {
    package func write(into out: inout JsonText) {
        switch self {
        case .save(let saved, let charge): saved.write(into: &out, charged: charge)
        case .use(let stream, let kind):
            out.member("by", stream)
            out.member("kind", kind)
        case .endUse(let stream): out.member("by", stream)
        case .charge(let stream, let at):
            out.member("at", at)
            out.member("by", stream)
        case .report(let report): report.write(into: &out)
        case .remove(let reason): out.member("reason", reason)
        case .check: break
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        let fields = Fields(json)
        switch name {
        case .save:
            self = .save(
                try SavedInstrument(fields),
                charged: try fields.optionalFields("charged").map { fields throws(CodecFailure) in try Charge(fields) }
            )
        case .use: self = .use(try fields.uuid("by"), try fields.user("kind"))
        case .charge: self = .charge(try fields.uuid("by"), at: try fields.optionalTime("at"))
        case .endUse: self = .endUse(try fields.uuid("by"))
        case .report: self = .report(try Report(fields))
        case .remove: self = .remove(reason: try fields.optionalText("reason"))
        case .check: self = .check
        }
    }
}

extension InstrumentCommand.Charge: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("at", at)
        out.member("by", by)
    }

    init(_ fields: Fields) throws(CodecFailure) {
        self.init(by: try fields.uuid("by"), at: try fields.time("at"))
    }
}

extension InstrumentCommand.Report: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .invalid(let code, let asUsed):
            out.member("asUsed", asUsed)
            out.member("code", code)
            out.member("is", "invalid")
        case .removedByPayer: out.member("is", "removedByPayer")
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "invalid":
            self = .invalid(code: try fields.optionalText("code"), asUsed: try fields.optionalInt32("asUsed"))
        case "removedByPayer": self = .removedByPayer
        default: throw CodecFailure("is")
        }
    }
}
