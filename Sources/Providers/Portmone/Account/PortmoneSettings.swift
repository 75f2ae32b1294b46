package import Kernel
package import Payments
package import ProviderKit

/// An account's settings, parsed; each point that the provider's documents leave open is a setting with a default.
///
/// The schema and the defaults are described in `docs/providers/portmone.md`.
package struct PortmoneSettings: AccountReading {
    /// Which of the gateway's two spellings carries status, confirmation, rejection and refund.
    enum Spelling: String, Hashable, Sendable {
        case json, xml
    }

    /// Who charges a saved card.
    enum TokenCharge: String, Hashable, Sendable {
        case hosted, sdk
    }

    /// Who carries out a device wallet's payment.
    enum WalletMode: String, Hashable, Sendable {
        /// The SDK does.
        case sdk
        /// The app hands its encrypted token to us and we pass it on.
        case relay
    }

    /// How money goes from a saved card to another card.
    enum TransferMode: String, Hashable, Sendable {
        case sdk, sellerToken, linkMoneyTransfer
    }

    /// Whether the provider's amount is held against ours.
    enum AmountCheck: String, Hashable, Sendable {
        /// For payments in hryvnia; other currencies come back converted.
        case strict
        case off
    }

    enum ExpiryUnit: String, Hashable, Sendable {
        case seconds, minutes
    }

    /// Who runs bulk bills.
    enum BulkMode: String, Hashable, Sendable {
        case sdk, serverToken
    }

    /// The operations that the merchant's contract allows in the app.
    struct Permissions: Hashable, Sendable {
        let biometrics: Bool
        let withoutCvv: Bool
    }

    /// How bills are paid in bulk.
    struct Bills: Hashable, Sendable {
        /// Bills of one call; for an app, bills of one screen.
        let perCall: Int
        /// Calls of one batch under way at most.
        let callsInFlight: Int
        /// Between two calls of one batch at least.
        let spacing: Duration
        /// Whether every bill is priced before any is paid.
        let isPriced: Bool
        /// Codes of a refusal that say that the user's credentials are not valid any more.
        let credentialCodes: Set<String>
        /// Whether such a refusal proves that no bill of the call was paid.
        let credentialCodesProveUnpaid: Bool
    }

    /// Lifetimes at the provider.
    struct Times: Hashable, Sendable {
        let payerWindow: Duration
        let hold: Duration
        let lookback: Duration
        let linkKey: Duration
        let absence: Duration
        /// After so long an account in the mode `live-autocancel` has its charges given back.
        let autoCancel: Duration
        let refundAbsence: Duration
        let polling: PollSchedule
    }

    let payeeId: String
    let login: String
    let shopSiteId: String
    package let gatewayUrl: String
    package let jsonApiUrl: String
    let merchantBillsUrl: String
    let customUid: String?
    let currencies: Set<String>
    let methods: Set<PaymentMethod>
    let spelling: Spelling
    let tokenCharge: TokenCharge
    let walletMode: WalletMode
    let transferMode: TransferMode
    let bulkMode: BulkMode
    let amountCheck: AmountCheck
    let expiryUnit: ExpiryUnit
    let timeZone: CivilZone
    let legacyLanguage: String
    /// A token payment below this asks for no CVV.
    let noCvvCeiling: Money?
    let permissions: Permissions
    let applePayMerchantId: String?
    /// The attribute that carries the merchant's own number; `nil` for none.
    let referenceAttribute: Int?
    let partialCaptureReleases: Bool
    let declineIsFinal: Bool
    let declineCodes: [String: DeclineClass]
    let bills: Bills
    let times: Times
}

extension PortmoneSettings {
    static let defaultGatewayUrl = "https://www.portmone.com.ua/gateway/"
    static let defaultJsonApiUrl = "https://www.portmone.com.ua/r3/api/gateway/"
    static let defaultMerchantBillsUrl = "https://www.portmone.com.ua/r3/api/merchant-bills"

