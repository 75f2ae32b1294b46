package import Http
package import Kernel
package import Payments
package import ProviderKit
package import Schedules

/// Dolyame: an order paid in instalments, opened by a request of ours for a browser and by the SDK for an app.
package struct DolyameAdapter: Adapter {
    package init() {}

    package let declaration = DolyameDeclaration.declaration

    package var states: StateDiagram { DolyameStates.moves.diagram }

    package var view: ProviderView { DolyameStates.view() }

    package func open(_ settings: AccountSettings) throws(SettingsFailure) -> any Sendable {
        try DolyameSettings(settings.values)
    }

    package func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities {
        try DolyameSettings.of(settings).capabilities
    }

    package func requestRate(_ settings: Json) -> RequestRate? {
        (try? DolyameSettings(settings)).map { RequestRate(perSecond: $0.requestsPerSecond) }
    }

    package func check(_ terms: PaymentTerms, _ settings: AccountSettings, at now: Timestamp) throws(PlanFailure) {
        try Purchase(terms, settings).check()
    }

    package func checkPlain(_ details: Json, for method: PaymentMethod) throws(PlanFailure) {
        do throws(SchemaFailure) { _ = try Details(details) } catch {
            throw PlanFailure(details: error)
        }
    }

    package func carried(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) -> CarriedDetails {
        Carried.members(use, details)
    }

    /// Each order is an agreement of its own that its payer signs: there is nothing to charge again.
    package func recurrence(_ settings: AccountSettings) -> RecurrenceLimits { .none }

    /// The SDK opens its order itself, and a second one under the same id would be refused.
    package func opening(_ terms: PaymentTerms, _ settings: AccountSettings) -> Opening {
        terms.method == .sdk ? .handover : .request
    }

    package func plan(_ dispatch: PlannedDispatch, _ context: PlanContext) throws(PlanFailure) -> RequestTemplate {
        let purchase = try Purchase(context.terms, context.settings)
        switch dispatch.purpose {
        case .handover: return try Handover.template(dispatch, purchase)
        case .query: return try Partner.info(dispatch, purchase)
        case .auxiliary(.completeDelivery): return try Partner.completeDelivery(dispatch, purchase)
        case .auxiliary(.cancelOrder): return try Partner.cancel(dispatch, purchase)
        case .operation(let kind):
            switch kind {
            case .sale, .authorize:
                guard opening(context.terms, context.settings) == .request else { throw Self.unsupported(kind) }
                return try Partner.create(dispatch, purchase)
            case .capture: return try Partner.commit(dispatch, purchase)
            case .void: return try Partner.cancel(dispatch, purchase)
            case .refund: return try Partner.refund(dispatch, purchase)
            case .verify, .tokenize, .transfer, .refundReversal: throw Self.unsupported(kind)
            }
        }
    }

    private static func unsupported(_ kind: OperationKind) -> PlanFailure {
        PlanFailure(code: "operation_not_supported", detail: "the provider takes no request for \(kind.rawValue)")
    }

    package func finish(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest {
        try Finishing.request(template, materials, deadline: declaration.requestDeadline)
    }

    package func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        try Finishing.handover(template, materials)
    }

    package func interpret(_ observation: Observation, _ context: InterpretContext) -> [Fact] {
        Interpretation.facts(observation, context)
    }

    package func authenticate(
        _ request: HttpRequest,
        _ settings: AccountSettings,
        _ secrets: AccountSecrets
    ) -> Authentication {
        NotificationGate.verdict(request, settings)
    }

    package func reply(_ verdict: NotificationVerdict) -> HttpResponse { NotificationGate.reply(verdict) }

    package func appResult(_ body: Json) throws(ClaimFailure) -> AppClaim { try SdkResult.claim(body) }
}
