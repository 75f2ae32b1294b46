import Kernel
import Payments
import ProviderKit

/// A payment's terms against an account, both parsed: what all requests of the payment are made of.
struct Order {
    let terms: PaymentTerms
    let account: AccountSettings
    let settings: EcommpaySettings
    let details: Details
    /// The saved credential, sealed, for a payment with an instrument.
    let token: Json?

    /// What the payment asks for: zero for verify, nothing for tokenize.
    var amount: Money? {
        switch terms.mode {
        case .sale, .authorize, .verify, .transfer: terms.amount
        case .tokenize: nil
        }
    }

    /// Whether the payer meets the SDK and not the page.
    var isSdk: Bool { !terms.method.meetsPage }

    init(_ terms: PaymentTerms, _ account: AccountSettings, token: Json?) throws(PlanFailure) {
        do throws(SettingsFailure) { settings = try EcommpaySettings(account.values) } catch {
            throw PlanFailure(code: "account_settings_invalid", path: error.path, detail: error.reason)
        }
        details = try Self.read(terms.details)
        self.terms = terms
        self.account = account
        self.token = token
    }

    static func read(_ details: Json) throws(PlanFailure) -> Details {
        do throws(SchemaFailure) { return try Details(details) } catch {
            throw PlanFailure(code: "details_invalid", path: error.path, detail: error.reason)
        }
    }

    /// Refuses what the account or the provider would not take.
    func check() throws(PlanFailure) {
        guard terms.mode != .transfer else {
            throw PlanFailure(
                code: "mode_not_supported",
                path: "mode",
                detail: "no money is moved from card to card here"
            )
        }
        guard settings.methods.contains(terms.method) else {
            throw PlanFailure(
                code: "method_not_supported",
                path: "method",
                detail: "the account does not take \(terms.method.rawValue)"
            )
        }
        if terms.mode != .tokenize {
            guard let amount = terms.amount else {
                throw PlanFailure(code: "amount_missing", path: "amount", detail: "\(terms.mode.rawValue) needs one")
            }
            guard settings.currencies.contains(amount.currency.code) else {
                throw PlanFailure(
                    code: "currency_not_supported",
                    path: "amount.currency",
                    detail: "the account does not take \(amount.currency.code)"
                )
            }
        }
        if terms.customer?.isEmpty ?? true, terms.method == .instrument || terms.mode == .tokenize {
            throw PlanFailure(code: "customer_missing", path: "customer", detail: "saved credentials belong to one")
        }
        if terms.method == .instrument, terms.mode == .tokenize {
            throw PlanFailure(code: "mode_not_supported", path: "mode", detail: "the instrument is saved already")
        }
        try checkContact()
        if !isSdk { try checkPageValues() }
    }

    /// Visa's rule since August 2024: 3-D Secure needs an e-mail or a phone number.
    private func checkContact() throws(PlanFailure) {
        guard settings.contactPolicy == .refuse, terms.method != .wallet, !details.isForcedElsewhere else { return }
        guard details.hasContact else {
            throw PlanFailure(
                code: "contact_missing",
                path: "details.payer",
                detail: "a card payment needs an e-mail or a phone number"
            )
        }
    }

    /// The provider ignores a page's deadline that lies too far ahead, and the page would outlive the payment.
    func checkDeadline(at now: Timestamp) throws(PlanFailure) {
        guard !isSdk, terms.expiresAt > now.adding(settings.times.link) else { return }
        throw PlanFailure(
            code: "expiry_too_far",
            path: "expiresAt",
            detail: "a payment page lives \(settings.times.link.components.seconds) seconds at most"
        )
    }

    private func checkPageValues() throws(PlanFailure) {
        let values: [(String, String?)] = [
            ("customer", terms.customer), ("description", terms.description),
            ("details.urls.success", details.addresses.success), ("details.urls.fail", details.addresses.fail),
            ("details.urls.return", details.addresses.back), ("account.notificationUrl", account.notificationUrl),
            ("account.returnUrl", account.returnUrl),
        ]
        try Self.checkPageValues(values + details.personalTexts)
    }

    /// Payment Page forbids `;` in values: its signature does not tell them from the separator.
    static func checkPageValues(_ values: [(path: String, text: String?)]) throws(PlanFailure) {
        for (path, text) in values where text?.utf8.contains(UInt8(ascii: ";")) == true {
            throw PlanFailure(code: "value_not_allowed", path: path, detail: "the payment page takes no semicolon")
        }
    }
}

extension PaymentMethod {
    /// Whether the payer meets the page in a browser and not the SDK in an app.
    var meetsPage: Bool {
        switch self {
        case .sdk, .wallet: false
        case .hosted, .instrument: true
        }
    }
}

extension Details {
    /// The payer's fields as far as they are plain, each with its place.
    var personalTexts: [(path: String, text: String?)] { (payer + additional).map { ($0.path, $0.value.text) } }
}
