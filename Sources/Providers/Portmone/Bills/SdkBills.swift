import Kernel
import Payments
import ProviderKit

/// The object that the mobile SDK's call for bills is filled from, by the names of its members.
enum SdkBills {
    /// A card is saved under the user's login and what stands for the password.
    static func saving(_ login: String, _ credentials: String, _ language: String, _ settings: PortmoneSettings) -> Json
    {
        .compact([
            ("call", "saveBillCard"), ("uid", settings.customUid.map(Json.string)),
            (
                "params",
                [
                    "contractNumber": .string(login), "attribute1": .string(credentials),
                    "language": .string(language),
                ]
            ),
        ])
    }

    static func object(_ bills: PlannedBills, _ credentials: Json, _ settings: PortmoneSettings) throws(PlanFailure)
        -> Json
    {
        guard let login = bills.login else {
            throw PlanFailure(
                code: "credentials_stale",
                path: "credentials",
                detail: "they were saved without their login: save them again"
            )
        }
        let merchant = settings.applePayMerchantId
        guard !bills.isByWallet || merchant != nil else { throw Order.merchantMissing(at: "wallet") }
        return .compact([
            ("call", "payBills"), ("uid", settings.customUid.map(Json.string)),
            (
                "payParams",
                .compact([
                    ("contractNumber", login),
                    (
                        "paymentBills",
                        .array(
                            bills.lines.map { ["billId": .string($0.id), "billAmount": .string($0.amount.decimal)] }
                        )
                    ),
                    ("billCurrency", bills.lines.first.map { .string($0.amount.currency.code) }),
                    ("paymentFlowType", bills.isByWallet ? "byApplePay" : "byCard"),
                    ("merchantIdentifier", merchant.map(Json.string)),
                ])
            ),
            (
                "tokenParams",
                .compact([
                    ("cardNumberMasked", bills.cardMask.map(Json.string)), ("tokenData", bills.cardToken),
                    ("credentials", credentials),
                ])
            ),
        ])
    }
}
