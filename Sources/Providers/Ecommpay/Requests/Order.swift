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

    /// The amount that the payment asks for: zero for verify, nothing for tokenize.
    var amount: Money? {
        switch terms.mode {
        case .sale, .authorize, .verify, .transfer: terms.amount
        case .tokenize: nil
        }
    }

    /// Whether the payer meets the SDK and not the page.
    var isSdk: Bool { !terms.method.meetsPage }

    init(_ terms: PaymentTerms, _ account: AccountSettings, token: Json?) throws(PlanFailure) {
        settings = try EcommpaySettings.planning(account)
        details = try Self.read(terms.details)
        self.terms = terms
        self.account = account
        self.token = token
    }

    static func read(_ details: Json) throws(PlanFailure) -> Details {
        do throws(SchemaFailure) { return try Details(details) } catch {
            throw PlanFailure(details: error)
        }
    }

    /// Refuses what the account or the provider would not take.
    func check() throws(PlanFailure) {
        guard terms.mode != .transfer else {
            throw PlanFailure.modeNotSupported("no money is moved from card to card here")
        }
        guard settings.methods.contains(terms.method) else {
            throw PlanFailure.methodNotSupported("the account does not take \(terms.method.rawValue)")
        }
        if terms.mode != .tokenize {
            guard let amount = terms.amount else {
                throw PlanFailure.amountMissing("\(terms.mode.rawValue) needs one")
            }
            guard settings.currencies.contains(amount.currency.code) else {
                throw PlanFailure.currencyNotSupported("the account does not take \(amount.currency.code)")
            }
        }
        if terms.customer?.isEmpty ?? true, terms.method == .instrument || terms.mode == .tokenize {
            throw PlanFailure.customerMissing("saved credentials belong to one")
        }
        if terms.method == .instrument, terms.mode == .tokenize {
            throw PlanFailure.modeNotSupported("the instrument is saved already")
        }
        try checkReceipt()
        try checkPayerMethod()
        try checkRecurring()
        try checkContact()
        if !isSdk { try checkPageValues() }
    }

    /// The series that the payment is a debit of; `nil` where the account charges the saved card by its token.
    func debited(_ kind: OperationKind) -> Int64? {
        guard kind == .sale, settings.gateToken.path(.sale) == nil else { return nil }
        return terms.occurrence?.series.flatMap { Int64($0) }
    }

    /// Whether the form is to begin with Apple Pay, or to offer it in an app.
    var isApplePay: Bool {
        let looks = details.presentation
        return looks.forcePaymentMethod == PayerMethods.applePay || looks.applePayMerchantId != nil
            || looks.applePayDescription != nil
    }

    /// A receipt that says another sum than what is paid is wrong before the law.
    private func checkReceipt() throws(PlanFailure) {
        let paid = amount?.minor ?? 0
        guard let receipt = details.receipt, !receipt.sums.contains(paid) else { return }
        throw PlanFailure(
            code: "receipt_sum_differs",
            path: "details.items",
            detail:
                "the positions make \(receipt.sums.sorted().map(String.init).joined(separator: " or ")) and not \(paid)"
        )
    }

    /// Refuses a method that can't take the payment, and a code that neither the table nor the account knows.
    private func checkPayerMethod() throws(PlanFailure) {
        let looks = details.presentation
        for (code, path) in [
            (looks.forcePaymentMethod, "forcePaymentMethod"), (looks.forcePaymentGroup, "forcePaymentGroup"),
        ] {
            guard let code else { continue }
            let place = "details.presentation.\(path)"
            guard let method = PayerMethods.known(code) else {
                guard settings.payerMethods.contains(code) else {
                    throw PlanFailure(
                        code: "payer_method_unknown",
                        path: place,
                        detail: "neither the table nor the account's payerMethods has \(code)"
                    )
                }
                continue
            }
            guard method.modes.contains(terms.mode) else {
                throw PlanFailure(
                    code: "payer_method_mode",
                    path: place,
                    detail: "\(code) takes no \(terms.mode.rawValue)"
                )
            }
            try checkPlace(of: method, place)
        }
        if isApplePay { try checkApplePay() }
    }

    private func checkPlace(of method: PayerMethod, _ place: String) throws(PlanFailure) {
        if let currency = terms.amount?.currency.code, method.currencies?.contains(currency) == false {
            throw PlanFailure(
                code: "payer_method_currency",
                path: place,
                detail: "\(method.code) does not take \(currency)"
            )
        }
        if let region = details.region, method.countries?.contains(region) == false {
            throw PlanFailure(
                code: "payer_method_country",
                path: place,
                detail: "\(method.code) is not offered in \(region)"
            )
        }
    }

    /// The demands of Apple Pay, and of an app the merchant id and the region beside.
    private func checkApplePay() throws(PlanFailure) {
        let currencies = PayerMethods.known(PayerMethods.applePay)?.currencies ?? []
        if let currency = terms.amount?.currency.code, !currencies.contains(currency) {
            throw PlanFailure(
                code: "payer_method_currency",
                path: "amount.currency",
                detail: "Apple Pay takes \(currencies.sorted().joined(separator: ", "))"
            )
        }
        guard isSdk else { return }
        guard details.region != nil else {
            throw PlanFailure(
                code: "region_missing",
                path: "details.region",
                detail: "Apple Pay needs the payer's region"
            )
        }
        guard details.presentation.applePayMerchantId != nil else {
            throw PlanFailure(
                code: "apple_pay_merchant_missing",
                path: "details.presentation.applePayMerchantId",
                detail: "Apple Pay needs the merchant id of the app"
            )
        }
    }

    /// A series begins with a card or a wallet that can be debited again.
    private func checkRecurring() throws(PlanFailure) {
        guard let recurring = terms.recurring else { return }
        guard terms.mode != .tokenize else {
            throw PlanFailure(
                code: "recurring_not_allowed",
                path: "recurring",
                detail: "saving a card registers no series"
            )
        }
        let looks = details.presentation
        for code in [looks.forcePaymentMethod, looks.forcePaymentGroup].compactMap(\.self) {
            guard PayerMethods.known(code)?.recurs == true else {
                throw PlanFailure(
                    code: "recurring_not_supported",
                    path: "recurring",
                    detail: "\(code) can't be debited again"
                )
            }
        }
        if case .dates(let list)? = recurring.plan,
            list.contains(where: { $0.amount.currency != terms.amount?.currency })
        {
            throw PlanFailure(code: "recurring_currency", path: "recurring.dates", detail: "a series has one currency")
        }
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
        let values: [(path: String, text: String?)] = [
            ("customer", terms.customer), ("description", terms.description),
            ("details.urls.success", details.addresses.success), ("details.urls.fail", details.addresses.fail),
            ("details.urls.return", details.addresses.back), ("account.notificationUrl", account.notificationUrl),
            ("account.returnUrl", account.returnUrl),
        ]
        try Self.checkPageValues(values)
        try Self.checkPageValues(details.personalTexts)
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
