import Kernel
import Payments
import ProviderKit

/// The facts about this provider that the daemon must know.
enum SberPayDeclaration {
    static let declaration = Declaration(
        id: "sberpay",
        version: 9,
        tableVersion: CodeTable.version,
        modes: [.sale, .authorize, .verify, .tokenize],
        methods: Set(PaymentMethod.allCases),
        secrets: [SberPayAdapter.apiSecretName],
        optionalSecrets: [SberPayAdapter.sdkKeyName, SberPayAdapter.callbackKeyName],
        notifications: .hmac,
        notificationBytes: 32 * 1024,
        requestDeadline: .seconds(40),
        identifierPaths: [
            "orderId", "orderNumber", "mdOrder", "bindingId", "data.orderId", "data.orderNumber", "attributes.mdOrder",
            "attributes.*.value", "authRefNum", "terminalId", "refNum", "refnum", "externalRefundId",
            "operations.*.referenceNumber", "operations.*.externalRefundId", "operations.*.approvalCode",
            "orderStatus.orderNumber", "orderStatus.attributes.mdOrder", "orderStatus.attributes.*.value",
            "bindingInfo.bindingId", "bindings.*.bindingId", "date", "depositedDate", "authDateTime", "checksum",
            "formUrl",
            "externalParams.sbolDeepLink", "externalParams.sbolBankInvoiceId",
        ],
        given: GivenIdentifiers(
            details: ["app.deepLink", "app.backUrl"],
            settings: ["userName", "merchantLogin", "client.clientName"]
        ),
        personalPaths: [
            "formUrl", "externalParams.sbolDeepLink", "externalParams.sbolBankInvoiceId", "bindingInfo.bindingId",
            "orderStatus.bindingInfo.bindingId", "bindings.*.bindingId", "cardAuthInfo.cardholderName",
            "cardAuthInfo.cardHolderName",
            "orderStatus.cardAuthInfo.cardholderName", "orderStatus.cardAuthInfo.cardHolderName", "ip",
            "orderStatus.ip", "payerData.*", "orderStatus.payerData.*", "phone", "email", "bindingId",
            "additionalParams.phone",
        ],
        payerAddressPaths: ["formUrl", "externalParams.sbolDeepLink"],
        personalDetailPaths: ["payer.email", "payer.phone"]
    )
}
