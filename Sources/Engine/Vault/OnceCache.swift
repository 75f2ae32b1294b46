import Crypto
package import EventSourcing
package import Kernel
import ProviderKit

/// Values that a request carries once and nobody may write down, in the memory of this process.
///
/// A document holds a hole with the value's digest in its place. A process that ends forgets: a message with such a hole
/// is then not sent.
package final class OnceCache: Sendable {
    private struct Key: Hashable, Sendable {
        let merchant: MerchantNumber
        let name: String
    }

    private struct Entry: Sendable {
        let value: Secret
        let until: Timestamp
    }

    package static let lifetime = Duration.seconds(10_800)
    package static let longestBytes = 32_768
    package static let mostEntries = 4096

    private let entries = Locked<[Key: Entry]>([:])

    package init() {}

    /// Keeps a value and gives the hole for it; `nil` where it is too long or too many are kept.
    package func keep(_ value: Json, merchant: MerchantNumber, at now: Timestamp) -> Json? {
        let bytes = value.compactBytes
        guard !value.isNull, value != "", bytes.count <= Self.longestBytes else { return nil }
        let name = Hex.encode(Digest.sha256(value.text.map { Array($0.utf8) } ?? bytes))
        let isKept = entries.withLock { entries in
            entries = entries.filter { $0.value.until > now }
            guard entries.count < Self.mostEntries else { return false }
            entries[Key(merchant: merchant, name: name)] = Entry(
                value: Secret(bytes),
                until: now.adding(Self.lifetime)
            )
            return true
        }
        return isKept ? OnceHole.hole(name) : nil
    }

    /// The value for a hole of the same merchant.
    package func value(of hole: Json, merchant: MerchantNumber, at now: Timestamp) -> Json? {
        guard let name = OnceHole.name(hole) else { return nil }
        return entries.withLock { entries in
            guard let entry = entries[Key(merchant: merchant, name: name)], entry.until > now else { return nil }
            return entry.value.withBytes { try? Json($0) }
        }
    }
}
