package import Kernel
import Payments
package import ProviderKit

extension PaymentSetting {
    var isCountry: Bool { country.utf8.count == 2 && country.utf8.allSatisfy { (65...90).contains($0) } }

    var json: Json {
        [
            "amountOfMoney": ["amount": .integer(amount.minor), "currencyCode": .string(amount.currency.code)],
            "countryCode": .string(country), "isRecurring": .bool(isRecurring),
        ]
    }
}

/// Calls on the account that belong to no payment: session, products, card prefix, tokens, connection, webhooks.
///
/// Each is a template for `finish`; their answers are read by `SessionAnswer`, `ProductList` and `IinAnswer`.
package struct ClientCalls: Sendable {
    private let settings: WorldlineSettings

    package init(_ account: AccountSettings) throws(PlanFailure) { settings = try WorldlineSettings.planning(account) }

    /// Asks for a session of one payer; `tokens` are that payer's saved cards, sealed or not.
    package func session(tokens: [Json] = []) throws(PlanFailure) -> RequestTemplate {
        guard tokens.count <= Self.tokensPerSession else {
            throw PlanFailure(code: "too_many", path: "tokens", detail: "a session takes 10 saved cards at most")
        }
        return Call.template("POST", "/sessions", settings, body: tokens.isEmpty ? [:] : ["tokens": .array(tokens)])
    }

    package static let tokensPerSession = 10

    package func products(_ setting: PaymentSetting) throws(PlanFailure) -> RequestTemplate {
        Call.template("GET", "/products", settings, query: try query(setting))
    }

    package func product(_ id: Int64, _ setting: PaymentSetting) throws(PlanFailure) -> RequestTemplate {
        Call.template("GET", "/products/\(id)", settings, query: try query(setting))
    }

    package func networks(_ id: Int64, _ setting: PaymentSetting) throws(PlanFailure) -> RequestTemplate {
        Call.template("GET", "/products/\(id)/networks", settings, query: try query(setting))
    }

    private func query(_ setting: PaymentSetting) throws(PlanFailure) -> [(String, String)] {
        guard setting.isCountry else {
            throw PlanFailure(code: "details_invalid", path: "country", detail: "two capital letters")
        }
        var pairs = [
            ("countryCode", setting.country), ("currencyCode", setting.amount.currency.code),
            ("amount", String(setting.amount.minor)), ("isRecurring", setting.isRecurring ? "true" : "false"),
        ]
        if let language = setting.language {
            guard let locale = Languages.code(language) else {
                throw PlanFailure(code: "details_invalid", path: "language", detail: "no language tag")
            }
            pairs.append(("locale", locale))
        }
        if let type = setting.operationType {
            guard Call.isPlain(type) else {
                throw PlanFailure(code: "details_invalid", path: "operationType", detail: "a word")
            }
            pairs.append(("operationType", type))
        }
        return pairs
    }

    /// Asks about a card by its first digits, always with the payment it is for.
    ///
    /// The digits don't stand in the template: the hole `OnceHole.hole("bin")` is filled when it is sent.
    package func cardPrefix(_ setting: PaymentSetting) throws(PlanFailure) -> RequestTemplate {
        guard setting.isCountry else {
            throw PlanFailure(code: "details_invalid", path: "country", detail: "two capital letters")
        }
        let body: Json = ["bin": OnceHole.hole(CardPrefix.hole), "paymentContext": setting.json]
        return Call.template("POST", "/services/getIINdetails", settings, body: body)
    }

    package func testConnection() -> RequestTemplate { Call.template("GET", "/services/testconnection", settings) }

    package func token(_ id: String) throws(PlanFailure) -> RequestTemplate {
        Call.template("GET", "/tokens/\(try segment(id))", settings)
    }

    package func deleteToken(_ id: String) throws(PlanFailure) -> RequestTemplate {
        Call.template("DELETE", "/tokens/\(try segment(id))", settings)
    }

    /// Lets the provider say whether it and we have the same webhook key.
    package func validateWebhookKey(id: String, secret: Secret) -> RequestTemplate {
        Call.template(
            "POST",
            "/webhooks/validateCredentials",
            settings,
            body: ["key": .string(id), "secret": .string(Self.proof(of: secret))]
        )
    }

    /// The proof of a webhook key: the signature of nothing.
    package static func proof(of secret: Secret) -> String { Authorization.signature([], secret: secret) }

    package func sendTestEvent(to url: String) -> RequestTemplate {
        Call.template("POST", "/webhooks/sendtest", settings, body: ["url": .string(url)])
    }

    private func segment(_ id: String) throws(PlanFailure) -> String {
        guard PathSegment.isSafe(id) else {
            throw PlanFailure(code: "reference_malformed", detail: "the id does not go into an address")
        }
        return id
    }
}

/// The answer to a session call; its four texts are what the app's kit is configured with, and are bearer material.
package struct SessionAnswer: Sendable {
    package static let lifetime = Duration.seconds(10_800)
    package static let members = ["assetUrl", "clientApiUrl", "clientSessionId", "customerId"]

    /// For the app as it is, with the presentation beside it.
    package let session: Json
    /// Saved cards that the provider does not know any more.
    package let invalidTokens: [String]

    /// `nil` where one of the four is missing.
    package init?(_ body: Json) {
        var found: [(String, Json)] = []
        for name in Self.members {
            guard let text = body[name]?.text, !text.isEmpty else { return nil }
            found.append((name, .string(text)))
        }
        session = .object(JsonObject(found))
        invalidTokens = (body["invalidTokens"]?.items ?? []).compactMap(\.text)
    }
}
