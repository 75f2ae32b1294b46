import Kernel

/// The numbers an SDK gives to the app; they differ from generation to generation.
package enum SdkGeneration: String, Hashable, Sendable, CaseIterable {
    case legacyIos, ios, android

    /// The SDK's word to the app; a hint for the screen, never a proof.
    package enum Result: String, Hashable, Sendable, CaseIterable {
        case success, decline, cancelled, error
    }

    package func code(_ result: Result) -> Int64 {
        switch (self, result) {
        case (.legacyIos, .success), (.ios, .success): 0
        case (.android, .success): 1
        case (_, .decline): 100
        case (.legacyIos, .cancelled): 301
        case (.ios, .cancelled), (.android, .cancelled): 200
        case (.legacyIos, .error): 501
        case (.ios, .error), (.android, .error): 500
        }
    }
}

/// A way in which the person with the app acts, and the SDK's word of it.
package enum AppScenario: String, Hashable, Sendable, CaseIterable {
    case approve, decline, clarification, cancel, error, amount
    case threeDS = "three_ds"
    case threeDSFailed = "three_ds_failed"
    case retryThenApprove = "retry_then_approve"
    /// The payer leaves after the money was taken: the number says cancelled, the money is gone.
    case cancelAfterCharge = "cancel_after_charge"
    /// The SDK breaks after the money was taken.
    case errorAfterCharge = "error_after_charge"
    /// The SDK says decline for a technical fault, and the payment succeeds later.
    case declineThenSuccess = "decline_then_success"

    /// The course at the platform; nothing where the form was never confirmed.
    var plan: EcommpayPlan? {
        switch self {
        case .approve, .cancelAfterCharge, .errorAfterCharge: EcommpayPlan([.approve])
        case .decline: EcommpayPlan([.decline])
        case .threeDS: EcommpayPlan([.threeDS, .pass])
        case .threeDSFailed: EcommpayPlan([.threeDS, .fail])
        case .clarification: EcommpayPlan([.clarification, .pass])
        case .retryThenApprove: EcommpayPlan([.declineRetry, .approve])
        case .declineThenSuccess: EcommpayPlan([.internalError, .pass])
        case .cancel, .error, .amount: nil
        }
    }

    var result: SdkGeneration.Result {
        switch self {
        case .approve, .threeDS, .clarification, .retryThenApprove, .amount: .success
        case .decline, .threeDSFailed, .declineThenSuccess: .decline
        case .cancel, .cancelAfterCharge: .cancelled
        case .error, .errorAfterCharge: .error
        }
    }
}

/// An app with the SDK in it, as far as a server can tell.
extension EcommpaySimulator {
    /// The object came to the SDK.
    ///
    /// 1. The documented preconditions are checked; a violation opens no form, and the app gets the error number.
    /// 2. The person acts as the scenario says.
    /// 3. The app gets the number of its generation; the merchant's server gets callbacks.
    mutating func appPresented(_ fields: ControlFields) -> SandboxAnswer {
        guard let generation = fields.text("sdk").flatMap(SdkGeneration.init) else {
            return .refused(422, "unknown_sdk", "sdk is legacyIos, ios or android.")
        }
        guard let scenario = AppScenario(rawValue: fields.text("scenario") ?? "approve") else {
            return .refused(422, "unknown_scenario", "The app has no such scenario.")
        }
        guard let json = fields.json["parameters"], json.members != nil else {
            return .refused(422, "missing_parameters", "parameters is the object for the SDK.")
        }
        let parameters = SdkParameters(json, projects: projects)
        guard parameters.violations.isEmpty, let project = parameters.projectId else {
            return appRefused(generation, parameters.violations)
        }
        let card = fields.text("card").flatMap(EcommpayTestCard.init) ?? .visaChallenge
        if parameters.action == .tokenize {
            return tokenizedInApp(parameters, project, generation, scenario, card)
        }
        guard let order = appOrder(parameters, project) else {
            return appRefused(generation, [SdkParameters.Violation(member: "paymentID", code: .missing)])
        }
        guard payments[order.key] == nil else {
            return appRefused(generation, [SdkParameters.Violation(member: "paymentID", code: .notAllowed)])
        }
        var plan = scenario.plan
        var result = scenario.result
        if scenario == .amount {
            let magic = EcommpayMagicAmount(order.amount)?.plan ?? EcommpayPlan([.approve])
            plan = magic
            result = EcommpaySimulator.hint(of: magic)
        }
        if let plan { attemptStarted(order, plan: plan, card: order.presetCard ?? card) }
        return appAnswer(generation, result, order)
    }

