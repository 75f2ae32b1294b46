import Dolyame
import Kernel
import Payments
import ProviderKit
import TestKit

/// A merchant's account, orders and secrets as the tests need them.
enum Shop {
    static let adapter = DolyameAdapter()
    static let now = Timestamp(seconds: 1_772_445_600)
    static let deadline = Timestamp(seconds: 1_772_449_200)
    static let reference = "abcdefghijklmnopqrstuvwx23"

    static func settings(_ changes: [(String, Json)] = [], mode: AccountFacts.Mode = .live) -> AccountSettings {
        var values = JsonObject([("login", "shop"), ("partnerId", "partner-1")])
        for (name, value) in changes { values[name] = value }
        return AccountSettings(
            account: AccountFacts(
                id: Uuid(high: 1, low: 2),
                name: "dolyame",
                provider: "dolyame",
                mode: mode,
                version: 1
            ),
            values: .object(values),
            notificationUrl: "https://pay.example/notifications/dolyame",
            returnUrl: "https://pay.example/return"
        )
    }

    static let items: Json = [
        ["name": "Sneakers", "price": "4600.00", "sku": "SN-1"],
        ["name": "Ball", "quantity": 4, "price": "600", "sku": "BL-4"],
    ]
    static let plain: Json = ["items": items]

    static func terms(
        _ mode: PaymentMode = .authorize,
        _ method: PaymentMethod = .hosted,
        kopecks: Int64 = 700_000,
        currency: String = "RUB",
        customer: String? = "cust-7",
        details: Json = plain
    ) -> PaymentTerms {
        PaymentTerms(
            mode: mode,
            method: method,
            amount: Currency(currency).map { Money(kopecks, $0) },
            reference: "7",
            description: nil,
            customer: customer,
            instrument: nil,
            expiresAt: deadline,
            details: details,
            metadata: [:]
        )
    }

    static func dispatch(
        _ purpose: DispatchPurpose,
        kopecks: Int64? = nil,
        isFull: Bool = true,
        order: ProviderOrder? = nil,
        details: Json? = nil,
        earlier: [EarlierOperation] = []
    ) -> PlannedDispatch {
        PlannedDispatch(
            purpose: purpose,
            paymentReference: reference,
            operationReference: "op-7-1",
            amount: kopecks.flatMap(rubles),
            isFull: isFull,
            deadline: deadline,
            reason: nil,
            methodAtProvider: nil,
            order: order,
            details: details,
            earlier: earlier
        )
    }

    static func rubles(_ kopecks: Int64) -> Money? { Currency("RUB").map { Money(kopecks, $0) } }

    /// A sealed value that `materials` opens.
    static func sealed(_ text: String) -> Json { SpelledSeal.seal(text) }

    static func materials(without missing: String? = nil, erased: Bool = false) -> Materials {
        var secrets = [
            "password": Secret("secret"), "clientCertificate": Secret("PEM certificate"),
            "clientKey": Secret("PEM key"),
        ]
        if let missing { secrets[missing] = nil }
        return SpelledSeal.materials(secrets, erased: erased, at: now)
    }

    static func plan(
        _ dispatch: PlannedDispatch,
        _ terms: PaymentTerms = terms(),
        _ settings: AccountSettings = settings()
    ) throws(PlanFailure) -> RequestTemplate {
        try adapter.plan(dispatch, PlanContext(terms: terms, settings: settings, instrumentToken: nil))
    }

    static func context(
        _ terms: PaymentTerms = terms(),
        _ settings: AccountSettings = settings(),
        known: [ProviderOperation] = [],
        isCancelRequested: Bool = false
    ) -> InterpretContext {
        InterpretContext(
            settings: settings,
            paymentReference: reference,
            terms: terms,
            isHandover: terms.method == .sdk,
            known: known,
            isCancelRequested: isCancelRequested
        )
    }

    static func seen(
        _ name: String,
        _ kind: OperationKind,
        _ outcome: ProviderOutcome = .succeeded,
        _ kopecks: Int64 = 700_000
    ) -> ProviderOperation {
        ProviderOperation(providerId: name, kind: kind, outcome: outcome, amount: EvidenceAmount(rubles(kopecks)))
    }

    /// An order as the provider tells it.
    static func order(_ status: String, _ amount: String = "7000.00", refunds: [(String, String)] = []) -> [UInt8] {
        let list = refunds.map { "{\"refund_id\":\"\($0.0)\",\"refunded_amount\":\($0.1),\"status\":\"processed\"}" }
        let info = refunds.isEmpty ? "" : ",\"refund_info\":{\"items\":[\(list.joined(separator: ","))]}"
        return Array(
            "{\"status\":\"\(status)\",\"amount\":\(amount),\"residual_amount\":\(amount),\"link\":\"https://x.example/o\"\(info)}"
                .utf8
        )
    }

    static func answer(
        _ purpose: DispatchPurpose,
        _ body: [UInt8],
        status: Int = 200,
        _ context: InterpretContext = context()
    ) -> [Fact] {
        adapter.interpret(.answered(purpose, status: status, headers: [:], body: body), context)
    }
}
