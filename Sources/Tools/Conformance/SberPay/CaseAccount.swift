import Conformance
import Kernel
import Payments
import ProviderKit
import SberPay

/// An account and a payment as a case needs them.
enum CaseAccount {
    static func settings(_ dialect: Dialect, _ changes: [(String, Json)] = []) -> AccountSettings {
        var values = JsonObject([("dialect", .string(dialect.rawValue)), ("userName", "vectors-api")])
        for (name, value) in changes { values[name] = value }
        return AccountSettings(
            account: AccountFacts(
                id: Uuid(high: 0, low: 1),
                name: "vectors",
                provider: "sberpay",
                mode: .test,
                version: 1
            ),
            values: .object(values),
            notificationUrl: "https://merchant.example/notifications",
            returnUrl: "https://merchant.example/return"
        )
    }

    static func terms(_ mode: PaymentMode, amount: Int64?) -> PaymentTerms {
        PaymentTerms(
            mode: mode,
            method: .hosted,
            amount: amount.flatMap { minor in Currency("RUB").map { Money(minor, $0) } },
            reference: nil,
            description: nil,
            customer: nil,
            instrument: nil,
            expiresAt: .distantFuture,
            details: [:],
            metadata: [:]
        )
    }

    /// The mode that a case's context tells: `features` and the number of stages.
    static func mode(_ context: Json?) -> PaymentMode {
        let features = context?["features"]
        let words = features?.items?.compactMap(\.text) ?? features?.text.map { [$0] } ?? []
        if words.contains(where: { $0.split(separator: ";").contains("VERIFY") }) { return .verify }
        return context?["stages"]?.integer == 2 ? .authorize : .sale
    }

    static func dialect(_ item: Json) -> Dialect { item["dialect"]?.text.flatMap(Dialect.init) ?? .legacy }
}
