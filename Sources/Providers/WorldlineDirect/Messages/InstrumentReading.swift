import Crypto
import Kernel
import Payments

/// Reads the saved card that a payment's output offers.
enum InstrumentReading {
    /// `agreed` where the payer took part in the payment: later charges go back to it.
    static func fact(_ card: Json?, agreed: Bool) -> Fact? {
        guard let card, let token = card["token"], let fingerprint = fingerprint(token) else { return nil }
        let expiry = card.at("card", "expiryDate")?.text.map { Array($0.utf8) } ?? []
        let digits = expiry.count == 4 ? expiry.compactMap { (48...57).contains($0) ? Int($0) - 48 : nil } : []
        let isDate = digits.count == 4
        let month = isDate ? digits[0] * 10 + digits[1] : 0
        return .instrument(
            InstrumentFact(
                token: token,
                fingerprint: fingerprint,
                masked: card.at("card", "cardNumber")?.text,
                scheme: card["paymentProductId"]?.integer.flatMap { schemes[$0] },
                expiryYear: isDate && (1...12).contains(month) ? 2000 + digits[2] * 10 + digits[3] : nil,
                expiryMonth: (1...12).contains(month) ? month : nil,
                networkReference: agreed ? reference(card) : nil
            )
        )
    }

    private static func reference(_ card: Json) -> String? {
        let found = (card["initialSchemeTransactionId"] ?? card["schemeReferenceData"])?.text
        return found.flatMap { $0.isEmpty ? nil : String($0.prefix(Self.referenceCharacters)) }
    }

    private static let referenceCharacters = 64

    /// By the provider's number of the product.
    static let schemes: [Int64: String] = [
        1: "visa", 2: "amex", 3: "mastercard", 56: "unionpay", 117: "maestro", 125: "jcb", 130: "cb", 132: "diners",
        3012: "bancontact",
    ]

    /// The blind index of a sealed token, else the digest of an open one.
    static func fingerprint(_ token: Json) -> String? {
        if let text = token.text { return text.isEmpty ? nil : Hex.encode(Digest.sha256(Array(text.utf8))) }
        guard let sealed = Sealed(token) else { return nil }
        return Hex.encode(sealed.blindIndex ?? Digest.sha256(sealed.bytes))
    }
}
