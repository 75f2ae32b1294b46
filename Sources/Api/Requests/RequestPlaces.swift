import EventSourcing
import Kernel

/// The requests of merchants that are being answered at this moment.
///
/// A merchant begins nothing more while it has as many as there are places free: whatever its requests wait for, half of the places
/// are left for others.
struct RequestPlaces: Sendable {
    private struct Taken {
        var count = 0
        var merchants: [MerchantNumber: Int] = [:]
    }

    private let all: Int
    private let taken = Locked(Taken())

    init(_ all: Int) { self.all = all }

    /// Takes a place for a request of the merchant, or answers false.
    func take(_ merchant: MerchantNumber) -> Bool {
        taken.withLock { taken in
            guard taken.merchants[merchant, default: 0] < all - taken.count else { return false }
            taken.count += 1
            taken.merchants[merchant, default: 0] += 1
            return true
        }
    }

    func release(_ merchant: MerchantNumber) {
        taken.withLock { taken in
            taken.count -= 1
            let rest = taken.merchants[merchant, default: 1] - 1
            taken.merchants[merchant] = rest > 0 ? rest : nil
        }
    }
}
