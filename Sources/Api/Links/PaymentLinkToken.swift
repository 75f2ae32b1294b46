package import Crypto
package import EventSourcing
import Kernel
package import Payments

/// The word by which the page of a payment link is found: merchant, link and a code over both, in base64url.
///
/// Nobody makes one without the master key, and a guess costs no look at the database. One that an older master key made stays good.
package struct PaymentLinkToken: Sendable {
    package let merchant: MerchantNumber
    package let link: PaymentLinkId

    private static let nameBytes = 20
    private static let codeBytes = KeyRing.tagBytes + 16
    /// Where pages of payment links are.
    package static let path = "/pay"

    package init(_ merchant: MerchantNumber, _ link: PaymentLinkId) {
        self.merchant = merchant
        self.link = link
    }

    /// `nil` for what nobody here gave out.
    package init?(_ text: String, _ keys: KeyRing) {
        guard let bytes = Base64.decode(text, .url), bytes.count == Self.nameBytes + Self.codeBytes,
            let id = Uuid(bytes: bytes[4..<Self.nameBytes])
        else { return nil }
        let number = bytes[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.init(MerchantNumber(Int32(bitPattern: number)), PaymentLinkId(id))
        guard Self.isCode(Array(bytes[Self.nameBytes...]), of: message("page"), keys) else { return nil }
    }

    package func text(_ keys: KeyRing) -> String {
        Base64.encode(name + Self.code(of: message("page"), keys), .url)
    }

    // MARK: Forms

    /// What proves that a form was given out with the page of this link.
    func seal(_ form: Uuid, _ keys: KeyRing) -> String {
        Base64.encode(Self.code(of: message("form") + form.bytes, keys), .url)
    }

    func isSeal(_ text: String, of form: Uuid, _ keys: KeyRing) -> Bool {
        guard let code = Base64.decode(text, .url) else { return false }
        return Self.isCode(code, of: message("form") + form.bytes, keys)
    }

    // MARK: Codes

    private var name: [UInt8] {
        let number = UInt32(bitPattern: merchant.value)
        return stride(from: UInt32(24), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
            + link.uuid.bytes
    }

    private func message(_ use: String) -> [UInt8] { Array(use.utf8) + name }

    private static func code(of message: [UInt8], _ keys: KeyRing) -> [UInt8] {
        Array(keys.code(.paymentLink, message).prefix(codeBytes))
    }

    private static func isCode(_ code: [UInt8], of message: [UInt8], _ keys: KeyRing) -> Bool {
        keys.codes(.paymentLink, message).contains { constantTimeEquals(Array($0.prefix(codeBytes)), code) }
    }
}
