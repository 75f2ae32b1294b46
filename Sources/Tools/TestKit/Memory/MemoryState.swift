import EventSourcing
import Kernel

/// Everything that a `MemoryStore` knows, as a value; the rules are those of `paystream.commit` and its neighbours.
struct MemoryState: Sendable {
    var position: Int64 = 0
    var fence: Int64 = 0
    var eventsLoaded = 0
    var mostLoaded = 0
    var events: [RecordedEvent] = []
    var streams: [StreamName: [RecordedEvent]] = [:]
    /// The kind that the first event of each id settled.
    var kinds: [MerchantKey: StreamKind] = [:]
    var inputs: [MerchantKey: InputRecord] = [:]
    /// Where each input stands in the order of the log.
    var places: [MerchantKey: Int64] = [:]
    var decisions: [RecordedDecision] = []
    var decided: [MerchantKey: RecordedDecision] = [:]
    var commands: [MerchantKey: CommandRow] = [:]
    var references: [ReferenceKey: StreamName] = [:]
    var mail: [StreamName: MailRow] = [:]
    var timers: [TimerKey: Timestamp] = [:]
    var effects: [MerchantKey: EffectRow] = [:]
    var marks: [StreamName: [SendingMark]] = [:]
    var quarantined: [(input: InputRecord, reason: String)] = []
    var inbox: [InboxCommand] = []
    var outcomes: [Uuid: InboxSettlement] = [:]
    /// Clocks that merchants own.
    var clocks: [MerchantNumber: MemoryClock] = [:]
    /// When the next message of an account may leave.
    var paces: [Uuid: Timestamp] = [:]
    var epoch: RecoveryEpoch?
    /// Whether the log has come to another cluster since its last recovery epoch.
    var isElsewhere = false

    mutating func nextPosition() -> Int64 {
        position += 1
        return position
    }

    mutating func nextFence() -> Int64 {
        fence += 1
        return fence
    }

    /// An answer that is only given where no recovery epoch has to begin first.
    static func here<Answer>(_ answer: Answer?) throws(StoreFailure) -> Answer {
        guard let answer else {
            throw StoreFailure(.moved, detail: "a recovery epoch has begun, or has to")
        }
        return answer
    }

    func version(of stream: StreamName) -> Int32 { Int32(streams[stream]?.count ?? 0) }

    /// The stream of that id, under its own kind.
    func settled(_ stream: StreamName) -> StreamName {
        let kind = kinds[MerchantKey(merchant: stream.merchant, id: stream.id)]
        return StreamName(stream.merchant, kind ?? stream.kind, stream.id)
    }

    // MARK: Commit

    /// Writes units one after another in the order of their streams; what does not stand is answered and skipped.
    mutating func commit(_ units: [CommitUnit], at now: Timestamp) -> [CommitOutcome] {
        precondition(Set(units.map(\.stream)).count == units.count, "at most one unit per stream and call")
        var outcomes = [CommitOutcome?](repeating: nil, count: units.count)
        for index in units.indices.sorted(by: { units[$0].stream < units[$1].stream }) {
            outcomes[index] = refusal(of: units[index]) ?? write(units[index], at: now)
        }
        return outcomes.compactMap { $0 }
    }

    /// Says why a unit can't be written, looking at the store alone.
    private func refusal(of unit: CommitUnit) -> CommitOutcome? {
        let key = MerchantKey(merchant: unit.stream.merchant, id: unit.input.id)
        if let decision = decided[key] { return .duplicate(version: decision.version) }
        switch unit.input {
        case .new:
            guard inputs[key] == nil, mail[settled(unit.stream)] == nil else { return .busy }
        case .admitted(let id, let fence):
            guard let row = mail[unit.stream], row.fence == fence, row.inputs.contains(id) else { return .fenced }
        }
        if case let own = settled(unit.stream).kind, own != unit.stream.kind { return .foreign(own) }
        let version = version(of: unit.stream)
        guard version == unit.record.baseVersion else { return .conflict(version: version) }
        for reference in unit.references {
            let key = ReferenceKey(merchant: unit.stream.merchant, reference: reference)
            if let owner = references[key], owner != unit.stream { return .referenceTaken(reference, by: owner) }
        }
        return nil
    }

