import Kernel
import Payments
import ProviderKit

/// The facts about this provider that the daemon must know.
enum EcommpayDeclaration {
    static let declaration = Declaration(
        id: "ecommpay",
        version: 10,
        tableVersion: CodeTable.version,
        modes: [.sale, .authorize, .verify, .tokenize],
        methods: Set(PaymentMethod.allCases),
        secrets: [EcommpayAdapter.secretKeyName],
        notifications: .hmac,
        notificationBytes: 64 * 1024,
        requestDeadline: .seconds(30),
        identifierPaths: [
            "project_id", "general.project_id", "payment_id", "general.payment_id", "request_id", "payment.id",
            "payment.merchant_refund_id", "operation.id", "operation.request_id", "operation.provider.payment_id",
            "operations.*.id", "operations.*.request_id", "operations.*.provider.payment_id", "account.id",
            "recurring.id", "recurring_id", "request.id", "signature", "general.signature", "account.token", "token",
        ],
        given: GivenIdentifiers(
            details: ["presentation.applePayMerchantId", "additionalFields.*"],
            settings: ["projectId", "interfaceType"]
        ),
        personalPaths: [
            "account.token", "account.card_holder", "token", "card.holder",
            "customer.email", "customer.phone", "customer.first_name", "customer.last_name", "customer.middle_name",
            "customer.day_of_birth", "customer.ssn", "customer.ip_address", "customer.address", "customer.city",
            "customer.state", "customer.zip", "customer.billing.*", "avs_data.*", "sender.*", "receiver.*",
        ],
        personalDetailPaths: ["payer.ipAddress"] + Details.payerNames.map { JsonPath("payer.\($0.0)") }
            + Details.billingNames.map { JsonPath("payer.billing.\($0.0)") }
            + AdditionalFields.personal.map { JsonPath("additionalFields.\($0)") },
        refusals: RefusalForm(statuses: Set(400...499).subtracting([408, 429]), codes: ["code", "errors.*.code"])
    )
}
