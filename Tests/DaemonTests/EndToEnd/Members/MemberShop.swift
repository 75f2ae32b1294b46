import Http
import Kernel

/// A provider whose details are tried: its accounts, its ways of paying, and a value for each member.
enum MemberShop: String, CaseIterable, Sendable {
    case dolyame, ecommpay, portmone, sberpay, worldline

    /// Members that are checked and refused by every way; each has a reason in the provider's page.
    var carriedNowhere: Set<String> {
        switch self {
        // The provider speaks Russian alone.
        case .dolyame: ["language"]
        // The bank's pages end in success or failure.
        case .sberpay: ["urls.return"]
        // An app's session passes it on.
        case .worldline: ["presentation.productGrouping"]
        // It goes with the charges of a schedule.
        case .ecommpay: ["payer.ipAddress"]
        // It goes with a saved card.
        case .portmone: ["cardMask"]
        }
    }

    /// Members that are only taken beside others.
    var together: [String: [String]] {
        switch self {
        case .dolyame: [:]
        case .ecommpay:
            [
                "presentation.applePayMerchantId": ["region"],
                "presentation.applePayDescription": ["region", "presentation.applePayMerchantId"],
            ]
        case .portmone: ["split.0.description": ["split.0.payeeId", "split.0.amount"]]
        case .sberpay: ["app.push": ["payer.phone"]]
        case .worldline:
            [
                "cobrand": ["paymentProductId"], "encodedClientMetaInfo": ["encryptedCustomerInput"],
                "credential.initiator": ["credential.kind", "credential.sequence"],
            ]
        }
    }

    /// Another valid value where the sample says no more than its absence.
    var opposites: [String: Json] { self == .sberpay ? ["recurrent.enabled": false] : [:] }

    /// Details in place of those that a way needs at least, so that the member fits them.
    var beside: [String: Json] {
        switch self {
        case .dolyame:
            [
                "discount": ["items": [["name": "Sneakers", "price": "7100.00"]]],
                "items.0.quantity": ["items": [["name": "Sneakers", "price": "3500.00"]]],
                "prepaidAmount": ["items": [["name": "Sneakers", "price": "7500.00"]]],
            ]
        case .ecommpay: ["additionalFields.customer_email": ["payer": ["phone": "79130010100"]]]
        case .worldline:
            [
                "credential.firstPayment": [
                    "credential": ["initiator": "merchant", "kind": "unscheduled", "sequence": "subsequent"]
                ]
            ]
        case .portmone, .sberpay: [:]
        }
    }

    /// A valid value for each member, told by its place; texts differ from all others.
    var samples: [String: Json] {
        switch self {
        case .dolyame: Self.dolyameSamples
        case .ecommpay: Self.ecommpaySamples
        case .portmone: Self.portmoneSamples
        case .sberpay: Self.sberPaySamples
        case .worldline: Self.worldlineSamples
        }
    }

    private static let dolyameSamples: [String: Json] = [
        "data": ["shelf": "shelf 4"], "discount": "100.00", "items.0.name": "Boots of seven leagues",
        "items.0.price": "7000.00", "items.0.quantity": 2, "items.0.receipt.itemCode": "code-77",
        "items.0.receipt.measurementUnit": "pair", "items.0.receipt.paymentMethod": "full_prepayment",
        "items.0.receipt.paymentObject": "commodity", "items.0.receipt.tax": "vat20", "items.0.sku": "SKU-BOOTS",
        "language": "ru", "payer.birthdate": "1991-05-28", "payer.email": "tap@example.org",
        "payer.firstName": "Zosima", "payer.lastName": "Orlov", "payer.middleName": "Ilyich",
        "payer.phone": "+79130010101", "prepaidAmount": "500.00", "presentation.callKit": false,
        "presentation.errorDebugScreen": true, "urls.fail": "https://shop.example/no",
        "urls.success": "https://shop.example/yes",
    ]

    private static let ecommpaySamples: [String: Json] = [
        "items.0.amount": 1999, "items.0.name": "Boots of seven leagues", "items.0.quantity": 1,
        "items.0.taxAmount": 333, "items.0.taxRate": 20, "language": "it", "payer.billing.address": "Elm street 7",
        "payer.billing.city": "Riga", "payer.billing.country": "LV", "payer.billing.postal": "LV-1010",
        "payer.billing.region": "Vidzeme", "payer.dayOfBirth": "28-05-1991", "payer.email": "tap@example.org",
        "payer.firstName": "Zosima", "payer.ipAddress": "203.0.113.7", "payer.lastName": "Orlov",
        "payer.middleName": "Ilyich", "payer.phone": "79130010101", "presentation.applePayDescription": "Boots shop",
        "presentation.applePayMerchantId": "merchant.example", "presentation.forcePaymentGroup": "openbanking",
        "presentation.forcePaymentMethod": "card", "presentation.hideDeclinePage": true,
        "presentation.hideSavedWallets": true, "presentation.hideSuccessPage": true, "region": "DE",
        "urls.fail": "https://shop.example/no", "urls.return": "https://shop.example/back",
        "urls.success": "https://shop.example/yes",
    ].merging(additional) { $1 }

