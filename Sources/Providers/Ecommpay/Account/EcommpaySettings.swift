package import Kernel
package import Payments
package import ProviderKit

/// An account's settings, parsed; each point that the provider's documents leave open is a setting with a default.
///
/// The schema and the defaults are described in `docs/providers/ecommpay.md`.
package struct EcommpaySettings: AccountReading {
    /// The treatment of a card payment without e-mail and phone.
    enum ContactPolicy: String, Hashable, Sendable {
        case refuse, warn
    }

    /// Whether a full void names the amount.
    enum VoidAmount: String, Hashable, Sendable {
        case omit, send
    }

    /// The token's name in the string that the SDK asks to be signed.
    enum SdkTokenName: String, Hashable, Sendable {
        case token
        case accountToken = "account_token"
    }

    /// How the SDK's string prints a boolean.
    enum SdkBooleans: String, Hashable, Sendable {
        /// `1` and `0`.
        case digits
        /// `true` and `false`.
        case words
    }

    /// How the payer comes back from Payment Page.
    enum ReturnMode: String, Hashable, Sendable {
        /// A button on the last page; the form keeps its retries.
        case buttons
        /// By itself; the provider then disables retries in the form.
        case redirect
        case none
    }

    /// Whether refunds go to the method's own address or to the one for all methods.
    enum RefundPath: String, Hashable, Sendable {
        case method, neutral
    }

    /// The name of the form's parameter for hold or sale.
    enum OperationTypeName: String, Hashable, Sendable {
        case operationType = "operation_type"
        case cardOperationType = "card_operation_type"
    }

    let projectId: Int64
    let gateUrl: String
    let paymentPageUrl: String
    let currencies: Set<String>
    let methods: Set<PaymentMethod>
    let contactPolicy: ContactPolicy
    let multipleCaptures: Bool
    let partialVoid: Bool
    let voidAmount: VoidAmount
    let callbackUrlPerPayment: Bool
    let returnMode: ReturnMode
    let interfaceType: Int64?
    let operationTypeName: OperationTypeName
    let tokenizeMode: String
    let sdkTokenName: SdkTokenName
    let sdkBooleans: SdkBooleans
    let refundPath: RefundPath
    let methodSegments: [String: String]
    let gateToken: GateTokenPaths
    let acceptByteOrder: Bool
    /// Codes of methods beside those of the table.
    let payerMethods: Set<String>
    /// The zone of the platform's times of day, by its IANA name.
    let seriesZone: String
    let seriesUpdatePath: String
    let times: Times

    /// Gate addresses for payments with a saved token; a missing one means that the payer takes part by form.
    struct GateTokenPaths: Hashable, Sendable {
        let sale: String?
        let authorize: String?
        let verify: String?

        func path(_ kind: OperationKind) -> String? {
            switch kind {
            case .sale: sale
            case .authorize: authorize
            case .verify: verify
            case .tokenize, .transfer, .capture, .void, .refund, .refundReversal: nil
            }
        }
    }

    /// Lifetimes at the provider.
    struct Times: Hashable, Sendable {
        /// Deadlines further ahead are ignored.
        let link: Duration
        let formRetry: Duration
        let threeDSecure: Duration
        let hold: Duration
        let query: Duration
        let refundKey: Duration
        let absence: Duration
        let polling: PollSchedule
    }
}

extension EcommpaySettings {
    package static let defaultGateUrl = "https://api.ecommpay.com"
    package static let defaultPaymentPageUrl = "https://paymentpage.ecommpay.com/payment"

