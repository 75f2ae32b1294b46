import Kernel

/// A request to Gate whose project is known and whose signature holds.
struct GateRequest: Hashable, Sendable {
    let project: EcommpayProject
    let paymentId: String?
    let requestId: String?
    let body: Json

    /// Reads the body.
    ///
    /// 1. It is one JSON object.
    /// 2. It names a project that exists, as a number.
    /// 3. Its signature is there and holds.
    init(_ bytes: [UInt8], isFlat: Bool, projects: [Int64: EcommpayProject]) throws(GateRefusal) {
        guard let body = try? Json(bytes), body.members != nil else { throw GateRefusal(code: .badJson) }
        let envelope = isFlat ? body : body["general"]
        guard let envelope, let id = envelope["project_id"] else { throw GateRefusal(code: .fieldMissing) }
        guard let number = id.integer, let project = projects[number] else {
            throw GateRefusal(code: .projectUnknown)
        }
        switch EcommpaySignature.check(body, key: project.secret) {
        case .missing: throw GateRefusal(code: .emptySignature)
        case .malformed, .mismatch: throw GateRefusal(code: .wrongSignature)
        case nil: break
        }
        self.project = project
        self.body = body
        paymentId = envelope["payment_id"]?.text
        requestId = envelope["request_id"]?.text
        if let paymentId, paymentId.isEmpty || paymentId.count > EcommpayLimits.identifierCharacters {
            throw GateRefusal(code: .badPaymentId)
        }
        if isFlat, requestId == nil { throw GateRefusal(code: .fieldMissing) }
    }

    func requirePaymentId() throws(GateRefusal) -> String {
        guard let paymentId else { throw GateRefusal(code: .fieldMissing) }
        return paymentId
    }

    /// The amount asked for, in minor units, or `nil` where none is given.
    func amount(in currency: Currency, mismatch: EcommpayCode) throws(GateRefusal) -> Int64? {
        guard let payment = body["payment"] else { return nil }
        if let code = payment["currency"], code.text != currency.code { throw GateRefusal(code: mismatch) }
        guard let amount = payment["amount"] else { return nil }
        guard payment["currency"] != nil else { throw GateRefusal(code: .currencyRequired) }
        guard let minor = amount.integer, (1...EcommpayLimits.amountMinor).contains(minor) else {
            throw GateRefusal(code: .amountRequired)
        }
        return minor
    }

    /// The amount of a new payment.
    func newAmount(allowsZero: Bool) throws(GateRefusal) -> Money {
        guard let code = body.at("payment", "currency")?.text else { throw GateRefusal(code: .currencyRequired) }
        guard let currency = Currency(code) else { throw GateRefusal(code: .badCurrency) }
        guard let minor = body.at("payment", "amount")?.integer,
            ((allowsZero ? 0 : 1)...EcommpayLimits.amountMinor).contains(minor)
        else { throw GateRefusal(code: .amountRequired) }
        return Money(minor, currency)
    }

    /// The refund's own key.
    func refundId() throws(GateRefusal) -> String? {
        guard let value = body.at("payment", "merchant_refund_id") else { return nil }
        guard let text = value.text, !text.isEmpty, text.count <= EcommpayLimits.identifierCharacters else {
            throw GateRefusal(code: .fieldMissing)
        }
        return text
    }
}
