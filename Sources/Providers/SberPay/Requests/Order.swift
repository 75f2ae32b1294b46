import Kernel
import Payments
import ProviderKit

/// A payment's terms against an account, both parsed: what all requests of the payment are made of.
struct Order {
    let terms: PaymentTerms
    let account: AccountSettings
    let settings: SberPaySettings
    let details: Details
    /// The saved binding, sealed, for a payment with an instrument.
    let binding: Json?

    init(_ terms: PaymentTerms, _ account: AccountSettings, binding: Json?) throws(PlanFailure) {
        settings = try SberPaySettings.planning(account)
        do throws(SchemaFailure) { details = try Details(terms.details) } catch {
            throw PlanFailure(details: error)
        }
        self.terms = terms
        self.account = account
        self.binding = binding
    }

    /// Whether the order is a check of the card alone.
    var isCheck: Bool {
        switch terms.mode {
        case .verify, .tokenize: true
        case .sale, .authorize, .transfer: false
        }
    }

    /// Whether a saved binding is charged without the payer.
    var isUnattended: Bool { terms.method == .instrument && terms.mode == .sale && settings.unattended }

    /// Whether the payer comes from the merchant's app.
    var isApp: Bool {
        switch terms.method {
        case .sdk, .wallet: !details.app.isWeb
        case .hosted, .instrument: false
        }
    }

    /// Refuses what the account or the gateway would not take.
    func check() throws(PlanFailure) {
        guard terms.mode != .transfer else {
            throw PlanFailure.modeNotSupported("no money is moved from card to card here")
        }
        guard settings.methods.contains(terms.method) else {
            throw PlanFailure.methodNotSupported("the account does not take \(terms.method.rawValue)")
        }
        if let amount = terms.amount {
            guard amount.currency.code == "RUB" else {
                throw PlanFailure.currencyNotSupported("the account does not take \(amount.currency.code)")
            }
            guard (0...FieldRules.greatestAmount).contains(amount.minor) else {
                throw PlanFailure(code: "amount_out_of_range", path: "amount", detail: "at most 12 digits")
            }
        } else if terms.mode != .tokenize {
            throw PlanFailure.amountMissing("\(terms.mode.rawValue) needs one")
        }
        if let text = terms.description, !FieldRules.isPlain(text, 1...512) {
            throw PlanFailure(
                code: "value_not_allowed",
                path: "description",
                detail: "the gateway takes Latin and Cyrillic, at most 512 characters"
            )
        }
        try checkCustomer()
        try checkApp()
        if terms.method == .sdk { try checkSdk() }
    }

    private func checkCustomer() throws(PlanFailure) {
        let isNeeded = terms.method == .instrument || terms.mode == .tokenize || details.recurrent != nil
        guard let customer = terms.customer, !customer.isEmpty else {
            guard !isNeeded else { throw PlanFailure.customerMissing("a binding belongs to one") }
            return
        }
        let longest = terms.method == .sdk ? 36 : 255
        guard FieldRules.isPrintable(customer), customer.utf8.count <= longest else {
            throw PlanFailure(
                code: "value_not_allowed",
                path: "customer",
                detail: "the gateway takes Latin letters and digits, at most \(longest)"
            )
        }
        if terms.method == .instrument, isCheck {
            throw PlanFailure.modeNotSupported("the binding was checked already")
        }
    }

    private func checkApp() throws(PlanFailure) {
        if details.app.isPush {
            guard settings.dialect == .legacy, !isApp, details.phone != nil else {
                throw PlanFailure(
                    code: "details_invalid",
                    path: "details.app.push",
                    detail: "a push needs a phone, the legacy dialect and a payer outside the app"
                )
            }
        }
        if isApp, details.app.osType == nil || details.app.deepLink == nil {
            throw PlanFailure(
                code: "details_invalid",
                path: "details.app",
                detail: "a payer in an app needs osType and deepLink"
            )
        }
    }

    /// A mandate that has ended allows no debit.
    func checkMandate(at now: Timestamp) throws(PlanFailure) {
        guard let expiry = details.recurrent?.expiry else { return }
        let today = OpeningRequest.deadline(now, settings).prefix(10).filter { $0 != "-" }
        guard expiry >= today else {
            throw PlanFailure(code: "mandate_ended", path: "details.recurrent.expiry", detail: "the day has passed")
        }
    }

    /// The SDK can't start without these.
    private func checkSdk() throws(PlanFailure) {
        guard settings.merchantLogin != nil, settings.shop.clientName != nil else {
            throw PlanFailure(
                code: "account_settings_invalid",
                path: "merchantLogin",
                detail: "the SDK needs merchantLogin and clientName"
            )
        }
        guard settings.shop.redirectUri != nil else {
            throw PlanFailure(code: "account_settings_invalid", path: "redirectUri", detail: "the SDK needs it")
        }
        guard !isCheck else { throw PlanFailure.modeNotSupported("the SDK pays; it checks no card") }
    }
}
