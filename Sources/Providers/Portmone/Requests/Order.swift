import Kernel
import Payments
import ProviderKit

/// A payment's terms against an account, both parsed: what all requests of the payment are made of.
struct Order {
    let terms: PaymentTerms
    let account: AccountSettings
    let settings: PortmoneSettings
    let details: Details
    /// The saved credential, sealed, for a payment with an instrument.
    let token: Json?
    /// The saved card as it is known; the payment may say it otherwise.
    private let savedMask: String?

    /// How a payment begins.
    enum Way: Hashable {
        /// The provider makes a page for the payer.
        case page
        /// The provider makes a page that moves money to a card it keeps.
        case transferPage
        /// The app's SDK carries it out.
        case sdk
        /// We pass the wallet's token on.
        case wallet
    }

    init(_ terms: PaymentTerms, _ account: AccountSettings, token: Json?, mask: String? = nil) throws(PlanFailure) {
        settings = try PortmoneSettings.planning(account)
        do throws(SchemaFailure) { details = try Details(terms.details, currency: terms.amount?.currency) } catch {
            throw PlanFailure(details: error)
        }
        self.terms = terms
        self.account = account
        self.token = token
        savedMask = mask
    }

    /// The card of the token as its payer sees it.
    var mask: String? { details.cardMask ?? savedMask }

    /// `attribute1` to `attribute4`; the merchant's own number stands where the account says so and nothing else does.
    var attributes: [String] {
        var found = details.attributes
        if let place = settings.referenceAttribute, found[place - 1].isEmpty {
            found[place - 1] = terms.reference ?? ""
        }
        return found
    }

    var way: Way { Self.way(terms.mode, terms.method, settings) }

    static func way(_ mode: PaymentMode, _ method: PaymentMethod, _ settings: PortmoneSettings) -> Way {
        switch method {
        case .sdk: return .sdk
        case .wallet:
            switch settings.walletMode {
            case .sdk: return .sdk
            case .relay: return .wallet
            }
        case .instrument where mode != .transfer:
            switch settings.tokenCharge {
            case .hosted: return .page
            case .sdk: return .sdk
            }
        case .hosted, .instrument:
            guard mode == .transfer else { return .page }
            switch settings.transferMode {
            case .sdk: return .sdk
            case .sellerToken: return .page
            case .linkMoneyTransfer: return .transferPage
            }
        }
    }

    /// The order that the provider opened, with the address that the payer's bank sends its answer to.
    func handover(of opened: ProviderOrder, _ dispatch: PlannedDispatch) -> Json {
        guard case .object(var members) = opened.handover, members["acsUrl"] != nil else { return opened.handover }
        members["termUrl"] = .string("\(account.returnUrl)/\(dispatch.paymentReference)")
        return .object(members)
    }

    /// The hold that the provider makes to save a card: one hryvnia, given back by itself.
    static let savingMinor: Int64 = 100

    /// The amount that the provider is asked for: saving a card holds one hryvnia.
    var asked: Money? {
        switch terms.mode {
        case .sale, .authorize, .transfer: terms.amount
        case .tokenize: Amounts.hryvnia.map { Money(Self.savingMinor, $0) }
        case .verify: nil
        }
    }

    /// Whether the payer is spared the CVV: allowed for the account, and strictly less than the ceiling.
    var skipsCvv: Bool {
        guard details.withoutCvv, settings.permissions.withoutCvv, let ceiling = settings.noCvvCeiling,
            let amount = terms.amount
        else { return false }
        return amount.currency == ceiling.currency && amount.minor < ceiling.minor
    }

    private enum Limits {
        static let numberBytes = 120
    }

