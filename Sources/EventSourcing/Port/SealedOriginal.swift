package import Kernel

/// The exact bytes of an input, sealed under a key of their own.
package struct SealedOriginal: Hashable, Sendable {
    package let input: Uuid
    package let merchant: MerchantNumber
    package let sealed: [UInt8]

    package init(input: Uuid, merchant: MerchantNumber, sealed: [UInt8]) {
        self.input = input
        self.merchant = merchant
        self.sealed = sealed
    }
}
