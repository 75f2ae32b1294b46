import Http
import Kernel
import Payments

extension BillRoute {
    /// Statuses of answers that went well.
    var successes: [Int] {
        switch self {
        case .createBillBatch: [200, 201, 202]
        case .submitBillBatch, .continueBillBatch, .claimBills, .proposeBillResolution, .approveBillResolution,
            .saveBillCredentials, .saveBillCard:
            [200, 202]
        case .getBillBatch: [200, 304]
        case .listBillBatches, .uploadBills, .listBills, .getBill, .billBatchAction, .billAppParameters,
            .billCardParameters, .checkBillCard:
            [200]
        }
    }

    /// Every status that a request to this route may be answered with.
    package var statuses: [Int] {
        var all = Set(successes + [400, 401, 403, 413, 414, 422, 429, 431, 503])
        if body == .json || body == .optionalJson || body == .raw { all.insert(415) }
        if isCommand { all.formUnion([409, 412]) }
        if pattern.contains("{batch}") { all.insert(404) }
        switch self {
        case .uploadBills: all.insert(409)
        case .getBillBatch: all.insert(412)
        case .billBatchAction, .billAppParameters: all.formUnion([409, 410])
        case .billCardParameters, .saveBillCard, .checkBillCard: all.insert(410)
        case .createBillBatch, .listBillBatches, .submitBillBatch, .continueBillBatch, .listBills, .getBill,
            .claimBills, .proposeBillResolution, .approveBillResolution, .saveBillCredentials:
            break
        }
        return all.sorted()
    }

    fileprivate var summary: String {
        switch self {
        case .createBillBatch: "Begin a batch of bills"
        case .listBillBatches: "List batches, newest first"
        case .getBillBatch: "Read how far a batch is"
        case .uploadBills: "Upload bills as lines of JSON, read while they come in"
        case .submitBillBatch: "Close the upload and begin to pay"
        case .continueBillBatch: "Go on with a batch that was stopped"
        case .listBills: "List a batch's bills with their outcomes, as JSON or as lines"
        case .getBill: "Read one bill"
        case .billBatchAction: "Read what the payer must do now"
        case .billAppParameters: "Get the object that the app's SDK pays the bills with"
        case .claimBills: "Tell what the app's SDK said about the bills"
        case .proposeBillResolution: "Propose what became of a bill that nobody knows about"
        case .approveBillResolution: "Approve another person's proposal"
        case .saveBillCredentials: "Exchange a user's own login and password for what stands for them"
        case .billCardParameters: "Get the object that the app's SDK saves a card for bills with"
        case .saveBillCard: "Keep the token that the app got for a card"
        case .checkBillCard: "Ask whether a saved card can pay bills"
        }
    }

    /// The schema of the body, with an example.
    fileprivate var request: (schema: String, example: Json)? {
        let instrument: Json = "ins_01900000000070008000000000000001"
        let credentials: Json = "ins_01900000000070008000000000000002"
        return switch self {
        case .createBillBatch:
            (
                "CreateBillBatch",
                ["account": "portmone-uah", "instrument": instrument, "credentials": credentials, "customer": "cust-7"]
            )
        case .submitBillBatch: ("SubmitBillBatch", ["count": 2])
        case .continueBillBatch: ("ContinueBillBatch", [:])
        case .billAppParameters: ("Empty", [:])
        case .claimBills:
            (
                "BillClaim",
                ["bills": [["billId": "101", "status": "PAYED", "billAmount": "10.00", "paidAmount": "10.00"]]]
            )
        case .proposeBillResolution:
            ("BillProposal", ["outcome": "failed", "evidence": "Not in the cabinet", "seenVersion": 2])
        case .approveBillResolution: ("Approval", ["seenVersion": 3])
        case .saveBillCredentials:
            ("BillCredentials", ["account": "portmone-uah", "login": "user", "password": "the user's own"])
        case .checkBillCard:
            (
                "CheckBillCard",
                [
                    "account": "portmone-uah", "login": "user", "instrument": instrument, "credentials": credentials,
                ]
            )
        case .billCardParameters:
            ("BillCardParameters", ["account": "portmone-uah", "credentials": credentials, "language": "uk"])
        case .saveBillCard:
            (
                "SaveBillCard",
                [
                    "account": "portmone-uah", "credentials": credentials, "token": "what the SDK gave",
                    "customer": "cust-7",
                ]
            )
        case .listBillBatches, .getBillBatch, .uploadBills, .listBills, .getBill, .billBatchAction: nil
        }
    }