    private mutating func write(_ unit: CommitUnit, at now: Timestamp) -> CommitOutcome {
        let merchant = unit.stream.merchant
        let key = MerchantKey(merchant: merchant, id: unit.input.id)
        switch unit.input {
        case .new(let record):
            places[key] = nextPosition()
            inputs[key] = record
        case .admitted(let id, _):
            settle(id, of: unit.stream)
        }
        for (index, draft) in unit.events.enumerated() {
            let event = RecordedEvent(
                stream: unit.stream,
                version: unit.record.baseVersion + Int32(index) + 1,
                position: nextPosition(),
                type: draft.type,
                cause: unit.input.id,
                recordedAt: now,
                data: draft.data
            )
            events.append(event)
            streams[unit.stream, default: []].append(event)
            kinds[MerchantKey(merchant: merchant, id: unit.stream.id)] = unit.stream.kind
        }
        let decision = RecordedDecision(
            input: unit.input.id,
            stream: unit.stream,
            position: nextPosition(),
            record: unit.record
        )
        decisions.append(decision)
        decided[key] = decision
        if let mac = unit.commandMac {
            commands[key] = CommandRow(mac: mac, stream: unit.stream, version: decision.version)
        } else if commands[key] != nil {
            commands[key]?.version = decision.version
        }
        for reference in unit.references {
            references[ReferenceKey(merchant: merchant, reference: reference)] = unit.stream
        }
        if let lease = unit.answers { _ = observe(lease) }
        apply(unit.effects, of: unit.stream, at: now)
        timers[TimerKey(stream: unit.stream, clock: .machine)] = unit.timers.machine
        timers[TimerKey(stream: unit.stream, clock: .business)] = unit.timers.business
        _ = admit(unit.forwards, at: now)
        return .committed(
            version: decision.version,
            position: decision.position,
            events: Array((streams[unit.stream] ?? []).dropFirst(Int(unit.record.baseVersion))),
            ready: created(by: unit)
        )
    }

    /// The messages that a unit created and changed no more, under their fences.
    private func created(by unit: CommitUnit) -> [LeasedEffect] {
        unit.effects.compactMap { change in
            guard case .create(let effect) = change,
                let row = effects[MerchantKey(merchant: unit.stream.merchant, id: effect.id)], row.effect == effect
            else { return nil }
            return LeasedEffect(lease: row.lost.lease, effect: effect, leaseUntil: row.leaseUntil)
        }
    }

    private mutating func apply(_ changes: [EffectChange], of stream: StreamName, at now: Timestamp) {
        for change in changes {
            switch change {
            case .create(let effect):
                effects[MerchantKey(merchant: stream.merchant, id: effect.id)] = EffectRow(
                    stream: stream,
                    effect: effect,
                    order: position,
                    fence: nextFence(),
                    leaseUntil: effect.notBefore
                )
            case .resend(let id, let ordinal, let notBefore, let sendBefore):
                let key = MerchantKey(merchant: stream.merchant, id: id)
                guard let row = effects[key] else { continue }
                var next = row.resent(ordinal: ordinal, notBefore: notBefore, sendBefore: sendBefore)
                // Whoever holds an older claim can't move the row.
                next.fence = nextFence()
                effects[key] = next
            case .revoke(let id):
                let key = MerchantKey(merchant: stream.merchant, id: id)
                guard var row = effects[key], row.state == .ready || row.state == .claimed else { continue }
                row = row.revoked(at: now)
                row.fence = nextFence()
                effects[key] = row
            case .remove(let id):
                effects[MerchantKey(merchant: stream.merchant, id: id)] = nil
            }
        }
    }

    /// Takes a message for answered whose claim is still held; answers whether it is.
    mutating func observe(_ lease: EffectLease) -> Bool {
        let key = MerchantKey(merchant: lease.stream.merchant, id: lease.id)
        guard effects[key]?.fence == lease.fence else { return false }
        effects[key]?.state = .observed
        return true
    }

    /// Takes a decided or quarantined input out of its mailbox; an empty mailbox vanishes.
    mutating func settle(_ input: Uuid, of stream: StreamName) {
        guard var row = mail[stream] else { return }
        row.inputs.removeAll { $0 == input }
        row.attempts = 0
        mail[stream] = row.inputs.isEmpty ? nil : row
    }

    // MARK: Admit

    /// Writes inputs that are not known yet and puts them into their mailboxes.
    mutating func admit(_ records: [InputRecord], at now: Timestamp) -> [Bool] {
        records.map { record in
            let key = MerchantKey(merchant: record.stream.merchant, id: record.id)
            guard inputs[key] == nil else { return false }
            places[key] = nextPosition()
            inputs[key] = record
            mail[settled(record.stream), default: MailRow(due: now)].inputs.append(record.id)
            return true
        }
    }
}

extension RecordedDecision {
    /// The stream's version after the decision.
    var version: Int32 {
        switch record.outcome {
        case .events(let count): record.baseVersion + Int32(count)
        case .rejected: record.baseVersion
        }
    }
}
