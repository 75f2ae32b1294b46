package import Http
package import Kernel
package import Payments
package import ProviderKit
package import Schedules

/// Sber's internet acquiring in both its dialects, with SberPay in the bank's app and SDK.
package struct SberPayAdapter: Adapter {
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

    package func open(_ settings: AccountSettings) throws(SettingsFailure) -> any Sendable {
        try SberPaySettings(settings)
    }

    package func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities {
        let parsed = try SberPaySettings.of(settings)
        try parsed.checkKey()
        return parsed.capabilities
    }

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
        case .query: return Gateway.status(dispatch, order)
        case .auxiliary(let kind):
            throw PlanFailure(
                code: "errand_not_supported",
                detail: "the provider takes no request for \(kind.rawValue)"
            )
        case .operation(let kind):
            switch kind {
            case .sale, .authorize, .verify, .tokenize: return try Registration.template(dispatch, order)
            case .capture: return try Gateway.deposit(dispatch, order)
            case .void: return try Gateway.reverse(dispatch, order)
            case .refund: return try Gateway.refund(dispatch, order)
            case .transfer, .refundReversal:
                throw PlanFailure(
                    code: "operation_not_supported",
                    detail: "the gateway takes no request for \(kind.rawValue)"
                )
            }
        }
    }

    package func finish(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest {
        guard let signing = Signing(template.signing), template.method == "POST" else {
            throw FinishFailure.malformedTemplate("not a request of the gateway")
        }
        let secret = try materials.text(Self.apiSecretName)
        guard let content = try template.content.opened(with: materials).members,
            let request = Wire.request(template, signing, secret, content, deadline: declaration.requestDeadline)
        else { throw FinishFailure.malformedTemplate("not a request of the gateway") }
        return request
    }

    package func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        guard let signing = Signing(template.signing) else { throw FinishFailure.malformedTemplate("unknown signing") }
        guard let content = try template.content.opened(with: materials).members else {
            throw FinishFailure.malformedTemplate("no object")
        }
        switch signing {
        case .request: throw FinishFailure.malformedTemplate("not a handover")
        case .link:
            guard let url = content["url"]?.text else { throw FinishFailure.malformedTemplate("no address") }
            return .redirect(url: url)
        case .sdk: return .parameters(try Handover.render(content, apiKey: try materials.text(Self.sdkKeyName)))
        }
    }

    package func interpret(_ observation: Observation, _ context: InterpretContext) -> [Fact] {
        Interpretation.facts(observation, context)
    }

    package func authenticate(
        _ request: HttpRequest,
        _ settings: AccountSettings,
        _ secrets: AccountSecrets
    ) -> Authentication {
        CallbackAuthentication.verdict(request, settings, secrets)
    }

    package func appResult(_ body: Json) throws(ClaimFailure) -> AppClaim {
        try SdkResult.claim(body, tokenPay: false)
    }

    package func appResult(_ body: Json, of issued: IssuedPayment) throws(ClaimFailure) -> AppClaim {
        // No setting but the default host depends on the account's mode.
        try SdkResult.claim(body, tokenPay: (try? SberPaySettings(issued.settings, .live).tokenPay) ?? false)
    }
}
