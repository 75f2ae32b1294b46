package import Http
package import Kernel
package import Payments
package import ProviderKit
package import Schedules

/// ecommpay: Payment Page and mobile SDK for the payer, Gate for the server, signed callbacks.
package struct EcommpayAdapter: Adapter {
    package static let secretKeyName = "secretKey"

    package init() {}

    package let declaration = EcommpayDeclaration.declaration

    package var states: StateDiagram { EcommpayStates.moves.diagram }

    package var view: ProviderView { EcommpayStates.view() }

    package func open(_ settings: AccountSettings) throws(SettingsFailure) -> any Sendable {
        try EcommpaySettings(settings.values)
    }

    package func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities {
        try EcommpaySettings.of(settings).capabilities
    }

    package func check(_ terms: PaymentTerms, _ settings: AccountSettings, at now: Timestamp) throws(PlanFailure) {
        let order = try Order(terms, settings, token: nil)
        try order.check()
        try order.checkDeadline(at: now)
    }

    package func checkPlain(_ details: Json, for method: PaymentMethod) throws(PlanFailure) {
        let details = try Order.read(details)
        if method.meetsPage { try Order.checkPageValues(details.personalTexts) }
    }

    package func carried(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) -> CarriedDetails {
        (try? EcommpaySettings.of(settings)).map { Carried.members(use, $0) } ?? .everything
    }

    /// The page and the SDK take the token, whatever the method.
    package func carriesInstrument(_ method: PaymentMethod) -> Bool { method != .wallet }

    /// The payer opens a page or an SDK, but for an occurrence of a schedule that the account may charge by token.
    package func opening(_ terms: PaymentTerms, _ settings: AccountSettings) -> Opening {
        guard terms.method == .instrument, let occurrence = terms.occurrence, occurrence.ordinal > 0,
            let values = try? EcommpaySettings.of(settings)
        else { return .handover }
        let isCharged = values.gateToken.path(terms.mode.operation) != nil || occurrence.series != nil
        return isCharged ? .request : .handover
    }

    /// What an account can do with series: the platform debits them by itself, or we do.
    ///
    /// We charge by token where the account has an address for that, else as debits of a series that the first payment
    /// registers. ecommpay counts 1 to 100 periods.
    package func recurrence(_ settings: AccountSettings) -> RecurrenceLimits {
        guard let values = try? EcommpaySettings.of(settings) else { return .none }
        let isUnattended = values.methods.contains(.instrument)
        return RecurrenceLimits(
            runners: [.paystream, .provider],
            unattended: isUnattended,
            intervals: RecurringTerms.intervals
        )
    }

    package func enrol(_ payment: PaymentTerms, in schedule: ScheduleTerms, _ settings: AccountSettings)
        throws(PlanFailure) -> PaymentTerms
    {
        try SeriesTerms.enrol(payment, in: schedule, try own(settings))
    }

    package func registration(of schedule: ScheduleTerms, _ settings: AccountSettings) throws(PlanFailure)
        -> RecurringTerms
    {
        try SeriesTerms.registration(schedule, zone: try own(settings).seriesZone)
    }

    package func readSeries(_ answer: MessageAnswer, _ ask: SeriesAsk, _ settings: AccountSettings) -> SeriesOutcome {
        SeriesAnswer.outcome(answer, ask)
    }

    private func own(_ settings: AccountSettings) throws(PlanFailure) -> EcommpaySettings {
        do throws(SettingsFailure) { return try EcommpaySettings.of(settings) } catch {
            throw PlanFailure(code: "account_settings_invalid", path: error.path, detail: error.reason)
        }
    }

    package func plan(_ dispatch: PlannedDispatch, _ context: PlanContext) throws(PlanFailure) -> RequestTemplate {
        let order = try Order(context.terms, context.settings, token: context.instrumentToken)
        switch dispatch.purpose {
        case .handover: return try handover(dispatch, order)
        case .query: return Gate.status(dispatch, order)
        case .auxiliary(let kind):
            throw PlanFailure(
                code: "errand_not_supported",
                detail: "the provider takes no request for \(kind.rawValue)"
            )
        case .operation(let kind):
            switch kind {
            case .capture: return try Gate.capture(dispatch, order)
            case .void: return try Gate.cancel(dispatch, order)
            case .refund: return try Gate.refund(dispatch, order)
            case .sale, .authorize, .verify:
                try order.check()
                if let series = order.debited(kind) { return try Gate.debit(series, dispatch, order) }
                return try Gate.byToken(kind, dispatch, order)
            case .tokenize, .transfer, .refundReversal:
                throw PlanFailure(
                    code: "operation_not_supported",
                    detail: "the provider takes no request for \(kind.rawValue)"
                )
            }
        }
    }

    package func plan(_ request: SeriesRequest, _ context: SeriesContext) throws(PlanFailure) -> RequestTemplate {
        let settings = try own(context.settings)
        guard let series = Int64(context.series), series > 0 else {
            throw PlanFailure(code: "series_invalid", detail: "a series is known by a number")
        }
        let own = context.registeredBy
        switch request {
        case .debit(let amount, let customer, let reference):
            guard settings.currencies.contains(amount.currency.code) else {
                throw PlanFailure(
                    code: "currency_not_supported",
                    path: "amount.currency",
                    detail: "the account does not take \(amount.currency.code)"
                )
            }
            let payer: [(String, Json)] = [("id", .string(customer))]
            return Gate.debit(series, amount, payer, under: reference, context.settings, settings)
        case .update(let terms): return Gate.update(series, terms, under: own, context.settings, settings)
        case .cancel: return Gate.cancel(series, under: own, context.settings, settings)
        }
    }

    private func handover(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        try order.check()
        if order.terms.method == .instrument, order.token == nil {
            throw PlanFailure(code: "instrument_missing", path: "instrument", detail: "there is no saved token")
        }
        guard order.isSdk else {
            return RequestTemplate(
                method: "GET",
                url: order.settings.paymentPageUrl,
                content: PaymentPage.parameters(dispatch, order),
                signing: Signing.page.text
            )
        }
        let style = SdkString.Style(tokenName: order.settings.sdkTokenName, booleans: order.settings.sdkBooleans)
        return RequestTemplate(
            method: "GET",
            url: order.settings.paymentPageUrl,
            content: SdkParameters.object(dispatch, order),
            signing: Signing.sdk(style).text
        )
    }

    package func finish(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest {
        guard Signing(template.signing) == .gate, template.method == "POST" else {
            throw FinishFailure.malformedTemplate("not a request of Gate")
        }
        let key = try materials.secretKey()
        guard var body = try template.content.opened(with: materials).members, var general = body["general"]?.members
        else { throw FinishFailure.malformedTemplate("no general member") }
        general["signature"] = .string(Signature.sign(.object(body), key: key))
        body["general"] = .object(general)
        return OutgoingRequest(
            method: .post,
            url: template.url,
            headers: HttpHeaders([("Accept", "application/json"), ("Content-Type", "application/json")]),
            body: Json.object(body).compactBytes,
            deadline: declaration.requestDeadline
        )
    }

    package func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        guard let signing = Signing(template.signing) else {
            throw FinishFailure.malformedTemplate("unknown signing")
        }
        let key = try materials.secretKey()
        let content = try template.content.opened(with: materials)
        switch signing {
        case .gate: throw FinishFailure.malformedTemplate("not a handover")
        case .page:
            for member in content.members?.members ?? [] {
                guard member.value.text?.utf8.contains(UInt8(ascii: ";")) != true else {
                    throw FinishFailure.malformedTemplate("semicolon in \(member.name)")
                }
            }
            guard let address = PaymentPage.address(template.url, content, key: key) else {
                throw FinishFailure.malformedTemplate("a parameter is no scalar")
            }
            return .redirect(url: address.url)
        case .sdk(let style):
            guard var object = content.members, let string = SdkString(content, style) else {
                throw FinishFailure.malformedTemplate("not an SDK object")
            }
            object["signature"] = .string(Signature.sign(string.text, key: key))
            return .parameters(.object(object))
        }
    }

    package func sign(
        _ deviceString: String,
        _ template: RequestTemplate,
        _ materials: Materials
    ) throws(SignatureRefusal) -> String {
        guard case .sdk(let style) = Signing(template.signing) else {
            throw SignatureRefusal(members: [], reason: "not_an_sdk_payment")
        }
        let key: Secret
        let content: Json
        do throws(FinishFailure) {
            key = try materials.secretKey()
            content = try template.content.opened(with: materials)
        } catch {
            switch error {
            case .missingSecret: throw SignatureRefusal(members: [], reason: "secret_missing")
            case .erased(let path): throw SignatureRefusal(members: [path], reason: "erased")
            case .malformedTemplate: throw SignatureRefusal(members: [], reason: "malformed_template")
            }
        }
        guard let string = SdkString(content, style) else {
            throw SignatureRefusal(members: [], reason: "malformed_template")
        }
        return Signature.sign(try string.rebuilt(from: deviceString), key: key)
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

    package func appResult(_ body: Json) throws(ClaimFailure) -> AppClaim { try SdkResult(body).claim }

    package func appResult(_ body: Json, of issued: IssuedPayment) throws(ClaimFailure) -> AppClaim {
        try SdkResult(body).held(against: issued)
    }
}
