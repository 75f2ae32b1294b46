package import EventSourcing
import Kernel

/// The requests of merchants that are being answered at this moment.
///
/// A merchant begins nothing more while it has as many as there are places free: whatever its requests wait for, half of the places
/// are left for others. Who has none and is refused is next in turn as long as it comes again.
package struct RequestPlaces: Sendable {
    private struct Open {
        var count = 0
        var merchants: [MerchantNumber: Int] = [:]
        /// Who was refused and has no place, the first one first, and when it came last.
        var turns: [(merchant: MerchantNumber, at: ContinuousClock.Instant)] = []
    }

    private let all: Int
    private let open = Locked(Open())

    /// So long a turn waits for who has it: several times what a refusal asks to wait.
    package static let patience = Duration.seconds(5)

    package init(_ all: Int) { self.all = all }

    /// Takes a place for a request of the merchant, or answers false.
    package func take(_ merchant: MerchantNumber, now: ContinuousClock.Instant = .now) -> Bool {
        open.withLock { open in
            open.turns.removeAll { $0.merchant != merchant && $0.at.advanced(by: Self.patience) < now }
            let own = open.merchants[merchant, default: 0]
            let turn = open.turns.firstIndex { $0.merchant == merchant }
            guard own < all - open.count, turn ?? open.turns.count < all - open.count else {
                if let turn {
                    open.turns[turn].at = now
                } else if own == 0 {
                    open.turns.append((merchant, now))
                }
                return false
            }
            if let turn { open.turns.remove(at: turn) }
            open.count += 1
            open.merchants[merchant, default: 0] += 1
            return true
        }
    }

    package func release(_ merchant: MerchantNumber) {
        open.withLock { open in
            open.count -= 1
            let rest = open.merchants[merchant, default: 1] - 1
            open.merchants[merchant] = rest > 0 ? rest : nil
        }
    }
}
