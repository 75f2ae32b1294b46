package import Http
package import Kernel
package import Payments
package import ProviderKit
package import Schedules

/// Worldline Direct: the provider's hosted page, its app kit with encrypted input, saved cards, signed webhooks.
package struct WorldlineAdapter: DeviceAdapter, RecurringAdapter, CredentialAdapter, InquiryAdapter {
    package init() {}

    package let declaration = WorldlineDeclaration.declaration

    package var states: StateDiagram { WorldlineStates.moves.diagram }

    package var view: ProviderView { WorldlineStates.view() }

    package var settings: any AccountReading.Type { WorldlineSettings.self }

    package func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities {
        try WorldlineSettings.of(settings).capabilities
    }

    package func check(_ terms: PaymentTerms, _ settings: AccountSettings, at now: Timestamp) throws(PlanFailure) {
        let order = try Order(terms, settings, token: nil)
        try order.check()
        let latest = now.adding(WorldlineDeclaration.longestPage + WorldlineDeclaration.clockTolerance)
        guard terms.method == .hosted, terms.expiresAt > latest else { return }
        throw PlanFailure(code: "expiry_too_far", path: "expiresAt", detail: "a hosted page lives 24 hours at most")
    }

    package func checkPlain(_ details: Json, for method: PaymentMethod) throws(PlanFailure) {
        _ = try Order.read(details)
    }

    package func carried(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) -> CarriedDetails {
        Carried.members(use, details)
    }

    /// Series are charged by token where the account takes saved cards.
    package func recurrence(_ settings: AccountSettings) -> RecurrenceLimits {
        guard let values = try? WorldlineSettings.of(settings) else { return .none }
        return RecurrenceLimits(
            unattended: values.methods.contains(.instrument),
            amounts: 1...Order.Limits.amount
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
        let order = try Order(
            context.terms,
            context.settings,
            token: context.instrumentToken,
            reference: context.instrumentReference
        )
        switch dispatch.purpose {
        case .handover: return try Handover.template(dispatch, order)
        case .query: return try FollowUp.query(dispatch, order)
        case .auxiliary(let kind): throw .unsupported(kind)
        case .operation(let kind):
            switch kind {
            case .capture: return try FollowUp.capture(dispatch, order)
            case .void: return try FollowUp.void(dispatch, order)
            case .refund: return try FollowUp.refund(dispatch, order)
            case .sale, .authorize, .verify, .tokenize:
                try order.check()
                switch context.terms.method {
                case .hosted: return try OpeningRequest.hostedCheckout(dispatch, order)
                case .sdk, .instrument, .wallet: return try OpeningRequest.payment(dispatch, order)
                }
            case .transfer, .refundReversal:
                throw .unsupported(kind)
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
        NotificationAuthentication.verdict(request, settings, secrets)
    }

    package func probe(_ request: HttpRequest) -> HttpResponse? { EndpointVerification.answer(request) }

    package func appResult(_ body: Json, of issued: IssuedPayment?) throws(ClaimFailure) -> AppClaim {
        try AppResult.claim(body)
    }
}
