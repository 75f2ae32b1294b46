package import EventSourcing
package import Kernel
import Payments

/// A test merchant's own clock as the memory store keeps it.
struct MemoryClock: Sendable {
    var at: Timestamp
    var target: Timestamp?
    var steps: Int64 = 0
}

extension MemoryState {
    /// The time that a timer waits for: schedules of a merchant with a clock of its own live by that one.
    func time(for key: TimerKey, at now: Timestamp) -> Timestamp {
        guard key.clock == .business, key.stream.kind == .schedule, let own = clocks[key.stream.merchant] else {
            return now
        }
        return own.at
    }

    /// As `paystream.clock_waits`.
    func waits(_ merchant: MerchantNumber, at now: Timestamp) -> [ClockWait] {
        let soon = now.adding(.seconds(20))
        let armed = timers.filter { $0.key.stream.merchant == merchant }
        return ClockWait.allCases.filter { wait in
            switch wait {
            case .commands: inbox.contains { $0.merchant == merchant }
            case .decisions: mail.keys.contains { $0.merchant == merchant }
            case .messages: effects.values.contains { $0.stream.merchant == merchant && $0.state != .observed }
            case .timers:
                armed.contains { key, at in
                    key.clock == .business && key.stream.kind == .schedule && at <= time(for: key, at: now)
                }
            case .payments:
                armed.contains { key, at in key.clock == .machine && key.stream.kind.isPayment && at <= soon }
            }
        }
    }

    mutating func travel(at now: Timestamp) -> ClockTravel {
        var answer = ClockTravel.noneTravels
        for (merchant, clock) in clocks {
            guard let target = clock.target else { continue }
            guard waits(merchant, at: now).isEmpty else {
                if answer == .noneTravels { answer = .waits }
                continue
            }
            let stop = timers.filter {
                $0.key.stream.merchant == merchant && $0.key.stream.kind == .schedule && $0.key.clock == .business
            }.values.min()
            let next = min(target, max(clock.at, stop ?? target))
            let isThere = stop.map { $0 > target } ?? true
            clocks[merchant] = MemoryClock(at: next, target: isThere ? nil : target, steps: clock.steps + 1)
            answer = .moved
        }
        return answer
    }
}

extension MemoryStore: MerchantClocks {
    package func reading(of merchant: MerchantNumber) async throws(StoreFailure) -> Timestamp? {
        ownClock(of: merchant)?.at
    }

    package func travel() async throws(StoreFailure) -> ClockTravel {
        let now = clock()
        return state.withLock { $0.travel(at: now) }
    }

    package func ownClock(of merchant: MerchantNumber) -> (at: Timestamp, target: Timestamp?, steps: Int64)? {
        state.withLock { $0.clocks[merchant] }.map { ($0.at, $0.target, $0.steps) }
    }

    package func clockWaits(of merchant: MerchantNumber) -> [ClockWait] {
        let now = clock()
        return state.withLock { $0.waits(merchant, at: now) }
    }

    /// Gives a merchant a clock of its own; answers false where it has one.
    package func own(_ merchant: MerchantNumber, from start: Timestamp) -> Bool {
        state.withLock { state in
            guard state.clocks[merchant] == nil else { return false }
            state.clocks[merchant] = MemoryClock(at: start)
            return true
        }
    }

    /// Sends a clock on its way; answers false where it is past that moment or travels further.
    package func send(_ merchant: MerchantNumber, to target: Timestamp) -> Bool {
        state.withLock { state in
            guard let clock = state.clocks[merchant], clock.at <= target, clock.target.map({ $0 <= target }) ?? true
            else { return false }
            state.clocks[merchant]?.target = target
            return true
        }
    }
}
