import Crypto
import Kernel
import Payments
import ProviderKit

/// The card that a status answer offers to keep.
extension StatusReading {
    /// A binding of our customer; another customer's is none of ours.
    var instrument: [Fact] {
        guard let token = status.bindingId, let fingerprint = Self.fingerprint(token) else { return [] }
        if let ours = context.terms.customer, let theirs = status.bindingClient,
            Array(ours.utf8) != Array(theirs.utf8)
        {
            return [.contradiction(.identity, detail: "client of a binding")]
        }
        let digits = status.card.expiry.flatMap { $0.utf8.count == 6 ? Int($0) : nil }
        return [
            .instrument(
                InstrumentFact(
                    token: token,
                    fingerprint: fingerprint,
                    masked: status.card.masked,
                    scheme: status.card.scheme?.lowercased(),
                    expiryYear: digits.map { $0 / 100 },
                    expiryMonth: digits.map { $0 % 100 }.flatMap { (1...12).contains($0) ? $0 : nil },
                    mandate: mandate
                )
            )
        ]
    }

    /// The mandate of this payment's payer for later ones; its last day ends at the gateway's own midnight.
    private var mandate: InstrumentFact.Mandate? {
        guard let recurrent = (try? Details(context.terms.details))?.recurrent else { return nil }
        let last = recurrent.expiry.flatMap { Int64($0) }.flatMap { number in
            CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
        }
        return InstrumentFact.Mandate(
            endsAt: last.map { day in
                Timestamp(seconds: (day.daysSinceEpoch + 1) * 86_400 - settings.zoneHours * 3600)
            },
            days: recurrent.frequencyDays,
            zoneHours: settings.zoneHours
        )
    }

    /// The blind index of a sealed token, else the digest of an open one.
    static func fingerprint(_ token: Json) -> String? {
        if let text = token.text { return text.isEmpty ? nil : Hex.encode(Digest.sha256(Array(text.utf8))) }
        return Sealed(token).map { Hex.encode($0.blindIndex ?? Digest.sha256($0.bytes)) }
    }
}