    package init(reading json: Json, in mode: AccountFacts.Mode) throws(SchemaFailure) {
        var object = try ClosedObject(json)
        guard let projectId = try object.integer("projectId", in: 1...Int64.max) else {
            throw object.failure("projectId", "missing")
        }
        self.projectId = projectId
        gateUrl = try object.address("gateUrl") ?? Self.defaultGateUrl
        paymentPageUrl = try object.address("paymentPageUrl") ?? Self.defaultPaymentPageUrl
        currencies = try object.currencies { Currency($0) != nil }
        methods = try object.methods()
        contactPolicy = try object.word("contactPolicy", default: .refuse)
        multipleCaptures = try object.flag("multipleCaptures", default: false)
        partialVoid = try object.flag("partialVoid", default: false)
        voidAmount = try object.word("voidAmount", default: .omit)
        callbackUrlPerPayment = try object.flag("callbackUrlPerPayment", default: true)
        returnMode = try object.word("returnMode", default: .buttons)
        interfaceType = try object.integer("interfaceType", in: 1...Int64.max)
        operationTypeName = try object.word("operationTypeName", default: .operationType)
        tokenizeMode = try object.text("tokenizeMode", atMost: 64) ?? "card_tokenize"
        sdkTokenName = try object.word("sdkTokenName", default: .token)
        sdkBooleans = try object.word("sdkBooleans", default: .digits)
        refundPath = try object.word("refundPath", default: .method)
        methodSegments = try Self.segments(&object)
        gateToken = try Self.gateToken(&object)
        acceptByteOrder = try object.flag("acceptByteOrder", default: true)
        payerMethods = try Self.payerMethods(&object)
        seriesZone = try object.text("seriesZone", atMost: 64) ?? "UTC"
        seriesUpdatePath = try object.text("seriesUpdatePath", atMost: 128) ?? "/v2/payment/card/recurring/update"
        guard seriesUpdatePath.hasPrefix("/v2/"), MethodSegments.isSegment(String(seriesUpdatePath.dropFirst())) else {
            throw object.failure("seriesUpdatePath", "not_a_path")
        }
        times = try Self.times(&object)
        try object.end()
    }

    private static func segments(_ object: inout ClosedObject) throws(SchemaFailure) -> [String: String] {
        var segments = MethodSegments.standard
        guard let value = object.value("methodSegments") else { return segments }
        guard let members = value.members else { throw object.failure("methodSegments", "not_an_object") }
        for member in members.members {
            guard let segment = member.value.text, MethodSegments.isSegment(segment) else {
                throw object.failure("methodSegments.\(member.name)", "not_a_segment")
            }
            segments[Words.normalized(member.name)] = segment
        }
        return segments
    }

    private static func payerMethods(_ object: inout ClosedObject) throws(SchemaFailure) -> Set<String> {
        var codes: Set<String> = []
        for item in try object.items("payerMethods", atMost: 200) ?? [] {
            guard let code = item.text, (1...64).contains(code.utf8.count) else {
                throw object.failure("payerMethods", "not_a_word")
            }
            codes.insert(code)
        }
        return codes
    }

    private static func gateToken(_ object: inout ClosedObject) throws(SchemaFailure) -> GateTokenPaths {
        guard var paths = try object.object("gateTokenPaths") else {
            return GateTokenPaths(sale: nil, authorize: nil, verify: nil)
        }
        func path(_ name: String, _ paths: inout ClosedObject) throws(SchemaFailure) -> String? {
            guard let text = try paths.text(name, atMost: 128) else { return nil }
            guard text.hasPrefix("/v2/"), MethodSegments.isSegment(String(text.dropFirst())) else {
                throw paths.failure(name, "not_a_path")
            }
            return text
        }
        let found = GateTokenPaths(
            sale: try path("sale", &paths),
            authorize: try path("authorize", &paths),
            verify: try path("verify", &paths)
        )
        try paths.end()
        return found
    }

    private static func times(_ object: inout ClosedObject) throws(SchemaFailure) -> Times {
        let day: Int64 = 86_400
        return Times(
            link: try object.duration("linkSeconds", default: 30 * day),
            formRetry: try object.duration("formRetrySeconds", default: 600),
            threeDSecure: try object.duration("threeDSecureSeconds", default: 1800),
            hold: try object.duration("holdSeconds", default: 7 * day),
            query: try object.duration("querySeconds", default: 365 * day),
            refundKey: try object.duration("refundKeySeconds", default: 30 * day),
            absence: try object.duration("absenceSeconds", default: 600),
            polling: try object.polling(first: 10, cap: 1800)
        )
    }
}

extension EcommpaySettings {
    /// The abilities of an account with these settings.
    package var capabilities: Capabilities {
        let byQuery = Capabilities.Recovery.query(absenceAfter: times.absence)
        return Capabilities(
            partialCapture: true,
            multipleCaptures: multipleCaptures,
            overCapture: false,
            partialRefund: true,
            multipleRefunds: true,
            partialVoid: partialVoid,
            recovery: [
                .sale: .sameKey(lifetime: times.refundKey),
                .authorize: .sameKey(lifetime: times.refundKey),
                .verify: .sameKey(lifetime: times.refundKey),
                .tokenize: byQuery,
                .capture: byQuery,
                .void: byQuery,
                .refund: .sameKey(lifetime: times.refundKey),
                .refundReversal: .none,
            ],
            lifetimes: Capabilities.Lifetimes(
                payerWindow: times.formRetry + times.threeDSecure,
                hold: times.hold,
                query: times.query,
                page: times.link
            ),
            polling: times.polling
        )
    }
}
