import Crypto
import Kernel
import Payments

/// Reads the saved credential that a message offers.
enum InstrumentReading {
    /// From `account` of a payment message, or from a token callback.
    static func fact(_ message: Message) -> Fact? {
        if let token = message.account?["token"], let account = message.account {
            return fact(token, account, number: "number", month: "expiry_month", year: "expiry_year")
        }
        guard let token = message.token, message.tokenStatus.map(Words.normalized) == "active" else { return nil }
        return fact(token, message.card ?? [:], number: "number", month: "exp_month", year: "exp_year")
    }

    private static func fact(_ token: Json, _ card: Json, number: String, month: String, year: String) -> Fact? {
        guard let fingerprint = fingerprint(token) else { return nil }
        return .instrument(
            InstrumentFact(
                token: token,
                fingerprint: fingerprint,
                masked: card[number]?.text,
                scheme: card["type"]?.text,
                expiryYear: card[year]?.scalarText.flatMap { Int($0) },
                expiryMonth: card[month]?.scalarText.flatMap { Int($0) }.flatMap { (1...12).contains($0) ? $0 : nil }
            )
        )
    }

    /// The blind index of a sealed token, else the digest of an open one.
    private static func fingerprint(_ token: Json) -> String? {
        if let text = token.text { return text.isEmpty ? nil : digest(text) }
        guard let sealed = Sealed(token) else { return nil }
        return Hex.encode(sealed.blindIndex ?? Digest.sha256(sealed.bytes))
    }

    static func digest(_ token: String) -> String { Hex.encode(Digest.sha256(Array(token.utf8))) }
}
