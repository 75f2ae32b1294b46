package import Http
package import Kernel
package import Payments
package import ProviderKit
package import Schedules

/// Sber's internet acquiring in both its dialects, with SberPay in the bank's app and SDK.
package struct SberPayAdapter: DeviceAdapter, RecurringAdapter, CredentialAdapter {
    /// The password of the API user, or the token that stands for user and password.
    package static let apiSecretName = "apiSecret"
    /// The key that the SDK on the payer's device is started with.
    static let sdkKeyName = "sdkApiKey"
    /// The token that callbacks' checksums are made with.
    package static let callbackKeyName = "callbackToken"

    package init() {}

    package let declaration = SberPayDeclaration.declaration

    package var states: StateDiagram { SberPayStates.moves.diagram }

    package var view: ProviderView { SberPayStates.view() }

    package var settings: any AccountReading.Type { SberPaySettings.self }

    package func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities {
        let parsed = try SberPaySettings.of(settings)
        try parsed.checkKey()
        return parsed.capabilities
    }

    package var payerMethod: PayerMethod { .sberpay }

    package func check(_ terms: PaymentTerms, _ settings: AccountSettings, at now: Timestamp) throws(PlanFailure) {
        let order = try Order(terms, settings, binding: nil)
        try order.check()
        try order.checkMandate(at: now)
    }

    package func checkPlain(_ details: Json, for method: PaymentMethod) throws(PlanFailure) {
        do throws(SchemaFailure) { _ = try Details(details) } catch {
            throw PlanFailure(details: error)
        }
    }

    package func carried(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) -> CarriedDetails {
        (try? SberPaySettings.of(settings)).map { Carried.members(use, details, $0) } ?? .everything
    }

    /// A mandate names 1 to 28 days between two debits; its last day is the payer's to name.
    package func recurrence(_ settings: AccountSettings) -> RecurrenceLimits {
        guard let values = try? SberPaySettings.of(settings), values.methods.contains(.instrument) else { return .none }
        return RecurrenceLimits(
            unattended: values.unattended,
            minimumDays: Mandates.days,
            amounts: 1...FieldRules.greatestAmount
        )
    }

    package func enrol(_ payment: PaymentTerms, in schedule: ScheduleTerms, _ settings: AccountSettings)
        throws(PlanFailure) -> PaymentTerms
    {
        try Mandates.enrol(payment, in: schedule)
    }

    /// The gateway opens an order, or charges a binding, before the payer's device has anything to do.
    package func opening(_ terms: PaymentTerms, _ settings: AccountSettings) -> Opening { .request }

    package func plan(_ dispatch: PlannedDispatch, _ context: PlanContext) throws(PlanFailure) -> RequestTemplate {
        let order = try Order(context.terms, context.settings, binding: context.instrumentToken)
        switch dispatch.purpose {
        case .handover: return try Handover.template(dispatch, order)
        case .query: return FollowUp.query(dispatch, order)
        case .auxiliary(let kind): throw .unsupported(kind)
        case .operation(let kind):
            switch kind {
            case .sale, .authorize, .verify, .tokenize: return try OpeningRequest.template(dispatch, order)
            case .capture: return try FollowUp.capture(dispatch, order)
            case .void: return try FollowUp.void(dispatch, order)
            case .refund: return try FollowUp.refund(dispatch, order)
            case .transfer, .refundReversal:
                throw .unsupported(kind, by: "the gateway")
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
        NotificationAuthentication.verdict(request, settings, secrets)
    }

    package let claimIdentifiers: Set<JsonPath> = ["localSessionId", "bankInvoiceId", "paymentToken", "paymentTokenId"]

    package func appResult(_ body: Json, of issued: IssuedPayment?) throws(ClaimFailure) -> AppClaim {
        // No setting but the default host depends on the account's mode.
        let settings = issued.flatMap { try? SberPaySettings($0.settings, in: .live) }
        return try AppResult.claim(body, tokenPay: settings?.tokenPay ?? false)
    }
}