    /// Currencies that the provider's documents and current plugins name.
    package static let knownCurrencies: Set<String> = ["UAH", "USD", "EUR", "GBP", "BYN", "KZT", "PLN"]

    package init(reading json: Json, in mode: AccountFacts.Mode) throws(SchemaFailure) {
        var object = try ClosedObject(json)
        payeeId = try Self.name("payeeId", &object)
        login = try Self.name("login", &object)
        shopSiteId = try object.text("shopSiteId", atMost: Limits.nameBytes) ?? ""
        // A redirect on a POST would lose the body, so the trailing slash of the gateway's addresses is demanded.
        gatewayUrl = try object.address("gatewayUrl", endsWithSlash: true) ?? Self.defaultGatewayUrl
        jsonApiUrl = try object.address("jsonApiUrl", endsWithSlash: true) ?? Self.defaultJsonApiUrl
        merchantBillsUrl = try object.address("merchantBillsUrl") ?? Self.defaultMerchantBillsUrl
        customUid = try object.text("customUid", atMost: Limits.nameBytes)
        currencies = try object.currencies(default: ["UAH"], atMost: 16, where: Self.knownCurrencies.contains)
        methods = try object.methods()
        spelling = try object.word("protocol", default: .json)
        tokenCharge = try object.word("tokenChargeMode", default: .hosted)
        walletMode = try object.word("walletMode", default: .sdk)
        transferMode = try object.word("transferMode", default: .sdk)
        bulkMode = try object.word("bulkMode", default: .sdk)
        amountCheck = try object.word("amountCheck", default: .strict)
        expiryUnit = try object.word("expTimeUnit", default: .seconds)
        let zone = try object.text("dtTimeZone", atMost: 16) ?? CivilZone.kyiv.text
        guard let timeZone = CivilZone(zone) else { throw object.failure("dtTimeZone", "unknown_word") }
        self.timeZone = timeZone
        legacyLanguage = try object.text("legacyLanguage", atMost: 2) ?? "uk"
        noCvvCeiling = try Self.ceiling(&object)
        permissions = try Self.permissions(&object)
        applePayMerchantId = try object.text("applePayMerchantId", atMost: Limits.nameBytes)
        let place = try object.integer("referenceAttribute", in: 0...4) ?? 4
        referenceAttribute = place == 0 ? nil : Int(place)
        partialCaptureReleases = try object.flag("partialCaptureReleases", default: true)
        declineIsFinal = try object.flag("declineIsFinal", default: false)
        declineCodes = try Self.declineCodes(&object)
        bills = try Self.bills(&object)
        times = try Self.times(&object)
        try object.end()
    }

    private enum Limits {
        static let nameBytes = 128
        static let codes = 500
    }

