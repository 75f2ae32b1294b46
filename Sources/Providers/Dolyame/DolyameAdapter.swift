package import Http
package import Kernel
package import Payments
package import ProviderKit

/// Dolyame: an order paid in instalments, opened by a request of ours for a browser and by the SDK for an app.
///
/// Each order is an agreement of its own that its payer signs: there is nothing to charge again.
package struct DolyameAdapter: DeviceAdapter {
    package init() {}

    package let declaration = DolyameDeclaration.declaration

    package var states: StateDiagram { DolyameStates.moves.diagram }

    package var view: ProviderView { DolyameStates.view() }

    package var settings: any AccountReading.Type { DolyameSettings.self }

    package func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities {
        try DolyameSettings.of(settings).capabilities
    }

    package func requestRate(_ settings: AccountSettings) -> RequestRate? {
        (try? DolyameSettings.of(settings)).map { RequestRate(perSecond: $0.requestsPerSecond) }
    }

    package var payerMethod: PayerMethod { .instalments }

    /// One position of the whole amount: the provider opens no order without any, and speaks Russian alone.
    package func details(of order: PageOrder) -> Json {
        let item: Json = ["name": .string(order.title), "price": .string(order.amount.decimal), "quantity": 1]
        return ["items": [item], "payer": ["email": .string(order.email)]]
    }

    package func check(_ terms: PaymentTerms, _ settings: AccountSettings, at now: Timestamp) throws(PlanFailure) {
        try Order(terms, settings).check()
    }

    package func checkPlain(_ details: Json, for method: PaymentMethod) throws(PlanFailure) {
        do throws(SchemaFailure) { _ = try Details(details) } catch {
            throw PlanFailure(details: error)
        }
    }

    package func carried(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) -> CarriedDetails {
        Carried.members(use, details)
    }

    /// The SDK opens its order itself, and a second one under the same id would be refused.
    package func opening(_ terms: PaymentTerms, _ settings: AccountSettings) -> Opening {
        terms.method == .sdk ? .handover : .request
    }

    package func plan(_ dispatch: PlannedDispatch, _ context: PlanContext) throws(PlanFailure) -> RequestTemplate {
        let order = try Order(context.terms, context.settings)
        switch dispatch.purpose {
        case .handover: return try Handover.template(dispatch, order)
        case .query: return try FollowUp.query(dispatch, order)
        case .auxiliary(.completeDelivery): return try FollowUp.completeDelivery(dispatch, order)
        case .auxiliary(.cancelOrder): return try FollowUp.void(dispatch, order)
        case .operation(let kind):
            switch kind {
            case .sale, .authorize:
                guard opening(context.terms, context.settings) == .request else { throw .unsupported(kind) }
                return try OpeningRequest.template(dispatch, order)
            case .capture: return try FollowUp.capture(dispatch, order)
            case .void: return try FollowUp.void(dispatch, order)
            case .refund: return try FollowUp.refund(dispatch, order)
            case .verify, .tokenize, .transfer, .refundReversal: throw .unsupported(kind)
            }
        }
    }

    package func finish(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest {
        try Finishing.request(template, materials, deadline: declaration.requestDeadline)
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
        NotificationAuthentication.verdict(request, settings)
    }

    package func reply(_ verdict: NotificationVerdict, to request: HttpRequest) -> HttpResponse {
        NotificationAuthentication.reply(verdict)
    }

    package func appResult(_ body: Json, of issued: IssuedPayment?) throws(ClaimFailure) -> AppClaim {
        try AppResult.claim(body)
    }
}
