import Kernel

/// Answers of the gateway about an order.
extension SberPaySimulator {
    mutating func statusAsked(_ call: Call) throws(SberPayRefusal) -> (Json, String) {
        try call.fields.checkNames(["orderId", "orderNumber", "language", "merchantLogin"])
        let order = try order(call)
        var body = status(order)
        if takeFault("getOrderStatusExtended", [.unknownStatus]) != nil, var members = body.members {
            members["orderStatus"] = 9
            body = .object(members)
        }
        if takeFault("getOrderStatusExtended", [.otherAmount]) != nil, var members = body.members {
            members["amount"] = .integer(order.amount + 100)
            body = .object(members)
        }
        return (body, order.number)
    }

    func status(_ order: SberPayOrder) -> Json {
        let merchant = merchants[order.userName]
        let isEcom = merchant?.dialect == .ecom
        let milliseconds = order.registeredAt.microseconds / 1000
        var members: [(String, Json?)] = [
            ("errorCode", "0"), ("errorMessage", "Success"), ("orderNumber", .string(order.number)),
            ("orderStatus", .integer(order.status.rawValue)), ("actionCode", .integer(order.actionCode)),
            ("actionCodeDescription", ""), ("amount", .integer(order.amount)), ("currency", "643"),
            ("date", .integer(milliseconds)), ("orderDescription", order.description.map(Json.string)),
            ("ip", "127.0.0.1"), ("merchantOrderParams", []),
            (
                "attributes",
                isEcom
                    ? ["mdOrder": .string(order.id)] : [["name": "mdOrder", "value": .string(order.id)]]
            ),
        ]
        members.append(("paymentAmountInfo", amounts(order, isNet: merchant?.depositsAreNet ?? true)))
        if let paidAt = order.paidAt {
            members += [
                ("authDateTime", .integer(paidAt.microseconds / 1000)),
                ("authRefNum", order.operations.first.map { .string($0.reference) }), ("terminalId", "777001"),
                ("cardAuthInfo", card(order)),
            ]
            if order.deposited > 0 { members.append(("depositedDate", .integer(paidAt.microseconds / 1000))) }
        }
        if let binding = order.bindingId.flatMap({ bindings[$0] }) {
            members.append(
                ("bindingInfo", ["clientId": .string(binding.clientId), "bindingId": .string(binding.id)])
            )
        }
        if isEcom, merchant?.listsOperations == true, !order.operations.isEmpty {
            members.append(("operations", .array(order.operations.map(row))))
        }
        return .compact(members)
    }

    private func amounts(_ order: SberPayOrder, isNet: Bool) -> Json {
        [
            "paymentState": .string(order.status.word), "approvedAmount": .integer(order.approved),
            "depositedAmount": .integer(isNet ? order.deposited - order.refunded : order.deposited),
            "refundedAmount": .integer(order.refunded), "feeAmount": 0, "totalAmount": .integer(order.amount),
        ]
    }

    private func card(_ order: SberPayOrder) -> Json {
        let binding = order.bindingId.flatMap { bindings[$0] }
        return [
            "maskedPan": .string(binding?.maskedPan ?? Self.maskedPan),
            "expiration": .string(binding?.expiry ?? Self.cardExpiry), "cardholderName": "SANDBOX PAYER",
            "approvalCode": "123456", "paymentSystem": "MIR", "paymentWay": .string(order.way),
        ]
    }

    static let maskedPan = "220220**0007"
    static let cardExpiry = "203012"

    private func row(_ operation: SberPayOrder.Operation) -> Json {
        .compact([
            ("date", .integer(operation.at.microseconds / 1000)), ("type", .string(operation.type)),
            ("amount", .integer(operation.amount)), ("referenceNumber", .string(operation.reference)),
            ("externalRefundId", operation.externalRefundId.map(Json.string)), ("approvalCode", "123456"),
            ("actionCode", 0),
        ])
    }
}
