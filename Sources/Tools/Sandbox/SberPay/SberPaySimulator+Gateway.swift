import Kernel

/// Calls of a merchant's server, in both dialects.
extension SberPaySimulator {
    /// One call under the merchant that sent it.
    struct Call {
        let name: String
        let merchant: SberPayMerchant
        let fields: SberPayFields
    }

    mutating func called(_ file: String, _ request: SandboxRequest, _ dialect: SberPayMerchant.Dialect)
        -> SandboxAnswer
    {
        guard file.hasSuffix(".do") else { return .text(404, "No such page.\n") }
        let name = String(file.dropLast(3))
        if let fault = takeFault(name, SberPayFaultKind.refusals) {
            note("call", name, payment: "", "fault \(fault.kind.rawValue)")
            switch fault.kind {
            case .throttled: return .text(429, "Too many requests\n")
            case .html: return .page(200, "<html><body>Технические работы</body></html>")
            default: return .text(500, "Internal error\n")
            }
        }
        var payment = ""
        let body: Json
        do throws(SberPayRefusal) {
            guard let fields = SberPayFields(request, dialect) else { throw .parameter("body") }
            let call = Call(name: name, merchant: try merchant(fields, dialect), fields: fields)
            (body, payment) = try performed(call)
            note("call", name, payment: payment, "0")
        } catch {
            note("call", name, payment: payment, String(error.code))
            body = Self.refusal(error, name)
        }
        var answer = SandboxAnswer(
            status: 200,
            contentType: dialect == .ecom ? "application/json" : "text/plain;charset=UTF-8",
            body: .bytes(body.compactBytes)
        )
        guard let fault = takeFault(name, SberPayFaultKind.answers) else { return answer }
        note("call", name, payment: payment, "fault \(fault.kind.rawValue)")
        switch fault.kind {
        case .slow: answer.delay = .milliseconds(fault.milliseconds)
        case .lostAnswer: answer.fate = .lost
        default: answer = .text(500, "Internal error\n")
        }
        return answer
    }

    private static func refusal(_ refusal: SberPayRefusal, _ name: String) -> Json {
        let code = String(refusal.code)
        guard name == "recurrentPayment" else {
            return ["errorCode": .string(code), "errorMessage": .string(refusal.message)]
        }
        let error: Json = [
            "code": .string(code), "description": .string(refusal.message), "message": .string(refusal.message),
        ]
        return ["success": false, "error": error]
    }

    private func merchant(_ fields: SberPayFields, _ dialect: SberPayMerchant.Dialect) throws(SberPayRefusal)
        -> SberPayMerchant
    {
        let given = fields.credentials()
        let found = merchants.values.first { merchant in
            guard merchant.dialect == dialect else { return false }
            if let token = given.token { return dialect == .legacy && merchant.token == Secret(token) }
            return merchant.userName == given.userName && merchant.password == Secret(given.password ?? "")
        }
        // One or the other, never both.
        guard let found, given.token == nil || given.userName == nil else { throw .accessDenied }
        return found
    }

    /// Does what the call asks for; gives its answer and the order number that it was about.
    private mutating func performed(_ call: Call) throws(SberPayRefusal) -> (Json, String) {
        let isEcom = call.merchant.dialect == .ecom
        switch call.name {
        case "register": return try registered(call, isHold: false)
        case "registerPreAuth": return try registered(call, isHold: true)
        case "getOrderStatusExtended": return try statusAsked(call)
        case "deposit": return try deposited(call)
        case "reverse": return try reversed(call)
        case "refund": return try refunded(call)
        case "decline": return try declinedByMerchant(call)
        case "paymentSberPay": return try pushed(call)
        case "paymentOrderBinding": return try paidByBinding(call)
        case "recurrentPayment": return try debited(call)
        case "getBindings": return (try bindingsAsked(call), "")
        case "bindCard": return (try bindingChanged(call, isActive: true), "")
        case "unBindCard" where !isEcom, "unbindCard" where isEcom:
            return (try bindingChanged(call, isActive: false), "")
        case "extendBinding" where !isEcom: return (try bindingExtended(call), "")
        default: throw SberPayRefusal(code: 5, message: "No such method")
        }
    }

    /// The order that a call names: by its id, else by the merchant's number.
    func order(_ call: Call) throws(SberPayRefusal) -> SberPayOrder {
        if let id = try call.fields.id("orderId") {
            guard let order = orders[id], order.userName == call.merchant.userName else { throw .unknownOrder }
            return order
        }
        guard let number = try call.fields.text("orderNumber", 1...36) else {
            throw SberPayRefusal(code: 1, message: "[orderId] is empty")
        }
        guard let order = order(number: number, of: call.merchant.userName) else { throw .unknownOrder }
        return order
    }

    static let done: Json = ["errorCode": "0", "errorMessage": "Success"]
}
