package import Kernel

/// The binding of an envelope: moved to another merchant, subject or purpose it does not open.
package struct SealContext: Hashable, Sendable {
    /// The merchant's internal number.
    package let merchant: Int32
    /// Whose value it is: a data subject, an account, an effect, an input.
    package let subject: Uuid
    /// The kind of value, as in `customer.email` or `account.secret`; a constant of the caller.
    package let purpose: String

    package init(merchant: Int32, subject: Uuid, purpose: String) {
        self.merchant = merchant
        self.subject = subject
        self.purpose = purpose
    }

    /// The same merchant and subject with another purpose.
    package func with(purpose: String) -> SealContext {
        SealContext(merchant: merchant, subject: subject, purpose: purpose)
    }

    /// One text per context and key: every part has a fixed length or its length before it.
    func bound(to keyId: Uuid) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(64 + purpose.utf8.count)
        out += "paystream sealed".utf8
        out.append(Sealed.version)
        out.append(keyId)
        out.append(UInt32(bitPattern: merchant))
        out.append(subject)
        out.append(UInt32(purpose.utf8.count))
        out += purpose.utf8
        return out
    }
}

extension [UInt8] {
    /// Adds four bytes in network order.
    mutating func append(_ number: UInt32) {
        for shift in stride(from: 24, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
}
