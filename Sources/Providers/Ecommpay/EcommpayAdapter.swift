package import Http
package import Kernel
package import Payments
package import ProviderKit
package import Schedules

/// ecommpay: Payment Page and mobile SDK for the payer, Gate for the server, signed callbacks.
package struct EcommpayAdapter: DeviceAdapter, SeriesAdapter {
    package static let secretKeyName = "secretKey"

    package init() {}

    package let declaration = EcommpayDeclaration.declaration

    package var states: StateDiagram { EcommpayStates.moves.diagram }

    package var view: ProviderView { EcommpayStates.view() }

    package var settings: any AccountReading.Type { EcommpaySettings.self }

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

    package let seriesKinds = Set(RecurringTerms.Kind.allCases)

    /// Tells what an account can do with series: the platform debits them by itself, or we do.
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
        try SeriesTerms.enrol(payment, in: schedule, try EcommpaySettings.planning(settings))
    }

    package func registration(of schedule: ScheduleTerms, _ settings: AccountSettings) throws(PlanFailure)
        -> RecurringTerms
    {
        try SeriesTerms.registration(schedule, zone: try EcommpaySettings.planning(settings).seriesZone)
    }

    package func readSeries(_ answer: MessageAnswer, _ ask: SeriesAsk, _ settings: AccountSettings) -> SeriesOutcome {
        SeriesAnswer.outcome(answer, ask)
    }

    package func plan(_ dispatch: PlannedDispatch, _ context: PlanContext) throws(PlanFailure) -> RequestTemplate {
        let order = try Order(context.terms, context.settings, token: context.instrumentToken)
        switch dispatch.purpose {
        case .handover: return try Handover.template(dispatch, order)
        case .query: return FollowUp.query(dispatch, order)
        case .auxiliary(let kind): throw .unsupported(kind)
        case .operation(let kind):
            switch kind {
            case .capture: return try FollowUp.capture(dispatch, order)
            case .void: return try FollowUp.void(dispatch, order)
            case .refund: return try FollowUp.refund(dispatch, order)
            case .sale, .authorize, .verify: return try OpeningRequest.template(kind, dispatch, order)
            case .tokenize, .transfer, .refundReversal:
                throw .unsupported(kind)
            }
        }
    }

    package func plan(_ request: SeriesRequest, _ context: SeriesContext) throws(PlanFailure) -> RequestTemplate {
        let settings = try EcommpaySettings.planning(context.settings)
        guard let series = Int64(context.series), series > 0 else {
            throw PlanFailure(code: "series_invalid", detail: "a series is known by a number")
        }
        let own = context.registeredBy
        switch request {
        case .debit(let amount, let customer, let reference):
            guard settings.currencies.contains(amount.currency.code) else {
                throw PlanFailure.currencyNotSupported("the account does not take \(amount.currency.code)")
            }
            let payer: [(String, Json)] = [("id", .string(customer))]
            return SeriesCall.debit(series, amount, payer, under: reference, context.settings, settings)
        case .update(let terms): return SeriesCall.update(series, terms, under: own, context.settings, settings)
        case .cancel: return SeriesCall.cancel(series, under: own, context.settings, settings)
        }
    }

    package func finish(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest {
        try Finishing.request(template, materials, deadline: declaration.requestDeadline)
    }

    package func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        try Handover.render(template, materials)
    }

    package func sign(
        _ deviceString: String,
        _ template: RequestTemplate,
        _ materials: Materials
    ) throws(SignatureRefusal) -> String {
        try Handover.sign(deviceString, template, materials)
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

    package let claimIdentifiers: Set<JsonPath> = ["token"]

    package func appResult(_ body: Json, of issued: IssuedPayment?) throws(ClaimFailure) -> AppClaim {
        let result = try AppResult(body)
        return try issued.map { issued throws(ClaimFailure) in try result.held(against: issued) } ?? result.claim
    }
}
