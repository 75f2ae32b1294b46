package import EventSourcing
import Kernel

extension MemoryStore: RecoveryRecords {
    package func recoveryEpoch() async throws(StoreFailure) -> RecoveryEpoch? {
        try perform(.recoveryEpoch) { state, _ in state.epoch }
    }

    /// Does what `paystream.begin_recovery` does, for every payment.
    package func beginRecovery() {
        let now = clock()
        state.withLock { state in
            state.epoch = RecoveryEpoch(number: (state.epoch?.number ?? 0) + 1, begunAt: now)
            for (key, row) in state.effects where row.effect.notBefore <= now {
                guard row.state == .ready || row.state == .claimed else { continue }
                var doubted = row
                doubted.fence = state.nextFence()
                doubted.state = .sending
                doubted.leaseUntil = now
                state.effects[key] = doubted
                let end = row.effect.sendBefore.adding(.microseconds(-1))
                let mark = SendingMark(
                    stream: row.stream,
                    effect: row.effect.id,
                    ordinal: row.effect.ordinal,
                    fence: doubted.fence,
                    at: max(row.effect.notBefore, min(now, end))
                )
                state.marks[row.stream, default: []].append(mark)
            }
            for stream in state.streams.keys where stream.kind == .payment || stream.kind == .transfer {
                let key = TimerKey(stream: stream, clock: .machine)
                state.timers[key] = min(state.timers[key] ?? now, now)
            }
        }
    }
}
