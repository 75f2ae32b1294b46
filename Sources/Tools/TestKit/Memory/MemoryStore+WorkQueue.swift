package import EventSourcing
package import Kernel

extension MemoryStore: WorkQueue {
    package func now() async throws(StoreFailure) -> Timestamp {
        try perform(.now) { _, now in now }
    }

    package func claimMail(owner: String, lease: Duration, done: [MailLease], after: MerchantNumber)
        async throws(StoreFailure) -> [MailLease]
    {
        try perform(.claimMail) { state, now in
            state.release(done, until: now)
            let due = state.mail.filter { $0.value.due <= now }
                .sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
            let shared = Self.share(due, MailLease.page, after: after, of: \.key.merchant) { _ in MailLease.page }
            return shared.map { stream, row in
                let fence = state.nextFence()
                state.mail[stream]?.fence = fence
                state.mail[stream]?.due = now.adding(lease)
                let attempts = row.owner == nil ? row.attempts : max(row.attempts, 1)
                state.mail[stream]?.attempts = attempts
                state.mail[stream]?.owner = owner
                return MailLease(stream: stream, fence: fence, attempts: attempts)
            }
        }
    }

    package func undecided(_ leases: [MailLease], limit: Int) async throws(StoreFailure) -> [[InputRecord]] {
        try perform(.undecided) { state, _ in
            leases.map { lease in
                guard let row = state.mail[lease.stream], row.fence == lease.fence else { return [] }
                return row.inputs.prefix(limit).compactMap {
                    state.inputs[MerchantKey(merchant: lease.stream.merchant, id: $0)]?.decided(in: lease.stream)
                }
            }
        }
    }

    package func suspect(_ leases: [MailLease]) async throws(StoreFailure) {
        try perform(.suspect) { state, _ in
            for lease in leases where state.mail[lease.stream]?.fence == lease.fence {
                state.mail[lease.stream]?.attempts = lease.attempts
            }
        }
    }

    package func release(_ leases: [MailLease], after delay: Duration) async throws(StoreFailure) {
        try perform(.release) { state, now in state.release(leases, until: now.adding(delay)) }
    }

    package func quarantine(_ input: Uuid, lease: MailLease, reason: String) async throws(StoreFailure) {
        try perform(.quarantine) { state, _ in
            let key = MerchantKey(merchant: lease.stream.merchant, id: input)
            guard let row = state.mail[lease.stream], row.fence == lease.fence, row.inputs.contains(input),
                let record = state.inputs[key]
            else { return }
            state.quarantined.append((record, reason))
            state.settle(input, of: lease.stream)
        }
    }

    package func dueTimers(limit: Int, after: MerchantNumber) async throws(StoreFailure) -> [DueTimer] {
        try perform(.dueTimers) { state, now in
            let due = state.timers.filter { $0.value <= state.time(for: $0.key, at: now) }
                .map { DueTimer(stream: $0.key.stream, clock: $0.key.clock, at: $0.value) }
                .sorted { ($0.at, $0.stream, $0.clock.rawValue) < ($1.at, $1.stream, $1.clock.rawValue) }
            guard due.count > limit else { return due }
            return Self.share(due, limit, after: after, of: \.stream.merchant) { _ in limit }
        }
    }

    package func fire(_ timers: [(timer: DueTimer, input: InputRecord)]) async throws(StoreFailure) {
        try perform(.fire) { state, now in
            for (timer, input) in timers {
                let key = TimerKey(stream: timer.stream, clock: timer.clock)
                guard state.timers[key] == timer.at else { continue }
                let isNew = state.admit([input], at: now) == [true]
                // A moment that has had its turn gives no other input: it comes again as another timer.
                state.timers[key] = isNew ? nil : timer.at.adding(.seconds(60))
            }
        }
    }

