import Kernel

/// The object an app gives to the SDK, checked against what the SDK's documentation demands.
struct SdkParameters: Hashable, Sendable {
    /// A fault of one member.
    struct Violation: Hashable, Sendable {
        enum Code: String, Hashable, Sendable {
            case missing, unknown, wrongType = "wrong_type", malformed, wrongSignature = "wrong_signature"
            case unknownProject = "unknown_project", contactMissing = "contact_missing"
            case notForApplePay = "not_for_apple_pay", mustBeEmpty = "must_be_empty", notAllowed = "not_allowed"
            case unknownToken = "unknown_token"
        }

        let member: String
        let code: Code
    }

    /// The task of the SDK.
    enum Action: String, Hashable, Sendable, CaseIterable {
        case sale = "Sale"
        case auth = "Auth"
        case verify = "Verify"
        case tokenize = "Tokenize"
    }

    let json: Json
    let action: Action
    private(set) var violations: [Violation] = []

    init(_ json: Json, projects: [Int64: EcommpayProject]) {
        self.json = json
        action = json["action"]?.text.flatMap(Action.init) ?? .sale
        for name in json.members?.names ?? [] where !SdkParameters.known.contains(name) { add(name, .unknown) }
        if json["action"] != nil, json["action"]?.text.flatMap(Action.init) == nil { add("action", .malformed) }
        checkRequired()
        checkForms()
        checkContact()
        checkApplePay()
        checkSeries()
        checkAdditionalFields()
        checkSignature(projects)
    }

    var projectId: Int64? { json["projectID"]?.integer }
    var paymentId: String? { json["paymentID"]?.text }

    var amount: Money? {
        guard let minor = json["paymentAmount"]?.integer,
            let currency = json["paymentCurrency"]?.text.flatMap(Currency.init)
        else { return nil }
        return Money(minor, currency)
    }

    private static let texts = [
        "paymentID", "paymentCurrency", "paymentDescription", "customerID", "regionCode", "token", "action",
        "forcePaymentMethod", "languageCode", "receiptData", "applePayMerchantID", "applePayDescription",
        "customerEmail", "customerPhone", "billingCountry", "billingPostal", "billingCity", "billingAddress",
        "signature",
    ]
    /// The legacy generation's name, and the later ones'.
    private static let displayModes = ["ecmpScreenDisplayMode", "screenDisplayModes"]
    private static let known = Set(
        texts + [
            "projectID", "paymentAmount", "hideSavedWallets", "recurrentInfo", "additionalFields",
        ] + displayModes
    )

    private mutating func add(_ member: String, _ code: Violation.Code) {
        violations.append(Violation(member: member, code: code))
    }

    private mutating func checkRequired() {
        var required = ["projectID", "signature"]
        if action != .tokenize { required += ["paymentID", "paymentAmount", "paymentCurrency"] }
        for name in required where json[name] == nil { add(name, .missing) }
        for name in SdkParameters.texts {
            guard let value = json[name] else { continue }
            guard let text = value.text else {
                add(name, .wrongType)
                continue
            }
            if required.contains(name), text.isEmpty { add(name, .missing) }
        }
        if let value = json["projectID"], value.integer.map({ $0 > 0 }) != true { add("projectID", .wrongType) }
        if let value = json["paymentAmount"] {
            let smallest: Int64 = action == .verify ? 0 : 1
            if value.integer.map({ (smallest...EcommpayLimits.amountMinor).contains($0) }) != true {
                add("paymentAmount", .wrongType)
            }
        }
        if let value = json["hideSavedWallets"], value.flag == nil { add("hideSavedWallets", .wrongType) }
        if action == .tokenize, json["customerID"] == nil { add("customerID", .missing) }
    }

