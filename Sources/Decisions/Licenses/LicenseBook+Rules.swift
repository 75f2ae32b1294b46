package import EventSourcing
package import Kernel
package import Payments

/// The promise of an account when it was used, as the rules need it.
package struct RecoveryTerms: Hashable, Sendable {
    package let account: Uuid
    package let version: Int32
    package let recovery: Capabilities.Recoveries

    package init(account: Uuid, version: Int32, recovery: Capabilities.Recoveries) {
        self.account = account
        self.version = version
        self.recovery = recovery
    }
}

extension LicenseBook {
    /// Everything that the rules do not allow.
    ///
    /// `marks` are the stream's, `rows` those of open licences, `closed` the operations that are closed at the end of the
    /// stream. A licence whose account is not in `terms` is not judged by time; what was licensed before `marked` may have no
    /// mark; `unsent` are inputs that tell of messages that never left; `now` is the store's clock.
    package func breaches(
        marks: [SendingMark],
        rows: [EffectStanding],
        closed: Set<OperationId>,
        terms: [RecoveryTerms],
        marked: Timestamp,
        unsent: Set<Uuid> = [],
        now: Timestamp
    ) -> [LicenseBreach] {
        var found = strays.map { stray in
            LicenseBreach(
                .unlicensed,
                stream,
                position: stray.position,
                effect: stray.effect,
                ordinal: stray.ordinal,
                "an answer to what was never licensed"
            )
        }
        found += marks.filter { entryIndex($0.effect, $0.ordinal) == nil }.map { mark in
            LicenseBreach(.unlicensed, stream, effect: mark.effect, ordinal: mark.ordinal, "marked at \(mark.at)")
        }
        for entry in entries {
            let own = marks.filter {
                $0.effect == entry.license.effect.uuid && $0.ordinal == entry.license.ordinal
            }
            let isUnsent = entry.observedBy.map { unsent.contains($0) } ?? false
            found += use(of: entry, own, isUnsent ? .distantFuture : marked)
            found += number(of: entry)
            found += ground(of: entry, own, terms)
            if entry.isOpen { found += openness(of: entry, rows, closed, now) }
        }
        return found
    }

    /// Inputs whose outcome nobody knows where no mark tells that the message left: they may say that it did not.
    package func doubtful(_ marks: [SendingMark]) -> [Uuid] {
        entries.filter { entry in
            guard entry.repetition == .harmless, case .unknown? = entry.outcome else { return false }
            let license = entry.license
            return !marks.contains { $0.effect == license.effect.uuid && $0.ordinal == license.ordinal }
        }
        .compactMap(\.observedBy)
    }

    /// Whether this row belongs to a licence of the book.
    package func breach(of row: EffectStanding) -> LicenseBreach? {
        let newest = entries.filter { $0.license.effect.uuid == row.id }.map(\.license.ordinal).max()
        guard newest != row.ordinal else { return nil }
        let detail = newest.map { "the newest licence is number \($0)" } ?? "no licence names this effect"
        return LicenseBreach(.rowUnlicensed, stream, effect: row.id, ordinal: row.ordinal, detail)
    }

    private func breach(_ rule: LicenseBreach.Rule, _ entry: Entry, _ detail: String) -> LicenseBreach {
        LicenseBreach(
            rule,
            stream,
            position: entry.position,
            effect: entry.license.effect.uuid,
            ordinal: entry.license.ordinal,
            detail
        )
    }

    /// One mark at most, inside the window, and no answer without it.
    private func use(of entry: Entry, _ marks: [SendingMark], _ marked: Timestamp) -> [LicenseBreach] {
        let license = entry.license
        var found: [LicenseBreach] = []
        if Set(marks.map(\.fence)).count > 1 {
            found.append(breach(.sentTwice, entry, "\(marks.count) marks under one licence"))
        }
        for mark in marks where mark.at >= license.sendBefore || mark.at < license.notBefore {
            let window = "\(license.notBefore) … \(license.sendBefore)"
            found.append(breach(.outOfWindow, entry, "marked at \(mark.at), allowed \(window)"))
        }
        if marks.isEmpty, entry.outcome?.isOfASend == true, license.licensedAt >= marked {
            found.append(breach(.unmarked, entry, "an answer, and no mark before it"))
        }
        return found
    }

