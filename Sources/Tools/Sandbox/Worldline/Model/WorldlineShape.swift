import Kernel

/// A request that is refused, in the provider's form.
struct WorldlineRefusal: Error, Hashable {
    let status: Int
    let code: String
    let message: String
    var property: String?

    static func invalid(_ property: String, _ message: String) -> WorldlineRefusal {
        WorldlineRefusal(status: 400, code: "50001007", message: message, property: property)
    }

    static let unknownId = WorldlineRefusal(status: 404, code: "50001130", message: "UNKNOWN_PAYMENT_ID")
    static let forbidden = WorldlineRefusal(status: 403, code: "9002", message: "ACCESS_TO_MERCHANT_NOT_ALLOWED")
    static let inProgress = WorldlineRefusal(status: 409, code: "30001002", message: "DUPLICATE_REQUEST_IN_PROGRESS")

    static func closed(_ message: String) -> WorldlineRefusal {
        WorldlineRefusal(status: 409, code: "50001033", message: message)
    }

    /// The error as it stands in answers.
    var error: Json {
        .compact([
            ("errorCode", .string(code)), ("code", .string(code)), ("category", "PAYMENT_PLATFORM_ERROR"),
            ("httpStatusCode", .integer(Int64(status))), ("id", .string(message)), ("message", .string(message)),
            ("propertyName", property.map(Json.string)), ("retriable", .bool(status == 409)),
        ])
    }

    func answer(_ more: [(String, Json?)] = []) -> SandboxAnswer {
        .json(status, .compact([("errorId", .string("sandbox-\(code)")), ("errors", [error])] + more))
    }
}

