import Kernel
package import Payments
package import ProviderKit

/// An account's settings, parsed; each point that the provider's documents leave open is a setting with a default.
///
/// The schema and the defaults are described in `docs/providers/worldline.md`.
package struct WorldlineSettings: Hashable, Sendable {
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
        let pollFirst: Duration
        let pollCap: Duration
        let pollAtLeast: Duration
    }
}

extension WorldlineSettings {
    package static let testEndpoint = "https://payment.preprod.direct.worldline-solutions.com"
    package static let liveEndpoint = "https://payment.direct.worldline-solutions.com"

    private enum Limits {
        static let merchantBytes = 30
        static let wordBytes = 64
        static let addressBytes = 512
        /// Ten years.
        static let longestSeconds: Int64 = 315_576_000
    }

    /// Reads the closed schema; the failure names the member.
    package init(_ account: AccountSettings) throws(SettingsFailure) {
        do throws(SchemaFailure) {
            try self.init(reading: account.values, isTest: account.account.mode == .test)
        } catch {
            throw SettingsFailure(path: error.path, reason: error.reason)
        }
    }

    private init(reading json: Json, isTest: Bool) throws(SchemaFailure) {
        var object = try ClosedObject(json)
        guard let merchantId = try object.text("merchantId", atMost: Limits.merchantBytes) else {
            throw object.failure("merchantId", "missing")
        }
        guard PathSegment.isSafe(merchantId) else { throw object.failure("merchantId", "not_a_name") }
        self.merchantId = merchantId
        let fallback = isTest ? Self.testEndpoint : Self.liveEndpoint
        endpoint = try object.text("endpoint", atMost: Limits.addressBytes) ?? fallback
        guard WebAddress.isOrigin(endpoint) else { throw object.failure("endpoint", "not_an_address") }
        currencies = try Self.currencies(&object)
        methods = try Self.methods(&object)
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

    private static func currencies(_ object: inout ClosedObject) throws(SchemaFailure) -> Set<String> {
        guard let items = try object.items("currencies", atMost: 200), !items.isEmpty else {
            throw object.failure("currencies", "missing")
        }
        var codes: Set<String> = []
        for item in items {
            guard let code = item.text, Currency(code) != nil else {
                throw object.failure("currencies", "unknown_currency")
            }
            codes.insert(code)
        }
        return codes
    }

    private static func methods(_ object: inout ClosedObject) throws(SchemaFailure) -> Set<PaymentMethod> {
        guard let items = try object.items("methods", atMost: 16) else { return [.hosted, .sdk, .instrument] }
        var methods: Set<PaymentMethod> = []
        for item in items {
            guard let method = item.text.flatMap(PaymentMethod.init), method != .wallet else {
                throw object.failure("methods", "unknown_word")
            }
            methods.insert(method)
        }
        guard !methods.isEmpty else { throw object.failure("methods", "missing") }
        return methods
    }

    private static func times(_ object: inout ClosedObject, _ hold: HoldKind) throws(SchemaFailure) -> Times {
        func seconds(_ name: String, _ fallback: Int64, _ object: inout ClosedObject) throws(SchemaFailure) -> Duration
        {
            .seconds(try object.integer(name, in: 1...Limits.longestSeconds) ?? fallback)
        }
        let day: Int64 = 86_400
        return Times(
            payerWindow: try seconds("payerWindowSeconds", 3600, &object),
            hold: try seconds("holdSeconds", hold == .preAuthorization ? 30 * day : 7 * day, &object),
            query: try seconds("querySeconds", 365 * day, &object),
            idempotence: try seconds("idempotenceSeconds", day, &object),
            pollFirst: try seconds("pollFirstSeconds", 10, &object),
            pollCap: try seconds("pollCapSeconds", 1800, &object),
            pollAtLeast: try seconds("pollAtLeastSeconds", 5, &object)
        )
    }
}

extension WorldlineSettings {
    /// What an account with these settings can do.
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
            lifetimes: Capabilities.Lifetimes(payerWindow: times.payerWindow, hold: times.hold, query: times.query),
            polling: PollSchedule(first: times.pollFirst, cap: times.pollCap, atLeast: times.pollAtLeast)
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