    /// Licences of an effect are numbered without holes, carry one message, and an operation has one effect.
    private func number(of entry: Entry) -> [LicenseBreach] {
        let license = entry.license
        let earlier = entry.before.earlier
        guard let last = earlier.last?.license else {
            return license.ordinal == 1 ? [] : [breach(.misnumbered, entry, "the first licence has another number")]
        }
        // Each answer of the payer's bank is a message of its own.
        if license.ground == .completion {
            return license.ordinal == 1 ? [] : [breach(.misnumbered, entry, "a bank's answer is sent on once")]
        }
        var found: [LicenseBreach] = []
        if last.effect != license.effect {
            found.append(breach(.misnumbered, entry, "a second effect of one operation"))
        }
        if license.ordinal != last.ordinal + 1 {
            found.append(breach(.misnumbered, entry, "number \(license.ordinal) follows \(last.ordinal)"))
        }
        // Bills that were never sent may go with other credentials; a payment's message stays what it was.
        if last.templateDigest != license.templateDigest,
            stream.kind.isPayment || license.ground == .sameKey || entry.repetition == .harmless
        {
            found.append(breach(.misnumbered, entry, "another message than before"))
        }
        return found
    }

    /// An open licence has a row that will end it, and that row does not send for a closed operation.
    private func openness(
        of entry: Entry,
        _ rows: [EffectStanding],
        _ closed: Set<OperationId>,
        _ now: Timestamp
    ) -> [LicenseBreach] {
        let isClosed = entry.license.operation.map { closed.contains($0) } ?? false
        let row = rows.first { $0.id == entry.license.effect.uuid && $0.ordinal == entry.license.ordinal }
        guard let row else {
            return [
                isClosed
                    ? breach(.openAfterClose, entry, "the operation is closed and no row is left to end the licence")
                    : breach(.rowMissing, entry, "no row is left to send it or to end it")
            ]
        }
        if row.state == .observed, now >= entry.license.outcomeDue {
            return [breach(.answerStuck, entry, "its outcome was kept and not decided")]
        }
        guard isClosed, row.state == .ready || row.state == .claimed, now < row.sendBefore else { return [] }
        return [breach(.sendableAfterClose, entry, "may be sent until \(row.sendBefore)")]
    }

    // MARK: Grounds

