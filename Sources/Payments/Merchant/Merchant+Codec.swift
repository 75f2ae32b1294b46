package import EventSourcing
package import Kernel

extension MerchantEvent {
    /// The payload as it is stored.
    package func write(into out: inout JsonText) {
        switch self {
        case .created(let name, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("name", name)
        case .suspended(let reason, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("reason", reason)
        case .resumed(let actor, let at):
            out.member("at", at)
            out.member("by", actor)
        case .personsSet(let needsTwo, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("needsTwo", needsTwo)
        case .limitSet(let limit, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("limit", limit)
        case .keyCreated(let facts, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("key", facts)
        case .keyRotated(let id, let endsAt, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("endsAt", endsAt)
            out.member("key", id)
        case .keyRevoked(let id, let reason, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("key", id)
            out.member("reason", reason)
        case .changeProposed, .changeApproved, .changeRejected, .clockOwned, .clockSent, .dunningKept, .periodClosed:
            writeChange(into: &out)
        }
    }

    private func writeChange(into out: inout JsonText) {
        switch self {
        case .changeProposed(let change, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("change", change.id)
            out.member("expiresAt", change.expiresAt)
            out.member("what", change.what)
        case .changeApproved(let id, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("change", id)
        case .changeRejected(let id, let reason, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("change", id)
            out.member("reason", reason)
        case .clockOwned(let start, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("start", start)
        case .clockSent(let target, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("to", target)
        case .dunningKept(let name, let version, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("name", name)
            out.member("version", version)
        case .periodClosed(let month, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("month", month)
        default: preconditionFailure("written before")
        }
    }

    /// Reads the payload of a stored event.
    package init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
        let (actor, at) = (try fields.text("by"), try fields.time("at"))
        switch name {
        case .created: self = .created(name: try fields.text("name"), by: actor, at: at)
        case .suspended: self = .suspended(reason: try fields.optionalText("reason"), by: actor, at: at)
        case .resumed: self = .resumed(by: actor, at: at)
        case .personsSet: self = .personsSet(needsTwo: try fields.flag("needsTwo"), by: actor, at: at)
        case .limitSet:
            self = .limitSet(try RateLimit.read("limit", of: fields), by: actor, at: at)
        case .keyCreated: self = .keyCreated(try KeyFacts(fields.fields("key")), by: actor, at: at)
        case .keyRotated:
            self = .keyRotated(try fields.uuid("key"), endsAt: try fields.time("endsAt"), by: actor, at: at)
        case .keyRevoked:
            self = .keyRevoked(try fields.uuid("key"), reason: try fields.optionalText("reason"), by: actor, at: at)
        case .changeProposed:
            let change = ProposedChange(
                id: try fields.uuid("change"),
                what: try ProposedChange.What(fields.fields("what")),
                by: actor,
                proposedAt: at,
                expiresAt: try fields.time("expiresAt")
            )
            self = .changeProposed(change, by: actor, at: at)
        case .changeApproved: self = .changeApproved(try fields.uuid("change"), by: actor, at: at)
        case .changeRejected:
            self = .changeRejected(try fields.uuid("change"), reason: try fields.text("reason"), by: actor, at: at)
        case .clockOwned: self = .clockOwned(start: try fields.time("start"), by: actor, at: at)
        case .clockSent: self = .clockSent(to: try fields.time("to"), by: actor, at: at)
        case .dunningKept:
            self = .dunningKept(
                name: try fields.text("name"),
                version: try fields.positive("version"),
                by: actor,
                at: at
            )
        case .periodClosed: self = .periodClosed(month: try fields.text("month"), by: actor, at: at)
        }
    }
}

extension MerchantCommand {
    /// The body of the command's input, as it is stored.
    package func write(into out: inout JsonText) {
        switch self {
        case .create(let name): out.member("name", name)
        case .suspend(let reason): out.member("reason", reason)
        case .resume: break
        case .setPersons(let needsTwo, let asks):
            out.member("asks", asks)
            out.member("needsTwo", needsTwo)
        case .setLimit(let limit): out.member("limit", limit)
        case .createKey(let facts, let asks):
            out.member("asks", asks)
            out.member("key", facts)
        case .rotateKey(let id, let endsAt, let asks):
            out.member("asks", asks)
            out.member("endsAt", endsAt)
            out.member("key", id)
        case .revokeKey(let id, let reason):
            out.member("key", id)
            out.member("reason", reason)
        case .propose(let what): out.member("what", what)
        case .approve(let id): out.member("change", id)
        case .reject(let id, let reason):
            out.member("change", id)
            out.member("reason", reason)
        case .noteClock(let start): out.member("start", start)
        case .noteClockSent(let target): out.member("to", target)
        case .noteDunning(let name, let version):
            out.member("name", name)
            out.member("version", version)
        case .notePeriod(let month): out.member("month", month)
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        let fields = Fields(json)
        switch name {
        case .create: self = .create(name: try fields.text("name"))
        case .suspend: self = .suspend(reason: try fields.optionalText("reason"))
        case .resume: self = .resume
        case .setPersons:
            self = .setPersons(needsTwo: try fields.flag("needsTwo"), asks: try fields.flag("asks"))
        case .setLimit: self = .setLimit(try RateLimit.read("limit", of: fields))
        case .createKey: self = .createKey(try KeyFacts(fields.fields("key")), asks: try fields.flag("asks"))
        case .rotateKey:
            self = .rotateKey(
                try fields.uuid("key"),
                endsAt: try fields.time("endsAt"),
                asks: try fields.flag("asks")
            )
        case .revokeKey:
            self = .revokeKey(try fields.uuid("key"), reason: try fields.optionalText("reason"))
        case .propose: self = .propose(try ProposedChange.What(fields.fields("what")))
        case .approve: self = .approve(try fields.uuid("change"))
        case .reject: self = .reject(try fields.uuid("change"), reason: try fields.text("reason"))
        case .noteClock: self = .noteClock(start: try fields.time("start"))
        case .noteClockSent: self = .noteClockSent(to: try fields.time("to"))
        case .noteDunning:
            self = .noteDunning(name: try fields.text("name"), version: try fields.positive("version"))
        case .notePeriod: self = .notePeriod(month: try fields.text("month"))
        }
    }
}

extension KeyFacts: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("expiresAt", expiresAt)
        out.member("id", id)
        out.member("limit", limit)
        out.member("name", name)
        out.member("networks", networks)
        out.member("role", role)
        out.member("scopes", scopes)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            id: try fields.uuid("id"),
            name: try fields.text("name"),
            role: try fields.optionalText("role"),
            scopes: try fields.texts("scopes"),
            networks: try fields.texts("networks"),
            expiresAt: try fields.optionalTime("expiresAt"),
            limit: try RateLimit.read("limit", of: fields)
        )
    }
}

extension RateLimit: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("requests", requests)
        out.member("seconds", seconds)
    }

    fileprivate static func read(_ name: String, of fields: Fields) throws(CodecFailure) -> RateLimit? {
        guard let stored = try fields.optionalFields(name) else { return nil }
        let (requests, seconds) = (try stored.integer("requests"), try stored.integer("seconds"))
        guard let limit = RateLimit(requests: requests, seconds: seconds) else { throw CodecFailure(name) }
        return limit
    }
}

extension ProposedChange.What: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .command(let kind, let stream, let name, let body):
            out.member("body", body)
            out.member("is", "command")
            out.member("kind", Int64(kind))
            out.member("name", name)
            out.member("stream", stream)
        case .key(let id):
            out.member("is", "key")
            out.member("key", id)
        case .onePerson: out.member("is", "onePerson")
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "command":
            guard let kind = Int16(exactly: try fields.integer("kind")) else { throw CodecFailure("kind") }
            self = .command(
                kind: kind,
                stream: try fields.uuid("stream"),
                name: try fields.text("name"),
                body: try fields.value("body")
            )
        case "key": self = .key(try fields.uuid("key"))
        case "onePerson": self = .onePerson
        default: throw CodecFailure("is")
        }
    }
}

extension Fields {
    /// A number from one on that is no larger than any that we count.
    fileprivate func positive(_ name: String) throws(CodecFailure) -> Int {
        let number = try integer(name)
        guard (1...Int64(Int32.max)).contains(number) else { throw CodecFailure(name) }
        return Int(number)
    }

    /// A list of texts.
    fileprivate func texts(_ name: String) throws(CodecFailure) -> [String] {
        let found = try optional(name) { json -> [String]? in
            guard let items = json.items else { return nil }
            let texts = items.compactMap(\.text)
            return texts.count == items.count ? texts : nil
        }
        guard let found else { throw CodecFailure(name) }
        return found
    }
}
