package import Http
package import Kernel
package import Payments
package import ProviderKit
package import Schedules

/// Portmone.com: payer pages and a mobile SDK, server calls for holds and refunds, notifications without a signature.
package struct PortmoneAdapter: Adapter {
    package init() {}

    package let declaration = PortmoneDeclaration.declaration

    package var states: StateDiagram { PortmoneStates.moves.diagram }

    package var view: ProviderView { PortmoneStates.view() }

    package func open(_ settings: AccountSettings) throws(SettingsFailure) -> any Sendable {
        try PortmoneSettings(settings.values)
    }

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
            throw PlanFailure(code: "reference_invalid", detail: "a bill number has at most 120 plain characters")
        }
        switch dispatch.purpose {
        case .handover: return try handover(dispatch, order)
        case .query: return Gateway.status(dispatch, order)
        case .auxiliary(let kind):
            throw PlanFailure(
                code: "errand_not_supported",
                detail: "the provider takes no request for \(kind.rawValue)"
            )
        case .operation(let kind):
            switch kind {
            case .sale, .authorize, .tokenize, .transfer, .verify:
                if let completion = dispatch.completion { return try JsonApi.confirmation(completion, dispatch, order) }
                try order.check()
                switch order.way {
                case .page: return try LinkPayment.plan(dispatch, order)
                case .transferPage: return try JsonApi.transfer(dispatch, order)
                case .wallet: return try JsonApi.wallet(dispatch, order)
                case .sdk: throw PlanFailure(code: "operation_not_supported", detail: "the SDK begins this payment")
                }
            case .capture: return try Gateway.capture(dispatch, order)
            case .void: return try Gateway.void(dispatch, order)
            case .refund: return try Gateway.refund(dispatch, order)
            case .refundReversal:
                throw PlanFailure(code: "operation_not_supported", detail: "the provider takes no such request")
            }
        }
    }

    private func handover(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        try order.check()
        guard let opened = dispatch.order else { return try SdkParameters.plan(dispatch, order) }
        return RequestTemplate(
            method: "GET",
            url: order.settings.gatewayUrl,
            content: order.handover(of: opened, dispatch),
            signing: Signing.address.rawValue
        )
    }

    package func finish(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest {
        let contentType: String
        let body: [UInt8]
        switch Signing(rawValue: template.signing) {
        case .link:
            contentType = "application/json"
            body = try Finisher.link(template.content, materials).compactBytes
        case .call:
            contentType = "application/json"
            body = try Finisher.call(template.content, materials).compactBytes
        case .plain:
            contentType = "application/json"
            body = try (template.content["body"] ?? .null).opened(with: materials).compactBytes
        case .form:
            contentType = "application/x-www-form-urlencoded"
            body = Array(try Finisher.form(template.content, materials).utf8)
        case .bills:
            contentType = "application/json"
            body = try (template.content["body"] ?? .null).opened(with: materials).compactBytes
        case .address, .sdk, nil: throw FinishFailure.malformedTemplate("not a request")
        }
        return OutgoingRequest(
            method: .post,
            url: template.url,
            headers: HttpHeaders([("Accept", "application/json, text/xml"), ("Content-Type", contentType)]),
            body: body,
            deadline: declaration.requestDeadline
        )
    }

    package func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        switch Signing(rawValue: template.signing) {
        case .address:
            let opened = try template.content.opened(with: materials)
            if opened["url"] == nil, opened["acsUrl"] != nil { return .parameters(opened) }
            guard let url = opened["url"]?.text, WebAddress.isAbsolute(url) else {
                throw FinishFailure.malformedTemplate("no address")
            }
            return .redirect(url: url)
        case .sdk: return .parameters(try template.content.opened(with: materials))
        case .link, .call, .plain, .form, .bills, nil: throw FinishFailure.malformedTemplate("not a handover")
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
        NoticeAuthentication.verdict(request, settings, secrets)
    }

    package func reply(_ verdict: NotificationVerdict) -> HttpResponse { NoticeReply.xml(verdict) }

    package func reply(_ verdict: NotificationVerdict, to request: HttpRequest) -> HttpResponse {
        NoticeReply.answer(verdict, to: request)
    }

    package func returnedClaim(_ fields: [(name: String, value: String)], of issued: IssuedPayment) -> Json? {
        guard let answer = fields.first(where: { $0.name == "PaRes" })?.value, !answer.isEmpty else { return nil }
        return ["call": "threeDSecure", "billNumber": .string(issued.reference), "paRes": .string(answer)]
    }

    package func appResult(_ body: Json) throws(ClaimFailure) -> AppClaim { try SdkClaim(body).claim }

    package func appResult(_ body: Json, of issued: IssuedPayment) throws(ClaimFailure) -> AppClaim {
        try SdkClaim(body).held(against: issued)
    }
}