    private static func name(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> String {
        guard let text = try object.text(name, atMost: Limits.nameBytes), !text.isEmpty else {
            throw object.failure(name, "missing")
        }
        return text
    }

    private static func ceiling(_ object: inout ClosedObject) throws(SchemaFailure) -> Money? {
        guard let text = try object.text("billAmountWcvv", atMost: 20) else { return nil }
        guard let amount = Amounts.read(text, Amounts.hryvnia), amount.minor >= 0 else {
            throw object.failure("billAmountWcvv", "not_an_amount")
        }
        return amount
    }

    private static func permissions(_ object: inout ClosedObject) throws(SchemaFailure) -> Permissions {
        guard var member = try object.object("permissions") else {
            return Permissions(biometrics: false, withoutCvv: false)
        }
        let found = Permissions(
            biometrics: try member.flag("biometrics", default: false),
            withoutCvv: try member.flag("withoutCvv", default: false)
        )
        try member.end()
        return found
    }

    private static func declineCodes(_ object: inout ClosedObject) throws(SchemaFailure) -> [String: DeclineClass] {
        guard let value = object.value("declineCodes") else { return [:] }
        guard let members = value.members, members.count <= Limits.codes else {
            throw object.failure("declineCodes", "not_an_object")
        }
        var codes: [String: DeclineClass] = [:]
        for member in members.members {
            guard let word = member.value.text.flatMap(DeclineClass.init) else {
                throw object.failure("declineCodes.\(member.name)", "unknown_word")
            }
            codes[member.name] = word
        }
        return codes
    }

    private static func bills(_ object: inout ClosedObject) throws(SchemaFailure) -> Bills {
        var member = try object.object("bills")
        var codes: Set<String> = ["1"]
        if let given = try member?.items("credentialCodes", atMost: Limits.codes) {
            codes = Set(given.compactMap(\.text))
            if codes.count != given.count {
                throw object.failure("bills.credentialCodes", "not_texts_without_repetition")
            }
        }
        let found = Bills(
            perCall: Int(try member?.integer("perCall", in: 1...100) ?? 20),
            callsInFlight: Int(try member?.integer("callsInFlight", in: 1...16) ?? 2),
            spacing: .milliseconds(try member?.integer("spacingMs", in: 0...600_000) ?? 500),
            isPriced: try member?.flag("priced", default: false) ?? false,
            credentialCodes: codes,
            credentialCodesProveUnpaid: try member?.flag("credentialCodesProveUnpaid", default: false) ?? false
        )
        try member?.end()
        return found
    }

    private static func times(_ object: inout ClosedObject) throws(SchemaFailure) -> Times {
        let day: Int64 = 86_400
        return Times(
            payerWindow: try object.duration("payerWindowSeconds", default: 3600),
            hold: try object.duration("holdSeconds", default: 7 * day),
            lookback: .seconds((try object.integer("resultLookbackDays", in: 1...3650) ?? 31) * day),
            linkKey: try object.duration("linkKeySeconds", default: day),
            absence: try object.duration("absenceSeconds", default: 600),
            autoCancel: try object.duration("autoCancelSeconds", default: 2100),
            refundAbsence: try object.duration("refundAbsenceSeconds", default: day),
            polling: try object.polling(first: 30, cap: 900)
        )
    }
}

extension PortmoneSettings {
    /// The abilities of an account with these settings.
    package func capabilities(in mode: AccountFacts.Mode) -> Capabilities {
        let transfers: Capabilities.TransferWay =
            switch transferMode {
            case .sdk: .sdk
            case .sellerToken, .linkMoneyTransfer: .page
            }
        let byQuery = Capabilities.Recovery.query(absenceAfter: times.absence)
        // A link can be made again under its number until it is paid, and no look shows it before: that there is no row proves
        // no absence of it, and a paid number is refused. A relayed wallet's token charges.
        let link = Capabilities.Recovery.sameKey(lifetime: times.linkKey)
        let openings: [PaymentMethod: Capabilities.Recovery] =
            switch walletMode {
            case .sdk: [:]
            case .relay: [.wallet: byQuery]
            }
        return Capabilities(
            partialCapture: true,
            multipleCaptures: false,
            overCapture: false,
            partialRefund: true,
            multipleRefunds: true,
            partialVoid: false,
            recovery: Capabilities.Recoveries(
                [
                    .sale: link, .authorize: link, .verify: .none, .tokenize: link, .transfer: link,
                    .capture: byQuery, .void: byQuery,
                    .refund: .query(absenceAfter: times.refundAbsence),
                    .refundReversal: .none,
                ],
                openings: openings
            ),
            lifetimes: Capabilities.Lifetimes(
                payerWindow: times.payerWindow,
                hold: times.hold,
                query: times.lookback,
                reversal: mode == .liveAutoCancel ? times.autoCancel : nil
            ),
            polling: times.polling,
            transfers: [transfers],
            unstatedAmounts: [
                RowReading.Unstated.hold, RowReading.Unstated.unchecked, RowReading.Unstated.converted,
                RowReading.Unstated.chargeback,
            ],
            checkHold: Order.savingMinor
        )
    }

    /// The class of a refusal: the account's own table first, then the adapter's.
    func decline(_ code: String?) -> Decline {
        let own = code.flatMap { declineCodes[$0] }
        return Decline(reason: own ?? CodeTable.reason(code), code: code, tableVersion: CodeTable.version)
    }
}
