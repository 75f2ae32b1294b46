package import EventSourcing
import Kernel

/// The requests of merchants that are being answered at this moment.
///
/// A merchant begins nothing more while it has as many as there are places free: whatever its requests wait for, half of the places
/// are left for others.
package struct RequestPlaces: Sendable {
    private struct Open {
        var count = 0
        var merchants: [MerchantNumber: Int] = [:]
    }

    private let all: Int
    private let open = Locked(Open())

    package init(_ all: Int) { self.all = all }

    /// Takes a place for a request of the merchant, or answers false.
    package func take(_ merchant: MerchantNumber) -> Bool {
        open.withLock { open in
            guard open.merchants[merchant, default: 0] < all - open.count else { return false }
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
