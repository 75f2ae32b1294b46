import Kernel

/// The Payment Page: opening it, showing it, and what the payer clicks.
extension EcommpaySimulator {
    /// A signed form address was opened.
    ///
    /// 1. The parameters and the signature are checked; a refusal is a page with every violation.
    /// 2. A payment that exists shows how it stands; another amount for its id is refused.
    /// 3. Otherwise the form waits for the payer. An amount of `EcommpayMagicAmount` pays by itself.
    mutating func formOpened(_ pairs: [(name: String, value: String)]) -> SandboxAnswer {
        let parameters: PaymentPageParameters
        do throws(PaymentPageViolations) {
            parameters = try PaymentPageParameters(pairs: pairs, projects: projects)
        } catch {
            return .page(400, EcommpayPages.refused(error.violations))
        }
        let form = EcommpayForm(id: nextFormId(), parameters, openedAt: now)
        if let order = form.order, let payment = payments[order.key] {
            guard payment.order.amount == order.amount, payment.order.firstOperation == order.firstOperation else {
                let violation = PaymentPageParameters.Violation(parameter: "payment_id", code: .repeated)
                return .page(409, EcommpayPages.refused([violation]))
            }
            if let known = formOfPayment[order.key] { return .seeOther("/payment/form/\(known)") }
        }
        forms[form.id] = form
        if let order = form.order {
            formOfPayment[order.key] = form.id
            if payments[order.key] == nil, !isExpired(form), let magic = EcommpayMagicAmount(order.amount) {
                attemptStarted(order, plan: magic.plan, card: order.presetCard ?? .visaChallenge)
            }
        }
        return .seeOther("/payment/form/\(form.id)")
    }

    private mutating func nextFormId() -> String {
        "f" + Uuid(high: core.random.next(), low: UInt64(core.count())).compact
    }

    func isExpired(_ form: EcommpayForm) -> Bool { form.bestBefore.map { $0 <= now } ?? false }

    /// The page of a form as things stand, or the way out where the merchant wants an automatic one.
    func formShown(_ id: String) -> SandboxAnswer {
        guard let form = forms[id] else { return .page(404, Html.message("No such form", "Open it again.")) }
        let payment = form.order.flatMap { payments[$0.key] }
        let exit = currentExit(of: form, payment)
        if let exit, exit.isAutomatic { return .seeOther(exit.url) }
        let view = EcommpayFormView(
            form: form,
            payment: payment,
            exit: exit,
            isExpired: payment == nil && isExpired(form),
            mayTryAgain: payment?.mayTryAgain(at: now) ?? true,
            secondsLeft: payment?.attemptsEnd.map { max(0, $0.microseconds - now.microseconds) / 1_000_000 } ?? 0
        )
        return .page(200, EcommpayPages.form(view))
    }

    /// Where the payer goes from here, once there is nothing left to do.
    private func currentExit(of form: EcommpayForm, _ payment: EcommpayPayment?) -> EcommpayForm.Exit? {
        switch form.token {
        case .made: return form.tokenized ?? form.success ?? form.comeBack
        case .refused: return form.fail ?? form.comeBack
        case .open, .running: break
        }
        guard let payment else { return form.isAbandoned ? form.comeBack : nil }
        switch payment.rest {
        case .success, .awaitingCapture, .reversed, .partiallyReversed, .refunded, .partiallyRefunded:
            return form.success ?? form.comeBack
        case .decline, .cancelled, .canceled, .expired: return form.fail ?? form.comeBack
        case .processing, .externalProcessing, .awaiting3ds, .awaitingRedirect, .awaitingCustomer,
            .awaitingCustomerAction, .awaitingClarification, .error, .internalError, .externalError, .unheardOf:
            return form.isAbandoned ? form.comeBack : nil
        }
    }

    /// The payer clicked.
    mutating func formSent(_ id: String, _ fields: [String: String], wantsPage: Bool) -> SandboxAnswer {
        guard forms[id] != nil else { return .page(404, Html.message("No such form", "Open it again.")) }
        let card = fields["card"].flatMap(EcommpayTestCard.init)
        let action = fields["action"] ?? ""
        do throws(EcommpayStepRefusal) {
            if action == "pay" {
                try payPressed(id, card: card)
            } else if let step = EcommpayStep(spelling: action) {
                try stepPlayed(step, onForm: id, code: fields["code"], card: card)
            } else {
                return .page(400, Html.message("Unknown action", "The form has no such button."))
            }
        } catch {
            return .page(409, Html.message("Not now", "The payment does not allow that: \(error.rawValue)."))
        }
        return .seeOther("/payment/form/\(id)")
    }

