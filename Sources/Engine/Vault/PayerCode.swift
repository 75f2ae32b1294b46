package import Crypto
package import EventSourcing
package import Kernel

/// A code that payers with one e-mail address are found by: a blind index under a key of the installation, another one for each merchant.
///
/// Who has the database alone can neither read an address out of it nor try one.
package enum PayerCode {
    private static let macBytes = 16

    /// Every code that the address may be kept under, the newest key's first: 20 bytes each.
    ///
    /// Addresses are compared without regard to case and to blanks around them.
    package static func codes(ofEmail text: String, _ merchant: MerchantNumber, _ ring: KeyRing) -> [[UInt8]] {
        let address = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
        return ring.codes(.payer, Array("\(merchant.value) email \(address)".utf8)).map {
            Array($0.prefix(KeyRing.tagBytes + macBytes))
        }
    }
}

/// Who gave an e-mail address, for the index that finds them.
package struct NotedPayer: Hashable, Sendable {
    package let merchant: MerchantNumber
    package let code: [UInt8]
    /// Whose key seals his data.
    package let subject: Uuid
    /// As the merchant calls him.
    package let customer: String?
    /// What the address was given with.
    package let payment: Uuid

    package init(merchant: MerchantNumber, code: [UInt8], subject: Uuid, customer: String?, payment: Uuid) {
        self.merchant = merchant
        self.code = code
        self.subject = subject
        self.customer = customer
        self.payment = payment
    }
}
