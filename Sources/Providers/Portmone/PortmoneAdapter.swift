package import Http
package import Kernel
package import Payments
package import ProviderKit
package import Schedules

/// Portmone.com: payer pages and a mobile SDK, server calls for holds and refunds, notifications without a signature.
package struct PortmoneAdapter: DeviceAdapter, RecurringAdapter {
    package init() {}

    package let declaration = PortmoneDeclaration.declaration

    package var states: StateDiagram { PortmoneStates.moves.diagram }

    package var view: ProviderView { PortmoneStates.view() }

    package var settings: any AccountReading.Type { PortmoneSettings.self }

    package func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities {
        try PortmoneSettings.of(settings).capabilities(in: settings.account.mode)
    }

    package func check(_ terms: PaymentTerms, _ settings: AccountSettings, at now: Timestamp) throws(PlanFailure) {
        try Order(terms, settings, token: nil).check()
    }

    package func checkPlain(_ details: Json, for method: PaymentMethod) throws(PlanFailure) {
        // No form of ours has a separator or a length that only the plain value shows; the schema is all there is.
        do throws(SchemaFailure) { _ = try Details(details, currency: Amounts.hryvnia) } catch {
            throw PlanFailure(details: error)
        }
    }

    package func carried(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) -> CarriedDetails {
        (try? PortmoneSettings.of(settings)).map { Carried.members(use, $0) } ?? .everything
    }

    /// A saved card asks its payer, on the page or in the SDK: no payment goes without, so a series is taken only where the
    /// merchant chose that each of its payments is confirmed.
    package func recurrence(_ settings: AccountSettings) -> RecurrenceLimits {
        guard let values = try? PortmoneSettings.of(settings), values.methods.contains(.hosted) else { return .none }
        return RecurrenceLimits(unattended: false)
    }

    package func opening(_ terms: PaymentTerms, _ settings: AccountSettings) -> Opening {
        guard let order = try? Order(terms, settings, token: nil) else { return .request }
        switch order.way {
        case .sdk: return .handover
        case .page, .transferPage, .wallet: return .request
        }
    }

    package func plan(_ dispatch: PlannedDispatch, _ context: PlanContext) throws(PlanFailure) -> RequestTemplate {
        let order = try Order(
            context.terms,
            context.settings,
            token: context.instrumentToken,
            mask: context.instrumentMask
        )
        guard Order.isNumber(dispatch.paymentReference) else {
            throw PlanFailure.referenceInvalid("a bill number has at most 120 plain characters")
        }
        switch dispatch.purpose {
        case .handover: return try Handover.template(dispatch, order)
        case .query: return FollowUp.query(dispatch, order)
        case .auxiliary(let kind): throw .unsupported(kind)
        case .operation(let kind):
            switch kind {
            case .sale, .authorize, .tokenize, .transfer, .verify:
                return try OpeningRequest.template(dispatch, order)
            case .capture: return try FollowUp.capture(dispatch, order)
            case .void: return try FollowUp.void(dispatch, order)
            case .refund: return try FollowUp.refund(dispatch, order)
            case .refundReversal:
                throw PlanFailure.operationNotSupported("the provider takes no such request")
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

    package func reply(_ verdict: NotificationVerdict, to request: HttpRequest) -> HttpResponse {
        NotificationReply.answer(verdict, to: request)
    }

    package func returnedClaim(_ fields: [(name: String, value: String)], of issued: IssuedPayment) -> Json? {
        guard let answer = fields.first(where: { $0.name == "PaRes" })?.value, !answer.isEmpty else { return nil }
        return ["call": "threeDSecure", "billNumber": .string(issued.reference), "paRes": .string(answer)]
    }

    package let claimIdentifiers: Set<JsonPath> = [
        "bill.contractNumber", "bill.billId", "bill.token", "bill.recieptUrl", "fields.*", "paRes",
    ]

    package let onceClaimPaths: [JsonPath] = ["paRes"]

    package func appResult(_ body: Json, of issued: IssuedPayment?) throws(ClaimFailure) -> AppClaim {
        let claim = try AppResult(body)
        return try issued.map { issued throws(ClaimFailure) in try claim.held(against: issued) } ?? claim.claim
    }
}