    fileprivate var answer: String {
        switch self {
        case .createBillBatch, .getBillBatch, .uploadBills, .submitBillBatch, .continueBillBatch, .claimBills:
            "BillBatch"
        case .listBillBatches: "BillBatchPage"
        case .listBills: "BillPage"
        case .getBill, .proposeBillResolution, .approveBillResolution: "Bill"
        case .billBatchAction: "BillAction"
        case .billAppParameters, .billCardParameters: "BillAppParameters"
        case .saveBillCard: "SavedBillCredentials"
        case .saveBillCredentials: "SavedBillCredentials"
        case .checkBillCard: "BillCard"
        }
    }
}

/// The operations about bills in the document.
enum BillOperations {
    static func operation(_ route: BillRoute) -> Json {
        .compact([
            ("operationId", .string(route.rawValue)), ("tags", [.string(OperationText.Tag.bills.rawValue)]),
            ("summary", .string(route.summary)), ("security", [["key": []]]),
            ("x-scope", .string(route.scope.rawValue)), ("parameters", .array(parameters(route))),
            ("requestBody", body(route)),
            ("responses", .object(JsonObject(route.statuses.map { (String($0), answer($0, route)) }))),
        ])
    }

    private static func parameters(_ route: BillRoute) -> [Json] {
        var all: [Json] = route.pattern.split(separator: "/").filter { $0.hasPrefix("{") }.map { segment in
            let name = String(segment.dropFirst().dropLast())
            let schema: Json =
                switch name {
                case "batch": Schema.id("bat")
                case "resolution": Schema.uuid
                default: Schema.text(atMost: BillPage.idBytes)
                }
            return ["name": .string(name), "in": "path", "required": true, "schema": schema]
        }
        let queries: [(String, Json)]
        switch route {
        case .uploadBills: queries = [("page", Schema.integer(from: 1, to: Int64(BillBatch.mostPages)))]
        case .listBills:
            queries = [
                ("outcome", Schema.words(BillWord.self)), ("after", Schema.integer(from: 0, to: Int64(Int32.max))),
                ("limit", Schema.integer(from: 1, to: Int64(BillLimitsOfApi.pageBills))),
            ]
        case .listBillBatches: queries = [("limit", Schema.integer(from: 1, to: Int64(Limits.pageRows)))]
        case .createBillBatch, .getBillBatch, .submitBillBatch, .continueBillBatch, .getBill, .billBatchAction,
            .billAppParameters, .claimBills, .proposeBillResolution, .approveBillResolution, .saveBillCredentials,
            .billCardParameters, .saveBillCard, .checkBillCard:
            queries = []
        }
        all += queries.map { ["name": .string($0.0), "in": "query", "required": false, "schema": $0.1] }
        if route.isCommand {
            all.append([
                "name": "Idempotency-Key", "in": "header", "required": true,
                "schema": Schema.text(atMost: Limits.idempotencyKeyBytes),
            ])
        }
        return all
    }

    private static func body(_ route: BillRoute) -> Json? {
        if route == .uploadBills {
            return [
                "required": true,
                "content": ["application/x-ndjson": ["schema": Schema.ref("BillLine")]],
                "description": "One such object a line.",
            ]
        }
        guard let request = route.request else { return nil }
        return [
            "required": .bool(route.body == .json),
            "content": [
                "application/json": [
                    "schema": Schema.ref(request.schema), "examples": ["works": ["value": request.example]],
                ]
            ],
        ]
    }

    private static func answer(_ status: Int, _ route: BillRoute) -> Json {
        guard route.successes.contains(status) else {
            return ["$ref": .string("#/components/responses/Problem\(status)")]
        }
        if status == 304 { return ["description": "The version is the one that you have."] }
        var content: [(String, Json)] = [("application/json", ["schema": Schema.ref(route.answer)])]
        if route == .listBills { content.append(("application/x-ndjson", ["schema": Schema.ref("BillRow")])) }
        return [
            "description": .string(status == 201 ? "Made." : status == 202 ? "Taken in." : "Done."),
            "content": .object(JsonObject(content)),
        ]
    }
}

