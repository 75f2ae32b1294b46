import Kernel
import Payments
import Projections
import Schedules

/// The parameters of a route: its path, its query, its headers.
enum Parameters {
    static func of(_ route: Route) -> [Json] { path(route) + query(route) + headers(route) }

    private static func path(_ route: Route) -> [Json] {
        route.pattern.split(separator: "/").filter { $0.hasPrefix("{") }.map { segment in
            let name = String(segment.dropFirst().dropLast())
            let schema: Json
            switch name {
            case "transfer": schema = Schema.id("trf")
            case "payment": schema = Schema.id("pay")
            case "schedule": schema = Schema.id("sch")
            case "dispute": schema = Schema.id("dsp")
            case "instrument": schema = Schema.id("ins")
            case "product": schema = Schema.integer(from: 1, to: 99_999)
            case "merchant":
                schema = Schema.text("The merchant's name or number.", atMost: Limits.identifierBytes)
            case "account":
                schema = Schema.text("The account's name or id.", atMost: AccountConfiguration.nameCharacters)
            case "inbox", "resolution": schema = Schema.uuid
            case "reference": schema = Schema.pattern("^[A-Za-z0-9-]{1,30}$")
            case "policy": schema = Schema.pattern("^[a-z][a-z0-9._-]{0,\(DunningPolicy.nameBytes - 1)}$")
            default: schema = Schema.pattern("^[a-z0-9]{1,64}$")
            }
            return ["name": .string(name), "in": "path", "required": true, "schema": schema]
        }
    }

    private static func query(_ route: Route) -> [Json] {
        let page: [(String, Json)] = [
            ("limit", Schema.integer(from: 1, to: Int64(Limits.pageRows))),
            ("cursor", Schema.text("The member next of an earlier page.", atMost: Limits.identifierBytes)),
        ]
        let filters: [(String, Json)]
        switch route {
        case .listPayments, .listTransfers:
            filters =
                [
                    ("status", Schema.words(PaymentStatus.self)),
                    ("reference", Schema.text(atMost: Limits.identifierBytes)),
                    ("customer", Schema.text(atMost: Limits.identifierBytes)),
                    ("account", Schema.text("The account's name.", atMost: AccountConfiguration.nameCharacters)),
                    ("createdFrom", Schema.time), ("createdBefore", Schema.time), ("needsOperator", Schema.flag),
                    ("disputed", Schema.flag),
                ] + page
        case .listInstruments:
            filters =
                [
                    ("customer", Schema.text(atMost: Limits.identifierBytes)),
                    ("status", Schema.words(InstrumentStatus.self)),
                    ("account", Schema.text("The account's name.", atMost: AccountConfiguration.nameCharacters)),
                ] + page
        case .listSchedules: filters = schedules + page
        case .listUnresolved: filters = [("needsOperator", Schema.flag)] + page
        case .paymentEvents, .transferEvents, .scheduleEvents, .listOccurrences:
            filters = [
                ("after", Schema.integer(from: 0, to: Int64(Int32.max))),
                ("limit", Schema.integer(from: 1, to: Int64(Limits.pageRows))),
            ]
        case .previewOccurrences:
            filters = [("count", Schema.integer(from: 1, to: Int64(ScheduleRule.previewedOccurrences)))]
        case .listProducts, .getProduct: filters = products
        case .createPayment, .getPayment, .confirmPayment, .capturePayment, .completeDelivery, .voidPayment,
            .refundPayment,
            .syncPayment, .appParameters, .signature, .nextAction, .paymentReadModel, .openDispute, .winDispute,
            .loseDispute, .addEvidence, .addTransferEvidence, .proposeResolution, .approveResolution, .configureAccount,
            .listAccounts, .testConnection,
            .openSession, .checkFields, .cardPrefix, .getRouting,
            .setRouting, .getInstrument, .removeInstrument, .checkInstrument, .inboxOutcome, .notification,
            .browserReturn, .openApi,
            .health, .readiness, .metrics, .createTransfer, .getTransfer, .confirmTransfer, .syncTransfer,
            .transferAppParameters, .transferNextAction, .proposeTransferResolution, .approveTransferResolution,
            .getRoutes, .setRoutes, .explainRoute, .bankReturn,
            .getClock, .ownClock, .advanceClock,
            .createSchedule, .previewSchedule, .getSchedule, .changeSchedule, .pauseSchedule, .resumeSchedule,
            .cancelSchedule, .runOccurrence, .listDunning, .keepDunning, .listZones, .listCalendars:
            filters = []
        }
        return filters.map { name, schema in
            let isNeeded = route.text.needed.contains(name)
            return ["name": .string(name), "in": "query", "required": .bool(isNeeded), "schema": schema]
        }
    }

    private static var schedules: [(String, Json)] {
        [
            ("status", Schema.words(ScheduleStatus.self)),
            ("customer", Schema.text(atMost: Limits.identifierBytes)),
            ("instrument", Schema.id("ins", "Charged by the series, or held in reserve by it.")),
            ("account", Schema.text("The account's name.", atMost: AccountConfiguration.nameCharacters)),
            ("reference", Schema.text(atMost: Limits.identifierBytes)), ("nextFrom", Schema.time),
            ("nextBefore", Schema.time), ("order", Schema.words(ScheduleQuery.Order.self)),
        ]
    }

    private static var products: [(String, Json)] {
        [
            ("currency", Schema.ref("CurrencyCode")), ("amount", Schema.integer()),
            ("country", Schema.pattern("^[A-Z]{2}$")), ("recurring", Schema.flag),
            ("language", Schema.text("A BCP 47 tag.", atMost: Limits.identifierBytes)),
            ("operation", Schema.text("The provider's word.", atMost: Limits.identifierBytes)),
            ("customer", Schema.text("Whose saved credentials may be listed.", atMost: Limits.identifierBytes)),
        ]
    }

    private static func headers(_ route: Route) -> [Json] {
        guard route.isCommand else { return [] }
        var headers: [Json] = [
            [
                "name": "Idempotency-Key", "in": "header", "required": true,
                "schema": .object(
                    JsonObject([
                        ("type", "string"), ("minLength", 1),
                        ("maxLength", .integer(Int64(Limits.idempotencyKeyBytes))),
                        ("pattern", "^[!-~]+$"),
                    ])
                ),
            ]
        ]
        if route.hasVersion {
            headers.append([
                "name": "If-Match", "in": "header", "required": false,
                "description": "The ETag that the command is meant for; at another version it is refused with 412.",
                "schema": ["type": "string", "examples": ["\"7\""]],
            ])
        }
        if route.text.showsPayment, !route.isImmediate {
            headers.append([
                "name": "Prefer", "in": "header", "required": false,
                "description": .string("wait=N waits for the outcome, at most \(Limits.waitSeconds) seconds."),
                "schema": ["type": "string", "examples": ["wait=10"]],
            ])
        }
        return headers
    }
}