    /// Pays as the chosen card does.
    private mutating func payPressed(_ id: String, card: EcommpayTestCard?) throws(EcommpayStepRefusal) {
        guard let form = forms[id] else { throw .unknownPayment }
        let chosen = card ?? form.order?.presetCard ?? .visaApproved
        let plan = chosen.plan
        guard let step = plan.steps.first else { throw .wrongState }
        try stepPlayed(step, onForm: id, code: plan.code, card: chosen)
    }

    /// Plays a step on a form, whether or not its payment exists already.
    mutating func stepPlayed(
        _ step: EcommpayStep,
        onForm id: String,
        code: String?,
        card: EcommpayTestCard?
    ) throws(EcommpayStepRefusal) {
        guard let form = forms[id] else { throw .unknownPayment }
        if form.mode == .tokenize { return try tokenizePlayed(step, form, card: card) }
        guard let order = form.order else { throw .unknownPayment }
        if payments[order.key] != nil {
            try stepPlayed(step, on: order.key, code: code, card: card)
            if step == .abandon { forms[id]?.isAbandoned = true }
            return
        }
        guard !isExpired(form) else { throw .formExpired }
        switch step {
        case .abandon: forms[id]?.isAbandoned = true
        case .approve, .decline, .declineRetry, .threeDS, .redirect, .clarification, .customerAction,
            .externalProcessing, .internalError, .externalError, .unknownStatus, .formError, .expire:
            let plan = EcommpayPlan([step], codeText: code ?? EcommpayCode.insufficientFunds.text)
            attemptStarted(order, plan: plan, card: order.presetCard ?? card ?? .visaApproved)
            forms[id]?.isAbandoned = false
        case .pass, .fail, .dashboardCapture, .dashboardRefund, .dashboardHalfRefund, .autoRelease, .manualDecline:
            throw .wrongState
        }
    }

    // MARK: Tokens on request

    private mutating func tokenizePlayed(
        _ step: EcommpayStep,
        _ form: EcommpayForm,
        card: EcommpayTestCard?
    ) throws(EcommpayStepRefusal) {
        guard form.token == .open else { throw .wrongState }
        guard !isExpired(form) else { throw .formExpired }
        switch step {
        case .approve, .threeDS:
            forms[form.id]?.token = .running(card ?? .visaApproved, approves: true)
            add(.tokenize(form: form.id), after: timings.execution)
        case .decline, .declineRetry:
            forms[form.id]?.token = .running(card ?? .visaApproved, approves: false)
            add(.tokenize(form: form.id), after: timings.execution)
        case .abandon: forms[form.id]?.isAbandoned = true
        case .redirect, .clarification, .customerAction, .externalProcessing, .internalError, .externalError,
            .unknownStatus, .formError, .expire, .pass, .fail, .dashboardCapture, .dashboardRefund,
            .dashboardHalfRefund, .autoRelease, .manualDecline:
            throw .wrongState
        }
    }

    /// The token is there, or refused; only a token is told to the merchant.
    mutating func tokenizeDue(_ id: String) {
        guard let form = forms[id], case .running(let card, let approves) = form.token else { return }
        guard approves else {
            forms[id]?.token = .refused
            return
        }
        let token = card.token(project: form.project)
        forms[id]?.token = .made(token)
        announceToken(token, card, project: form.project, customerId: form.customerId, url: form.callbackUrl)
    }

    mutating func announceToken(
        _ token: String,
        _ card: EcommpayTestCard,
        project: Int64,
        customerId: String?,
        url: String?
    ) {
        let body = Json.compact([
            ("general", .compact([("project_id", .integer(project))])),
            (
                "card",
                .compact([
                    ("number", .string(card.masked)), ("exp_month", 11), ("exp_year", 2030),
                    ("holder", "TEST CARDHOLDER"),
                ])
            ),
            (
                "request",
                .compact([
                    ("id", .string(nextRequestId())), ("action", "tokenize"), ("status", "success"),
                ])
            ),
            ("customer", customerId.map { .compact([("id", .string($0))]) }), ("token", .string(token)),
            ("token_status", "active"), ("token_created_at", .string(EcommpaySimulator.date(now))),
        ])
        announceOther(body, project: project, url: url, about: "token active", inGeneral: true)
    }
}
