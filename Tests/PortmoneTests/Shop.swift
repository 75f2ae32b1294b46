import Http
import Kernel
import Payments
import Portmone
import ProviderKit
import TestKit

/// A merchant's account, orders and secrets as the tests need them.
enum Shop {
    static let adapter = PortmoneAdapter()
    static let password = "shop-password-1"
    static let signingKey = "shop-signing-key-1"
    static let notificationKey = "notify-1"
    static let now = Timestamp(seconds: 1_772_445_600)
    static let deadline = Timestamp(seconds: 1_772_449_200)

    static func settings(
        _ changes: [(String, Json)] = [],
        mode: AccountFacts.Mode = .live
    ) -> AccountSettings {
        var values = JsonObject([("payeeId", "1185"), ("login", "SHOP_LOGIN")])
        for (name, value) in changes { values[name] = value }
        return AccountSettings(
            account: AccountFacts(
                id: Uuid(high: 1, low: 2),
                name: "portmone-uah",
                provider: "portmone",
                mode: mode,
                version: 1
            ),
            values: .object(values),
            notificationUrl: "https://pay.example/notifications/portmone",
            returnUrl: "https://pay.example/return"
        )
    }

    static func terms(
        _ mode: PaymentMode = .sale,
        _ method: PaymentMethod = .hosted,
        amount: Int64 = 10_000,
        currency: String = "UAH",
        description: String? = "Order 7",
        customer: String? = "cust-7",
        details: Json = [:]
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
            metadata: [:]
        )
    }

    static func dispatch(
        _ purpose: DispatchPurpose,
        amount: Int64? = 10_000,
        currency: String = "UAH",
        isFull: Bool = true,
        reason: String? = nil,
        order: ProviderOrder? = nil
    ) -> PlannedDispatch {
        PlannedDispatch(
            purpose: purpose,
            paymentReference: "pay-7",
            operationReference: "op-7-1",
            amount: amount.flatMap { minor in Currency(currency).map { Money(minor, $0) } },
            isFull: isFull,
            deadline: deadline,
            reason: reason,
            methodAtProvider: nil,
            order: order
        )
    }

    /// A sealed value that `materials` opens.
    static func sealed(_ text: String) -> Json { SpelledSeal.seal(text) }

    static let secrets = [
        "password": Secret(password), "signingKey": Secret(signingKey), "notificationKey": Secret(notificationKey),
    ]

    static func materials(hasSecrets: Bool = true, erased: Bool = false) -> Materials {
        SpelledSeal.materials(hasSecrets ? secrets : [:], erased: erased, at: now)
    }

    static func plan(
        _ dispatch: PlannedDispatch,
        _ terms: PaymentTerms = terms(),
        _ settings: AccountSettings = settings(),
        token: Json? = nil
    ) throws(PlanFailure) -> RequestTemplate {
        try adapter.plan(
            dispatch,
            PlanContext(
                terms: terms,
                settings: settings,
                instrumentToken: token,
                instrumentMask: token == nil ? nil : "444433******1111"
            )
        )
    }

    static func context(
        _ mode: PaymentMode = .sale,
        account: AccountSettings = settings(),
        known: [ProviderOperation] = [],
        currency: String = "UAH"
    ) -> InterpretContext {
        InterpretContext(
            settings: account,
            paymentReference: "pay-7",
            terms: terms(mode, currency: currency),
            isHandover: true,
            order: ProviderOrder(id: "pay-7"),
            known: known
        )
    }

    static func hryvnia(_ minor: Int64) -> Money? { Currency("UAH").map { Money(minor, $0) } }

    static func seen(_ kind: OperationKind, _ id: String = "501", _ minor: Int64 = 10_000) -> ProviderOperation {
        ProviderOperation(providerId: id, kind: kind, outcome: .succeeded, amount: EvidenceAmount(hryvnia(minor)))
    }

    /// A row as the JSON spelling writes it.
    static func row(_ status: String, _ amount: String = "100", id: String = "501", with more: [(String, Json)] = [])
        -> Json
    {
        var row = JsonObject([
            ("shopBillId", .string(id)), ("shopOrderNumber", "pay-7"), ("payee_id", "1185"),
            ("billAmount", .string(amount)), ("status", .string(status)), ("errorCode", "0"), ("errorMessage", ""),
        ])
        for (name, value) in more { row[name] = value }
        return .object(row)
    }

    static func query(_ rows: [Json], _ context: InterpretContext = context()) -> [Fact] {
        answer(.query, .array(rows), context)
    }

    static func answer(
        _ purpose: DispatchPurpose,
        _ body: Json,
        _ context: InterpretContext = context(),
        status: Int = 200
    ) -> [Fact] {
        adapter.interpret(
            .answered(purpose, status: status, headers: [:], body: body.compactBytes),
            context
        )
    }

    static func notice(_ body: String, target: String = "/n?key=\(notificationKey)") -> HttpRequest {
        HttpRequest(method: .post, target: target, body: Array(body.utf8))
    }

    static let noticeXml =
        "<BILLS><BILL><PAYEE><NAME>S</NAME><CODE>1185</CODE></PAYEE><BILL_ID>501</BILL_ID>"
        + "<BILL_NUMBER>pay-7</BILL_NUMBER><PAYED_AMOUNT>100.00</PAYED_AMOUNT></BILL></BILLS>"
}