    package func claimEffects(owner: String, lease: Duration, _ wish: EffectWish) async throws(StoreFailure)
        -> [LeasedEffect]
    {
        let claimed = try perform(.claimEffects) { state, now -> [LeasedEffect]? in
            if state.isElsewhere { return nil }
            let ready = state.effects
                .filter { row in
                    row.value.state == .ready && row.value.effect.notBefore <= now && now < row.value.effect.sendBefore
                        && !wish.full.contains(row.key.merchant)
                }
                .sorted { ($0.value.effect.notBefore, $0.value.order) < ($1.value.effect.notBefore, $1.value.order) }
            let most = min(wish.most, EffectWish.page)
            let shared = Self.share(ready, most, after: wish.after, of: \.value.effect.account) { account in
                wish.rooms[account] ?? wish.room
            }
            return shared.map { key, row in
                var claimed = row
                claimed.fence = state.nextFence()
                claimed.state = .claimed
                claimed.leaseUntil = now.adding(lease)
                state.effects[key] = claimed
                return LeasedEffect(
                    lease: claimed.lost.lease,
                    effect: row.effect,
                    leaseUntil: claimed.leaseUntil
                )
            }
        }
        return try MemoryState.here(claimed)
    }

    package func pace(
        _ leases: [EffectLease],
        account: Uuid,
        spacing: Duration,
        burst: Int64
    ) async throws(StoreFailure) -> [Bool] {
        try perform(.pace) { state, now in
            let earliest = now.adding(spacing * Int(1 - burst))
            var turn = max(state.paces[account] ?? .epoch, earliest)
            return leases.map { lease in
                defer { turn = turn.adding(spacing) }
                guard turn > now else {
                    state.paces[account] = turn.adding(spacing)
                    return true
                }
                let key = MerchantKey(merchant: lease.stream.merchant, id: lease.id)
                guard var row = state.effects[key], row.fence == lease.fence, row.state == .claimed else {
                    return false
                }
                row.fence = state.nextFence()
                row.state = .ready
                row.effect = row.effect.postponed(until: turn)
                state.effects[key] = row
                return false
            }
        }
    }

    package func giveBack(_ leases: [EffectLease]) async throws(StoreFailure) {
        try perform(.giveBack) { state, _ in
            for lease in leases {
                let key = MerchantKey(merchant: lease.stream.merchant, id: lease.id)
                guard var row = state.effects[key], row.fence == lease.fence, row.state == .claimed else { continue }
                row.fence = state.nextFence()
                row.state = .ready
                state.effects[key] = row
            }
        }
    }

    package func markSending(_ leases: [EffectLease], margin: Duration) async throws(StoreFailure) -> [Bool] {
        let marks = try perform(.markSending) { state, now -> [Bool]? in
            if state.isElsewhere { return nil }
            return leases.map { lease in
                let key = MerchantKey(merchant: lease.stream.merchant, id: lease.id)
                guard var row = state.effects[key], row.fence == lease.fence,
                    row.mayBeMarked(at: now, margin: margin)
                else { return false }
                if row.state != .sending {
                    let mark = SendingMark(
                        stream: row.stream,
                        effect: lease.id,
                        ordinal: row.effect.ordinal,
                        fence: row.fence,
                        at: now
                    )
                    state.marks[row.stream, default: []].append(mark)
                }
                row.state = .sending
                row.leaseUntil = max(row.leaseUntil, now.adding(row.effect.deadline + margin))
                state.effects[key] = row
                return true
            }
        }
        return try MemoryState.here(marks)
    }

    package func observe(_ observations: [(lease: EffectLease, input: InputRecord)]) async throws(StoreFailure) {
        try perform(.observe) { state, now in
            for (lease, input) in observations {
                let isHeld = state.observe(lease)
                if isHeld || input.name != AnswerName.notSent.rawValue { _ = state.admit([input], at: now) }
            }
        }
    }

    package func reclaimEffects() async throws(StoreFailure) -> Int {
        try perform(.reclaimEffects) { state, now in
            let expired = state.effects.filter { $0.value.state == .claimed && $0.value.leaseUntil <= now }
            for key in expired.keys {
                let fence = state.nextFence()
                state.effects[key]?.state = .ready
                state.effects[key]?.fence = fence
            }
            return expired.count
        }
    }

    package func lostEffects(grace: Duration, limit: Int) async throws(StoreFailure) -> [LostEffect] {
        try perform(.lostEffects) { state, now in
            let lost = state.effects.values
                .filter { $0.state == .sending && $0.leaseUntil.adding(grace) < now }
                .sorted { ($0.leaseUntil, $0.order) < ($1.leaseUntil, $1.order) }
            return lost.prefix(limit).map(\.lost)
        }
    }

