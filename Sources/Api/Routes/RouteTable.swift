import Http
import Kernel

/// What is fixed about a route: its address, who may call it, and what a request brings along.
struct RouteFacts: Sendable {
    let method: HttpMethod
    let pattern: String
    /// What a key must allow; `nil` where no key is asked for.
    let scope: Scope?
    let body: BodyRule
    /// Whether it changes something, so that an idempotency key is needed.
    var isCommand = false
    /// Whether it is decided at once and for good: nothing is asked of a provider.
    var isImmediate = false
    /// Whether it has parameters in its query; other keyed routes take none.
    var readsQuery = false
    /// Members of the body that hold ids of ours: one of the right form is no card number.
    var identifiers: [JsonPath] = []

    fileprivate static func reading(_ pattern: String, scope: Scope = .read, query: Bool = false) -> RouteFacts {
        RouteFacts(method: .get, pattern: pattern, scope: scope, body: .none, readsQuery: query)
    }

    fileprivate static func command(
        _ pattern: String,
        method: HttpMethod = .post,
        scope: Scope = .commands,
        body: BodyRule = .json,
        ids: [JsonPath] = []
    ) -> RouteFacts {
        RouteFacts(method: method, pattern: pattern, scope: scope, body: body, isCommand: true, identifiers: ids)
    }

    /// The same, decided at once and for good.
    fileprivate var atOnce: RouteFacts {
        var facts = self
        facts.isImmediate = true
        return facts
    }

    /// A question with a body, or a change that may be made twice.
    fileprivate static func asking(
        _ pattern: String,
        method: HttpMethod = .post,
        scope: Scope,
        body: BodyRule = .json,
        ids: [JsonPath] = []
    ) -> RouteFacts {
        RouteFacts(method: method, pattern: pattern, scope: scope, body: body, identifiers: ids)
    }

    /// For providers, browsers and probes.
    fileprivate static func open(_ pattern: String, method: HttpMethod = .get, body: BodyRule = .none) -> RouteFacts {
        RouteFacts(method: method, pattern: pattern, scope: nil, body: body)
    }
}

extension Route {
    var facts: RouteFacts {
        guard let facts = Self.table[self] else { preconditionFailure("\(self) is not in the table") }
        return facts
    }

