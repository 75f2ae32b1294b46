package import Kernel

/// A rule that the provider gives for a field of a product.
package enum FieldRule: String, Hashable, Sendable, CaseIterable {
    case emailAddress, expirationDate, fixedList, iban, length, luhn, range, regularExpression, termsAndConditions

    /// Takes the provider's name, an older one too.
    package init?(named name: String) {
        if name == "regex" { self = .regularExpression } else { self.init(rawValue: name) }
    }

    /// Whether it is about card data: then it is described for the app and never run here.
    package var isForDeviceOnly: Bool {
        switch self {
        case .expirationDate, .luhn: true
        case .emailAddress, .fixedList, .iban, .length, .range, .regularExpression, .termsAndConditions: false
        }
    }

    /// The key of the text that tells the payer what is wrong.
    package var labelKey: String { "paymentProductFields.validationErrors.\(rawValue).label" }

    /// Runs the rule on a value that is no card data; `nil` where it is not run here.
    package func allows(_ value: String, _ parameters: Json) -> Bool? {
        switch self {
        case .expirationDate, .luhn: nil
        case .emailAddress: FieldText.isEmail(value)
        case .fixedList: parameters["allowedValues"]?.items?.contains { $0.scalarText == value } ?? false
        case .iban: Iban.isSound(value)
        case .length: Self.isInside(Int64(value.count), parameters, "minLength", "maxLength")
        case .range: Int64(value).map { Self.isInside($0, parameters, "minValue", "maxValue") } ?? false
        case .regularExpression:
            FieldText.matches(value, (parameters["regularExpression"] ?? parameters["regex"])?.text)
        case .termsAndConditions: value == "true"
        }
    }

    private static func isInside(_ number: Int64, _ parameters: Json, _ low: String, _ high: String) -> Bool {
        number >= parameters[low]?.integer ?? 0 && number <= parameters[high]?.integer ?? .max
    }
}

/// A value that a rule refuses.
package struct FieldError: Hashable, Sendable {
    package let field: String
    package let rule: String
    package let parameters: Json
    package let labelKey: String

    package var json: Json {
        [
            "field": .string(field), "labelKey": .string(labelKey), "parameters": parameters, "rule": .string(rule),
        ]
    }
}

/// Checks what the payer entered against a product's fields, card data excepted.
package enum FieldCheck {
    /// Fields that hold card data: their values must not come here at all.
    package static let cardFields: Set<String> = ["cardNumber", "cvv", "expiryDate"]

    /// The errors of values by field id; a card field among them is an error of its own and its value is not looked at.
    package static func errors(_ values: [String: String], product: Json) -> [FieldError] {
        var found: [FieldError] = []
        for field in product["fields"]?.items ?? [] {
            guard let id = field["id"]?.text else { continue }
            let restrictions = field["dataRestrictions"]
            if cardFields.contains(id) {
                if values[id] != nil { found.append(error(id, "notAccepted", [:])) }
                continue
            }
            guard let value = values[id], !value.isEmpty else {
                if restrictions?["isRequired"]?.flag == true { found.append(error(id, "required", [:])) }
                continue
            }
            guard value.utf8.count <= FieldText.valueBytes else {
                found.append(error(id, "length", ["maxLength": .integer(Int64(FieldText.valueBytes))]))
                continue
            }
            found += rules(restrictions).compactMap { rule, parameters in
                rule.allows(value, parameters) == false ? error(id, rule.rawValue, parameters) : nil
            }
        }
        return found
    }

    /// Every rule of a product's fields for the app, those too that are not run here.
    package static func described(_ product: Json) -> [String: [FieldRule]] {
        var found: [String: [FieldRule]] = [:]
        for field in product["fields"]?.items ?? [] {
            if let id = field["id"]?.text { found[id] = rules(field["dataRestrictions"]).map(\.0) }
        }
        return found
    }

    /// Whether a rule of a field is described and never run here: its own nature, or the field's.
    static func isForDeviceOnly(_ rule: FieldRule, of field: Json) -> Bool {
        rule.isForDeviceOnly || field["id"]?.text.map(cardFields.contains) == true
    }

    static func rules(_ restrictions: Json?) -> [(FieldRule, Json)] {
        (restrictions?["validators"]?.members?.members ?? []).compactMap { member in
            FieldRule(named: member.name).map { ($0, member.value) }
        }
    }

    private static func error(_ field: String, _ rule: String, _ parameters: Json) -> FieldError {
        let key = FieldRule(rawValue: rule)?.labelKey ?? "paymentProductFields.validationErrors.\(rule).label"
        return FieldError(field: field, rule: rule, parameters: parameters, labelKey: key)
    }
}
