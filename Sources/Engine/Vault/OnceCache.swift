import Crypto
package import EventSourcing
package import Kernel
import ProviderKit

/// Values that a request carries once and nobody may write down, in the memory of this process.
///
/// A document holds a hole with the value's digest in its place. A process that ends forgets: a message with such a hole
/// is then not sent. A merchant has at most as much of the room as it leaves free, and a payment a few values: whoever brings many
/// takes the room of nobody else.
package final class OnceCache: Sendable {
    private struct Key: Hashable, Sendable {
        let merchant: MerchantNumber
        let name: String
    }

    private struct Entry: Sendable {
        let value: Secret
        let payment: Uuid
        let bytes: Int
        var until: Timestamp
    }

    private struct Held: Sendable {
        var entries: [Key: Entry] = [:]
        var bytes: [MerchantNumber: Int] = [:]
        var total = 0
        /// How many values each payment has here.
        var counts: [Uuid: Int] = [:]
        /// When each was to end as it was kept, the earliest first.
        private var ends: [(key: Key, until: Timestamp)] = []
        private var ended = 0

        mutating func keep(_ entry: Entry, _ key: Key) {
            entries[key] = entry
            ends.append((key, entry.until))
            bytes[key.merchant, default: 0] += entry.bytes
            total += entry.bytes
            counts[entry.payment, default: 0] += 1
        }

        /// Lets a value that is here stay longer; false where there is none.
        mutating func renew(_ key: Key, until: Timestamp) -> Bool {
            guard entries[key] != nil else { return false }
            entries[key]?.until = until
            ends.append((key, until))
            return true
        }

        mutating func expire(at now: Timestamp) {
            while ended < ends.count, ends[ended].until <= now {
                // One that was kept again since goes on.
                if let entry = entries[ends[ended].key], entry.until <= now { drop(entry, ends[ended].key) }
                ended += 1
            }
            guard ended > ends.count / 2 else { return }
            ends.removeFirst(ended)
            ended = 0
        }

        private mutating func drop(_ entry: Entry, _ key: Key) {
            entries[key] = nil
            total -= entry.bytes
            bytes[key.merchant] = bytes[key.merchant].flatMap { $0 > entry.bytes ? $0 - entry.bytes : nil }
            counts[entry.payment] = counts[entry.payment].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    package static let lifetime = Duration.seconds(10_800)
    package static let longestBytes = 32_768
    /// Bytes of all values, with what each takes beside its own.
    package static let capacity = 64 << 20
    private static let entryBytes = 512
    /// Values of one payment: a payer is asked for one or two of them.
    package static let ofPayment = 16

    private let held = Locked(Held())
    private let capacity: Int

    package init(capacity: Int = OnceCache.capacity) { self.capacity = capacity }

    /// Keeps a value of a payment and gives the hole for it; `nil` where it is too long, or where the payment or the merchant has its share.
    package func keep(_ value: Json, of payment: Uuid, merchant: MerchantNumber, at now: Timestamp) -> Json? {
        let bytes = value.compactBytes
        guard !value.isNull, value != "", bytes.count <= Self.longestBytes else { return nil }
        let name = Hex.encode(Digest.sha256(value.text.map { Array($0.utf8) } ?? bytes))
        let key = Key(merchant: merchant, name: name)
        let isKept = held.withLock { held in
            held.expire(at: now)
            let until = now.adding(Self.lifetime)
            if held.renew(key, until: until) { return true }
            let cost = bytes.count + Self.entryBytes
            let (mine, free) = (held.bytes[merchant] ?? 0, capacity - held.total)
            guard held.counts[payment] ?? 0 < Self.ofPayment, mine + cost <= free - cost else { return false }
            held.keep(Entry(value: Secret(bytes), payment: payment, bytes: cost, until: until), key)
            return true
        }
        return isKept ? OnceHole.hole(name) : nil
    }

    /// The value for a hole of the same merchant.
    package func value(of hole: Json, merchant: MerchantNumber, at now: Timestamp) -> Json? {
        guard let name = OnceHole.name(hole) else { return nil }
        return held.withLock { held in
            guard let entry = held.entries[Key(merchant: merchant, name: name)], entry.until > now else { return nil }
            return entry.value.withBytes { try? Json($0) }
        }
    }
}
