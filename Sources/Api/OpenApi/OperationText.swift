import Http
import Kernel

/// What the document says about one route.
struct OperationText {
    /// A body by its schema's name, with an example that works.
    struct Body {
        let schema: String
        let example: Json
    }

    /// The parts of the API, in the document's order.
    enum Tag: String, CaseIterable {
        case payments = "Payments"
        case bills = "Bills in bulk"
        case transfers = "Transfers"
        case schedules = "Schedules"
        case device = "Payer's device"
        case operations = "Operations"
        case configuration = "Configuration"
        case entrances = "Other entrances"
        case service = "Service"
    }

    let tag: Tag
    let summary: String
    let body: Body?
    /// The schema of an answer that went well, by its name; `nil` for one that is no JSON.
    let answer: String?
    /// Statuses of answers that went well.
    let successes: [Int]
    /// Statuses of problems, beside those that any request may end in.
    let problems: [Int]
    /// Names in the query that must be there.
    var needed: [String] = []

    /// Whether an answer is a payment or a transfer.
    var showsPayment: Bool { answer == "Payment" || answer == "Transfer" }

    /// A command to a payment, or to a transfer.
    static func command(
        _ tag: Tag,
        _ summary: String,
        _ schema: String,
        _ example: Json,
        answer: String = "Payment"
    ) -> OperationText {
        OperationText(
            tag: tag,
            summary: summary,
            body: Body(schema: schema, example: example),
            answer: answer,
            successes: [200, 202],
            problems: [404, 409]
        )
    }

    static func command(
        _ tag: Tag,
        _ summary: String,
        _ body: Body?,
        answer: String,
        successes: [Int] = [200, 202],
        problems: [Int] = [409]
    ) -> OperationText {
        OperationText(
            tag: tag,
            summary: summary,
            body: body,
            answer: answer,
            successes: successes,
            problems: problems
        )
    }

    static func products(_ summary: String, _ answer: String) -> OperationText {
        OperationText(
            tag: .device,
            summary: summary,
            body: nil,
            answer: answer,
            successes: [200],
            problems: [404],
            needed: ["currency", "amount", "country"]
        )
    }

    static func reading(
        _ tag: Tag,
        _ summary: String,
        answer: String?,
        successes: [Int] = [200],
        problems: [Int] = []
    ) -> OperationText {
        OperationText(
            tag: tag,
            summary: summary,
            body: nil,
            answer: answer,
            successes: successes,
            problems: problems
        )
    }
}

extension Route {
    /// Every status that a request to this route may be answered with.
    package var statuses: [Int] {
        var all = Set(text.successes + text.problems + [413, 414, 431])
        if scope != nil { all.formUnion([400, 401, 403, 422, 429, 503]) }
        if isCommand { all.insert(412) }
        if body == .none { all.insert(400) }
        if body == .json || body == .optionalJson { all.insert(415) }
        return all.sorted()
    }

