package import EventSourcing
package import Http
package import Kernel

/// A caller that a key proved.
package struct Caller: Hashable, Sendable {
    package let keyId: Uuid
    package let name: String
    package let merchant: MerchantNumber
    package let merchantName: String
    package let scopes: Set<Scope>
    /// Where it may ask from; none stands for everywhere.
    package let networks: [SourceNetwork]
    package let expiresAt: Timestamp?
    /// Whether its merchant begins nothing new.
    package let isSuspended: Bool
    /// How many requests its key may send; `nil` stands for what any key may.
    package let limit: RateLimit?
    /// How many all keys of its merchant may send together; `nil` where nobody set that.
    package let merchantLimit: RateLimit?

    package init(
        keyId: Uuid,
        name: String,
        merchant: MerchantNumber,
        merchantName: String,
        scopes: Set<Scope>,
        networks: [SourceNetwork] = [],
        expiresAt: Timestamp? = nil,
        isSuspended: Bool = false,
        limit: RateLimit? = nil,
        merchantLimit: RateLimit? = nil
    ) {
        self.keyId = keyId
        self.name = name
        self.merchant = merchant
        self.merchantName = merchantName
        self.scopes = scopes
        self.networks = networks
        self.expiresAt = expiresAt
        self.isSuspended = isSuspended
        self.limit = limit
        self.merchantLimit = merchantLimit
    }

    /// Whether it may ask from this address; one that can't be read is in no network.
    func mayAsk(from address: String?) -> Bool {
        guard !networks.isEmpty else { return true }
        guard let address = address.flatMap({ SourceAddress($0) }) else { return false }
        return networks.contains { $0.contains(address) }
    }
}
