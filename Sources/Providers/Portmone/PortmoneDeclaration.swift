import Kernel
import Payments
import ProviderKit

/// The facts about this provider that the daemon must know.
enum PortmoneDeclaration {
    static let notificationKeyName = "notificationKey"

    static let declaration = Declaration(
        id: "portmone",
        version: 9,
        tableVersion: max(CodeTable.version, StatusTable.version),
        modes: [.sale, .authorize, .tokenize, .transfer],
        methods: Set(PaymentMethod.allCases),
        secrets: [Finishing.passwordName, Finishing.signingKeyName, notificationKeyName],
        notifications: .unsigned,
        notificationBytes: 64 * 1024,
        requestDeadline: .seconds(30),
        identifierPaths: Set(
            rowNames.flatMap { name in
                [JsonPath(name), JsonPath("*.\(name)"), JsonPath("result.*.\(name)")]
            } + handovers + tokens
        ),
        given: GivenIdentifiers(
            details: [
                "attributes.*", "split.*.payeeId", "transfer.sellerToken", "transfer.recipientBillId", "wallet.token",
            ],
            settings: ["payeeId", "login", "shopSiteId", "customUid", "applePayMerchantId"]
        ),
        personalPaths: handovers + tokens,
        payerAddressPaths: addresses,
        personalDetailPaths: ["payer.email", "transfer.sellerToken"],
        onceDetailPaths: ["wallet.token"],
        refusals: RefusalForm(
            statuses: [400, 401, 403, 404, 409, 422],
            codes: ["error.code", "errorCode", "*.errorCode", "result.errorCode", "result.*.errorCode"]
        )
    )

    /// The parts that the payer's device is given as they are: pages, and members for the payer's bank.
    private static let handovers: [JsonPath] =
        addresses + ["result.md", "result.pareq", "result.*.md", "result.*.pareq"]

    private static let addresses: [JsonPath] =
        Answer.linkNames.flatMap { [JsonPath($0), JsonPath("result.\($0)")] }
        + ["result.actionMPI", "result.*.actionMPI"]

    /// The stand-ins that the provider gives for a card or a password.
    private static let tokens: [JsonPath] = ["token", "*.token", "result.*.token", "result.credentials"]

    /// Members of a row that are numbers and never a card's.
    private static let rowNames = [
        "shopBillId", "shop_bill_id", "shopOrderNumber", "shop_order_number", "billId", "requestedBillId", "payee_id",
        "payeeId", "rrn", "terminal_id", "merchant_id", "bank_id", "transactionId", "authCode", "auth_code",
        "responseId", "billNumber",
    ]
}
