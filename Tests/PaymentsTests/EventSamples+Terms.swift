import Kernel
import Payments

/// Terms and a credential that samples are about.
extension EventSample {
    static let occurrenceTerms = PaymentTerms(
        mode: .sale,
        method: .instrument,
        amount: .cents(1999),
        reference: nil,
        description: nil,
        customer: "c-1",
        instrument: InstrumentId(Samples.uuid(0x0B)),
        expiresAt: Samples.noon,
        details: [:],
        metadata: [:],
        occurrence: OccurrenceName(schedule: Samples.uuid(0x5C), ordinal: 3)
    )

    static let adoptedTerms = PaymentTerms(
        mode: .sale,
        method: .instrument,
        amount: .cents(990),
        reference: nil,
        description: nil,
        customer: "c-1",
        instrument: nil,
        expiresAt: Samples.noon,
        details: [:],
        metadata: [:],
        occurrence: OccurrenceName(schedule: Samples.uuid(0x5C), ordinal: 3, series: "1640000321"),
        adopted: AdoptedDebit(name: "s-1", registeredBy: PaymentId(Samples.uuid(0x5B)))
    )

    static let linkedTerms = PaymentTerms(
        mode: .sale,
        method: .hosted,
        amount: .cents(1999),
        reference: nil,
        description: nil,
        customer: nil,
        instrument: nil,
        expiresAt: Samples.noon,
        details: [:],
        metadata: [:],
        paymentLink: PaymentLinkId(Samples.uuid(0x5A))
    )

    static let chosenTerms = PaymentTerms(
        mode: .sale,
        method: .hosted,
        amount: .cents(1999),
        reference: nil,
        description: nil,
        customer: nil,
        instrument: nil,
        expiresAt: Samples.noon,
        details: [:],
        metadata: [:],
        paymentLink: PaymentLinkId(Samples.uuid(0x5A)),
        pageLanguage: .uk
    )

    static let fullTerms = PaymentTerms(
        mode: .authorize,
        method: .instrument,
        amount: .cents(1999),
        reference: "order-1",
        description: "Tea — «зелёный»",
        customer: "c-1",
        instrument: InstrumentId(Samples.uuid(0x0B)),
        expiresAt: Samples.noon,
        details: ["customer": ["email": Samples.sealed]],
        metadata: ["shop": "kyiv"]
    )

    static let instrument = InstrumentFact(
        token: Samples.sealed,
        fingerprint: "f1",
        masked: "431422******0056",
        scheme: "visa",
        expiryYear: 2030,
        expiryMonth: 12
    )
}
