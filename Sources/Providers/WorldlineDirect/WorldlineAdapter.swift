package import Http
package import Kernel
package import Payments
package import ProviderKit
package import Schedules

/// Worldline Direct: the provider's hosted page, its app kit with encrypted input, saved cards, signed webhooks.
package struct WorldlineAdapter: Adapter {
    package init() {}

    package let declaration = WorldlineDeclaration.declaration

    package var states: StateDiagram { WorldlineStates.moves.diagram }

    package var view: ProviderView { WorldlineStates.view() }

    package func open(_ settings: AccountSettings) throws(SettingsFailure) -> any Sendable {
        try WorldlineSettings(settings)
    }

    package func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities {
        try WorldlineSettings.of(settings).capabilities
    }

    package func check(_ terms: PaymentTerms, _ settings: AccountSettings, at now: Timestamp) throws(PlanFailure) {
        let purchase = try Purchase(terms, settings, token: nil)
        try purchase.check()
        let latest = now.adding(WorldlineDeclaration.longestPage + WorldlineDeclaration.clockTolerance)
        guard terms.method == .hosted, terms.expiresAt > latest else { return }
        throw PlanFailure(code: "expiry_too_far", path: "expiresAt", detail: "a hosted page lives 24 hours at most")
    }

    package func checkPlain(_ details: Json, for method: PaymentMethod) throws(PlanFailure) {
        _ = try Purchase.read(details)
    }

    package func carried(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) -> CarriedDetails {
        Carried.members(use, details)
    }

    /// Series are charged by token where the account takes saved cards.
    package func recurrence(_ settings: AccountSettings) -> RecurrenceLimits {
        guard let values = try? WorldlineSettings.of(settings) else { return .none }
        return RecurrenceLimits(
            unattended: values.methods.contains(.instrument),
            amounts: 1...Purchase.Limits.amount
        )
    }

    package func enrol(_ payment: PaymentTerms, in schedule: ScheduleTerms, _ settings: AccountSettings)
        throws(PlanFailure) -> PaymentTerms
    {
        try SeriesMarks.enrol(payment, in: schedule)
    }

    /// Every payment begins with a message of ours: the provider opens a page or a payment.
    package func opening(_ terms: PaymentTerms, _ settings: AccountSettings) -> Opening { .request }

    package func plan(_ dispatch: PlannedDispatch, _ context: PlanContext) throws(PlanFailure) -> RequestTemplate {
        let purchase = try Purchase(
            context.terms,
            context.settings,
            token: context.instrumentToken,
            reference: context.instrumentReference
        )
        switch dispatch.purpose {
        case .handover: return try Handover.template(dispatch, purchase)
        case .query: return try FollowUp.query(dispatch, purchase)
        case .auxiliary(let kind):
            throw PlanFailure(
                code: "errand_not_supported",
                detail: "the provider takes no request for \(kind.rawValue)"
            )
        case .operation(let kind):
            switch kind {
            case .capture: return try FollowUp.capture(dispatch, purchase)
            case .void: return try FollowUp.cancel(dispatch, purchase)
            case .refund: return try FollowUp.refund(dispatch, purchase)
            case .sale, .authorize, .verify, .tokenize:
                try purchase.check()
                switch context.terms.method {
                case .hosted: return try OpeningRequest.hostedCheckout(dispatch, purchase)
                case .sdk, .instrument, .wallet: return try OpeningRequest.payment(dispatch, purchase)
                }
            case .transfer, .refundReversal:
                throw PlanFailure(
                    code: "operation_not_supported",
                    detail: "the provider takes no request for \(kind.rawValue)"
                )
            }
        }
    }

    package func finish(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest {
        try Finishing.request(template, materials)
    }

    package func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        try Handover.render(template, materials)
    }

    package func interpret(_ observation: Observation, _ context: InterpretContext) -> [Fact] {
        Interpretation.facts(observation, context)
    }

    package func authenticate(
        _ request: HttpRequest,
        _ settings: AccountSettings,
        _ secrets: AccountSecrets
    ) -> Authentication {
        WebhookAuthentication.verdict(request, settings, secrets)
    }

    package func probe(_ request: HttpRequest) -> HttpResponse? { EndpointVerification.answer(request) }

    package func appResult(_ body: Json) throws(ClaimFailure) -> AppClaim { try AppResult.claim(body) }
}
