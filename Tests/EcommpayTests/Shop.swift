import Ecommpay
import Kernel
import Payments
import ProviderKit
import TestKit

/// A merchant's account, orders and secrets as the tests need them.
enum Shop {
    static let adapter = EcommpayAdapter()
    static let key = "shop-secret-1"
    static let now = Timestamp(seconds: 1_772_445_600)
    static let deadline = Timestamp(seconds: 1_772_449_200)

    static func settings(_ changes: [(String, Json)] = []) -> AccountSettings {
        var values = JsonObject([("projectId", 42), ("currencies", ["EUR", "JPY", "KWD"])])
        for (name, value) in changes { values[name] = value }
        return AccountSettings(
            account: AccountFacts(
                id: Uuid(high: 1, low: 2),
                name: "ecommpay-eur",
                provider: "ecommpay",
                mode: .test,
                version: 1
            ),
            values: .object(values),
            notificationUrl: "https://pay.example/notifications/ecommpay",
            returnUrl: "https://pay.example/return"
        )
    }

    static let contact: Json = ["payer": ["email": "a+b@example.org"]]

    static func terms(
        _ mode: PaymentMode = .sale,
        _ method: PaymentMethod = .hosted,
        amount: Int64 = 1999,
        currency: String = "EUR",
        description: String? = "Order 7",
        customer: String? = "cust-7",
        details: Json = contact,
        recurring: RecurringTerms? = nil
    ) -> PaymentTerms {
        PaymentTerms(
            mode: mode,
            method: method,
            amount: mode == .tokenize ? nil : Currency(currency).map { Money(mode == .verify ? 0 : amount, $0) },
            reference: "7",
            description: description,
            customer: customer,
            instrument: nil,
            expiresAt: deadline,
            details: details,
            metadata: [:],
            recurring: recurring
        )
    }

    static func dispatch(
        _ purpose: DispatchPurpose,
        amount: Int64? = nil,
        isFull: Bool = true,
        reason: String? = nil,
        method: String? = nil
    ) -> PlannedDispatch {
        PlannedDispatch(
            purpose: purpose,
            paymentReference: "pay-7",
            operationReference: "op-7-1",
            amount: amount.flatMap { minor in Currency("EUR").map { Money(minor, $0) } },
            isFull: isFull,
            deadline: deadline,
            reason: reason,
            methodAtProvider: method
        )
    }

    /// A sealed value that `materials` opens.
    static func sealed(_ text: String) -> Json { SpelledSeal.seal(text) }

    static func materials(key: String? = key, erased: Bool = false) -> Materials {
        SpelledSeal.materials(key.map { ["secretKey": Secret($0)] } ?? [:], erased: erased, at: now)
    }

    static func plan(
        _ dispatch: PlannedDispatch,
        _ terms: PaymentTerms = terms(),
        _ settings: AccountSettings = settings(),
        token: Json? = nil
    ) throws -> RequestTemplate {
        try adapter.plan(dispatch, PlanContext(terms: terms, settings: settings, instrumentToken: token))
    }

    static func context(
        _ mode: PaymentMode = .sale,
        isHandover: Bool = true,
        reference: String = "pay-7"
    ) -> InterpretContext {
        InterpretContext(
            settings: settings(),
            paymentReference: reference,
            terms: terms(mode),
            isHandover: isHandover
        )
    }

    static func euro(_ minor: Int64) -> Money? { Currency("EUR").map { Money(minor, $0) } }
}
