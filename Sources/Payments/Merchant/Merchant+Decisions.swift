import EventSourcing
import Kernel

extension Merchant {
    /// Decides a command; what the register knows was looked up before.
    package func decide(_ command: MerchantCommand, _ context: CommandContext) throws(Rejection) -> [MerchantEvent] {
        let (actor, now) = (context.actor.id, context.now)
        switch command {
        case .create(let name): return version == 0 ? [.created(name: name, by: actor, at: now)] : []
        case .suspend(let reason):
            return suspendedAt == nil ? [.suspended(reason: reason, by: actor, at: now)] : []
        case .resume: return suspendedAt == nil ? [] : [.resumed(by: actor, at: now)]
        case .setPersons(let needsTwo, let asks):
            guard needsTwo != needsTwoPersons else { return [] }
            guard needsTwoPersons, asks else { return [.personsSet(needsTwo: needsTwo, by: actor, at: now)] }
            return [try proposal(.onePerson, context)]
        case .setLimit(let limit): return limit == self.limit ? [] : [.limitSet(limit, by: actor, at: now)]
        case .createKey(let facts, let asks):
            guard keys[facts.id] == nil else { return [] }
            guard keys.count < Self.keysPerMerchant else {
                throw Rejection(.tooManyKeys, "At most \(Self.keysPerMerchant) keys; revoke those that nobody uses.")
            }
            // Whoever makes a key has its token, and would be both of two persons.
            guard !asks || needsTwoPersons || !facts.isPerson else {
                throw Rejection(
                    .sameActor,
                    "A key that administers, resolves, approves or settles comes from two persons or from the owner of the database."
                )
            }
            let created = MerchantEvent.keyCreated(facts, by: actor, at: now)
            guard needsTwoPersons, asks else { return [created] }
            return [created, try proposal(.key(facts.id), context)]
        case .rotateKey(let id, let endsAt, let asks):
            // Whoever holds a key has its rights already; a token of another's is a second person. One that this stream does not
            // know may be anybody's.
            let isPlain = !needsTwoPersons && keys[id]?.isPerson == false
            guard !asks || actor == "key:\(id)" || isPlain else {
                throw Rejection(.sameActor, "The holder of a key rotates it; revoke it and have a new one approved.")
            }
            return [.keyRotated(id, endsAt: endsAt, by: actor, at: now)]
        case .revokeKey(let id, let reason): return [.keyRevoked(id, reason: reason, by: actor, at: now)]
        case .propose(let what): return [try proposal(what, context)]
        case .approve(let id): return try approve(id, context)
        case .reject(let id, let reason):
            let change = try self.change(id)
            if let ending = change.ending {
                guard ending.state == .rejected else { throw Rejection(.changeEnded, "It is approved.") }
                return []
            }
            return [.changeRejected(id, reason: reason, by: actor, at: now)]
        case .noteClock(let start): return [.clockOwned(start: start, by: actor, at: now)]
        case .noteClockSent(let target): return [.clockSent(to: target, by: actor, at: now)]
        case .noteDunning(let name, let version):
            return [.dunningKept(name: name, version: version, by: actor, at: now)]
        case .notePeriod(let month): return [.periodClosed(month: month, by: actor, at: now)]
        }
    }

    private func change(_ id: Uuid) throws(Rejection) -> ProposedChange {
        guard let change = self[change: id] else { throw Rejection(.changeUnknown, "There is no such change.") }
        return change
    }

    private func proposal(_ what: ProposedChange.What, _ context: CommandContext) throws(Rejection) -> MerchantEvent {
        guard changes.count(where: { $0.isOpen(at: context.now) }) < Self.openChanges else {
            throw Rejection(
                .tooManyChanges,
                "At most \(Self.openChanges) changes wait at once; approve or reject some."
            )
        }
        let change = ProposedChange(
            id: DerivedNames.change(proposedBy: context.input),
            what: what,
            by: context.actor.id,
            proposedAt: context.now,
            expiresAt: context.now.adding(Self.patience)
        )
        return .changeProposed(change, by: context.actor.id, at: context.now)
    }

    private func approve(_ id: Uuid, _ context: CommandContext) throws(Rejection) -> [MerchantEvent] {
        let change = try self.change(id)
        if let ending = change.ending {
            guard ending.state == .approved else { throw Rejection(.changeEnded, "It was rejected.") }
            return []
        }
        guard change.isOpen(at: context.now) else {
            throw Rejection(.changeEnded, "It was not approved in time; propose it again.")
        }
        guard change.by != context.actor.id else {
            throw Rejection(.sameActor, "Another person approves what one proposed.")
        }
        let approved = MerchantEvent.changeApproved(id, by: context.actor.id, at: context.now)
        switch change.what {
        case .command, .key: return [approved]
        case .onePerson: return [approved, .personsSet(needsTwo: false, by: context.actor.id, at: context.now)]
        }
    }
}
