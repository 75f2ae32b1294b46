package import Kernel

/// Payment products as the provider lists them, for the app: known members alone, in the order in which they are shown.
package struct ProductList: Sendable {
    package let products: [Json]

    /// Whether saved cards of one payer are among them: such a list is that payer's own.
    package var hasAccountsOnFile: Bool { products.contains { $0["accountsOnFile"]?.items?.isEmpty == false } }

    /// Reads a list, or the details of one product; `nil` where it is neither.
    package init?(_ body: Json) {
        let items = body["paymentProducts"]?.items ?? (body["id"]?.integer == nil ? nil : [body])
        guard let items else { return nil }
        products = items.compactMap(Self.product).sorted { Self.order($0) < Self.order($1) }
    }

    /// A product with the saved cards of these tokens alone.
    static func narrowed(_ product: Json, to tokens: Set<String>) -> Json {
        guard var members = product.members, let accounts = members["accountsOnFile"]?.items else { return product }
        let own = accounts.filter { account in account["id"]?.scalarText.map(tokens.contains) ?? false }
        members["accountsOnFile"] = own.isEmpty ? nil : .array(own)
        return .object(members)
    }

    private static let members = [
        "accountsOnFile", "allowsAuthentication", "allowsRecurring", "allowsTokenization", "displayHints",
        "displayHintsList", "fields", "id", "paymentMethod", "paymentProduct302SpecificData",
        "paymentProduct320SpecificData", "paymentProductGroup", "usesRedirectionTo3rdParty",
    ]

    private static func product(_ json: Json) -> Json? {
        guard json["id"]?.integer != nil else { return nil }
        return .compact(
            members.map { name in
                (name, name == "fields" ? json[name].map(fields) : json[name])
            }
        )
    }

    /// Fields with their rules, each with the key of the text that tells the payer what is wrong.
    private static func fields(_ json: Json) -> Json {
        let items = (json.items ?? []).map { field -> Json in
            guard var members = field.members else { return field }
            let rules = FieldCheck.rules(field["dataRestrictions"]).map { rule, parameters -> Json in
                [
                    "labelKey": .string(rule.labelKey),
                    "onDeviceOnly": .bool(FieldCheck.isForDeviceOnly(rule, of: field)),
                    "parameters": parameters, "rule": .string(rule.rawValue),
                ]
            }
            members["rules"] = .array(rules)
            return .object(members)
        }
        return .array(items)
    }

    private static func order(_ product: Json) -> Int64 {
        let hints = product["displayHintsList"]?.items?.first ?? product["displayHints"]
        return hints?["displayOrder"]?.integer ?? .max
    }
}