/// What bills look like.
enum BillSchemas {
    static let all: [(String, Json)] = [
        ("CreateBillBatch", create), ("SubmitBillBatch", submit),
        ("ContinueBillBatch", Schema.closed([("credentials", Schema.id("ins"))])), ("BillClaim", claim),
        ("BillProposal", proposal), ("BillCredentials", credentials), ("CheckBillCard", check),
        ("BillCardParameters", cardParameters), ("SaveBillCard", saveCard), ("BillLine", line),
        ("BillBatch", batch), ("BillBatchPage", page(Schema.ref("BillBatch"))), ("BillRow", row),
        ("BillPage", page(Schema.ref("BillRow"))), ("Bill", bill), ("BillStanding", standing), ("BillTally", tally),
        ("BillAction", action),
        ("BillAppParameters", Schema.object([("parameters", Schema.free)], required: ["parameters"])),
        (
            "SavedBillCredentials",
            Schema.object(
                [
                    ("id", Schema.id("ins")),
                    ("object", ["type": "string", "enum": ["bill_card", "bill_credentials"]]),
                    ("masked", Schema.text()), ("account", Schema.text("The account's name.")),
                ],
                required: ["id", "object", "masked", "account"]
            )
        ),
        ("BillCard", Schema.object([("usable", Schema.flag), ("masked", Schema.text())], required: ["usable"])),
    ]

    private static let action = Schema.object(
        [
            ("type", Schema.words(NextActionKind.self)), ("bill", Schema.text()),
            ("appParameters", Schema.text("The path where the app's parameters are.")),
            ("action", ["type": "string", "const": "threeDSecure"]), ("parameters", Schema.free),
        ],
        required: ["type"]
    )

    private static let create = Schema.closed(
        [
            ("account", Schema.text("The account's name.", atMost: 64)),
            ("instrument", Schema.id("ins", "The saved card; an app may bring its own.")),
            ("credentials", Schema.id("ins", "What stands for the user's password.")),
            ("customer", Schema.text(atMost: Limits.identifierBytes)),
            ("reference", Schema.text(atMost: Limits.referenceBytes)), ("wallet", Schema.flag),
        ],
        required: ["account", "credentials"]
    )

    private static let submit = Schema.closed(
        [("count", Schema.integer(from: 1, to: Int64(Int32.max))), ("total", Schema.ref("Money"))],
        "What the client counted; anything else than what was taken is refused."
    )

    private static let claim = Schema.closed(
        [("bills", Schema.list(Schema.free))],
        required: ["bills"],
        "The list that the SDK gave."
    )

    private static let proposal = Schema.closed(
        [
            ("outcome", Schema.words(BillOutcome.self)), ("paid", Schema.ref("Money")),
            ("evidence", Schema.text(atMost: Limits.evidenceBytes)),
            ("seenVersion", Schema.integer(from: 1, to: Int64(Int32.max))),
        ],
        required: ["outcome", "evidence", "seenVersion"]
    )

    private static let credentials = Schema.closed(
        [
            ("account", Schema.text(atMost: 64)), ("login", Schema.text(atMost: BillLimitsOfApi.loginBytes)),
            ("password", Schema.text("Used once and written nowhere.", atMost: BillLimitsOfApi.passwordBytes)),
            ("customer", Schema.text(atMost: Limits.identifierBytes)),
        ],
        required: ["account", "login", "password"]
    )

    private static let check = Schema.closed(
        [
            ("account", Schema.text(atMost: 64)),
            ("login", Schema.text("Where the credentials were saved without it.", atMost: BillLimitsOfApi.loginBytes)),
            ("instrument", Schema.id("ins")), ("credentials", Schema.id("ins")),
        ],
        required: ["account", "instrument", "credentials"]
    )

    private static let cardParameters = Schema.closed(
        [
            ("account", Schema.text(atMost: 64)), ("credentials", Schema.id("ins")),
            ("language", Schema.text("A BCP 47 tag.", atMost: BillLimitsOfApi.languageBytes)),
        ],
        required: ["account", "credentials"]
    )

