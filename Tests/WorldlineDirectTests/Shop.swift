import Kernel
import Payments
import ProviderKit
import TestKit
import WorldlineDirect

/// A merchant's account, orders and secrets as the tests need them.
enum Shop {
    static let adapter = WorldlineAdapter()
    static let reference = "pay-7"
    static let paymentId = "3254564310_0"
    static let now = Timestamp(seconds: 1_795_165_503)
    static let deadline = Timestamp(seconds: 1_795_169_103)
    static let webhookKeys = "key-1:old-secret\nkey-2:new-secret"

    static func settings(_ changes: [(String, Json)] = []) -> AccountSettings {
        var values = JsonObject([("merchantId", "PSPID01"), ("currencies", ["EUR", "JPY", "KWD"])])
        for (name, value) in changes { values[name] = value }
        return AccountSettings(
            account: AccountFacts(
                id: Uuid(high: 1, low: 2),
                name: "worldline-eur",
                provider: "worldline",
                mode: .test,
                version: 1
            ),
            values: .object(values),
            notificationUrl: "https://pay.example/notifications/worldline",
            returnUrl: "https://pay.example/return"
        )
    }

    static let appDetails: Json = [
        "encryptedCustomerInput": ["$once": "blob-1"], "encodedClientMetaInfo": ["$once": "meta-1"],
    ]

    static func terms(
        _ mode: PaymentMode = .sale,
        _ method: PaymentMethod = .hosted,
        amount: Int64 = 1999,
        currency: String = "EUR",
        customer: String? = "cust-7",
        details: Json = [:],
        expiresAt: Timestamp = deadline
    ) -> PaymentTerms {
        PaymentTerms(
            mode: mode,
            method: method,
            amount: mode == .tokenize ? nil : Currency(currency).map { Money(amount, $0) },
            reference: "7",
            description: "Order 7",
            customer: customer,
            instrument: nil,
            expiresAt: expiresAt,
            details: details,
            metadata: [:]
        )
    }

    static func dispatch(
        _ purpose: DispatchPurpose,
        amount: Int64? = nil,
        currency: String = "EUR",
        isFull: Bool = true,
        reason: String? = nil,
        order: ProviderOrder? = nil,
        initial: String? = nil
    ) -> PlannedDispatch {
        PlannedDispatch(
            purpose: purpose,
            paymentReference: reference,
            operationReference: "op-7-1",
            amount: amount.flatMap { minor in Currency(currency).map { Money(minor, $0) } },
            isFull: isFull,
            deadline: deadline,
            reason: reason,
            methodAtProvider: nil,
            order: order,
            initialAtProvider: initial
        )
    }

    /// A sealed value that `materials` opens.
    static func sealed(_ text: String) -> Json { SpelledSeal.seal(text) }
    static func sealed(value: Json) -> Json { SpelledSeal.seal(value: value) }

    static let once = ["blob-1": "aaaa.bbbb.cccc.dddd.eeee", "meta-1": "bWV0YQ==", "bin": "45673500"]

    static func materials(
        secrets: [String: Secret]? = nil,
        erased: Bool = false,
        at time: Timestamp = now
    ) -> Materials {
        SpelledSeal.materials(
            secrets ?? [
                "apiKeyId": Secret("KEYID0001"), "secretApiKey": Secret("c0mp0sed/Secret+Key=="),
                "webhookKeys": Secret(webhookKeys),
            ],
            erased: erased,
            once: once,
            at: time
        )
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
        _ method: PaymentMethod = .sdk,
        order: ProviderOrder? = nil,
        known: [ProviderOperation] = []
    ) -> InterpretContext {
        InterpretContext(
            settings: settings(),
            paymentReference: reference,
            terms: terms(mode, method),
            isHandover: order != nil,
            order: order,
            known: known
        )
    }

    static func euro(_ minor: Int64) -> Money? { Currency("EUR").map { Money(minor, $0) } }
}
