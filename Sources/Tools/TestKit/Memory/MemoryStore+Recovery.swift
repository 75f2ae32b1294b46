package import EventSourcing
import Kernel

extension MemoryStore: RecoveryRecords {
    package func recoveryEpoch() async throws(StoreFailure) -> RecoveryEpoch? {
        try perform(.recoveryEpoch) { state, now in
            if state.isElsewhere { state.beginRecovery(at: now) }
            return state.epoch
        }
    }

    package func beginRecovery() {
        let now = clock()
        state.withLock { $0.beginRecovery(at: now) }
    }
}

extension MemoryState {
    /// Does what `paystream.begin_recovery` does, for every payment.
    fileprivate mutating func beginRecovery(at now: Timestamp) {
        epoch = RecoveryEpoch(number: (epoch?.number ?? 0) + 1, begunAt: now)
        isElsewhere = false
        for (key, row) in effects where row.effect.notBefore <= now {
            guard row.state == .ready || row.state == .claimed else { continue }
            var doubted = row
            doubted.fence = nextFence()
            doubted.state = .sending
            doubted.leaseUntil = now
            effects[key] = doubted
            let end = row.effect.sendBefore.adding(.microseconds(-1))
            let mark = SendingMark(
                stream: row.stream,
                effect: row.effect.id,
                ordinal: row.effect.ordinal,
                fence: doubted.fence,
                at: max(row.effect.notBefore, min(now, end))
            )
            marks[row.stream, default: []].append(mark)
        }
        for stream in streams.keys where stream.kind == .payment || stream.kind == .transfer {
            let key = TimerKey(stream: stream, clock: .machine)
            timers[key] = min(timers[key] ?? now, now)
        }
    }
}
