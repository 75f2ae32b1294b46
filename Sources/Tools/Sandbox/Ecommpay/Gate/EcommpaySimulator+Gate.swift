import Kernel

/// Why Gate refuses a request.
struct GateRefusal: Error, Hashable, Sendable {
    let code: EcommpayCode
    var httpStatus = 400
}

/// Gate API: requests of the merchant's server.
extension EcommpaySimulator {
    /// A call of Gate, as its path names it.
    enum GateCall: Hashable, Sendable {
        case status, statusByRequest, capture, cancel, refund
        /// A payment without a form: by token, or by a registered series.
        case tokenPayment(EcommpayOperationType)
        case seriesDebit, seriesCancel, seriesInfo, seriesUpdate

        var point: EcommpayFault.Point {
            switch self {
            case .status, .statusByRequest, .seriesInfo: .status
            case .capture: .capture
            case .cancel, .seriesCancel, .seriesUpdate: .cancel
            case .refund: .refund
            case .tokenPayment, .seriesDebit: .payment
            }
        }
    }

    /// Reads the path behind `/v2`.
    static func gateCall(_ segments: ArraySlice<String>) -> GateCall? {
        guard segments.first == "payment" else { return nil }
        let rest = segments.dropFirst()
        switch Array(rest) {
        case ["status"]: return .status
        case ["status", "request"]: return .statusByRequest
        case ["refund"]: return .refund
        default: break
        }
        let tail = Array(rest.dropFirst())
        guard let method = rest.first, ["card", "applepay", "googlepay"].contains(method) else { return nil }
        switch tail {
        case ["capture"]: return .capture
        case ["cancel"]: return .cancel
        case ["refund"]: return .refund
        case ["sale", "token"]: return .tokenPayment(.sale)
        case ["auth", "token"]: return .tokenPayment(.auth)
        case ["account_verification", "token"]: return .tokenPayment(.verification)
        case ["recurring"]: return .seriesDebit
        case ["recurring", "cancel"]: return .seriesCancel
        case ["recurring", "info"]: return .seriesInfo
        case ["recurring", "update"]: return .seriesUpdate
        default: return nil
        }
    }

    /// A request came in; faults strike its answer, before or after its effect.
    mutating func gateReceived(_ call: GateCall, _ body: [UInt8]) -> SandboxAnswer {
        let request: GateRequest
        do throws(GateRefusal) {
            request = try GateRequest(body, isFlat: call == .statusByRequest, projects: projects)
        } catch {
            return gateError(error, project: nil, paymentId: nil)
        }
        let key = request.paymentId.map { EcommpayPaymentKey(project: request.project.id, id: $0) }
        let fault = takeFault(at: call.point, of: key) { $0.strikesAnswers }
        if let fault, fault.kind == .errorBefore { return EcommpaySimulator.serverError(fault.status) }
        var answer: SandboxAnswer
        do throws(GateRefusal) {
            answer = try gateAnswer(call, request)
        } catch {
            answer = gateError(error, project: request.project.id, paymentId: request.paymentId)
        }
        if let fault { EcommpaySimulator.spoil(&answer, fault) }
        return answer
    }

    static func serverError(_ status: Int) -> SandboxAnswer {
        .json(status, ["status": "error", "code": "501", "message": "Internal error"])
    }

    private static func spoil(_ answer: inout SandboxAnswer, _ fault: EcommpayFault) {
        switch fault.kind {
        case .slow: answer.delay = .milliseconds(fault.milliseconds)
        case .lostAnswer: answer.fate = .lost
        case .errorAfter: answer = serverError(fault.status)
        case .html: answer = .page(200, Html.message("Maintenance", "We are back soon."))
        case .huge:
            answer = SandboxAnswer(
                status: 200,
                contentType: "application/json",
                body: .filler(EcommpayFault.hugeBytes)
            )
        case .errorBefore, .declined, .unknownCode, .duplicateCallback, .reorderedCallbacks, .withheldCallback,
            .lateCallback, .unknownStatus, .wrongAmount, .forgedSignature, .truncatedCallback:
            break
        }
    }

    private func gateError(_ refusal: GateRefusal, project: Int64?, paymentId: String?) -> SandboxAnswer {
        .json(
            refusal.httpStatus,
            .compact([
                ("status", "error"), ("project_id", project.map(Json.integer)),
                ("payment_id", paymentId.map(Json.string)), ("code", .string(refusal.code.text)),
                ("message", .string(refusal.code.message)),
            ])
        )
    }

    private mutating func gateAnswer(_ call: GateCall, _ request: GateRequest) throws(GateRefusal) -> SandboxAnswer {
        switch call {
        case .status:
            return statusAnswer(EcommpayPaymentKey(project: request.project.id, id: try request.requirePaymentId()))
        case .statusByRequest:
            let key = request.requestId.flatMap { paymentOfRequest[$0] }
            guard let key, key.project == request.project.id else { return notFoundAnswer(request.project) }
            return statusAnswer(key)
        case .capture: return try captureRequested(request)
        case .cancel: return try cancelRequested(request)
        case .refund: return try refundRequested(request)
        case .tokenPayment(let type): return try tokenPaymentRequested(request, type)
        case .seriesDebit: return try seriesDebitRequested(request)
        case .seriesCancel: return try seriesCancelRequested(request)
        case .seriesInfo: return try seriesInfoRequested(request)
        case .seriesUpdate: return try seriesUpdateRequested(request)
        }
    }