    private static let additional: [String: Json] = Dictionary(
        uniqueKeysWithValues: [
            "customer_email", "customer_phone", "customer_first_name", "customer_last_name", "customer_middle_name",
            "customer_day_of_birth", "customer_birthplace", "customer_ssn", "customer_gender", "customer_address",
            "customer_city", "customer_state", "customer_zip", "customer_country", "customer_account_id",
            "customer_domain", "customer_identify_number", "customer_identify_type", "customer_identify_issue_date",
            "billing_country", "billing_region", "billing_city", "billing_postal", "billing_address", "avs_post_code",
            "avs_street_address", "aps_account_number", "aps_account_security_code",
        ].map { name in
            let value: Json =
                name.hasSuffix("_country") ? "EE" : name == "aps_account_security_code" ? "" : .string("a \(name)")
            return ("additionalFields.\(name)", value)
        }
    )

    private static let portmoneSamples: [String: Json] = [
        "attributes.1": "attribute one", "attributes.2": "attribute two", "attributes.3": "attribute three",
        "attributes.4": "attribute four", "billType": "mobilePayment", "cardMask": "444433******1111",
        "details": "Winter bill", "language": "en", "payer.email": "tap@example.org", "presentation.biometrics": true,
        "presentation.otherPaymentMethods": false, "presentation.paymentFlowType": "byCardAndApplePay",
        "presentation.paymentTypes.card": true, "presentation.priorityPaymentTypes.card": 7,
        "presentation.returnToDetailsDisabled": true, "presentation.showEmail": false,
        "presentation.showReceiptScreen": false, "saveCard": true, "split.0.amount": 10_000,
        "split.0.description": "delivery", "split.0.payeeId": "2001", "transfer.recipientBillId": "987654",
        "transfer.sellerToken": "SELLERTOKEN", "urls.fail": "https://shop.example/no",
        "urls.success": "https://shop.example/yes", "wallet.kind": "googlePay", "wallet.token": "wallet-token-1",
        "withoutCvv": true,
    ].merging(pageMethods) { $1 }

    private static let pageMethods: [String: Json] = {
        var found: [String: Json] = [:]
        for name in [
            "card", "portmone", "token", "gpay", "applepay", "privat", "clicktopay", "visacheckout", "masterpass",
            "qr", "installment", "kyivstar", "createtokenonly", "createtokenonlyp2p", "gpayonly", "applepayonly",
            "gpayontoken", "applepayontoken",
        ] {
            found["presentation.paymentTypes.\(name)"] = false
            found["presentation.priorityPaymentTypes.\(name)"] = 7
        }
        return found
    }()

    private static let sberPaySamples: [String: Json] = [
        "app.backUrl": "shopapp://after", "app.deepLink": "shopapp://pay", "app.form": "order", "app.osType": "android",
        "app.push": true, "app.web": true, "features": ["FORCE_SSL"], "language": "en",
        "payer.email": "tap@example.org", "payer.phone": "79130010101", "presentation.hideSberPay": true,
        "presentation.pageView": "MOBILE", "presentation.sdkMethod": "payWithBnpl", "recurrent.enabled": true,
        "recurrent.expiry": "20301231", "recurrent.frequencyDays": 20, "urls.fail": "https://shop.example/no",
        "urls.return": "https://shop.example/back", "urls.success": "https://shop.example/yes",
    ]

