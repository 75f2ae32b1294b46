import Http
package import Kernel
package import Payments
package import ProviderKit

/// An account's settings, parsed; each point that the provider's documents leave open is a setting with a default.
///
/// The schema and the defaults are described in `docs/providers/worldline.md`.
package struct WorldlineSettings: AccountReading {
    /// How a hold is asked for.
    enum HoldKind: String, Hashable, Sendable {
        /// Reversible, captured in parts, for 30 days.
        case preAuthorization = "PRE_AUTHORIZATION"
        /// Whole amount within 7 days.
        case finalAuthorization = "FINAL_AUTHORIZATION"
    }

    let merchantId: String
    let endpoint: String
    let currencies: Set<String>
    let methods: Set<PaymentMethod>
    let holdKind: HoldKind
    let integrator: String
    let sendServerMetaInfo: Bool
    let webhookUrlPerPayment: Bool
    let operationReferences: Bool
    let hostedCheckoutKey: Bool
    let hostedAttempts: Int64
    let hostedVariant: String?
    /// Currencies without two decimals may be captured in part; off until the account has proved the unit.
    let oddExponentPartialCapture: Bool
    let partialVoid: Bool
    let times: Times

    /// Lifetimes at the provider.
    struct Times: Hashable, Sendable {
        let payerWindow: Duration
        let hold: Duration
        let query: Duration
        let idempotence: Duration
        let polling: PollSchedule
        /// Lists of products: how long nobody is asked, and how long one may stand in for an answer that does not come.
        let productsFresh: Duration
        let productsKept: Duration
    }
}

extension WorldlineSettings {
    package static let testEndpoint = "https://payment.preprod.direct.worldline-solutions.com"
    package static let liveEndpoint = "https://payment.direct.worldline-solutions.com"

    private enum Limits {
        static let merchantBytes = 30
        static let wordBytes = 64
        static let addressBytes = 512
    }

    package init(reading json: Json, in mode: AccountFacts.Mode) throws(SchemaFailure) {
        var object = try ClosedObject(json)
        guard let merchantId = try object.text("merchantId", atMost: Limits.merchantBytes) else {
            throw object.failure("merchantId", "missing")
        }
        guard PathSegment.isSafe(merchantId) else { throw object.failure("merchantId", "not_a_name") }
        self.merchantId = merchantId
        let fallback = mode == .test ? Self.testEndpoint : Self.liveEndpoint
        endpoint = try object.text("endpoint", atMost: Limits.addressBytes) ?? fallback
        guard WebAddress.isOrigin(endpoint) else { throw object.failure("endpoint", "not_an_address") }
        currencies = try object.currencies { Currency($0) != nil }
        methods = try object.methods()
        holdKind = try object.word("holdKind", default: .preAuthorization)
        integrator = try object.text("integrator", atMost: Limits.wordBytes) ?? "Paystream"
        guard !integrator.isEmpty else { throw object.failure("integrator", "empty") }
        sendServerMetaInfo = try object.flag("sendServerMetaInfo", default: true)
        webhookUrlPerPayment = try object.flag("webhookUrlPerPayment", default: true)
        operationReferences = try object.flag("operationReferences", default: true)
        hostedCheckoutKey = try object.flag("hostedCheckoutKey", default: true)
        hostedAttempts = try object.integer("hostedAttempts", in: 1...10) ?? 10
        hostedVariant = try object.text("hostedVariant", atMost: Limits.wordBytes)
        oddExponentPartialCapture = try object.flag("oddExponentPartialCapture", default: false)
        partialVoid = try object.flag("partialVoid", default: false)
        times = try Self.times(&object, holdKind)
        try object.end()
    }

    private static func times(_ object: inout ClosedObject, _ hold: HoldKind) throws(SchemaFailure) -> Times {
        let day: Int64 = 86_400
        return Times(
            payerWindow: try object.duration("payerWindowSeconds", default: 3600),
            hold: try object.duration("holdSeconds", default: hold == .preAuthorization ? 30 * day : 7 * day),
            query: try object.duration("querySeconds", default: 365 * day),
            idempotence: try object.duration("idempotenceSeconds", default: day),
            polling: try object.polling(first: 10, cap: 1800),
            productsFresh: try object.duration("productsFreshSeconds", default: 60),
            productsKept: try object.duration("productsKeptSeconds", default: 600)
        )
    }
}

extension WorldlineSettings {
    /// The abilities of an account with these settings.
    package var capabilities: Capabilities {
        let byKey = Capabilities.Recovery.sameKey(lifetime: times.idempotence)
        let isFinal = holdKind == .finalAuthorization
        return Capabilities(
            partialCapture: !isFinal,
            multipleCaptures: !isFinal,
            overCapture: false,
            partialRefund: true,
            multipleRefunds: true,
            partialVoid: partialVoid,
            recovery: [
                .sale: byKey, .authorize: byKey, .verify: .none, .tokenize: .none, .capture: byKey, .void: byKey,
                .refund: byKey, .refundReversal: .none,
            ],
            lifetimes: Capabilities.Lifetimes(
                payerWindow: times.payerWindow,
                hold: times.hold,
                query: times.query,
                page: WorldlineDeclaration.longestPage
            ),
            polling: times.polling,
            unstatedAmounts: [PaymentReading.Unstated.followUp],
            firstAnswers: [Interpretation.FirstAnswer.replay, Interpretation.FirstAnswer.outcome]
        )
    }
}

/// Names that go into a path: the provider's kits insert them unescaped, so nothing may need an escape.
enum PathSegment {
    static let bytes = 64

    static func isSafe(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= bytes
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (97...122).contains(byte | 0x20) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }
}