    private static let table: [Route: RouteFacts] = [
        .createPayment: .command("/v1/payments", ids: ["instrument", "schedule"]),
        .listPayments: .reading("/v1/payments", query: true),
        .getPayment: .reading("/v1/payments/{payment}"),

        .confirmPayment: .command("/v1/payments/{payment}/confirm"),
        .capturePayment: .command("/v1/payments/{payment}/capture", body: .optionalJson),
        .completeDelivery: .command("/v1/payments/{payment}/complete-delivery", body: .optionalJson),
        .voidPayment: .command("/v1/payments/{payment}/void", body: .optionalJson),
        .refundPayment: .command("/v1/payments/{payment}/refund", body: .optionalJson, ids: ["capture"]),
        .syncPayment: .command("/v1/payments/{payment}/sync", body: .optionalJson),

        .appParameters: .asking("/v1/payments/{payment}/app-parameters", scope: .commands, body: .optionalJson),
        .signature: .asking("/v1/payments/{payment}/signature", scope: .commands),
        .nextAction: .reading("/v1/payments/{payment}/next-action"),

        .paymentEvents: .reading("/v1/payments/{payment}/events", scope: .audit, query: true),
        .paymentReadModel: .reading("/v1/payments/{payment}/read-model"),

        .createTransfer: .command("/v1/transfers", ids: ["instrument"]),
        .listTransfers: .reading("/v1/transfers", query: true),
        .getTransfer: .reading("/v1/transfers/{transfer}"),
        .confirmTransfer: .command("/v1/transfers/{transfer}/confirm"),
        .syncTransfer: .command("/v1/transfers/{transfer}/sync", body: .optionalJson),

        .transferAppParameters: .asking(
            "/v1/transfers/{transfer}/app-parameters",
            scope: .commands,
            body: .optionalJson
        ),
        .transferNextAction: .reading("/v1/transfers/{transfer}/next-action"),
        .transferEvents: .reading("/v1/transfers/{transfer}/events", scope: .audit, query: true),

        .addTransferEvidence: .command("/v1/transfers/{transfer}/evidence", scope: .admin).atOnce,
        .proposeTransferResolution: .command(
            "/v1/transfers/{transfer}/resolutions",
            scope: .admin,
            ids: ["verdict.operation"]
        ).atOnce,
        .approveTransferResolution: .command(
            "/v1/transfers/{transfer}/resolutions/{resolution}/approve",
            scope: .admin
        ),

        .openDispute: .command("/v1/payments/{payment}/disputes", ids: ["capture"]).atOnce,
        .winDispute: .command("/v1/payments/{payment}/disputes/{dispute}/won", body: .optionalJson).atOnce,
        .loseDispute: .command("/v1/payments/{payment}/disputes/{dispute}/lost", body: .optionalJson).atOnce,

        .addEvidence: .command("/v1/payments/{payment}/evidence", scope: .admin).atOnce,
        .proposeResolution: .command("/v1/payments/{payment}/resolutions", scope: .admin, ids: ["verdict.operation"])
            .atOnce,
        .approveResolution: .command("/v1/payments/{payment}/resolutions/{resolution}/approve", scope: .admin),
        .listUnresolved: .reading("/v1/operations/unresolved", scope: .audit, query: true),

        .configureAccount: .command("/v1/accounts", scope: .admin).atOnce,
        .listAccounts: .reading("/v1/accounts"),
        .getRouting: .reading("/v1/routing"),
        .setRouting: .command("/v1/routing", method: .put, scope: .admin, ids: ["accounts.*"]).atOnce,

        .testConnection: .asking("/v1/accounts/{account}/test-connection", scope: .admin, body: .optionalJson),
        .openSession: .asking("/v1/accounts/{account}/sessions", scope: .commands, ids: ["instruments.*"]),
        .listProducts: .reading("/v1/accounts/{account}/products", query: true),
        .getProduct: .reading("/v1/accounts/{account}/products/{product}", query: true),
        .checkFields: .asking("/v1/accounts/{account}/products/{product}/checks", scope: .read),
        .cardPrefix: .asking("/v1/accounts/{account}/card-prefixes", scope: .read),

        .getRoutes: .reading("/v1/routes"),
        .setRoutes: .command(
            "/v1/routes",
            method: .put,
            scope: .admin,
            ids: ["rules.*.to.*.account", "rules.*.then.*"]
        ).atOnce,
        .explainRoute: .asking("/v1/routes/explain", scope: .read, body: .optionalJson, ids: ["payment"]),

        .listInstruments: .reading("/v1/instruments", query: true),
        .getInstrument: .reading("/v1/instruments/{instrument}"),
        .removeInstrument: .command("/v1/instruments/{instrument}", method: .delete, body: .none).atOnce,
        .checkInstrument: .command("/v1/instruments/{instrument}/check", body: .none),

        .getClock: .reading("/v1/clock"),
        .ownClock: .asking("/v1/clock", method: .put, scope: .admin, body: .optionalJson),
        .advanceClock: .asking("/v1/clock/advance", scope: .admin),

        .createSchedule: .command("/v1/schedules", ids: ["instrument", "fallback"]),
        .listSchedules: .reading("/v1/schedules", query: true),
        .previewSchedule: .asking("/v1/schedules/preview", scope: .read),
        .getSchedule: .reading("/v1/schedules/{schedule}"),
        .changeSchedule: .command("/v1/schedules/{schedule}/change", ids: ["instrument", "fallback"]),

        .pauseSchedule: .command("/v1/schedules/{schedule}/pause", body: .optionalJson),
        .resumeSchedule: .command("/v1/schedules/{schedule}/resume", body: .optionalJson),
        .cancelSchedule: .command("/v1/schedules/{schedule}/cancel", body: .optionalJson),
        .runOccurrence: .command("/v1/schedules/{schedule}/run", body: .optionalJson),

        .listOccurrences: .reading("/v1/schedules/{schedule}/occurrences", query: true),
        .previewOccurrences: .reading("/v1/schedules/{schedule}/preview", query: true),
        .scheduleEvents: .reading("/v1/schedules/{schedule}/events", scope: .audit, query: true),

        .listDunning: .reading("/v1/dunning-policies"),
        .keepDunning: .asking("/v1/dunning-policies/{policy}", method: .put, scope: .admin),
        .listZones: .reading("/v1/zones"),
        .listCalendars: .reading("/v1/calendars"),

        .inboxOutcome: .reading("/v1/inbox/{inbox}"),

        .notification: .open("/v1/notifications/{provider}/{merchant}/{account}", method: .post, body: .raw),
        .browserReturn: .open("/v1/return/{merchant}/{account}/{reference}"),
        .bankReturn: .open("/v1/return/{merchant}/{account}/{reference}", method: .post, body: .raw),

        .openApi: .open("/openapi.json"),
        .health: .open("/healthz"),
        .readiness: .open("/readyz"),
        .metrics: .open("/metrics"),
    ]
}
