import Kernel
import Payments
import ProviderKit

/// The object that the mobile SDK's parameters are filled from, by the names of its members.
///
/// The SDK fetches its own signature, so nothing here is signed. A recipient's card number never stands here: it is
/// entered in the app.
enum SdkParameters {
    static func plan(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        if order.terms.method == .instrument {
            guard order.token != nil else { throw PlanFailure.instrumentMissing("there is no saved token") }
            guard order.mask != nil else {
                throw PlanFailure(
                    code: "value_missing",
                    path: "details.cardMask",
                    detail: "the SDK shows the card, and nobody told its digits"
                )
            }
        }
        return RequestTemplate(
            method: "GET",
            url: order.settings.gatewayUrl,
            content: object(dispatch, order),
            signing: Signing.sdk.rawValue
        )
    }

    /// Which call of the SDK the app makes.
    enum Call: String {
        case pay, payByToken, saveCard, transfer
    }

    static func call(_ order: Order) -> Call {
        if order.terms.mode == .tokenize { return .saveCard }
        if order.terms.mode == .transfer { return .transfer }
        return order.token == nil ? .pay : .payByToken
    }

    private static func object(_ dispatch: PlannedDispatch, _ order: Order) -> Json {
        let call = call(order)
        let settings = order.settings
        let permissions: Json = [
            "biometrics": .bool(settings.permissions.biometrics && order.details.presentation.biometrics),
            "withoutCvv": .bool(order.skipsCvv),
        ]
        return .compact(
            [
                ("call", .string(call.rawValue)),
                ("uid", settings.customUid.map(Json.string)),
                ("language", .string(order.details.language ?? "uk")),
                ("testMode", .bool(order.account.account.mode == .test)),
                ("payer", order.details.email.map { ["emailAddress": $0] }), ("permissions", permissions),
                ("params", params(call, dispatch, order)),
                (
                    "tokenParams",
                    order.token.map { token -> Json in
                        .compact([("cardNumberMasked", order.mask.map(Json.string)), ("tokenData", token)])
                    }
                ),
            ] + screens(call, order.details.presentation)
        )
    }

    /// The app's words for the SDK beside the payment: the screen with the receipt, and where a failure leads.
    private static func screens(_ call: Call, _ looks: Details.Presentation) -> [(String, Json?)] {
        let receipt: (String, Json?) = ("showReceiptScreen", .bool(looks.showReceiptScreen ?? true))
        return switch call {
        case .saveCard: []
        case .transfer: [receipt]
        case .pay, .payByToken: [receipt, ("returnToDetailsDisabled", .bool(looks.returnToDetailsDisabled ?? false))]
        }
    }

    private static func params(_ call: Call, _ dispatch: PlannedDispatch, _ order: Order) -> Json {
        let attributes = order.attributes
        func attribute(_ number: Int) -> Json? {
            let text = attributes[number - 1]
            return text.isEmpty ? nil : .string(text)
        }
        let shared: [(String, Json?)] = [
            ("payeeId", .string(order.settings.payeeId)),
            ("billNumber", .string(dispatch.paymentReference)),
            ("description", .string(order.terms.description ?? "")),
        ]
        switch call {
        case .saveCard: return .compact(shared)
        case .transfer:
            return .compact(
                shared + money(order)
                    + [("attribute2", attribute(2)), ("attribute3", attribute(3)), ("attribute4", attribute(4))]
            )
        case .pay, .payByToken:
            let split = order.details.split
            let ceiling = order.skipsCvv ? order.settings.noCvvCeiling?.decimal : nil
            return .compact(
                shared + money(order) + [
                    ("attribute1", attribute(1)), ("attribute2", attribute(2)), ("attribute3", attribute(3)),
                    ("attribute4", attribute(4)),
                    ("attribute5", split.isEmpty ? nil : .string(SplitPart.text(split))),
                    ("preauthFlag", .bool(order.terms.mode == .authorize)),
                    ("billAmountWcvv", .string(ceiling ?? "0.00")),
                    ("details", order.details.text.map(Json.string)),
                    ("type", .string(order.details.billType.rawValue)),
                    ("merchantIdentifier", order.settings.applePayMerchantId.map(Json.string)),
                    ("paymentFlowType", .string(flow(order))),
                ]
            )
        }
    }

    private static func money(_ order: Order) -> [(String, Json?)] {
        [
            ("billAmount", order.asked.map { .string($0.decimal) }),
            ("billCurrency", order.asked.map { .string($0.currency.code) }),
        ]
    }

    private static func flow(_ order: Order) -> String {
        if order.skipsCvv { return "withoutCVV" }
        if order.terms.method == .wallet { return "byApplePay" }
        return order.details.presentation.flow ?? "byCard"
    }
}