    // MARK: Status

    private func statusAnswer(_ key: EcommpayPaymentKey) -> SandboxAnswer {
        guard let project = projects[key.project] else { return EcommpaySimulator.serverError(500) }
        guard let payment = payments[key] else { return notFoundAnswer(project) }
        return signedAnswer(statusBody(payment), project)
    }

    private func notFoundAnswer(_ project: EcommpayProject) -> SandboxAnswer {
        let error = Json.compact([
            ("code", .string(EcommpayCode.notFound.text)), ("message", .string(EcommpayCode.notFound.message)),
            ("field", ""), ("description", ""),
        ])
        return signedAnswer(.compact([("project_id", .integer(project.id)), ("errors", .array([error]))]), project)
    }

    func signedAnswer(_ body: Json, _ project: EcommpayProject) -> SandboxAnswer {
        var members = body.members ?? JsonObject([])
        members["signature"] = .string(EcommpaySignature.sign(body, key: project.secret))
        return SandboxAnswer(
            status: 200,
            contentType: "application/json",
            body: .bytes(written(.object(members), in: project))
        )
    }

    func acceptance(_ requestId: String, _ key: EcommpayPaymentKey) -> SandboxAnswer {
        .json([
            ("status", "success"), ("request_id", .string(requestId)), ("project_id", .integer(key.project)),
            ("payment_id", .string(key.id)),
        ])
    }

    // MARK: Follow-ups

    private func knownPayment(_ request: GateRequest) throws(GateRefusal) -> EcommpayPayment {
        let key = EcommpayPaymentKey(project: request.project.id, id: try request.requirePaymentId())
        guard let payment = payments[key] else { throw GateRefusal(code: .notFound, httpStatus: 404) }
        return payment
    }

    private mutating func captureRequested(_ request: GateRequest) throws(GateRefusal) -> SandboxAnswer {
        let payment = try knownPayment(request)
        guard let asked = try request.amount(in: payment.order.amount.currency, mismatch: .badCurrency) else {
            throw GateRefusal(code: .amountRequired)
        }
        let amount = try EcommpaySimulator.allowed { () throws(FollowUpRefusal) in try capturable(payment.key, asked) }
        return start(payment.key, .capture, amount, at: .capture)
    }

    private mutating func cancelRequested(_ request: GateRequest) throws(GateRefusal) -> SandboxAnswer {
        let payment = try knownPayment(request)
        let asked = try request.amount(in: payment.order.amount.currency, mismatch: .badCurrency)
        let amount = try EcommpaySimulator.allowed { () throws(FollowUpRefusal) in try cancellable(payment.key, asked) }
        return start(payment.key, .cancel, amount, at: .cancel)
    }

    private mutating func refundRequested(_ request: GateRequest) throws(GateRefusal) -> SandboxAnswer {
        let payment = try knownPayment(request)
        let refundId = try request.refundId()
        if let refundId, refundIds.contains(EcommpayPaymentKey(project: request.project.id, id: refundId)) {
            throw GateRefusal(code: .refundIdTaken)
        }
        let asked = try request.amount(in: payment.order.amount.currency, mismatch: .refundCurrency)
        let amount = try EcommpaySimulator.allowed { () throws(FollowUpRefusal) in try refundable(payment.key, asked) }
        if let refundId { refundIds.insert(EcommpayPaymentKey(project: request.project.id, id: refundId)) }
        let type = refundType(payment.key, amount: amount)
        return start(payment.key, type, amount, at: .refund, refundId: refundId)
    }

    private mutating func start(
        _ key: EcommpayPaymentKey,
        _ type: EcommpayOperationType,
        _ amount: Money,
        at point: EcommpayFault.Point,
        refundId: String? = nil
    ) -> SandboxAnswer {
        let isDeclined = takeFault(at: point, of: key) { $0.kind == .declined } != nil
        let operation = followUpStarted(
            key,
            type,
            amount: amount,
            merchantRefundId: refundId,
            isCommanded: true,
            isDeclined: isDeclined
        )
        return acceptance(operation.requestId, key)
    }

    /// Turns what the state does not allow into the platform's codes.
    private static func allowed(_ amount: () throws(FollowUpRefusal) -> Money) throws(GateRefusal) -> Money {
        do throws(FollowUpRefusal) { return try amount() } catch {
            switch error {
            case .wrongState: throw GateRefusal(code: .wrongState)
            case .tooLarge: throw GateRefusal(code: .refundTooLarge)
            case .wrongCurrency: throw GateRefusal(code: .refundCurrency)
            case .amountRequired: throw GateRefusal(code: .amountRequired)
            }
        }
    }
}