    private static let worldlineSamples: [String: Json] = [
        "autoCaptureMinutes": 30, "channel": "MOTO", "cobrand": "alternative", "credential.expiry": "20301231",
        "credential.firstPayment": "3254564310_0", "credential.frequency": "monthly",
        "credential.initiator": "customer", "credential.kind": "unscheduled",
        "credential.schemeTransactionId": "SCHEME0001", "credential.sequence": "first",
        "encodedClientMetaInfo": "bWV0YSBpbmZv", "encryptedCustomerInput": "encrypted.input.of.the.app",
        "language": "nl-BE", "payer.billing.city": "Brussel", "payer.billing.country": "BE",
        "payer.billing.houseNumber": "7b", "payer.billing.state": "Brabant", "payer.billing.street": "Elm street",
        "payer.billing.zip": "1000", "payer.device.acceptHeader": "text/html", "payer.device.colorDepth": 24,
        "payer.device.ipAddress": "203.0.113.7", "payer.device.javaEnabled": true,
        "payer.device.javaScriptEnabled": false, "payer.device.locale": "nl_BE", "payer.device.screenHeight": "1080",
        "payer.device.screenWidth": "1920", "payer.device.timezoneOffsetMinutes": "-60",
        "payer.device.userAgent": "Tap/1.0", "payer.email": "tap@example.org", "payer.firstName": "Zosima",
        "payer.lastName": "Orlov", "payer.phone": "+32470000000", "paymentProductId": 130,
        "presentation.productGrouping": true, "products.only": [1, 3], "products.without": [2], "saveCredential": true,
        "threeDSecure.canvas": "600x400", "threeDSecure.challenge": "challenge-required",
        "threeDSecure.channel": "Browser", "threeDSecure.exemption": "low-value", "threeDSecure.skip": true,
        "urls.return": "https://shop.example/back", "wallet.kind": "googlePay", "wallet.token": "wallet-token-1",
    ]
}

extension MemberShop {
    /// Configures the accounts behind the provider and gives the ways of paying by them.
    func open(_ stage: Stage, _ daemon: DaemonProcess, _ provider: ToldProvider) async throws -> [MemberWay] {
        switch self {
        case .dolyame: try await openDolyame(stage, daemon, provider)
        case .ecommpay: try await openEcommpay(stage, daemon, provider)
        case .portmone: try await openPortmone(stage, daemon, provider)
        case .sberpay: try await openSberPay(stage, daemon, provider)
        case .worldline: try await openWorldline(stage, daemon, provider)
        }
    }

    private static let rest: [(String, Json)] = [
        ("pollFirstSeconds", 900), ("pollCapSeconds", 900), ("pollAtLeastSeconds", 900),
    ]

    private func account(
        _ name: String,
        _ settings: Json,
        _ secrets: Json,
        _ stage: Stage,
        _ daemon: DaemonProcess
    ) async throws {
        var values = settings.members ?? JsonObject([])
        for (name, value) in Self.rest { values[name] = value }
        let body: Json = [
            "mode": "test", "name": .string(name), "provider": .string(rawValue), "secrets": secrets,
            "settings": .object(values),
        ]
        try await stage.call(daemon, .post, "/v1/accounts", body, key: "account-\(name)")
    }

    private func openDolyame(_ stage: Stage, _ daemon: DaemonProcess, _ provider: ToldProvider) async throws
        -> [MemberWay]
    {
        try await account(
            "dolyame",
            [
                "login": "shop", "baseUrl": .string(provider.address + "/dolyame"), "partnerId": "partner-1",
                "webhookNetworks": ["127.0.0.0/8"], "fiscalization": true,
            ],
            ["password": "secret", "clientCertificate": "unused", "clientKey": "unused"],
            stage,
            daemon
        )
        func way(_ method: String, _ windows: [MemberWay.Window]) -> MemberWay {
            let body: Json = [
                "account": "dolyame", "amount": ["currency": "RUB", "value": 700_000], "method": .string(method),
                "mode": "authorize",
                "details": ["items": [["name": "Sneakers", "price": "7000.00"]]],
            ]
            return MemberWay(name: method, body: body, windows: windows)
        }
        return [way("hosted", [.message]), way("sdk", [.parameters])]
    }

    private func openEcommpay(_ stage: Stage, _ daemon: DaemonProcess, _ provider: ToldProvider) async throws
        -> [MemberWay]
    {
        func way(_ method: String, _ mode: String, _ window: MemberWay.Window) -> MemberWay {
            let body = Json.compact([
                ("account", .string(Stage.account)),
                ("amount", mode == "tokenize" ? nil : Stage.euros(mode == "verify" ? 0 : 1999)),
                ("customer", "cust-1"), ("method", .string(method)), ("mode", .string(mode)),
                ("details", ["payer": ["email": "payer@example.org"]]),
            ])
            return MemberWay(name: "\(mode)-\(method)", body: body, windows: [window])
        }
        return [
            way("hosted", "sale", .page), way("hosted", "tokenize", .page), way("sdk", "sale", .parameters),
            way("sdk", "verify", .parameters),
        ]
    }