/// Which members a request may have; a misspelled one is refused, which the real platform does not promise.
indirect enum WorldlineShape: Sendable {
    case text(Int), integer, flag, words([String]), any
    case list(WorldlineShape, Int)
    case object([String: WorldlineShape], needed: [String] = [])

    func check(_ json: Json, _ path: String = "") throws(WorldlineRefusal) {
        switch self {
        case .any: break
        case .text(let longest):
            guard let text = json.text, text.count <= longest else {
                throw .invalid(path, "a text of \(longest) characters at most")
            }
        case .integer: if json.integer == nil { throw .invalid(path, "a whole number") }
        case .flag: if json.flag == nil { throw .invalid(path, "true or false") }
        case .words(let known):
            guard let text = json.text, known.contains(text) else { throw .invalid(path, "an unknown word") }
        case .list(let shape, let most):
            guard let items = json.items, items.count <= most else { throw .invalid(path, "a list of \(most) at most") }
            for (index, item) in items.enumerated() { try shape.check(item, "\(path)[\(index)]") }
        case .object(let shapes, let needed):
            guard let members = json.members else { throw .invalid(path, "an object") }
            for name in needed where members[name] == nil { throw .invalid(Self.join(path, name), "is needed") }
            for member in members.members {
                let place = Self.join(path, member.name)
                guard let shape = shapes[member.name] else { throw .invalid(place, "is not known") }
                try shape.check(member.value, place)
            }
        }
    }

    private static func join(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}

/// The requests of the server interface, as far as the reference names their members.
extension WorldlineShape {
    private static let money = object(
        ["amount": .integer, "currencyCode": .text(3)],
        needed: ["amount", "currencyCode"]
    )
    private static let operationReferences = object([
        "merchantReference": .text(40), "operationGroupReference": .text(40),
    ])

    private static let browser = object([
        "colorDepth": .integer, "javaEnabled": .flag, "javaScriptEnabled": .flag, "screenHeight": .text(6),
        "screenWidth": .text(6),
    ])
    private static let device = object([
        "acceptHeader": .text(2048), "ipAddress": .text(45), "locale": .text(20),
        "timezoneOffsetUtcMinutes": .text(6), "userAgent": .text(2048), "browserData": browser,
    ])
    private static let customer = object([
        "merchantCustomerId": .text(50), "locale": .text(6),
        "billingAddress": object([
            "countryCode": .text(2), "city": .text(40), "houseNumber": .text(15), "state": .text(35),
            "street": .text(50), "zip": .text(10), "additionalInfo": .text(50),
        ]),
        "contactDetails": object(["emailAddress": .text(70), "phoneNumber": .text(20)]),
        "personalInformation": object([
            "name": object(["firstName": .text(35), "surname": .text(35), "title": .text(35)])
        ]),
        "device": device,
    ])
    private static let order = object(
        [
            "amountOfMoney": money, "customer": customer,
            "references": object([
                "merchantReference": .text(40), "merchantParameters": .text(1000), "softDescriptor": .text(256),
                "operationGroupReference": .text(40), "merchantReconciliationReference": .text(40),
            ]),
            "shipping": .any, "shoppingCart": .any, "discount": .any, "surchargeSpecificInput": .any,
        ],
        needed: ["amountOfMoney"]
    )
    private static let feedbacks = object(["webhooksUrls": .list(.text(325), 5)])
    private static let threeDSecure = object([
        "redirectionData": object(["returnUrl": .text(200)], needed: ["returnUrl"]), "skipAuthentication": .flag,
        "skipSoftDecline": .flag, "authenticationAmount": .integer,
        "exemptionRequest": .words(["none", "transaction-risk-analysis", "low-value", "whitelist"]),
        "challengeIndicator": .words([
            "no-preference", "no-challenge-requested", "challenge-requested", "challenge-required",
        ]),
        "challengeCanvasSize": .words(["250x400", "390x400", "500x600", "600x400", "full-screen"]),
        "deviceChannel": .words(["AppBased", "Browser", "ThreeDSRequestorInitiated"]),
        "priorThreeDSecureData": .any, "externalCardholderAuthenticationData": .any,
    ])
    private static let card = object([
        "authorizationMode": .words(WorldlinePayment.Mode.allCases.map(\.rawValue)), "paymentProductId": .integer,
        "token": .text(50), "tokenize": .flag, "isRecurring": .flag,
        "recurring": object(["recurringPaymentSequenceIndicator": .words(["first", "recurring"])]),
        "unscheduledCardOnFileRequestor": .words(["merchantInitiated", "cardholderInitiated"]),
        "unscheduledCardOnFileSequenceIndicator": .words(["first", "subsequent"]),
        "initialSchemeTransactionId": .text(64), "schemeReferenceData": .text(64),
        "transactionChannel": .words(["ECOMMERCE", "MOTO"]), "returnUrl": .text(200),
        "autoCapture": object(["delayInMinutes": .integer]), "threeDSecure": threeDSecure,
        "cobrandSelectionIndicator": .words(["default", "alternative", "notApplicable"]),
        "cardOnFileRecurringFrequency": .text(20), "cardOnFileRecurringExpiration": .text(8),
    ])

    static let payment = object(
        [
            "order": order, "encryptedCustomerInput": .text(32_768), "cardPaymentMethodSpecificInput": card,
            "mobilePaymentMethodSpecificInput": mobile, "feedbacks": feedbacks, "fraudFields": .any,
        ],
        needed: ["order"]
    )
    private static let mobile = object(
        [
            "authorizationMode": .words(WorldlinePayment.Mode.allCases.map(\.rawValue)), "paymentProductId": .integer,
            "encryptedPaymentData": .text(32_768), "ephemeralKey": .text(1024), "publicKeyHash": .text(128),
            "paymentProduct320SpecificInput": object(["threeDSecure": threeDSecure]),
        ],
        needed: ["paymentProductId"]
    )
    static let subsequent = object(
        [
            "order": order, "feedbacks": feedbacks,
            "subsequentcardPaymentMethodSpecificInput": object([
                "subsequentType": .text(20), "token": .text(50), "schemeReferenceData": .text(64),
                "authorizationMode": .words(WorldlinePayment.Mode.allCases.map(\.rawValue)),
                "transactionChannel": .words(["ECOMMERCE", "MOTO"]), "paymentNumber": .integer,
                "autoCapture": object(["delayInMinutes": .integer]),
            ]),
        ],
        needed: ["order", "subsequentcardPaymentMethodSpecificInput"]
    )
    static let checkout = object(
        [
            "order": order, "cardPaymentMethodSpecificInput": card, "feedbacks": feedbacks, "fraudFields": .any,
            "hostedCheckoutSpecificInput": object([
                "returnUrl": .text(512), "locale": .text(6), "variant": .text(128), "tokens": .text(512),
                "isRecurring": .flag, "showResultPage": .flag, "sessionTimeout": .integer,
                "allowedNumberOfPaymentAttempts": .integer,
                "paymentProductFilters": object([
                    "exclude": object(["products": .list(.integer, 100), "groups": .list(.text(40), 100)]),
                    "restrictTo": object(["products": .list(.integer, 100), "groups": .list(.text(40), 100)]),
                ]),
            ]),
        ],
        needed: ["order", "hostedCheckoutSpecificInput"]
    )
    static let capture = object([
        "amount": .integer, "isFinal": .flag, "operationReferences": operationReferences, "lineItemDetails": .any,
    ])
    static let cancel = object([
        "amountOfMoney": money, "isFinal": .flag, "operationReferences": operationReferences,
    ])
    static let refund = object([
        "amountOfMoney": money, "isFinal": .flag, "operationReferences": operationReferences, "reason": .text(100),
        "captureId": .text(50),
    ])
    static let session = object(["tokens": .list(.text(50), 10)])
    static let iin = object(
        [
            "bin": .text(19),
            "paymentContext": object(["amountOfMoney": money, "countryCode": .text(2), "isRecurring": .flag]),
        ],
        needed: ["bin"]
    )
    static let webhookKey = object(["key": .text(128), "secret": .text(128)], needed: ["key", "secret"])
    static let webhookTest = object(["url": .text(325)])
}