    private static let saveCard = Schema.closed(
        [
            ("account", Schema.text(atMost: 64)), ("credentials", Schema.id("ins")),
            ("token", Schema.text("Asked about at the provider, then sealed.", atMost: BillLimitsOfApi.tokenBytes)),
            ("customer", Schema.text(atMost: Limits.identifierBytes)),
        ],
        required: ["account", "credentials", "token"]
    )

    private static let line = Schema.closed(
        [("id", Schema.text(atMost: BillPage.idBytes)), ("amount", Schema.ref("PositiveMoney"))],
        required: ["id", "amount"]
    )

    private static let tally = Schema.object(
        [
            ("counts", counts), ("charged", Schema.ref("Money")), ("commission", Schema.ref("Money")),
            ("claimed", Schema.ref("Money")), ("differing", Schema.integer()),
        ],
        required: ["counts", "charged", "claimed", "commission", "differing"]
    )

    /// How many bills there are of each outcome.
    private static let counts: Json = ["type": "object", "additionalProperties": Schema.integer()]

    private static let batch = Schema.object(
        [
            ("account", Schema.ref("AccountRef")), ("chunks", Schema.integer()), ("createdAt", Schema.time),
            ("credentials", Schema.id("ins")), ("currency", Schema.text()), ("customer", Schema.text()),
            ("endedAt", Schema.time), ("instrument", Schema.id("ins")), ("mode", Schema.text()),
            ("priceRefused", Schema.text()), ("reference", Schema.text()), ("submittedAt", Schema.time),
            ("id", Schema.id("bat")), ("object", Schema.text()), ("status", Schema.words(BillBatch.Status.self)),
            ("version", Schema.integer()), ("bills", Schema.integer()), ("pages", Schema.integer()),
            ("total", Schema.ref("Money")), ("tally", Schema.ref("BillTally")), ("digest", Schema.text()),
            ("trouble", Schema.words(BillTrouble.self)), ("requiresAction", Schema.text()),
            ("expectedCommission", Schema.ref("Money")),
        ],
        required: ["id", "object"]
    )

    private static let standing = Schema.object(
        [
            ("id", Schema.text()), ("outcome", Schema.words(BillOutcome.self)),
            ("source", Schema.words(BillStanding.Source.self)), ("paid", Schema.ref("Money")),
            ("claimed", Schema.words(BillOutcome.self)),
            ("commission", Schema.ref("Money")), ("amountDiffers", Schema.flag), ("errorCode", Schema.text()),
            ("errorText", Schema.text()), ("receiptUrl", Schema.text()), ("payeeName", Schema.text()),
            ("contractNumber", Schema.text()), ("authCode", Schema.text()), ("payDate", Schema.text()),
        ],
        required: ["id", "outcome", "source"]
    )

    private static let row = Schema.object(
        [
            ("id", Schema.text()), ("ordinal", Schema.integer(from: 1)), ("amount", Schema.ref("Money")),
            ("outcome", Schema.text()), ("standing", Schema.ref("BillStanding")),
        ],
        required: ["id", "ordinal", "amount", "outcome"]
    )

    private static let bill = Schema.object(
        [
            ("id", Schema.text()), ("object", Schema.text()), ("version", Schema.integer(from: 1)),
            ("outcome", Schema.text()), ("standing", Schema.ref("BillStanding")),
            ("batch", Schema.id("bat")), ("ordinal", Schema.integer(from: 1)), ("amount", Schema.ref("Money")),
            ("resolutions", Schema.list(resolution)),
        ],
        required: ["object", "version", "outcome"]
    )

    private static let resolution = Schema.object(
        [
            ("id", Schema.uuid), ("approved", Schema.flag), ("by", Schema.text()), ("evidence", Schema.text()),
            ("outcome", Schema.words(BillOutcome.self)), ("paid", Schema.ref("Money")),
            ("seenVersion", Schema.integer(from: 1)),
        ],
        required: ["id", "approved", "by", "evidence", "outcome", "seenVersion"]
    )

    private static func page(_ items: Json) -> Json {
        Schema.object([("items", Schema.list(items)), ("next", Schema.text())], required: ["items"])
    }
}
