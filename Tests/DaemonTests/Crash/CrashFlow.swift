import Http
import Kernel

/// One thing's way from its creation to its end, in steps that a backend may repeat.
struct CrashFlow: Sendable, CustomStringConvertible {
    typealias Step = @Sendable (CrashRun) async throws -> Void

    let shop: CrashShop
    let name: String
    /// Where the API has it.
    var resource = "payments"
    /// Its status at the end.
    let ending: String
    /// The entries of the simulator's ledger at the end.
    let ledger: [String]
    let steps: [Step]
    /// Whether the provider's page decides it alone: no message of ours leaves, and few points lie on its way.
    var isPageAlone = false
    /// What a death can take for ever; the flow ends failed then, and nothing moved.
    var frailty = Frailty.none

    enum Frailty: Sendable {
        case none
        /// The payer's link stands in one answer only.
        case link
        /// A value that is used once is in the memory of one process.
        case secret
    }

    var description: String { "\(shop.rawValue)/\(name)" }

    static let all = ecommpay + portmone + dolyame + sberpay + worldline + bills + credentials + series

    // MARK: ecommpay

    private static let ecommpay = [
        CrashFlow(
            shop: .ecommpay,
            name: "refunded",
            ending: "partiallyRefunded",
            ledger: ["charge 7700", "refund 3850"],
            steps: [
                create(payment("sale", 7700, "EUR", Stage.account)), openPage, reach("captured"),
                perform("refund", ["amount": Stage.euros(3850)]), reach("partiallyRefunded"),
            ]
        ),
        CrashFlow(
            shop: .ecommpay,
            name: "captured",
            ending: "captured",
            ledger: ["hold 7700", "capture 7700"],
            steps: [
                create(payment("authorize", 7700, "EUR", Stage.account)), openPage, reach("authorized"),
                perform("capture", [:]), reach("captured"),
            ]
        ),
        CrashFlow(
            shop: .ecommpay,
            name: "voided",
            ending: "voided",
            ledger: ["hold 7700", "release 7700"],
            steps: [
                create(payment("authorize", 7700, "EUR", Stage.account)), openPage, reach("authorized"),
                perform("void", [:]), reach("voided"),
            ]
        ),
        CrashFlow(
            shop: .ecommpay,
            name: "lost",
            ending: "refunded",
            ledger: ["charge 7771", "refund 7771"],
            steps: [
                create(payment("sale", 7771, "EUR", Stage.account)), openPage, reach("captured"),
                perform("refund", [:]), reach("refunded"),
            ]
        ),
        CrashFlow(
            shop: .ecommpay,
            name: "declined",
            ending: "failed",
            ledger: [],
            steps: [create(payment("sale", 7701, "EUR", Stage.account)), openPage, reach("failed")],
            isPageAlone: true
        ),
        CrashFlow(
            shop: .ecommpay,
            name: "late",
            ending: "refunded",
            ledger: ["charge 7700", "refund 7700"],
            steps: [
                create(payment("sale", 7700, "EUR", Stage.account)), keepPage, perform("void", [:]), openKept,
                reach("refunded"),
            ]
        ),
        CrashFlow(
            shop: .routes,
            name: "fallback",
            ending: "failed",
            ledger: [],
            steps: [create(payment("sale", 7702, "EUR", nil)), openPages, reach("failed")],
            isPageAlone: true
        ),
        CrashFlow(
            shop: .ecommpay,
            name: "enqueued",
            ending: "refunded",
            ledger: ["charge 7700", "refund 7700"],
            steps: [
                create(payment("sale", 7700, "EUR", Stage.account)), openPage, reach("captured"),
                enqueue("payment.refund"), reach("refunded"),
            ]
        ),
    ]

    // MARK: Portmone

    private static let portmone = [
        CrashFlow(
            shop: .portmone,
            name: "refunded",
            ending: "refunded",
            ledger: ["charge 900", "refund 900"],
            steps: [
                create(payment("sale", 900, "UAH", "portmone-uah")), press("action", "approve"), reach("captured"),
                perform("refund", [:]), reach("refunded"),
            ]
        ),
        CrashFlow(
            shop: .portmone,
            name: "captured",
            ending: "captured",
            ledger: ["hold 2000", "capture 1500", "release 500"],
            steps: [
                create(payment("authorize", 2000, "UAH", "portmone-uah")), press("action", "approve"),
                reach("authorized"), perform("capture", ["amount": Stage.hryvnias(1500)]), reach("captured"),
            ]
        ),
        CrashFlow(
            shop: .portmone,
            name: "transfer",
            resource: "transfers",
            ending: "transferred",
            ledger: ["transfer 15000"],
            steps: [
                create([
                    "account": "portmone-uah", "amount": Stage.hryvnias(15000), "customer": "cust-1", "details": [:],
                    "method": "sdk",
                ]),
                playApp, claim, reach("transferred"),
            ]
        ),
    ]