    private mutating func checkForms() {
        if let code = json["paymentCurrency"]?.text, Currency(code) == nil { add("paymentCurrency", .malformed) }
        for name in ["regionCode", "billingCountry"] {
            guard let code = json[name]?.text else { continue }
            let isCountry = code.utf8.count == 2 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) }
            if !isCountry { add(name, .malformed) }
        }
        if let code = json["languageCode"]?.text, EcommpayLanguage(rawValue: code) == nil {
            add("languageCode", .malformed)
        }
        if let receipt = json["receiptData"]?.text, Base64.decode(receipt).flatMap({ try? Json($0) })?.members == nil {
            add("receiptData", .malformed)
        }
        for name in SdkParameters.displayModes {
            guard let modes = json[name] else { continue }
            let words = modes.items?.map(\.text)
            let known: Set<String?> = ["hide_success_final_page", "hide_decline_final_page"]
            if words?.allSatisfy(known.contains) != true { add(name, .malformed) }
        }
        if let email = json["customerEmail"]?.text, !email.isEmpty, !email.contains("@") {
            add("customerEmail", .malformed)
        }
    }

    /// Payments by card need an e-mail address or a telephone number; an empty additional field asks the payer.
    private mutating func checkContact() {
        let method = json["forcePaymentMethod"]?.text ?? "card"
        guard method == "card", action != .tokenize, json["applePayMerchantID"] == nil else { return }
        let asked = json["additionalFields"]?.items?.contains { field in
            field["type"]?.text == "customer_email" || field["type"]?.text == "customer_phone"
        }
        let given = ["customerEmail", "customerPhone"].contains { json[$0]?.text?.isEmpty == false }
        if !given, asked != true { add("customerEmail", .contactMissing) }
    }

    private mutating func checkApplePay() {
        guard let merchant = json["applePayMerchantID"]?.text else {
            if json["applePayDescription"] != nil { add("applePayDescription", .notAllowed) }
            return
        }
        if !merchant.hasPrefix("merchant.") { add("applePayMerchantID", .malformed) }
        if !["EUR", "GBP", "USD"].contains(json["paymentCurrency"]?.text) { add("paymentCurrency", .notForApplePay) }
        if json["regionCode"]?.text == nil { add("regionCode", .missing) }
    }

    private mutating func checkSeries() {
        guard let info = json["recurrentInfo"] else { return }
        guard info.members != nil else { return add("recurrentInfo", .wrongType) }
        if action == .tokenize { add("recurrentInfo", .notAllowed) }
        if let method = json["forcePaymentMethod"]?.text, method != "card" { add("recurrentInfo", .notAllowed) }
        for name in info.members?.names ?? [] {
            guard let form = SeriesMember(rawValue: name) else {
                add("recurrentInfo.\(name)", .unknown)
                continue
            }
            if let value = info[name], !form.accepts(value) { add("recurrentInfo.\(name)", .malformed) }
        }
        if info["type"] == nil { add("recurrentInfo.type", .missing) }
    }

    private mutating func checkAdditionalFields() {
        guard let fields = json["additionalFields"] else { return }
        guard let items = fields.items else { return add("additionalFields", .wrongType) }
        for item in items {
            guard let type = item["type"]?.text, let value = item["value"]?.text else {
                add("additionalFields", .wrongType)
                continue
            }
            let member = "additionalFields.\(type)"
            if !["customer_", "billing_", "aps_", "avs_"].contains(where: type.hasPrefix) { add(member, .unknown) }
            if type == "aps_account_security_code", !value.isEmpty { add(member, .mustBeEmpty) }
        }
    }

    private mutating func checkSignature(_ projects: [Int64: EcommpayProject]) {
        guard let id = projectId else { return }
        guard let project = projects[id] else { return add("projectID", .unknownProject) }
        if let token = json["token"]?.text, EcommpayTestCard.withToken(token, project: id) == nil {
            add("token", .unknownToken)
        }
        guard let claimed = json["signature"]?.text, !claimed.isEmpty else { return }
        let holds = signableTexts.contains { text in
            EcommpaySignature.matches(claimed, EcommpaySignature.sign(text: text, key: project.secret))
        }
        if !holds { add("signature", .wrongSignature) }
    }
}

