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
        return AccountSettings.ofCases("sberpay", .object(values))
    }

    static func terms(_ mode: PaymentMode, amount: Int64?) -> PaymentTerms {
        PaymentTerms.ofCase(
            mode,
            .hosted,
            amount.flatMap { minor in Currency("RUB").map { Money(minor, $0) } }
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