    private func ground(of entry: Entry, _ marks: [SendingMark], _ terms: [RecoveryTerms]) -> [LicenseBreach] {
        let license = entry.license
        let earlier = entry.before.earlier
        func groundless(_ detail: String) -> [LicenseBreach] {
            [breach(.groundless, entry, "\(license.ground.rawValue): \(detail)")]
        }
        if entry.repetition == .harmless {
            if earlier.contains(where: \.isOpen) { return groundless("an earlier licence was open") }
            return earlier.contains { $0.outcome == .answered } ? groundless("it had been answered") : []
        }
        let blindUntil = blindUntil(entry, terms)
        guard let first = earlier.first else {
            switch license.ground {
            case .first: return blindUntil.map { groundless("nobody had looked since \($0)") } ?? []
            case .baseline:
                if entry.before.lastAnsweredQuestion == nil { return groundless("nobody had looked before") }
                return blindUntil.map { groundless("nobody had looked since \($0)") } ?? []
            case .sameKey, .absent, .closed, .notExecuted, .operatorOverride, .completion:
                return groundless("nothing was licensed before")
            case .news: return license.purpose == .query ? [] : groundless("only a question is asked for it")
            }
        }
        if earlier.contains(where: \.isOpen) { return groundless("an earlier licence was open") }
        let recovery = recovery(of: license, terms)
        switch license.ground {
        case .first, .baseline: return groundless("it is not the first")
        case .news: return groundless("only a question is asked for it")
        case .sameKey:
            guard let recovery else { return [] }
            guard case .sameKey(let lifetime) = recovery else { return groundless("the provider knows no key") }
            let end = first.license.licensedAt.adding(lifetime)
            let late = ([license.licensedAt] + marks.map(\.at)).filter { $0 >= end }
            return late.isEmpty ? [] : groundless("the key was good until \(end)")
        case .absent:
            if entry.before.wasSighted { return groundless("the provider had shown it") }
            guard let recovery else { return [] }
            guard let proof = recovery.absenceProof else { return groundless("no query proves absence") }
            let lostAt = earlier.filter(\.wasLost).compactMap(\.observedAt).max() ?? first.license.licensedAt
            guard let asked = entry.before.lastAnsweredQuestion, asked >= lostAt.adding(proof) else {
                return groundless("no answered question after \(lostAt.adding(proof))")
            }
            return blindUntil.map { groundless("nobody had looked since \($0)") } ?? []
        case .closed: return entry.before.isAttemptClosed ? [] : groundless("the attempt was open")
        case .notExecuted:
            let settled = earlier.lastIndex { $0.license.ground.settles } ?? 0
            return earlier[settled...].allSatisfy(\.hadNoEffect) ? [] : groundless("an earlier message may have acted")
        case .completion:
            return entry.before.isOrderOpen ? [] : groundless("the provider had opened nothing that waits for it")
        case .operatorOverride: return entry.before.isOverridden ? [] : groundless("no second person approved it")
        }
    }

    /// From when on a look shows what the log had lost, where nobody had looked so late; `nil` where somebody had, where an
    /// attempt begins, and where the account's promise is not known.
    private func blindUntil(_ entry: Entry, _ terms: [RecoveryTerms]) -> Timestamp? {
        let license = entry.license
        guard let restoredAt = entry.before.restoredAt, case .operation(let kind) = license.purpose,
            license.ground != .first || !kind.isInitial,
            let known = terms.first(where: { $0.account == license.account && $0.version == license.accountVersion })
        else { return nil }
        let proof = known.recovery.absenceProofs.max() ?? Payment.quietAfterRestore
        let from = restoredAt.adding(proof)
        return entry.before.lastLook.map { $0 >= from } == true ? nil : from
    }

    private func recovery(of license: DispatchLicense, _ terms: [RecoveryTerms]) -> Capabilities.Recovery? {
        guard case .operation(let kind) = license.purpose,
            let known = terms.first(where: { $0.account == license.account && $0.version == license.accountVersion })
        else { return nil }
        return known.recovery[kind, by: method]
    }
}

extension LicenseBook.Entry {
    fileprivate var wasLost: Bool {
        switch outcome {
        case .unknown?: true
        case .notSent?, .accepted?, .notExecuted?, .refused?, .duplicate?, .answered?, nil: false
        }
    }

    /// Whether it is certain that nothing came of it.
    fileprivate var hadNoEffect: Bool {
        switch outcome {
        case .notSent?, .notExecuted?, .refused?: true
        case .unknown?, .accepted?, .duplicate?, .answered?: false
        case nil: revoked
        }
    }
}

extension DispatchOutcome {
    /// Whether it can only be said of a message that may have left.
    fileprivate var isOfASend: Bool {
        switch self {
        case .notSent: false
        case .unknown, .accepted, .notExecuted, .refused, .duplicate, .answered: true
        }
    }
}

extension DispatchLicense.Ground {
    /// Whether it proves that what was sent before had no effect, or two persons answer for it.
    fileprivate var settles: Bool {
        switch self {
        case .absent, .closed, .notExecuted, .operatorOverride, .completion: true
        case .first, .baseline, .sameKey, .news: false
        }
    }
}