    private static let bills = [
        CrashFlow(
            shop: .bills,
            name: "batch",
            resource: "bill-batches",
            ending: "completed",
            ledger: ["charge 1000"],
            steps: [createBatch, submitBatch, endBatch]
        )
    ]

    // MARK: Dolyame

    private static let dolyame = [
        CrashFlow(
            shop: .dolyame,
            name: "refunded",
            ending: "refunded",
            ledger: ["hold 700000", "capture 460000", "release 240000", "refund 460000"],
            steps: [
                create(order), press("choice", "approve"), reach("authorized"), perform("capture", Stage.dolyamePart),
                reach("captured"), perform("refund", [:]), reach("refunded"),
            ]
        ),
        CrashFlow(
            shop: .dolyame,
            name: "delivered",
            ending: "captured",
            ledger: ["hold 700000", "capture 700000"],
            steps: [
                create(order), press("choice", "approve"), reach("authorized"), perform("capture", [:]),
                reach("captured"), perform("complete-delivery", [:]), tellDelivery,
            ]
        ),
        CrashFlow(
            shop: .dolyame,
            name: "voided",
            ending: "voided",
            ledger: ["hold 700000", "release 700000"],
            steps: [
                create(order), press("choice", "approve"), reach("authorized"), perform("void", [:]), reach("voided"),
            ]
        ),
    ]

    private static let order: Json = [
        "account": "dolyame", "amount": ["currency": "RUB", "value": 700_000], "details": Stage.dolyameDetails,
        "mode": "authorize",
    ]

    // MARK: SberPay

    private static let sberpay = [
        CrashFlow(
            shop: .sberpay,
            name: "refunded",
            ending: "partiallyRefunded",
            ledger: ["charge 19900", "refund 9900"],
            steps: [
                create(payment("sale", 19900, "RUB", Stage.sberPayAccount("ecom"))), press("action", "approve"),
                reach("captured"), perform("refund", ["amount": Stage.roubles(9900)]), reach("partiallyRefunded"),
            ],
            frailty: .link
        ),
        CrashFlow(
            shop: .sberpay,
            name: "captured",
            ending: "captured",
            ledger: ["hold 5000", "capture 3000", "release 2000"],
            steps: [
                create(payment("authorize", 5000, "RUB", Stage.sberPayAccount("legacy"))), press("action", "approve"),
                reach("authorized"), perform("capture", ["amount": Stage.roubles(3000)]), reach("captured"),
            ],
            frailty: .link
        ),
        CrashFlow(
            shop: .sberpay,
            name: "verified",
            ending: "verified",
            ledger: [],
            steps: [
                create(payment("verify", 0, "RUB", Stage.sberPayAccount("ecom"))), press("action", "approve"),
                reach("verified"),
            ],
            frailty: .link
        ),
    ]

    // MARK: Worldline

    private static let worldline = [
        CrashFlow(
            shop: .worldline,
            name: "refunded",
            ending: "partiallyRefunded",
            ledger: ["charge 1000", "refund 250"],
            steps: [
                create(payment("sale", 1000, "EUR", "worldline-eur")), press("action", "approve"), reach("captured"),
                perform("refund", ["amount": Stage.euros(250)]), reach("partiallyRefunded"),
            ]
        ),
        CrashFlow(
            shop: .worldline,
            name: "captured",
            ending: "captured",
            ledger: ["hold 1000", "capture 1000"],
            steps: [
                create(payment("authorize", 1000, "EUR", "worldline-eur")), press("action", "approve"),
                reach("authorized"), perform("capture", [:]), reach("captured"),
            ]
        ),
    ]

    static func payment(_ mode: String, _ minor: Int64, _ currency: String, _ account: String?) -> Json {
        .compact([
            ("account", account.map(Json.string)),
            ("amount", ["currency": .string(currency), "value": .integer(minor)]), ("customer", "cust-1"),
            ("details", ["payer": ["email": "payer@example.org"]]), ("mode", .string(mode)),
        ])
    }
}
