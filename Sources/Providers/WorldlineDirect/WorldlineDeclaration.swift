import Kernel
import Payments
import ProviderKit

/// The facts about this provider that the daemon must know.
enum WorldlineDeclaration {
    static let declaration = Declaration(
        id: "worldline",
        version: 6,
        tableVersion: CodeTable.version,
        modes: [.sale, .authorize],
        methods: Set(PaymentMethod.allCases),
        secrets: SecretName.all,
        notifications: .hmac,
        notificationBytes: 64 * 1024,
        requestDeadline: .seconds(30),
        identifierPaths: Set(identifiers.map { JsonPath($0) }),
        given: GivenIdentifiers(
            details: [
                "credential.firstPayment", "credential.schemeTransactionId", "encryptedCustomerInput",
                "encodedClientMetaInfo",
            ],
            settings: ["merchantId", "hostedVariant"]
        ),
        personalPaths: personal.map { JsonPath($0) },
        payerAddressPaths: addresses.map { JsonPath($0) },
        personalDetailPaths: Payer.personalPaths.map { JsonPath($0) },
        onceDetailPaths: ["encryptedCustomerInput", "encodedClientMetaInfo", "wallet.token"],
        answerHeaders: Idempotence.headers,
        refusals: RefusalForm(
            statuses: [400, 401, 402, 403, 404, 409, 410],
            codes: ["errors.*.errorCode", "errors.*.code"]
        )
    )

    /// The provider's own limit for a page.
    static let longestPage = Duration.seconds(86_400)
    /// A payment may say that it lives so much longer: who wrote its expiry may have another clock than who decides.
    static let clockTolerance = Duration.seconds(60)

    /// Where a payment stands in answers and events; an event may come in a list.
    private static let payments = [
        "", "payment.", "paymentResult.payment.", "createdPaymentOutput.payment.", "*.payment.",
    ]

    private static let identifiers =
        payments.flatMap { place in
            [
                "\(place)id", "\(place)Operations.*.id",
                "\(place)paymentOutput.cardPaymentMethodSpecificOutput.initialSchemeTransactionId",
                "\(place)paymentOutput.cardPaymentMethodSpecificOutput.schemeReferenceData",
                "\(place)paymentOutput.references.merchantReference",
                "\(place)hostedCheckoutSpecificOutput.hostedCheckoutId",
            ]
        } + [
            "*.id", "refund.id", "*.refund.id", "captures.*.id", "refunds.*.id", "errorId", "hostedCheckoutId",
            "creationOutput.externalReference", "paymentResult.creationOutput.externalReference", "merchantId",
            "*.merchantId",
        ] + addresses + tokens + ["partialRedirectUrl"]

    /// Where the payer is sent.
    private static let addresses = ["redirectUrl", "merchantAction.redirectData.redirectURL"]

    /// The stand-ins for a card, and for the payer's return.
    private static let tokens =
        payments.map { "\($0)paymentOutput.cardPaymentMethodSpecificOutput.token" } + [
            "creationOutput.token", "paymentResult.creationOutput.token", "invalidTokens.*", "RETURNMAC",
            "merchantAction.redirectData.RETURNMAC",
        ]

    private static let personal =
        payments.flatMap { place in
            [
                "\(place)paymentOutput.customer.*",
                "\(place)paymentOutput.cardPaymentMethodSpecificOutput.card.cardholderName",
            ]
        } + [
            "merchantAction.mobileThreeDSecureChallengeParameters.*", "merchantAction.showFormData.*.*",
            "merchantAction.showInstructionsData.showData.*.value", "merchantAction.thirdPartyData.*",
            "card.data.cardWithoutCvv.cardholderName", "card.alias", "partialRedirectUrl",
        ] + addresses + tokens
}