    /// A bill number as the provider takes it.
    static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= Limits.numberBytes
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension Order {
    /// Refuses what the account or the provider would not take.
    func check() throws(PlanFailure) {
        guard settings.methods.contains(terms.method) else {
            throw PlanFailure.methodNotSupported("the account does not take \(terms.method.rawValue)")
        }
        switch terms.mode {
        case .verify:
            throw PlanFailure.modeNotSupported("the provider checks no card alone")
        case .tokenize: try checkSaving()
        case .sale, .authorize, .transfer: try checkAmount()
        }
        try checkPage()
        try checkSplit()
        try checkTransfer()
        try checkWallet()
        if details.withoutCvv, !skipsCvv {
            throw PlanFailure(
                code: "cvv_needed",
                path: "details.withoutCvv",
                detail: "the account asks for the CVV at this amount"
            )
        }
        if details.presentation.biometrics, !settings.permissions.biometrics {
            throw PlanFailure(
                code: "not_permitted",
                path: "details.presentation.biometrics",
                detail: "the account has no permission for it"
            )
        }
    }

    private func checkAmount() throws(PlanFailure) {
        guard let amount = terms.amount else { throw PlanFailure.amountMissing("\(terms.mode.rawValue) needs one") }
        guard settings.currencies.contains(amount.currency.code), amount.currency.exponent == 2 else {
            throw PlanFailure.currencyNotSupported("the account does not take \(amount.currency.code)")
        }
        if terms.mode == .authorize, details.presentation.paymentTypes["privat"] == true {
            throw PlanFailure(
                code: "value_not_allowed",
                path: "details.presentation.paymentTypes.privat",
                detail: "this method can't hold"
            )
        }
    }

    private func checkSaving() throws(PlanFailure) {
        if terms.customer?.isEmpty ?? true { throw PlanFailure.customerMissing("saved credentials belong to one") }
        switch terms.method {
        case .hosted, .sdk: break
        case .instrument, .wallet:
            throw PlanFailure.modeNotSupported("there is no card to save")
        }
        guard details.split.isEmpty, details.transfer == nil else {
            throw PlanFailure(
                code: "value_not_allowed",
                path: details.split.isEmpty ? "details.transfer" : "details.split",
                detail: "nothing is paid when a card is saved"
            )
        }
    }

    /// The method that a page is made for is not switched off on it.
    private func checkPage() throws(PlanFailure) {
        let needed: String? = terms.mode == .tokenize ? "createtokenonly" : terms.method == .instrument ? "token" : nil
        guard let needed, details.presentation.paymentTypes[needed] == false else { return }
        throw PlanFailure(
            code: "value_not_allowed",
            path: "details.presentation.paymentTypes.\(needed)",
            detail: "the page is made for it: leave it out"
        )
    }

    private func checkSplit() throws(PlanFailure) {
        guard !details.split.isEmpty else { return }
        guard let sum = SplitPart.sum(details.split), sum == terms.amount else {
            throw PlanFailure(
                code: "split_sum_differs",
                path: "details.split",
                detail: "the parts must make up the amount exactly"
            )
        }
    }

    private func checkTransfer() throws(PlanFailure) {
        guard terms.mode == .transfer else {
            guard details.transfer == nil else {
                throw PlanFailure(code: "value_not_allowed", path: "details.transfer", detail: "not a transfer")
            }
            return
        }
        guard details.attributes[0].isEmpty else {
            throw PlanFailure(
                code: "value_not_allowed",
                path: "details.attributes.1",
                detail: "a transfer has no attribute 1"
            )
        }
        guard details.split.isEmpty else {
            throw PlanFailure(code: "value_not_allowed", path: "details.split", detail: "a transfer has no parts")
        }
        switch (settings.transferMode, terms.method) {
        case (.sdk, .sdk), (.sdk, .instrument): try checkRecipient(nil, of: "sellerToken")
        case (.sellerToken, .hosted), (.sellerToken, .instrument):
            try checkRecipient(details.transfer?.sellerToken, of: "sellerToken", isNeeded: true)
        case (.linkMoneyTransfer, .hosted):
            let bill = details.transfer?.recipientBillId
            try checkRecipient(bill.map(Json.string), of: "recipientBillId", isNeeded: true)
        case (.sdk, .hosted), (.sdk, .wallet), (.sellerToken, .sdk), (.sellerToken, .wallet),
            (.linkMoneyTransfer, .instrument), (.linkMoneyTransfer, .sdk), (.linkMoneyTransfer, .wallet):
            throw PlanFailure.methodNotSupported("the account's transferMode is \(settings.transferMode.rawValue)")
        }
    }

    /// A recipient is named exactly where the provider keeps the card; in the SDK's way it never leaves the app.
    private func checkRecipient(_ recipient: Json?, of name: String, isNeeded: Bool = false) throws(PlanFailure) {
        let given = [details.transfer?.sellerToken, details.transfer?.recipientBillId.map(Json.string)]
        guard !isNeeded || recipient != nil else {
            throw PlanFailure(code: "value_missing", path: "details.transfer.\(name)", detail: "no recipient")
        }
        guard given.compactMap(\.self).count == (isNeeded ? 1 : 0) else {
            throw PlanFailure(
                code: "value_not_allowed",
                path: "details.transfer",
                detail: isNeeded ? "one recipient is named" : "the recipient's card is entered in the app"
            )
        }
    }

    private func checkWallet() throws(PlanFailure) {
        guard terms.method == .wallet else {
            let offersWallet = details.presentation.flow.map(PageMethods.walletFlows.contains) ?? false
            guard !offersWallet || settings.applePayMerchantId != nil else {
                throw Self.merchantMissing(at: "details.presentation.paymentFlowType")
            }
            guard details.wallet == nil else {
                throw PlanFailure(code: "value_not_allowed", path: "details.wallet", detail: "not a wallet payment")
            }
            return
        }
        switch settings.walletMode {
        case .sdk:
            guard settings.applePayMerchantId != nil else { throw Self.merchantMissing(at: "method") }
            guard details.wallet == nil else {
                throw PlanFailure(code: "value_not_allowed", path: "details.wallet", detail: "the SDK holds the token")
            }
        case .relay:
            guard let wallet = details.wallet else {
                throw PlanFailure(code: "value_missing", path: "details.wallet", detail: "the wallet's token is needed")
            }
            guard terms.mode == .sale else { throw PlanFailure.modeNotSupported("a relayed wallet pays at once") }
            if wallet.kind == .applePay, settings.applePayMerchantId == nil {
                throw Self.merchantMissing(at: "details.wallet.kind")
            }
        }
    }

    /// The SDK can't offer Apple Pay without its `merchantIdentifier`.
    static func merchantMissing(at path: String) -> PlanFailure {
        PlanFailure(
            code: "method_not_supported",
            path: path,
            detail: "the account has no Apple Pay merchant id: set applePayMerchantId"
        )
    }
}
