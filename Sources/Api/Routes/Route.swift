import EventSourcing
package import Http
import Kernel
package import ProviderKit

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
    case listZones, listCalendars
    case inboxOutcome
    case notification, browserReturn, bankReturn
    case openApi, health, readiness, metrics

    package var method: HttpMethod { facts.method }
    package var pattern: String { facts.pattern }
    /// What a key must allow; `nil` where no key is asked for.
    package var scope: Scope? { facts.scope }
    /// Whether it changes something, so that an idempotency key is needed.
    package var isCommand: Bool { facts.isCommand }
    /// Whether it is decided at once and for good: nothing is asked of a provider.
    var isImmediate: Bool { facts.isImmediate }
    /// Whether it has parameters in its query; other keyed routes take none.
    package var readsQuery: Bool { facts.readsQuery }
    /// What a request may bring along.
    package var body: BodyRule { facts.body }
    /// Members of the body that hold ids of ours: one of the right form is no card number.
    var identifiers: [JsonPath] { facts.identifiers }

    /// Whether machines call it every few seconds to know how the daemon is.
    var isProbe: Bool { [.health, .readiness, .metrics].contains(self) }

    /// How much a request may bring along; a notification as much as its provider's adapter declares.
    package func bodyBytes(of adapter: (any Adapter)? = nil) -> Int {
        if self == .notification { return adapter?.declaration.notificationBytes ?? Limits.notificationBodyBytes }
        return self == .confirmPayment || self == .confirmTransfer ? Limits.reportBodyBytes : Limits.apiBodyBytes
    }

    /// Whether what it changes has an `ETag`, which `If-Match` may name.
    var hasVersion: Bool { isCommand && (pattern.contains("{payment}") || pattern.contains("{transfer}")) }

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
