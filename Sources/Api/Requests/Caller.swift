package import EventSourcing
package import Kernel

/// A right of an API key.
package enum Scope: String, Hashable, Sendable, CaseIterable {
    case commands, read, audit, admin
}

/// A caller that a key proved.
package struct Caller: Hashable, Sendable {
    package let keyId: Uuid
    package let name: String
    package let merchant: MerchantNumber
    package let merchantName: String
    package let scopes: Set<Scope>

    package init(keyId: Uuid, name: String, merchant: MerchantNumber, merchantName: String, scopes: Set<Scope>) {
        self.keyId = keyId
        self.name = name
        self.merchant = merchant
        self.merchantName = merchantName
        self.scopes = scopes
    }
}