    package func expiredEffects(limit: Int) async throws(StoreFailure) -> [LostEffect] {
        let expired = try perform(.expiredEffects) { state, now -> [LostEffect]? in
            if state.isElsewhere { return nil }
            let expired = state.effects.values
                .filter { row in
                    let idle = row.state == .ready || (row.state == .claimed && row.leaseUntil <= now)
                    return idle && row.effect.sendBefore <= now
                }
                .sorted { ($0.effect.sendBefore, $0.order) < ($1.effect.sendBefore, $1.order) }
            return expired.prefix(limit).map(\.lost)
        }
        return try MemoryState.here(expired)
    }

    package func takeInbox(
        limit: Int,
        after: MerchantNumber,
        _ settle: @Sendable ([InboxCommand]) async -> [InboxSettlement]
    ) async throws(StoreFailure) -> Int {
        let taken = try perform(.takeInbox) { state, _ -> [InboxCommand] in
            let rows = Self.share(state.inbox, limit, after: after, of: \.merchant) { _ in limit }
            let taken = Set(rows.map(\.id))
            state.inbox.removeAll { taken.contains($0.id) }
            return rows
        }
        guard !taken.isEmpty else { return 0 }
        let settlements = await settle(taken)
        precondition(settlements.count == taken.count, "one settlement per row")
        let now = clock()
        state.withLock { state in
            for (row, settlement) in zip(taken, settlements) {
                if settlement == .later {
                    state.inbox.append(row)
                    continue
                }
                state.outcomes[row.id] = state.conclude(settlement, at: now)
            }
        }
        return settlements.count { $0 != .later }
    }

    /// Shares places among up to as many owners as there are places, from the one behind `after` on; rows are in their order.
    private static func share<Row, Owner: Hashable & Comparable>(
        _ rows: [Row],
        _ places: Int,
        after: Owner,
        of owner: (Row) -> Owner,
        room: (Owner) -> Int
    ) -> [Row] {
        var waiting = Dictionary(grouping: rows, by: owner).mapValues { $0[...] }
        let names = waiting.keys.sorted()
        let round = (names.filter { $0 > after } + names.filter { $0 <= after }).filter { room($0) > 0 }.prefix(places)
        for name in round { waiting[name] = waiting[name]?.prefix(room(name)) }
        var out: [Row] = []
        while out.count < places, round.contains(where: { waiting[$0]?.isEmpty == false }) {
            for (index, name) in round.enumerated() {
                let others = round.count - index
                let share = waiting[name]?.prefix((places - out.count + others - 1) / others) ?? []
                waiting[name] = waiting[name]?.dropFirst(share.count)
                out += share
            }
        }
        return out
    }
}

extension MemoryState {
    /// Admits a settled inbox row, unless its key was given to another command.
    mutating func conclude(_ settlement: InboxSettlement, at now: Timestamp) -> InboxSettlement {
        switch settlement {
        case .refuse, .later: return settlement
        case .admit(let record, let mac):
            let key = MerchantKey(merchant: record.stream.merchant, id: record.id)
            if let known = commands[key] {
                guard known.mac == mac else {
                    return .refuse(code: "idempotency_conflict", detail: "the key was used for another command")
                }
                return settlement
            }
            commands[key] = CommandRow(mac: mac, stream: record.stream, version: nil)
            _ = admit([record], at: now)
            return settlement
        }
    }
}

extension NewEffect {
    fileprivate func postponed(until turn: Timestamp) -> NewEffect {
        NewEffect(
            id: id,
            account: account,
            ordinal: ordinal,
            template: template,
            notBefore: turn,
            sendBefore: sendBefore,
            deadline: deadline
        )
    }
}

extension MemoryState {
    fileprivate mutating func release(_ leases: [MailLease], until due: Timestamp) {
        for lease in leases where mail[lease.stream]?.fence == lease.fence {
            mail[lease.stream]?.due = due
            mail[lease.stream]?.owner = nil
        }
    }
}
