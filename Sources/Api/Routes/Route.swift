import EventSourcing
package import Http
import Kernel

/// One operation of the API: its method, its path, and who may call it.
package enum Route: String, Hashable, Sendable, CaseIterable {
    case createPayment, listPayments, getPayment
    case confirmPayment, capturePayment, completeDelivery, voidPayment, refundPayment, syncPayment
    case appParameters, signature, nextAction
    case paymentEvents, paymentReadModel
    case createTransfer, listTransfers, getTransfer, confirmTransfer, syncTransfer
    case transferAppParameters, transferNextAction, transferEvents
    case addTransferEvidence, proposeTransferResolution, approveTransferResolution
    case openDispute, winDispute, loseDispute
    case addEvidence, proposeResolution, approveResolution, listUnresolved
    case configureAccount, listAccounts, getRouting, setRouting
    case testConnection, openSession, listProducts, getProduct, checkFields, cardPrefix
    case getRoutes, setRoutes, explainRoute
    case listInstruments, getInstrument, removeInstrument, checkInstrument
    case getClock, ownClock, advanceClock
    case createSchedule, listSchedules, previewSchedule, getSchedule, changeSchedule
    case pauseSchedule, resumeSchedule, cancelSchedule, runOccurrence
    case listOccurrences, previewOccurrences, scheduleEvents
    case listDunning, keepDunning
    case inboxOutcome
    case notification, browserReturn, bankReturn
    case openApi, health, readiness, metrics

    package var method: HttpMethod {
        switch self {
        case .createSchedule, .previewSchedule, .changeSchedule, .pauseSchedule, .resumeSchedule, .cancelSchedule,
            .runOccurrence:
            .post
        case .getSchedule, .listSchedules, .getClock, .listOccurrences, .previewOccurrences, .scheduleEvents,
            .listDunning:
            .get
        case .ownClock, .keepDunning: .put
        case .advanceClock: .post
        case .createPayment, .confirmPayment, .capturePayment, .completeDelivery, .voidPayment, .refundPayment,
            .syncPayment,
            .appParameters, .signature, .openDispute, .winDispute, .loseDispute, .addEvidence, .addTransferEvidence,
            .proposeResolution,
            .approveResolution, .configureAccount, .notification, .bankReturn, .explainRoute, .createTransfer,
            .confirmTransfer,
            .syncTransfer,
            .transferAppParameters, .proposeTransferResolution, .approveTransferResolution, .testConnection,
            .openSession, .checkFields, .cardPrefix, .checkInstrument:
            .post
        case .listPayments, .getPayment, .nextAction, .paymentEvents, .paymentReadModel, .listUnresolved,
            .listAccounts, .getRouting, .getRoutes, .getInstrument, .inboxOutcome, .browserReturn, .openApi, .health,
            .readiness,
            .metrics, .listTransfers, .getTransfer, .transferNextAction, .transferEvents, .listProducts, .getProduct,
            .listInstruments:
            .get
        case .setRouting, .setRoutes: .put
        case .removeInstrument: .delete
        }
    }

    package var pattern: String {
        switch self {
        case .createPayment, .listPayments: "/v1/payments"
        case .getPayment: "/v1/payments/{payment}"
        case .confirmPayment: "/v1/payments/{payment}/confirm"
        case .capturePayment: "/v1/payments/{payment}/capture"
        case .voidPayment: "/v1/payments/{payment}/void"
        case .refundPayment: "/v1/payments/{payment}/refund"
        case .completeDelivery: "/v1/payments/{payment}/complete-delivery"
        case .syncPayment: "/v1/payments/{payment}/sync"
        case .appParameters: "/v1/payments/{payment}/app-parameters"
        case .signature: "/v1/payments/{payment}/signature"
        case .nextAction: "/v1/payments/{payment}/next-action"
        case .paymentEvents: "/v1/payments/{payment}/events"
        case .paymentReadModel: "/v1/payments/{payment}/read-model"
        case .createTransfer, .listTransfers: "/v1/transfers"
        case .getTransfer: "/v1/transfers/{transfer}"
        case .confirmTransfer: "/v1/transfers/{transfer}/confirm"
        case .syncTransfer: "/v1/transfers/{transfer}/sync"
        case .transferAppParameters: "/v1/transfers/{transfer}/app-parameters"
        case .transferNextAction: "/v1/transfers/{transfer}/next-action"
        case .transferEvents: "/v1/transfers/{transfer}/events"
        case .addTransferEvidence: "/v1/transfers/{transfer}/evidence"
        case .proposeTransferResolution: "/v1/transfers/{transfer}/resolutions"
        case .approveTransferResolution: "/v1/transfers/{transfer}/resolutions/{resolution}/approve"
        case .openDispute: "/v1/payments/{payment}/disputes"
        case .winDispute: "/v1/payments/{payment}/disputes/{dispute}/won"
        case .loseDispute: "/v1/payments/{payment}/disputes/{dispute}/lost"
        case .addEvidence: "/v1/payments/{payment}/evidence"
        case .proposeResolution: "/v1/payments/{payment}/resolutions"
        case .approveResolution: "/v1/payments/{payment}/resolutions/{resolution}/approve"
        case .listUnresolved: "/v1/operations/unresolved"
        case .configureAccount, .listAccounts: "/v1/accounts"
        case .testConnection: "/v1/accounts/{account}/test-connection"
        case .openSession: "/v1/accounts/{account}/sessions"
        case .listProducts: "/v1/accounts/{account}/products"
        case .getProduct: "/v1/accounts/{account}/products/{product}"
        case .checkFields: "/v1/accounts/{account}/products/{product}/checks"
        case .cardPrefix: "/v1/accounts/{account}/card-prefixes"
        case .getRouting, .setRouting: "/v1/routing"
        case .getRoutes, .setRoutes: "/v1/routes"
        case .explainRoute: "/v1/routes/explain"
        case .listInstruments: "/v1/instruments"
        case .getInstrument, .removeInstrument: "/v1/instruments/{instrument}"
        case .checkInstrument: "/v1/instruments/{instrument}/check"
        case .getClock, .ownClock: "/v1/clock"
        case .advanceClock: "/v1/clock/advance"
        case .createSchedule, .listSchedules: "/v1/schedules"
        case .previewSchedule: "/v1/schedules/preview"
        case .getSchedule: "/v1/schedules/{schedule}"
        case .changeSchedule: "/v1/schedules/{schedule}/change"
        case .pauseSchedule: "/v1/schedules/{schedule}/pause"
        case .resumeSchedule: "/v1/schedules/{schedule}/resume"
        case .cancelSchedule: "/v1/schedules/{schedule}/cancel"
        case .runOccurrence: "/v1/schedules/{schedule}/run"
        case .listOccurrences: "/v1/schedules/{schedule}/occurrences"
        case .previewOccurrences: "/v1/schedules/{schedule}/preview"
        case .scheduleEvents: "/v1/schedules/{schedule}/events"
        case .listDunning: "/v1/dunning-policies"
        case .keepDunning: "/v1/dunning-policies/{policy}"
        case .inboxOutcome: "/v1/inbox/{inbox}"
        case .notification: "/v1/notifications/{provider}/{merchant}/{account}"
        case .browserReturn, .bankReturn: "/v1/return/{merchant}/{account}/{reference}"
        case .openApi: "/openapi.json"
        case .health: "/healthz"
        case .readiness: "/readyz"
        case .metrics: "/metrics"
        }
    }

    /// What a key must allow; `nil` where no key is asked for.
    package var scope: Scope? {
        switch self {
        case .createSchedule, .changeSchedule, .pauseSchedule, .resumeSchedule, .cancelSchedule, .runOccurrence:
            .commands
        case .getSchedule, .listSchedules, .previewSchedule, .getClock, .listOccurrences, .previewOccurrences,
            .listDunning:
            .read
        case .ownClock, .advanceClock, .keepDunning: .admin
        case .createPayment, .confirmPayment, .capturePayment, .completeDelivery, .voidPayment, .refundPayment,
            .syncPayment,
            .appParameters, .signature, .openDispute, .winDispute, .loseDispute, .removeInstrument, .createTransfer,
            .checkInstrument, .confirmTransfer, .syncTransfer, .transferAppParameters, .openSession:
            .commands
        case .listPayments, .getPayment, .nextAction, .paymentReadModel, .listAccounts, .getRouting, .getRoutes,
            .explainRoute, .getInstrument,
            .inboxOutcome, .listTransfers, .getTransfer, .transferNextAction, .listProducts, .getProduct, .checkFields,
            .cardPrefix, .listInstruments:
            .read
        case .paymentEvents, .transferEvents, .scheduleEvents, .listUnresolved: .audit
        case .addEvidence, .addTransferEvidence, .proposeResolution, .approveResolution, .proposeTransferResolution,
            .approveTransferResolution,
            .configureAccount, .setRouting, .setRoutes, .testConnection:
            .admin
        case .notification, .browserReturn, .bankReturn, .openApi, .health, .readiness, .metrics: nil
        }
    }

    /// Whether it changes something, so that an idempotency key is needed.
    package var isCommand: Bool {
        switch self {
        case .getSchedule, .listSchedules, .previewSchedule, .getClock, .ownClock, .advanceClock, .listOccurrences,
            .previewOccurrences, .scheduleEvents, .listDunning, .keepDunning:
            false
        case .createPayment, .confirmPayment, .capturePayment, .completeDelivery, .voidPayment, .refundPayment,
            .syncPayment,
            .openDispute, .winDispute, .loseDispute, .addEvidence, .addTransferEvidence, .proposeResolution,
            .approveResolution, .configureAccount,
            .setRouting, .setRoutes, .removeInstrument, .checkInstrument, .createTransfer, .confirmTransfer,
            .syncTransfer,
            .proposeTransferResolution, .approveTransferResolution, .createSchedule, .changeSchedule,
            .pauseSchedule, .resumeSchedule, .cancelSchedule, .runOccurrence:
            true
        case .listPayments, .getPayment, .appParameters, .signature, .nextAction, .paymentEvents, .paymentReadModel,
            .listUnresolved, .listAccounts, .getRouting, .getRoutes, .explainRoute, .getInstrument, .inboxOutcome,
            .notification,
            .browserReturn, .openApi, .health, .readiness, .metrics, .listTransfers, .getTransfer,
            .transferAppParameters, .transferNextAction, .transferEvents,
            .testConnection, .openSession, .listProducts, .getProduct, .checkFields, .cardPrefix, .listInstruments,
            .bankReturn:
            false
        }
    }

    /// Whether it has parameters in its query; other keyed routes take none.
    package var readsQuery: Bool { Self.readingQueries.contains(self) }

    private static let readingQueries: Set<Route> = [
        .listPayments, .listTransfers, .listUnresolved, .paymentEvents, .transferEvents, .listProducts, .getProduct,
        .listInstruments, .listSchedules, .listOccurrences, .previewOccurrences, .scheduleEvents,
    ]

    /// How much a request may bring along.
    package var bodyBytes: Int {
        if self == .bankReturn { return Limits.apiBodyBytes }
        if body == .raw { return Limits.notificationBodyBytes }
        return self == .confirmPayment || self == .confirmTransfer ? Limits.reportBodyBytes : Limits.apiBodyBytes
    }

    /// What a request may bring along.
    package var body: BodyRule {
        switch self {
        case .createSchedule, .changeSchedule, .previewSchedule, .keepDunning: .json
        case .pauseSchedule, .resumeSchedule, .cancelSchedule, .runOccurrence: .optionalJson
        case .getSchedule, .listSchedules, .getClock, .listOccurrences, .previewOccurrences, .scheduleEvents,
            .listDunning:
            .none
        case .ownClock: .optionalJson
        case .advanceClock: .json
        case .createPayment, .confirmPayment, .signature, .openDispute, .addEvidence, .addTransferEvidence,
            .proposeResolution, .approveResolution,
            .configureAccount, .setRouting, .setRoutes, .createTransfer, .confirmTransfer, .proposeTransferResolution,
            .approveTransferResolution, .openSession, .checkFields, .cardPrefix:
            .json
        case .capturePayment, .completeDelivery, .voidPayment, .refundPayment, .syncPayment, .appParameters,
            .winDispute, .loseDispute, .syncTransfer, .transferAppParameters, .testConnection, .explainRoute:
            .optionalJson
        case .listPayments, .getPayment, .nextAction, .paymentEvents, .paymentReadModel, .listUnresolved,
            .listAccounts, .getRouting, .getRoutes, .getInstrument, .inboxOutcome, .browserReturn, .openApi, .health,
            .readiness,
            .metrics, .removeInstrument, .checkInstrument, .listTransfers, .getTransfer, .transferNextAction,
            .transferEvents,
            .listProducts, .getProduct, .listInstruments:
            .none
        case .notification, .bankReturn: .raw
        }
    }

    /// Members of the body that hold ids of ours: one of the right form is no card number.
    var identifiers: [JsonPath] {
        switch self {
        case .createPayment: ["instrument", "schedule"]
        case .createTransfer: ["instrument"]
        case .createSchedule, .changeSchedule: ["instrument", "fallback"]
        case .refundPayment, .openDispute: ["capture"]
        case .proposeResolution, .proposeTransferResolution: ["verdict.operation"]
        case .setRouting: ["accounts.*"]
        case .setRoutes: ["rules.*.to.*.account", "rules.*.then.*"]
        case .explainRoute: ["payment"]
        case .openSession: ["instruments.*"]
        case .confirmPayment, .capturePayment, .completeDelivery, .voidPayment, .syncPayment, .appParameters,
            .signature, .winDispute,
            .loseDispute, .addEvidence, .addTransferEvidence, .approveResolution, .configureAccount, .testConnection,
            .listProducts, .getProduct,
            .checkFields, .cardPrefix, .listPayments, .getPayment, .nextAction,
            .paymentEvents, .paymentReadModel, .listUnresolved, .listAccounts, .getRouting, .getRoutes, .getInstrument,
            .inboxOutcome, .browserReturn, .openApi, .health, .readiness, .metrics, .removeInstrument, .checkInstrument,
            .notification,
            .listTransfers, .getTransfer, .confirmTransfer, .syncTransfer, .transferAppParameters,
            .transferNextAction, .transferEvents, .approveTransferResolution, .listInstruments, .bankReturn,
            .getClock, .ownClock, .advanceClock, .previewSchedule, .getSchedule, .listSchedules, .pauseSchedule,
            .resumeSchedule, .cancelSchedule,
            .runOccurrence, .listOccurrences, .previewOccurrences, .scheduleEvents, .listDunning, .keepDunning:
            []
        }
    }

    /// The kind of stream that the route is about, where it is about a payment.
    var streamKind: StreamKind { pattern.hasPrefix("/v1/transfers") ? .transfer : .payment }

    /// Some providers call back with everything in the query.
    package static let router = Router<Route>(
        allCases.map { (method: $0.method, pattern: $0.pattern, route: $0) }
            + [(method: .get, pattern: Route.notification.pattern, route: .notification)]
    )
}

/// What a route takes as its body.
package enum BodyRule: Hashable, Sendable {
    case none
    /// An object; an empty body is an empty object.
    case optionalJson
    case json
    /// Bytes as they came, for somebody else to read.
    case raw
}
