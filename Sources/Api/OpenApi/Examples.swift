import Kernel

/// Bodies that work; a test sends each one.
enum Examples {
    static let createPayment: Json = [
        "mode": "sale", "method": "hosted", "amount": ["value": 1999, "currency": "EUR"], "reference": "order-1042",
        "description": "Two tickets", "customer": "customer-77",
        "details": ["payer": ["email": "ann@example.com"], "language": "en"], "metadata": ["channel": "web"],
    ]

    static let createTransfer: Json = [
        "account": "portmone-uah", "method": "sdk", "amount": ["value": 15000, "currency": "UAH"],
        "reference": "gift-7",
        "description": "A gift", "customer": "customer-77",
    ]

    static let transferClaim: Json = ["call": "return", "fields": ["RESULT": "0"]]

    static let delivery: Json = [:]
    static let part: Json = ["amount": ["value": 500, "currency": "EUR"], "reason": "first parcel"]

    static let claim: Json = ["sdk": "android", "code": 0]

    static let deviceString: Json = ["paramsForSignature": "payment_amount:1999;payment_currency:EUR"]

    static let dispute: Json = ["amount": ["value": 500, "currency": "EUR"], "reason": "not received"]

    static let evidence: Json = ["evidence": "The statement of 27 January shows the debit."]

    static let proposal: Json = [
        "verdict": ["is": "acknowledged"], "evidence": "The provider's cabinet shows one charge.", "seenVersion": 9,
    ]

    static let approval: Json = ["seenVersion": 9]

    /// An account at the sandbox, as `paystream sandbox` serves it.
    static let account: Json = [
        "name": "ecommpay-eur", "provider": "ecommpay", "mode": "test",
        "settings": [
            "projectId": 42, "currencies": ["EUR"], "gateUrl": "http://127.0.0.1:8081",
            "paymentPageUrl": "http://127.0.0.1:8081/payment",
        ],
        "secrets": ["secretKey": "sandbox-secret"],
    ]

    static let session: Json = ["customer": "customer-77", "presentation": ["productGrouping": true]]

    static let fields: Json = [
        "amount": ["value": 1999, "currency": "EUR"], "country": "BE", "values": ["cardholderName": "Ann Example"],
    ]

    static let cardPrefix: Json = [
        "amount": ["value": 1999, "currency": "EUR"], "country": "BE", "digits": "45673500",
    ]

    static let routing: Json = ["accounts": ["ecommpay-eur"]]

    static let routes: Json = [
        "rules": [
            [
                "name": "euro", "when": ["currencies": ["EUR"]],
                "to": [["account": "ecommpay-eur", "weight": 1]],
                "fallback": ["on": ["soft", "providerDown"], "attempts": 2],
            ]
        ]
    ]

    static let explain: Json = ["amount": ["value": 1999, "currency": "EUR"], "method": "hosted"]
}