    private func openPortmone(_ stage: Stage, _ daemon: DaemonProcess, _ provider: ToldProvider) async throws
        -> [MemberWay]
    {
        let settings: Json = [
            "payeeId": "1185", "login": "shop", "gatewayUrl": .string(provider.address + "/portmone/gateway/"),
            "jsonApiUrl": .string(provider.address + "/portmone/r3/api/gateway/"), "billAmountWcvv": "500.00",
            "permissions": ["withoutCvv": true, "biometrics": true], "applePayMerchantId": "merchant.example",
        ]
        let secrets: Json = [
            "password": "shop-password", "signingKey": "shop-signing-key", "notificationKey": "notify-1",
        ]
        for (name, more) in [
            ("portmone", [:]), ("portmone-token", ["tokenChargeMode": "sdk"]),
            ("portmone-relay", ["walletMode": "relay"]),
            ("portmone-seller", ["transferMode": "sellerToken"]),
            ("portmone-link", ["transferMode": "linkMoneyTransfer"]),
        ] as [(String, Json)] {
            var values = settings
            for member in more.members?.members ?? [] { values = values.setting([member.name], member.value) }
            try await account(name, values, secrets, stage, daemon)
        }
        func way(
            _ account: String,
            _ method: String,
            _ mode: String,
            _ window: MemberWay.Window,
            details: Json = [:]
        ) -> MemberWay {
            let isTransfer = mode == "transfer"
            let body = Json.compact([
                ("account", .string(account)),
                ("amount", mode == "tokenize" ? nil : ["currency": "UAH", "value": 10_000]),
                ("customer", "cust-1"), ("method", .string(method)), ("mode", isTransfer ? nil : .string(mode)),
                ("details", details),
            ])
            return MemberWay(
                name: "\(mode)-\(method)-\(account)",
                body: body,
                windows: [window],
                resource: isTransfer ? "transfers" : "payments"
            )
        }
        return [
            way("portmone", "hosted", "sale", .message), way("portmone", "hosted", "tokenize", .message),
            way("portmone", "sdk", "sale", .parameters), way("portmone", "sdk", "tokenize", .parameters),
            way("portmone", "sdk", "transfer", .parameters),
            way(
                "portmone-relay",
                "wallet",
                "sale",
                .message,
                details: ["wallet": ["kind": "googlePay", "token": "wallet-token-0"]]
            ),
            way("portmone-seller", "hosted", "transfer", .message, details: ["transfer": ["sellerToken": "SELLER0"]]),
            way("portmone-link", "hosted", "transfer", .message, details: ["transfer": ["recipientBillId": "123"]]),
        ]
    }

    private func openSberPay(_ stage: Stage, _ daemon: DaemonProcess, _ provider: ToldProvider) async throws
        -> [MemberWay]
    {
        for (name, dialect) in [("new", "ecom"), ("old-api", "legacy")] {
            try await account(
                dialect,
                [
                    "dialect": .string(dialect), "userName": .string(name),
                    "baseUrl": .string(provider.address + "/sberpay"), "merchantLogin": "shop", "clientName": "Shop",
                    "redirectUri": "shopapp://spay", "callbackMode": "none",
                ],
                [
                    "apiSecret": name == "new" ? "new-password" : "old-password", "callbackToken": "callback-token",
                    "sdkApiKey": "sdk-key",
                ],
                stage,
                daemon
            )
        }
        func way(_ account: String, _ method: String, _ windows: [MemberWay.Window], details: Json = [:]) -> MemberWay {
            let body: Json = [
                "account": .string(account), "amount": Stage.roubles(1500), "customer": "cust-1",
                "method": .string(method), "mode": "sale", "details": details,
            ]
            return MemberWay(name: "\(method)-\(account)", body: body, windows: windows)
        }
        let app: Json = ["app": ["osType": "ios", "deepLink": "otherapp://pay"]]
        return [
            way("ecom", "hosted", [.message]), way("legacy", "hosted", [.message]),
            way("ecom", "sdk", [.message, .parameters], details: app),
        ]
    }

    private func openWorldline(_ stage: Stage, _ daemon: DaemonProcess, _ provider: ToldProvider) async throws
        -> [MemberWay]
    {
        try await account(
            "worldline-eur",
            ["merchantId": "PSPID01", "currencies": ["EUR"], "endpoint": .string(provider.address)],
            ["apiKeyId": "KEYID01", "secretApiKey": "api-secret", "webhookKeys": "wk-1:first"],
            stage,
            daemon
        )
        let card = try await stage.savedWorldlineCard(daemon, "save")
        func way(_ method: String, details: Json = [:], instrument: String? = nil) -> MemberWay {
            let body = Json.compact([
                ("account", "worldline-eur"), ("amount", Stage.euros(1999)), ("customer", "cust-1"),
                ("method", .string(method)), ("mode", "sale"), ("details", details),
                ("instrument", instrument.map(Json.string)),
            ])
            return MemberWay(name: method, body: body, windows: [.message])
        }
        return [
            way("hosted"), way("sdk", details: ["encryptedCustomerInput": "another.input.of.the.app"]),
            way("instrument", instrument: card),
            way("wallet", details: ["wallet": ["kind": "googlePay", "token": "wallet-token-0"]]),
        ]
    }
}
