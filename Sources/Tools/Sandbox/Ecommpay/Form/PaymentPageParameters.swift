package import Kernel

/// The parameters of a form address, read and checked as the platform would.
package struct PaymentPageParameters: Hashable, Sendable {
    /// A fault of one parameter.
    package struct Violation: Error, Hashable, Sendable {
        package enum Code: String, Hashable, Sendable {
            case missing, malformed, unknown, repeated, forbiddenCharacter = "forbidden_character", tooLong = "too_long"
            case emptySignature = "empty_signature", wrongSignature = "wrong_signature"
            case unknownProject = "unknown_project", unknownToken = "unknown_token"
        }

        package let parameter: String
        package let code: Code
    }

    package let project: Int64
    package let mode: EcommpayMode
    package let operationType: EcommpayOperationType
    package let paymentId: String?
    package let amount: Money?
    package let values: [String: String]
    package let bestBefore: Timestamp?
    package let registersSeries: Bool

    package subscript(_ name: String) -> String? {
        guard let value = values[name], !value.isEmpty else { return nil }
        return value
    }

    /// Reads the pairs of a query; every violation found is thrown.
    ///
    /// 1. No name occurs twice, all are known, no value holds a semicolon.
    /// 2. The project exists and the signature holds.
    /// 3. The required ones are there, and each has its form.
    package init(
        pairs: [(name: String, value: String)],
        projects: [Int64: EcommpayProject]
    ) throws(PaymentPageViolations) {
        var reader = Reader()
        reader.collect(pairs)
        let project = reader.project(in: projects)
        if let project { reader.checkSignature(project) }
        let mode = reader.choice("mode", EcommpayMode.self) ?? .purchase
        let type = reader.operationType()
        paymentId = reader.paymentId(isRequired: mode != .tokenize)
        amount = reader.amount(mode)
        bestBefore = reader.deadline()
        registersSeries = reader.series()
        reader.checkForms()
        if mode == .tokenize || reader.values["account_token"] != nil || registersSeries {
            reader.require("customer_id")
        }
        if let project, let token = reader.values["account_token"],
            EcommpayTestCard.withToken(token, project: project.id) == nil
        {
            reader.add("account_token", .unknownToken)
        }
        guard let project, reader.violations.isEmpty else {
            throw PaymentPageViolations(violations: reader.violations)
        }
        self.project = project.id
        self.mode = mode
        operationType = mode == .cardVerify ? .verification : type ?? .sale
        values = reader.values
    }

    /// Every known parameter; groups whose members differ from project to project are known by their beginning.
    static func isKnown(_ name: String) -> Bool {
        known.contains(name) || knownPrefixes.contains { name.hasPrefix($0) }
    }

    private static let known: Set<String> = [
        "project_id", "payment_id", "payment_amount", "payment_currency", "signature", "customer_id",
        "payment_description", "mode", "operation_type", "card_operation_type", "best_before", "account_token",
        "force_payment_method", "force_payment_group", "recurring_register", "recurring", "merchant_callback_url",
        "language_code", "region_code", "terminal_id", "payment_extra_param", "interface_type", "avs_post_code",
        "avs_street_address", "receipt_data", "booking_info", "addendum_data", "cash_voucher_data", "frame_mode",
        "target_element", "close_on_missclick", "css_modal_wrap", "hide_saved_wallets",
        "payment_methods_options", "payment_merchant_risk", "card_account_type",
    ]
    private static let knownPrefixes = [
        "customer_", "billing_", "aps_", "merchant_success_", "merchant_fail_", "merchant_return_", "redirect_success_",
        "redirect_fail_", "redirect_return_", "redirect_tokenize_",
    ]
}

/// Why a form address was refused: everything that was found.
package struct PaymentPageViolations: Error, Hashable, Sendable {
    package let violations: [PaymentPageParameters.Violation]
}

extension PaymentPageParameters {
    /// Collects values and violations.
    struct Reader {
        var values: [String: String] = [:]
        var violations: [Violation] = []

        mutating func add(_ parameter: String, _ code: Violation.Code) {
            violations.append(Violation(parameter: parameter, code: code))
        }

        mutating func collect(_ pairs: [(name: String, value: String)]) {
            for (name, value) in pairs {
                if values[name] != nil { add(name, .repeated) }
                values[name] = value
                if !PaymentPageParameters.isKnown(name) { add(name, .unknown) }
                if value.utf8.contains(UInt8(ascii: ";")) { add(name, .forbiddenCharacter) }
            }
        }

        mutating func require(_ name: String) {
            if values[name]?.isEmpty != false { add(name, .missing) }
        }

