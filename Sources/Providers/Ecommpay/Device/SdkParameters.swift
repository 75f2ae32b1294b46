import Kernel
import Payments
import ProviderKit

/// The object that the mobile SDK's `PaymentInfo` is filled from, by the names of its members.
enum SdkParameters {
    /// Makes the object without the signature.
    ///
    /// The SDK takes no deadline: what it opened is dead only when the provider says so.
    static func object(_ dispatch: PlannedDispatch, _ order: Order) -> Json {
        let details = order.details
        let looks = details.presentation
        func payer(_ wire: String) -> Json? { details.payer.first { $0.name == wire }?.value }
        let further = details.payer.filter { !ownNames.contains($0.name) } + details.additional
        let hidden = [
            looks.hideSuccessPage ? "hide_success_final_page" : nil,
            looks.hideDeclinePage ? "hide_decline_final_page" : nil,
        ]
        let modes = hidden.compactMap { $0.map(Json.string) }
        return .compact([
            ("projectID", .integer(order.settings.projectId)),
            ("paymentID", .string(dispatch.paymentReference)),
            ("paymentAmount", order.amount.map { .integer($0.minor) }),
            ("paymentCurrency", order.amount.map { .string($0.currency.code) }),
            ("paymentDescription", order.terms.description.map(Json.string)),
            ("customerID", order.terms.customer.map(Json.string)),
            ("action", .string(action(order.terms.mode))),
            ("token", order.token),
            ("languageCode", details.language.map(Json.string)),
            ("regionCode", details.region.map(Json.string)),
            ("forcePaymentMethod", looks.forcePaymentMethod.map(Json.string)),
            ("hideSavedWallets", looks.hideSavedWallets.map(Json.bool)),
            ("customerEmail", payer("customer_email")),
            ("customerPhone", payer("customer_phone")),
            ("billingCountry", payer("billing_country")),
            ("billingPostal", payer("billing_postal")),
            ("billingCity", payer("billing_city")),
            ("billingAddress", payer("billing_address")),
            (
                "additionalFields",
                further.isEmpty
                    ? nil : .array(further.map { ["type": .string($0.name), "value": $0.value] })
            ),
            ("receiptData", details.receipt.map { .string($0.encoded) }),
            ("screenDisplayModes", modes.isEmpty ? nil : .array(modes)),
            ("applePayMerchantID", looks.applePayMerchantId.map(Json.string)),
            (
                "applePayDescription",
                order.isApplePay ? .string(looks.applePayDescription ?? dispatch.paymentReference) : nil
            ),
            ("urls", addresses(details.addresses)),
            ("recurrentInfo", order.terms.recurring.map { Registration.sdk($0, of: dispatch.paymentReference) }),
        ])
    }

    /// Where the app itself goes on to: the SDK takes no addresses.
    private static func addresses(_ given: Details.Addresses) -> Json? {
        let members: [(String, Json?)] = [
            ("success", given.success.map(Json.string)), ("fail", given.fail.map(Json.string)),
            ("return", given.back.map(Json.string)),
        ]
        return members.contains { $0.1 != nil } ? .compact(members) : nil
    }

    /// Fields of the payer that have a member of their own.
    private static let ownNames: Set<String> = [
        "customer_email", "customer_phone", "billing_country", "billing_postal", "billing_city", "billing_address",
    ]

    private static func action(_ mode: PaymentMode) -> String {
        switch mode {
        case .sale, .transfer: "Sale"
        case .authorize: "Auth"
        case .verify: "Verify"
        case .tokenize: "Tokenize"
        }
    }
}
