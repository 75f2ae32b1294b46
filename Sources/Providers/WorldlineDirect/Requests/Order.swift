import Kernel
import Payments
import ProviderKit

/// A payment's terms against an account, both parsed: what all requests of the payment are made of.
struct Order {
    let terms: PaymentTerms
    let account: AccountSettings
    let settings: WorldlineSettings
    let details: Details
    /// The saved credential, sealed, for a payment with an instrument.
    let token: Json?
    /// How the network names the payment at which the payer of the saved card agreed.
    let reference: String?

    init(_ terms: PaymentTerms, _ account: AccountSettings, token: Json?, reference: String? = nil)
        throws(PlanFailure)
    {
        settings = try WorldlineSettings.planning(account)
        details = try Self.read(terms.details)
        self.terms = terms
        self.account = account
        self.token = token
        self.reference = reference
    }

    static func read(_ details: Json) throws(PlanFailure) -> Details {
        do throws(SchemaFailure) { return try Details(details) } catch {
            throw PlanFailure(details: error)
        }
    }

    /// Refuses what the account or the provider would not take.
    func check() throws(PlanFailure) {
        try checkMode()
        guard let amount = terms.amount else { throw PlanFailure.amountMissing("\(terms.mode.rawValue) needs one") }
        guard settings.currencies.contains(amount.currency.code) else {
            throw PlanFailure.currencyNotSupported("the account does not take \(amount.currency.code)")
        }
        guard (0...Limits.amount).contains(amount.minor) else {
            throw PlanFailure(code: "amount_too_large", path: "amount", detail: "at most 999999999999 minor units")
        }
        try checkTexts()
        try checkCredential()
    }

    private func checkMode() throws(PlanFailure) {
        guard settings.methods.contains(terms.method) else {
            throw PlanFailure.methodNotSupported("the account does not take \(terms.method.rawValue)")
        }
        switch terms.mode {
        case .sale, .authorize: break
        case .transfer:
            throw PlanFailure.modeNotSupported("no money is moved from card to card here")
        case .verify, .tokenize:
            throw PlanFailure.modeNotSupported("a card is saved with a payment: details.saveCredential")
        }
        switch terms.method {
        case .hosted, .instrument:
            if details.device != nil {
                throw PlanFailure(
                    code: "value_not_allowed",
                    path: "details.encryptedCustomerInput",
                    detail: "only an app's payment carries it"
                )
            }
        case .sdk:
            if details.device == nil {
                throw PlanFailure(
                    code: "customer_input_missing",
                    path: "details.encryptedCustomerInput",
                    detail: "the app encrypts the payer's input under its session first"
                )
            }
        case .wallet:
            guard details.wallet != nil else {
                throw PlanFailure(
                    code: "value_missing",
                    path: "details.wallet",
                    detail: "the device wallet's payment data is needed"
                )
            }
        }
        if terms.method != .wallet, details.wallet != nil {
            throw PlanFailure(code: "value_not_allowed", path: "details.wallet", detail: "not a wallet payment")
        }
        try checkSeries()
    }

    /// Who begins a charge of a series is said by its place in the series, and by nothing else.
    private func checkSeries() throws(PlanFailure) {
        guard let credential = details.credential, credential.kind == .recurring else { return }
        guard (credential.sequence == .first) == (credential.initiator == .customer) else {
            throw PlanFailure(
                code: "value_not_allowed",
                path: "details.credential.initiator",
                detail: "the payer begins a series and the merchant goes on with it"
            )
        }
    }

    private func checkTexts() throws(PlanFailure) {
        if let customer = terms.customer, customer.utf8.count > Limits.customerBytes {
            throw PlanFailure(code: "value_not_allowed", path: "customer", detail: "at most 50 characters")
        }
        guard returnUrl("").utf8.count + Limits.referenceBytes <= Details.Limits.returnBytes else {
            throw PlanFailure(code: "account_settings_invalid", path: "returnUrl", detail: "at most 200 characters")
        }
        if settings.webhookUrlPerPayment, account.notificationUrl.utf8.count > Limits.webhookBytes {
            throw PlanFailure(
                code: "account_settings_invalid",
                path: "notificationUrl",
                detail: "at most 325 characters"
            )
        }
        if details.cobrand != nil, details.productId == nil {
            throw PlanFailure(
                code: "details_invalid",
                path: "details.paymentProductId",
                detail: "the chosen brand goes with its product"
            )
        }
    }

    private func checkCredential() throws(PlanFailure) {
        if terms.customer?.isEmpty ?? true, terms.method == .instrument || details.savesCredential {
            throw PlanFailure.customerMissing("saved credentials belong to one")
        }
        let isFirst = details.credential.map { $0.sequence == .first }
        if terms.method == .instrument, isFirst == true {
            throw PlanFailure(
                code: "details_invalid",
                path: "details.credential.sequence",
                detail: "a saved card goes on with a series"
            )
        }
        if terms.method != .instrument, isFirst == false {
            throw PlanFailure(
                code: "details_invalid",
                path: "details.credential.sequence",
                detail: "a series goes on with a saved card"
            )
        }
    }

    enum Limits {
        static let amount: Int64 = 999_999_999_999
        static let customerBytes = 50
        static let webhookBytes = 325
        /// Our reference and the slash before it.
        static let referenceBytes = 31
    }
}

extension Order {
    /// Where the payer comes back to.
    func returnUrl(_ reference: String) -> String {
        if let own = details.returnUrl { return own }
        return reference.isEmpty ? account.returnUrl : account.returnUrl + "/" + reference
    }

    /// The `order` of every request that opens a payment.
    func order(_ dispatch: PlannedDispatch) throws(PlanFailure) -> Json {
        guard let amount = dispatch.amount ?? terms.amount else { throw PlanFailure.amountMissing() }
        return .compact([
            ("amountOfMoney", Self.money(amount)),
            ("customer", details.payer.customer(id: terms.customer, locale: details.locale)),
            ("references", ["merchantReference": .string(dispatch.paymentReference)]),
        ])
    }

    static func money(_ amount: Money) -> Json {
        ["amount": .integer(amount.minor), "currencyCode": .string(amount.currency.code)]
    }

    /// Where events of this payment go, beside the addresses that the portal knows.
    var feedbacks: Json? {
        settings.webhookUrlPerPayment ? ["webhooksUrls": [.string(account.notificationUrl)]] : nil
    }

    var authorizationMode: String {
        switch terms.mode {
        case .sale, .transfer: "SALE"
        case .authorize, .verify, .tokenize: settings.holdKind.rawValue
        }
    }
}
