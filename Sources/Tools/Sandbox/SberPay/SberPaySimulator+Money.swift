import Kernel

/// Captures, reversals, refunds and bindings.
extension SberPaySimulator {
    mutating func deposited(_ call: Call) throws(SberPayRefusal) -> (Json, String) {
        try call.fields.checkNames(["orderId", "amount", "language", "orderBundle"])
        let order = try order(call)
        guard let amount = try call.fields.amount("amount") else { throw .parameter("amount") }
        try deposit(order, amount)
        return (Self.done, order.number)
    }

    /// Takes out of a hold; zero takes all, and the rest is released.
    mutating func deposit(_ order: SberPayOrder, _ asked: Int64) throws(SberPayRefusal) {
        guard order.status == .held else { throw .wrongState }
        let amount = asked == 0 ? order.approved : asked
        guard amount <= order.approved else { throw .parameter("amount") }
        let reference = add("COMPLETION", amount, to: order.id)
        book(.capture, amount, order, reference)
        book(.release, order.approved - amount, order, reference)
        orders[order.id]?.status = .deposited
        orders[order.id]?.deposited = amount
        tell(order.id, "deposited")
    }

    mutating func reversed(_ call: Call) throws(SberPayRefusal) -> (Json, String) {
        try call.fields.checkNames(["orderId", "amount", "language", "jsonParams", "orderBundle"])
        let order = try order(call)
        let amount = try call.fields.amount("amount")
        if call.merchant.dialect == .legacy {
            guard !order.reversalTried else { throw .wrongState }
            orders[order.id]?.reversalTried = true
        }
        if let amount, amount != order.approved, !call.merchant.reversesParts { throw .accessDenied }
        try reverse(order, amount)
        return (Self.done, order.number)
    }

    /// Gives a hold back, or on the same Moscow day what was taken without one.
    mutating func reverse(_ order: SberPayOrder, _ asked: Int64?) throws(SberPayRefusal) {
        switch order.status {
        case .held:
            let amount = asked ?? order.approved
            guard (1...order.approved).contains(amount) else { throw .parameter("amount") }
            book(.release, amount, order, add("REVERSAL", amount, to: order.id))
            orders[order.id]?.approved -= amount
            if amount == order.approved { orders[order.id]?.status = .reversed }
        case .deposited where !order.isHold && order.refunded == 0 && order.paidAt.map(day) == day(now):
            guard asked == nil || asked == order.deposited else { throw .parameter("amount") }
            book(.refund, order.deposited, order, add("REVERSAL", order.deposited, to: order.id))
            orders[order.id]?.status = .reversed
            orders[order.id]?.approved = 0
            orders[order.id]?.deposited = 0
        case .registered, .atBank, .deposited, .reversed, .returned, .declined: throw .wrongState
        }
        tell(order.id, "reversed")
    }

    mutating func refunded(_ call: Call) throws(SberPayRefusal) -> (Json, String) {
        try call.fields.checkNames(["orderId", "amount", "language", "jsonParams", "orderBundle"])
        let order = try order(call)
        guard let amount = try call.fields.amount("amount"), amount > 0 else { throw .parameter("amount") }
        let id = try call.fields.object("jsonParams")["externalRefundId"]?.text
        if let id, let known = order.operations.first(where: { $0.externalRefundId == id }) {
            // The same id with the same data is the same refund.
            guard known.amount == amount else { throw .parameter("jsonParams.externalRefundId") }
            return (Self.done, order.number)
        }
        if call.merchant.dialect == .legacy, amount < 100 { throw SberPayRefusal(code: 7, message: "Below the least") }
        try refund(order, amount, id)
        return (Self.done, order.number)
    }

    mutating func refund(_ order: SberPayOrder, _ amount: Int64, _ externalId: String?) throws(SberPayRefusal) {
        guard order.status == .deposited || order.status == .returned else { throw .wrongState }
        guard amount <= order.deposited - order.refunded else {
            throw SberPayRefusal(code: 7, message: "Refund amount exceeds deposited amount")
        }
        book(.refund, amount, order, add("REFUND", amount, to: order.id, externalId))
        orders[order.id]?.status = .returned
        orders[order.id]?.refunded += amount
        tell(order.id, "refunded", refund: (amount, externalId))
    }

