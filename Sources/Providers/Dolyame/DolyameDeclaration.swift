import Kernel
import Payments
import ProviderKit

/// The facts about this provider that the daemon must know.
enum DolyameDeclaration {
    static let declaration = Declaration(
        id: "dolyame",
        version: 6,
        tableVersion: StatusTable.version,
        modes: [.authorize, .sale],
        methods: [.hosted, .sdk],
        secrets: [Finishing.passwordName, Finishing.certificateName, Finishing.certificateKeyName],
        notifications: .unsigned,
        notificationBytes: 32 * 1024,
        requestDeadline: .seconds(15),
        identifierPaths: [
            "id", "refund_id", "refund_info.items.*.refund_id", "installment_info.loan_number", "correlationId", "cid",
            "signature", "link",
        ],
        given: GivenIdentifiers(
            details: [
                "items.*.sku", "items.*.receipt.itemCode", "newItems.*.sku", "newItems.*.receipt.itemCode", "data.*",
            ],
            settings: ["partnerId", "login"]
        ),
        personalPaths: [
            "link", "client_info.first_name", "client_info.last_name", "client_info.middle_name", "client_info.email",
            "client_info.phone", "client_info.birthdate",
        ],
        payerAddressPaths: ["link"],
        personalDetailPaths: Details.PayerField.allCases.map { JsonPath("payer.\($0.rawValue)") },
        answerHeaders: Answer.delayHeaders,
        refusals: RefusalForm(statuses: [400, 401, 403, 404, 409, 422], codes: ["code", "errorDetailCode"])
    )
}