        mutating func project(in projects: [Int64: EcommpayProject]) -> EcommpayProject? {
            require("project_id")
            guard let text = values["project_id"], !text.isEmpty else { return nil }
            guard let id = Int64(text), String(id) == text else {
                add("project_id", .malformed)
                return nil
            }
            guard let project = projects[id] else {
                add("project_id", .unknownProject)
                return nil
            }
            return project
        }

        mutating func checkSignature(_ project: EcommpayProject) {
            guard let claimed = values["signature"], !claimed.isEmpty else { return add("signature", .emptySignature) }
            let signed = values.map { ($0.key, Json.string($0.value)) }
            let expected = EcommpaySignature.sign(.object(JsonObject(signed)), key: project.secret)
            if !EcommpaySignature.matches(claimed, expected) { add("signature", .wrongSignature) }
        }

        mutating func choice<Word: RawRepresentable<String>>(_ name: String, _: Word.Type) -> Word? {
            guard let text = values[name] else { return nil }
            let word = Word(rawValue: text)
            if word == nil { add(name, .malformed) }
            return word
        }

        /// `sale` or `auth`, under today's name or the one before.
        mutating func operationType() -> EcommpayOperationType? {
            for name in ["operation_type", "card_operation_type"] where values[name] != nil {
                let type = choice(name, EcommpayOperationType.self)
                if let type, type != .sale, type != .auth { add(name, .malformed) }
                return type
            }
            return nil
        }

        mutating func paymentId(isRequired: Bool) -> String? {
            guard let id = values["payment_id"], !id.isEmpty else {
                if isRequired { add("payment_id", .missing) }
                return nil
            }
            if id.count > EcommpayLimits.identifierCharacters { add("payment_id", .tooLong) }
            return id
        }

        /// Minor units without a sign; zero only where nothing is bought.
        mutating func amount(_ mode: EcommpayMode) -> Money? {
            guard mode != .tokenize else { return nil }
            require("payment_amount")
            require("payment_currency")
            guard let text = values["payment_amount"], let code = values["payment_currency"] else { return nil }
            let currency = Currency(code)
            if currency == nil { add("payment_currency", .malformed) }
            guard let minor = Int64(text), String(minor) == text, (0...EcommpayLimits.amountMinor).contains(minor),
                minor > 0 || mode == .cardVerify
            else {
                add("payment_amount", .malformed)
                return nil
            }
            return currency.map { Money(minor, $0) }
        }

        /// `YYYY-MM-DDThh:mm:ss±hh[:mm]`.
        mutating func deadline() -> Timestamp? {
            guard let text = values["best_before"] else { return nil }
            let withMinutes = text.utf8.count == 22 ? text + ":00" : text
            let time = Timestamp(withMinutes)
            if time == nil || !text.contains("T") { add("best_before", .malformed) }
            return time
        }

        /// `recurring` is one JSON text.
        mutating func series() -> Bool {
            var registers = values["recurring_register"] == "1"
            if let text = values["recurring"] {
                guard case .object(let object)? = try? Json(text: text) else {
                    add("recurring", .malformed)
                    return false
                }
                registers = registers || object["register"] == .bool(true)
            }
            return registers
        }

        mutating func checkForms() {
            for name in ["language_code", "region_code", "billing_country"] {
                guard let value = values[name], !value.isEmpty else { continue }
                let letters: ClosedRange<UInt8> =
                    name == "language_code"
                    ? UInt8(ascii: "a")...UInt8(ascii: "z") : UInt8(ascii: "A")...UInt8(ascii: "Z")
                if value.utf8.count != 2 || !value.utf8.allSatisfy(letters.contains) { add(name, .malformed) }
            }
            for (name, value) in values where name.hasSuffix("_url") && !value.isEmpty {
                if !value.isHttpAddress { add(name, .malformed) }
            }
            for (name, value) in values where name.hasSuffix("_enabled") {
                if value != "0", value != "1" { add(name, .malformed) }
            }
            for name in ["receipt_data", "booking_info", "addendum_data", "cash_voucher_data"] {
                guard let value = values[name] else { continue }
                if Base64.decode(value).flatMap({ try? Json($0) }) == nil { add(name, .malformed) }
            }
            if let text = values["interface_type"], (try? Json(text: text))?.members == nil {
                add("interface_type", .malformed)
            }
            if values["aps_account_security_code"]?.isEmpty == false { add("aps_account_security_code", .malformed) }
            if let email = values["customer_email"], !email.isEmpty, !email.contains("@") {
                add("customer_email", .malformed)
            }
        }
    }
}
