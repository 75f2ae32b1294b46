import Kernel
import ProviderKit

/// How the payment uses a stored card, or begins a series that later payments go on with.
struct Credential: Hashable {
    enum Kind: String { case recurring, unscheduled }
    enum Sequence: String { case first, subsequent }
    enum Initiator: String { case merchant, customer }
    enum Frequency: String { case daily, weekly, monthly, quarterly, yearly }

    let kind: Kind
    let sequence: Sequence
    let initiator: Initiator
    /// Of the authenticated first payment; schemes ask for it with every charge that the merchant begins.
    let schemeTransactionId: String?
    /// How often the payer agreed to be charged, in the provider's words.
    let frequency: Frequency?
    /// The last day of the payer's agreement, `YYYYMMDD`.
    let expiry: String?
    /// The provider's id of the first payment: the charge is then asked for as its successor.
    let firstPayment: String?

    init?(_ details: inout ClosedObject) throws(SchemaFailure) {
        guard var object = try details.object("credential") else { return nil }
        guard let kind: Kind = try Details.optionalWord("kind", &object) else {
            throw object.failure("kind", "missing")
        }
        guard let sequence: Sequence = try Details.optionalWord("sequence", &object) else {
            throw object.failure("sequence", "missing")
        }
        self.kind = kind
        self.sequence = sequence
        initiator = try Details.optionalWord("initiator", &object) ?? (sequence == .first ? .customer : .merchant)
        schemeTransactionId = try object.text("schemeTransactionId", atMost: 64)
        firstPayment = try object.text("firstPayment", atMost: PathSegment.bytes)
        frequency = try Details.optionalWord("frequency", &object)
        expiry = try object.text("expiry", atMost: 8)
        if let expiry, !Self.isDay(expiry) { throw object.failure("expiry", "not_a_date") }
        if sequence == .subsequent, frequency != nil || expiry != nil {
            throw object.failure("sequence", "value_not_allowed")
        }
        if let firstPayment, !PathSegment.isSafe(firstPayment) { throw object.failure("firstPayment", "not_a_name") }
        if sequence == .first, initiator == .merchant { throw object.failure("initiator", "value_not_allowed") }
        if firstPayment != nil, sequence == .first || initiator == .customer {
            throw object.failure("firstPayment", "value_not_allowed")
        }
        try object.end()
    }

    private static func isDay(_ text: String) -> Bool {
        guard text.utf8.count == 8, let number = Int64(text), number > 0 else { return false }
        return CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100) != nil
    }

    /// Members of `cardPaymentMethodSpecificInput`; the flags of one kind are forbidden beside those of the other.
    ///
    /// `reference` names the first payment where the saved card knows it and the payment does not say.
    func members(reference: String?) -> [(String, Json)] {
        var members: [(String, Json)] = []
        switch kind {
        case .recurring:
            let word = sequence == .first ? "first" : "recurring"
            members.append(("isRecurring", true))
            members.append(("recurring", ["recurringPaymentSequenceIndicator": .string(word)]))
        case .unscheduled:
            let requestor = initiator == .merchant ? "merchantInitiated" : "cardholderInitiated"
            members.append(("unscheduledCardOnFileRequestor", .string(requestor)))
            members.append(("unscheduledCardOnFileSequenceIndicator", .string(sequence.rawValue)))
        }
        if let word = frequency?.rawValue, let first = word.first {
            members.append(("cardOnFileRecurringFrequency", .string(first.uppercased() + word.dropFirst())))
        }
        if let expiry { members.append(("cardOnFileRecurringExpiration", .string(expiry))) }
        if let id = schemeTransactionId ?? (sequence == .subsequent ? reference : nil) {
            members.append(("initialSchemeTransactionId", .string(id)))
        }
        return members
    }
}

/// The payment's wishes for 3-D Secure.
struct ThreeDSecure: Hashable {
    enum Exemption: String {
        case none
        case riskAnalysis = "transaction-risk-analysis"
        case lowValue = "low-value"
        case whitelist
    }

    enum Challenge: String {
        case noPreference = "no-preference"
        case notRequested = "no-challenge-requested"
        case requested = "challenge-requested"
        case required = "challenge-required"
    }

    enum Canvas: String {
        case small = "250x400"
        case medium = "390x400"
        case large = "500x600"
        case wide = "600x400"
        case full = "full-screen"
    }

    enum Channel: String {
        case app = "AppBased"
        case browser = "Browser"
    }

    let skip: Bool
    let exemption: Exemption?
    let challenge: Challenge?
    let canvas: Canvas?
    let channel: Channel?

    init(_ details: inout ClosedObject) throws(SchemaFailure) {
        guard var object = try details.object("threeDSecure") else {
            (skip, exemption, challenge, canvas, channel) = (false, nil, nil, nil, nil)
            return
        }
        skip = try object.flag("skip", default: false)
        exemption = try Details.optionalWord("exemption", &object)
        challenge = try Details.optionalWord("challenge", &object)
        canvas = try Details.optionalWord("canvas", &object)
        channel = try Details.optionalWord("channel", &object)
        try object.end()
    }

    /// The `threeDSecure` member, with the address that the payer comes back to.
    ///
    /// A wallet's payment tells no channel.
    func json(returnUrl: String, isWallet: Bool = false) -> Json {
        .compact([
            ("skipAuthentication", .bool(skip)), ("exemptionRequest", exemption.map { .string($0.rawValue) }),
            ("challengeIndicator", challenge.map { .string($0.rawValue) }),
            ("challengeCanvasSize", canvas.map { .string($0.rawValue) }),
            ("deviceChannel", isWallet ? nil : channel.map { .string($0.rawValue) }),
            ("redirectionData", ["returnUrl": .string(returnUrl)]),
        ])
    }
}