    /// The text that the SDK gives for signing.
    func appParameters(_ fields: ControlFields) -> SandboxAnswer {
        guard let json = fields.json["parameters"], json.members != nil else {
            return .refused(422, "missing_parameters", "parameters is the object for the SDK.")
        }
        let text = SdkParameters(json, projects: projects).signableTexts.first ?? ""
        return .json(200, .compact([("params", .string(text))]))
    }

    private func appOrder(_ parameters: SdkParameters, _ project: Int64) -> EcommpayOrder? {
        guard let id = parameters.paymentId, let amount = parameters.amount else { return nil }
        let json = parameters.json
        var order = EcommpayOrder(
            key: EcommpayPaymentKey(project: project, id: id),
            channel: .app,
            amount: amount
        )
        switch parameters.action {
        case .sale, .tokenize: order.firstOperation = .sale
        case .auth: order.firstOperation = .auth
        case .verify:
            order.firstOperation = .verification
            order.mode = .cardVerify
        }
        order.customerId = json["customerID"]?.text
        order.customerPhone = json["customerPhone"]?.text
        order.description = json["paymentDescription"]?.text
        order.forcedMethod = json["forcePaymentMethod"]?.text
        order.presetCard = json["token"]?.text.flatMap { EcommpayTestCard.withToken($0, project: project) }
        order.registersSeries = json["recurrentInfo"] != nil
        order.seriesTerms = Self.seriesTerms(json["recurrentInfo"] ?? [:])
        return order
    }

    /// The SDK's members under the names of the wire.
    private static func seriesTerms(_ info: Json) -> Json {
        let names = [
            "startDate": "start_date", "scheduledPaymentID": "scheduled_payment_id", "expiryDay": "expiry_day",
            "expiryMonth": "expiry_month", "expiryYear": "expiry_year",
        ]
        return .object(JsonObject((info.members?.members ?? []).map { (names[$0.name] ?? $0.name, $0.value) }))
    }

    private static func hint(of plan: EcommpayPlan) -> SdkGeneration.Result {
        switch plan.steps.last {
        case .approve, .pass, .dashboardCapture, .dashboardRefund, .dashboardHalfRefund, .autoRelease,
            .manualDecline:
            .success
        case .decline, .fail, .expire: .decline
        case .internalError, .externalError, .unknownStatus, .formError: .error
        case .declineRetry, .threeDS, .redirect, .clarification, .customerAction, .externalProcessing, .abandon,
            nil:
            .cancelled
        }
    }

    private mutating func tokenizedInApp(
        _ parameters: SdkParameters,
        _ project: Int64,
        _ generation: SdkGeneration,
        _ scenario: AppScenario,
        _ card: EcommpayTestCard
    ) -> SandboxAnswer {
        let result = scenario.result
        guard result == .success else { return appAnswer(generation, result, nil) }
        let token = card.token(project: project)
        announceToken(token, card, project: project, customerId: parameters.json["customerID"]?.text, url: nil)
        return .json([
            ("sdk", .string(generation.rawValue)), ("result", EcommpaySimulator.resultJson(generation, result)),
            ("token", .string(token)),
        ])
    }

    private static func resultJson(_ generation: SdkGeneration, _ result: SdkGeneration.Result) -> Json {
        .compact([("code", .integer(generation.code(result))), ("name", .string(result.rawValue))])
    }

    private func appRefused(_ generation: SdkGeneration, _ violations: [SdkParameters.Violation]) -> SandboxAnswer {
        let list = violations.map { violation in
            Json.compact([("member", .string(violation.member)), ("code", .string(violation.code.rawValue))])
        }
        return .json(
            422,
            .compact([
                ("sdk", .string(generation.rawValue)), ("result", EcommpaySimulator.resultJson(generation, .error)),
                ("violations", .array(list)),
            ])
        )
    }

    private func appAnswer(
        _ generation: SdkGeneration,
        _ result: SdkGeneration.Result,
        _ order: EcommpayOrder?
    ) -> SandboxAnswer {
        let shown: Json? = order.flatMap { order in
            guard payments[order.key] != nil, result == .success || result == .decline else { return nil }
            return .compact([
                ("status", .string(result == .success ? "success" : "decline")),
                ("type", .string(order.mode == .cardVerify ? "account_verification" : "purchase")),
                ("id", .string(order.key.id)), ("date", .string(EcommpaySimulator.date(now))),
                ("method", .string(order.method)),
                // Unlike in the server's callback the sum is a plain integer here.
                ("sum", .integer(order.amount.minor)), ("currency", .string(order.amount.currency.code)),
            ])
        }
        return .json([
            ("sdk", .string(generation.rawValue)), ("result", EcommpaySimulator.resultJson(generation, result)),
            ("payment", shown),
        ])
    }
}
