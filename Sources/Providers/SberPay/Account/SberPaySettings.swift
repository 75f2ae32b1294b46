import Kernel
package import Payments
import ProviderKit

/// An account's settings, parsed; each point that the bank's documents leave open is a setting with a default.
///
/// The schema and the defaults are described in `docs/providers/sberpay.md`.
package struct SberPaySettings: AccountReading {
    /// How a request proves who sends it.
    package enum Authorization: String, Hashable, Sendable {
        /// `userName` and `password`.
        case password
        /// A single `token`.
        case token
    }

    /// How callbacks are proved.
    enum CallbackMode: String, Hashable, Sendable {
        case none, hmac, rsa
    }

    package enum CallbackDigest: String, Hashable, Sendable {
        case sha256, sha512
    }

    /// Whether `depositedAmount` shrinks when money is returned.
    enum DepositedIsNet: String, Hashable, Sendable {
        case auto, yes, no
    }

    /// The name of the payer's system in `jsonParams`: the bank's table and its sample differ.
    enum OsTypeName: String, Hashable, Sendable {
        case dotted = "app.osType"
        case plain = "osType"
    }

    let dialect: Dialect
    let baseUrl: String
    let pathPrefix: String
    let paths: [GatewayCall: String]
    let authorization: Authorization
    let userName: String?
    let methods: Set<PaymentMethod>
    /// `643`, or `810` for accounts that were never moved.
    let currencyNumeric: String
    let features: [String]
    let merchantLogin: String?
    let shop: Shop
    let osTypeName: OsTypeName
    /// Further members of `jsonParams`, sent as they stand.
    let extraJsonParams: JsonObject
    let callback: Callback
    let depositedIsNet: DepositedIsNet
    let captureReleasesRest: Bool
    let partialVoid: Bool
    let refundKey: Bool
    let unattended: Bool
    let tokenPay: Bool
    let idempotencyHeader: Bool
    let zoneHours: Int64
    /// Classes of action codes where the account's differ from the table's.
    let codeClasses: [Int64: CodeTable.Class]
    let times: Times

    /// The shop as the SDK is told of it.
    struct Shop: Hashable, Sendable {
        let clientName: String?
        let redirectUri: String?
    }

    struct Callback: Hashable, Sendable {
        let mode: CallbackMode
        let digest: CallbackDigest
        let excluded: Set<String>
        /// PEM of the key or certificate that callbacks are signed with.
        let publicKey: String?
        /// Send our address with each order.
        let isDynamic: Bool
    }

    /// Lifetimes at the provider.
    struct Times: Hashable, Sendable {
        let payerWindow: Duration
        let hold: Duration
        let query: Duration
        let refundKey: Duration
        let absence: Duration
        let polling: PollSchedule
    }

    func url(_ call: GatewayCall) -> String { baseUrl + (paths[call] ?? pathPrefix + call.file(dialect)) }

    func actionClass(_ code: Int64) -> CodeTable.Class? { codeClasses[code] ?? CodeTable.entry(code)?.kind }
}

extension SberPaySettings {
    /// The abilities of an account with these settings.
    package var capabilities: Capabilities {
        let byQuery = Capabilities.Recovery.query(absenceAfter: times.absence)
        return Capabilities(
            partialCapture: true,
            multipleCaptures: false,
            overCapture: false,
            partialRefund: true,
            multipleRefunds: true,
            partialVoid: partialVoid,
            recovery: [
                .sale: byQuery, .authorize: byQuery, .verify: byQuery, .tokenize: byQuery, .capture: byQuery,
                // The older platform takes one reversal only: a second one after a lost answer would be refused.
                .void: dialect == .legacy ? .none : byQuery,
                .refund: refundKey ? .sameKey(lifetime: times.refundKey) : byQuery,
                .refundReversal: .none,
            ],
            lifetimes: Capabilities.Lifetimes(payerWindow: times.payerWindow, hold: times.hold, query: times.query),
            polling: times.polling,
            checkHold: 0
        )
    }
}