extension SdkParameters {
    /// The texts that the SDK may give for signing: the name of the token and the form of the boolean are not
    /// documented, so both of each are known; the first is the one this SDK gives.
    var signableTexts: [String] {
        var texts: [String] = []
        for tokenName in ["token", "account_token"] {
            for words in [("1", "0"), ("true", "false")] {
                let text = signable(tokenName: tokenName, yes: words.0, no: words.1)
                if !texts.contains(text) { texts.append(text) }
            }
        }
        return texts
    }

    private static let signed = [
        ("projectID", "project_id"), ("paymentID", "payment_id"), ("paymentAmount", "payment_amount"),
        ("paymentCurrency", "payment_currency"), ("paymentDescription", "payment_description"),
        ("customerID", "customer_id"), ("regionCode", "region_code"), ("languageCode", "language_code"),
        ("forcePaymentMethod", "force_payment_method"),
    ]

    /// `name:value` of everything that is not empty, sorted by name, joined by semicolons.
    private func signable(tokenName: String, yes: String, no: String) -> String {
        var pairs: [(String, String)] = SdkParameters.signed.compactMap { member, name in
            json[member]?.scalarText.map { (name, $0) }
        }
        if let token = json["token"]?.text { pairs.append((tokenName, token)) }
        if let hides = json["hideSavedWallets"]?.flag { pairs.append(("hide_saved_wallets", hides ? yes : no)) }
        return pairs.filter { !$0.1.isEmpty }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            .map { "\($0.0):\($0.1)" }
            .joined(separator: ";")
    }
}

/// The members of `recurrentInfo` and their forms.
private enum SeriesMember: String {
    case register, type, expiryDay, expiryMonth, expiryYear, period, interval, time, startDate, scheduledPaymentID
    case amount, schedule

    func accepts(_ value: Json) -> Bool {
        switch self {
        case .register: value.flag != nil
        case .type: ["OneClick", "Regular", "Autopayment", "C", "R", "U"].contains(value.text)
        case .expiryDay: SeriesMember.isNumber(value, digits: 2, 1...31)
        case .expiryMonth: SeriesMember.isNumber(value, digits: 2, 1...12)
        case .expiryYear: SeriesMember.isNumber(value, digits: 4, 2000...9999)
        case .period: ["Day", "Week", "Month", "Quarter", "Year", "D", "W", "M", "Q", "Y"].contains(value.text)
        case .interval: value.integer.map { (1...100).contains($0) } ?? false
        case .time: value.text.map(SeriesMember.isTime) ?? false
        case .startDate: value.text.map(SeriesMember.isDate) ?? false
        case .scheduledPaymentID: value.text.map { !$0.isEmpty } ?? false
        case .amount: value.integer.map { $0 > 0 } ?? false
        case .schedule:
            value.items?.allSatisfy { item in
                item["date"]?.text.map(SeriesMember.isDate) == true && item["amount"]?.integer.map { $0 > 0 } == true
            } ?? false
        }
    }

    private static func isNumber(_ value: Json, digits: Int, _ range: ClosedRange<Int>) -> Bool {
        guard let text = value.text, text.utf8.count == digits, let number = Int(text) else { return false }
        return range.contains(number)
    }

    private static func isTime(_ text: String) -> Bool {
        Timestamp("2000-01-01T\(text)Z") != nil && text.utf8.count == 8
    }

    /// `DD-MM-YYYY`.
    private static func isDate(_ text: String) -> Bool {
        let parts = text.split(separator: "-")
        guard text.utf8.count == 10, parts.count == 3 else { return false }
        return Timestamp("\(parts[2])-\(parts[1])-\(parts[0])T00:00:00Z") != nil
    }
}