    mutating func declinedByMerchant(_ call: Call) throws(SberPayRefusal) -> (Json, String) {
        try call.fields.checkNames(["orderId", "orderNumber", "merchantLogin", "language"])
        let order = try order(call)
        guard order.status == .registered, order.tries == 0, order.isPayable(at: now) else { throw .wrongState }
        orders[order.id]?.status = .declined
        orders[order.id]?.actionCode = 4005
        return (Self.done, order.number)
    }

    /// A push to the payer's phone: accepted, not paid.
    mutating func pushed(_ call: Call) throws(SberPayRefusal) -> (Json, String) {
        try call.fields.checkNames(["orderId", "phone", "merchantLogin"])
        let order = try order(call)
        let phone = try call.fields.needed("phone", 7...11)
        guard phone.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .parameter("phone") }
        guard order.isPayable(at: now) else { throw .wrongState }
        return (Self.done, order.number)
    }

    /// Writes a row about an order and gives its reference.
    mutating func add(_ type: String, _ amount: Int64, to id: String, _ externalId: String? = nil) -> String {
        let reference = String(600_000_000_000 + core.count())
        let row = SberPayOrder.Operation(
            type: type,
            amount: amount,
            reference: reference,
            externalRefundId: externalId,
            at: now
        )
        orders[id]?.operations.append(row)
        return reference
    }

    // MARK: Bindings

    func bindingsAsked(_ call: Call) throws(SberPayRefusal) -> Json {
        try call.fields.checkNames(["clientId", "showExpired", "showInactive", "merchantLogin", "language"])
        let client = try call.fields.needed("clientId", 1...255)
        let found = bindingIds.compactMap { bindings[$0] }.filter { binding in
            binding.clientId == client && binding.userName == call.merchant.userName && binding.isActive
        }
        guard !found.isEmpty else { throw SberPayRefusal(code: 2, message: "No bindings") }
        let list = found.map { binding -> Json in
            .compact([
                ("bindingId", .string(binding.id)), ("maskedPan", .string(binding.maskedPan)),
                ("expiryDate", .string(binding.expiry)), ("clientId", .string(client)), ("bindingStatus", "1"),
                ("paymentWay", "CARD"), ("paymentSystem", "MIR"),
                ("bindingCategory", call.merchant.dialect == .legacy ? (binding.mandate == nil ? "C" : "R") : nil),
            ])
        }
        return ["errorCode": "0", "errorMessage": "Success", "bindings": .array(list)]
    }

    mutating func bindingChanged(_ call: Call, isActive: Bool) throws(SberPayRefusal) -> Json {
        try call.fields.checkNames(["bindingId", "merchantLogin", "language"])
        guard let id = try call.fields.id("bindingId") else {
            throw SberPayRefusal(code: 1, message: "[bindingId] is empty")
        }
        guard let binding = bindings[id], binding.userName == call.merchant.userName else {
            throw SberPayRefusal(code: 2, message: "Binding is not found")
        }
        guard binding.isActive != isActive else {
            throw SberPayRefusal(code: 2, message: isActive ? "Binding is active" : "Binding isn't active")
        }
        setActive(id, isActive)
        return Self.done
    }

    /// Only the older gateway tells of it.
    mutating func setActive(_ id: String, _ isActive: Bool) {
        bindings[id]?.isActive = isActive
        guard let binding = bindings[id], let merchant = merchants[binding.userName] else { return }
        note("binding", id, payment: "", isActive ? "active" : "inactive")
        guard merchant.dialect == .legacy else { return }
        send(
            [
                ("bindingId", id), ("clientId", binding.clientId), ("enabled", isActive ? "true" : "false"),
                ("operation", "bindingActivityChanged"), ("status", "1"),
            ],
            to: merchant,
            url: merchant.callbackUrl,
            about: ""
        )
    }

    mutating func bindingExtended(_ call: Call) throws(SberPayRefusal) -> Json {
        guard let id = try call.fields.id("bindingId"), bindings[id]?.userName == call.merchant.userName else {
            throw SberPayRefusal(code: 2, message: "Binding is not found")
        }
        let expiry = try call.fields.needed("newExpiry", 6...6)
        guard Int64(expiry) != nil else { throw .parameter("newExpiry") }
        bindings[id]?.expiry = expiry
        return Self.done
    }
}
