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
        out += keyId.bytes
        out += UInt32(bitPattern: merchant).bigEndianBytes
        out += subject.bytes
        out += UInt32(purpose.utf8.count).bigEndianBytes
        out += purpose.utf8
        return out
    }
}

extension UInt32 {
    /// Four bytes in network order.
    var bigEndianBytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