    var text: OperationText {
        switch self {
        case .createPayment:
            .command(
                .payments,
                "Create a payment",
                .init(schema: "CreatePayment", example: Examples.createPayment),
                answer: "Payment",
                successes: [200, 201, 202]
            )
        case .listPayments: .reading(.payments, "List and search payments, newest first", answer: "PaymentPage")
        case .getPayment:
            .reading(.payments, "Read a payment", answer: "Payment", successes: [200, 304], problems: [404, 412])
        case .confirmPayment: .command(.payments, "Tell what the app's SDK said", "Claim", Examples.claim)
        case .capturePayment: .command(.payments, "Capture what is held", "Capture", Examples.part)
        case .voidPayment: .command(.payments, "Give a hold back, or cancel an unpaid payment", "Part", [:])
        case .completeDelivery:
            .command(.payments, "Tell the provider that all is delivered", "Delivery", Examples.delivery)
        case .refundPayment: .command(.payments, "Refund what was captured", "Refund", Examples.part)
        case .syncPayment: .command(.payments, "Ask the provider how the payment stands", "Empty", [:])
        case .paymentEvents: .reading(.payments, "Read a payment's log", answer: "EventPage", problems: [404])
        case .paymentReadModel:
            .reading(.payments, "Read a payment's row in the read model", answer: "PaymentRow", problems: [404])
        case .nextAction:
            .reading(.device, "Read what the payer must do now", answer: "NextAction", problems: [404])
        case .appParameters:
            .command(
                .device,
                "Get the object that the app's SDK needs",
                .init(schema: "Empty", example: [:]),
                answer: "AppParameters",
                successes: [200],
                problems: [404, 409, 410]
            )
        case .signature:
            .command(
                .device,
                "Sign the string that the SDK made",
                .init(schema: "DeviceString", example: Examples.deviceString),
                answer: "Signature",
                successes: [200],
                problems: [404, 409, 410]
            )
        case .createTransfer:
            .command(
                .transfers,
                "Create a transfer to another card",
                .init(schema: "CreateTransfer", example: Examples.createTransfer),
                answer: "Transfer",
                successes: [200, 201, 202]
            )
        case .listTransfers: .reading(.transfers, "List and search transfers, newest first", answer: "TransferPage")
        case .getTransfer:
            .reading(.transfers, "Read a transfer", answer: "Transfer", successes: [200, 304], problems: [404, 412])
        case .confirmTransfer:
            .command(.transfers, "Tell what the app's SDK said", "Claim", Examples.transferClaim, answer: "Transfer")
        case .syncTransfer:
            .command(.transfers, "Ask the provider how the transfer stands", "Empty", [:], answer: "Transfer")
        case .transferAppParameters:
            .command(
                .transfers,
                "Get the object that the app's SDK needs",
                .init(schema: "Empty", example: [:]),
                answer: "AppParameters",
                successes: [200],
                problems: [404, 409, 410]
            )
        case .transferNextAction:
            .reading(.transfers, "Read what the payer must do now", answer: "NextAction", problems: [404])
        case .transferEvents: .reading(.transfers, "Read a transfer's log", answer: "EventPage", problems: [404])
        case .addTransferEvidence:
            .command(
                .operations,
                "Add what a person found out about a transfer",
                "AddEvidence",
                Examples.evidence,
                answer: "Transfer"
            )
        case .proposeTransferResolution:
            .command(
                .operations,
                "Propose how an open question about a transfer is settled",
                "Proposal",
                Examples.proposal,
                answer: "Transfer"
            )
        case .approveTransferResolution:
            .command(
                .operations,
                "Approve another person's proposal about a transfer",
                "Approval",
                Examples.approval,
                answer: "Transfer"
            )
        case .createSchedule:
            .command(
                .schedules,
                "Register a recurring payment",
                .init(schema: "CreateSchedule", example: ScheduleSchemas.example),
                answer: "Schedule",
                successes: [200, 201, 202]
            )
        case .previewSchedule:
            .command(
                .schedules,
                "See when a rule falls due",
                .init(schema: "PreviewSchedule", example: ["rule": ScheduleSchemas.exampleRule, "count": 3]),
                answer: "SchedulePreview",
                successes: [200],
                problems: []
            )
        case .getClock: .reading(.schedules, "Read a test merchant's own clock", answer: "Clock", problems: [404])
        case .ownClock:
            .command(
                .schedules,
                "Take a clock of its own for a test merchant",
                .init(schema: "OwnClock", example: [:]),
                answer: "Clock",
                successes: [200, 201]
            )
        case .advanceClock:
            .command(
                .schedules,
                "Send a test merchant's clock on its way",
                .init(schema: "AdvanceClock", example: ["to": "2099-01-31T12:00:00Z"]),
                answer: "Clock",
                successes: [202],
                problems: [404, 409]
            )
        case .listSchedules:
            .reading(.schedules, "List schedules, newest first or by next run", answer: "SchedulePage")
        case .getSchedule: .reading(.schedules, "Read a schedule", answer: "Schedule", problems: [404])
        case .listOccurrences:
            .reading(
                .schedules,
                "Read what became of each occurrence",
                answer: "OccurrencePage",
                problems: [404]
            )
        case .previewOccurrences:
            .reading(.schedules, "See what a schedule charges next", answer: "SchedulePreview", problems: [404])
        case .scheduleEvents: .reading(.schedules, "Read a schedule's log", answer: "EventPage", problems: [404])
        case .listDunning:
            .reading(.schedules, "List the dunning policies that schedules may name", answer: "DunningPolicyPage")
        case .listZones:
            .reading(.schedules, "List the time zones that schedules are planned by", answer: "ZonePage")
        case .listCalendars:
            .reading(.schedules, "List the business calendars that rules may name", answer: "BusinessCalendarPage")
        case .keepDunning:
            .command(
                .schedules,
                "Keep a dunning policy as the next version of its name",
                .init(schema: "KeepDunningPolicy", example: PolicySchemas.example),
                answer: "DunningPolicy",
                successes: [200],
                problems: []
            )
        case .changeSchedule:
            .command(
                .schedules,
                "Change amount, rule, instrument or the next date",
                "ChangeSchedule",
                ["amount": ["value": 2499, "currency": "EUR"]],
                answer: "Schedule"
            )
        case .pauseSchedule:
            .command(.schedules, "Pause a schedule", "PauseSchedule", [:], answer: "Schedule")
        case .resumeSchedule:
            .command(.schedules, "Resume a schedule", "ResumeSchedule", [:], answer: "Schedule")
        case .cancelSchedule:
            .command(.schedules, "Cancel a schedule", "PauseSchedule", [:], answer: "Schedule")
        case .runOccurrence:
            .command(.schedules, "Charge an occurrence now", "RunOccurrence", [:], answer: "Schedule")
        case .openDispute: .command(.operations, "Record a dispute", "OpenDispute", Examples.dispute)
        case .winDispute: .command(.operations, "Record that a dispute was won", "EndDispute", [:])
        case .loseDispute: .command(.operations, "Record that a dispute was lost", "EndDispute", [:])
        case .addEvidence:
            .command(.operations, "Add what a person found out", "AddEvidence", Examples.evidence)
        case .proposeResolution:
            .command(.operations, "Propose how an open question is settled", "Proposal", Examples.proposal)
        case .approveResolution:
            .command(.operations, "Approve another person's proposal", "Approval", Examples.approval)
        case .listUnresolved:
            .reading(.operations, "List payments and transfers that are owed something", answer: "UnresolvedPage")
        case .configureAccount:
            .command(
                .configuration,
                "Make or reconfigure an account",
                .init(schema: "ConfigureAccount", example: Examples.account),
                answer: "Account"
            )
        case .listAccounts: .reading(.configuration, "List the accounts", answer: "AccountPage")
        case .testConnection:
            .command(
                .configuration,
                "Ask the provider whether the account's credentials work",
                .init(schema: "Empty", example: [:]),
                answer: "ConnectionTest",
                successes: [200],
                problems: [404]
            )
        case .openSession:
            .command(
                .device,
                "Open a session of the provider's kit for one payer's app",
                .init(schema: "OpenSession", example: Examples.session),
                answer: "ClientSession",
                successes: [200],
                problems: [404]
            )
        case .listProducts: .products("List the ways to pay at an account", "ProductList")
        case .getProduct: .products("Read one way to pay with its fields", "Product")
        case .checkFields:
            .command(
                .device,
                "Run a product's rules on what the payer entered, card data excepted",
                .init(schema: "CheckFields", example: Examples.fields),
                answer: "FieldCheck",
                successes: [200],
                problems: [404]
            )
        case .cardPrefix:
            .command(
                .device,
                "Ask what a card's first six to eight digits tell",
                .init(schema: "CardPrefixQuestion", example: Examples.cardPrefix),
                answer: "CardPrefix",
                successes: [200],
                problems: [404]
            )
        case .getRouting: .reading(.configuration, "Read the routing", answer: "Routing")
        case .getRoutes: .reading(.configuration, "Read the rules of routing, and the breakers", answer: "Routes")
        case .setRoutes:
            .command(
                .configuration,
                "Set the rules of routing",
                .init(schema: "SetRoutes", example: Examples.routes),
                answer: "Routes"
            )
        case .explainRoute:
            .command(
                .configuration,
                "Explain which account a payment takes",
                .init(schema: "ExplainRoute", example: Examples.explain),
                answer: "RouteExplanation",
                successes: [200],
                problems: [404]
            )
        case .setRouting:
            .command(
                .configuration,
                "Set the routing",
                .init(schema: "SetRouting", example: Examples.routing),
                answer: "Routing"
            )
        case .listInstruments:
            .reading(.configuration, "List saved credentials, newest first", answer: "InstrumentPage")
        case .getInstrument:
            .reading(.configuration, "Read a saved credential", answer: "Instrument", problems: [404])
        case .removeInstrument:
            .command(.configuration, "Remove a saved credential", nil, answer: "Instrument", problems: [404, 409])
        case .checkInstrument:
            .command(
                .configuration,
                "Ask the provider whether it still keeps a saved credential",
                nil,
                answer: "Instrument",
                problems: [404, 409]
            )
        case .inboxOutcome:
            .reading(.entrances, "Read what became of an enqueued command", answer: "InboxOutcome", problems: [404])
        case .notification:
            .reading(.entrances, "Take a provider's notification", answer: nil, problems: [400, 404, 422, 429, 503])
        case .browserReturn:
            .reading(.entrances, "Tell the payer that we are checking", answer: nil, problems: [404, 422])
        case .bankReturn: .reading(.entrances, "Take what the payer's bank posts", answer: nil, problems: [404, 422])
        case .openApi: .reading(.service, "Read this document", answer: "Document")
        case .health: .reading(.service, "Tell whether the process lives", answer: "Health")
        case .readiness:
            .reading(.service, "Tell whether requests can be served", answer: "Readiness", problems: [503])
        case .metrics: .reading(.service, "Read the metrics", answer: nil, problems: [404])
        }
    }
}
