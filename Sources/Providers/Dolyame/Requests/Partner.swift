import Crypto
package import Kernel
package import Payments
package import ProviderKit

/// Unsigned requests to the Partner API.
package enum Partner {
    static let signing = "dolyame.partner"

    /// What is done with an order, as the address calls it.
    package enum Method: String, CaseIterable {
        case create, info, commit, cancel, refund, correction
        case completeDelivery = "complete_delivery"
    }

    static func create(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate {
        try purchase.check()
        let settings = purchase.settings
        let details = purchase.details
        let client =
            details.payer.isEmpty
            ? nil : Json.object(JsonObject(details.payer.map { ($0.name.wire, $0.value) }))
        let back = purchase.account.returnUrl + "/" + dispatch.paymentReference
        let body = Bodies.create(
            id: dispatch.paymentReference,
            try purchase.bill(),
            client: client,
            fiscal: settings.fiscalization ? Fiscal.enabled : nil,
            addresses: [
                ("notification_url", settings.notificationUrlPerOrder ? purchase.account.notificationUrl : nil),
                ("success_url", details.success ?? (settings.returnUrls ? back : nil)),
                ("fail_url", details.fail ?? (settings.returnUrls ? back : nil)),
            ],
            data: details.data,
            settings.money
        )
        return try template(.create, dispatch, purchase, body)
    }

    static func info(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate {
        try template(.info, dispatch, purchase, nil)
    }

    static func cancel(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate {
        guard dispatch.isFull else {
            throw PlanFailure(
                code: "partial_not_supported",
                path: "amount",
                detail: "a part of a hold is given up by capturing the rest"
            )
        }
        return try template(.cancel, dispatch, purchase, nil)
    }

    static func commit(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate {
        let created = try purchase.bill()
        let bill = try committed(amount: dispatch.amount, details: dispatch.details, created)
        let fiscal = fiscal(purchase.settings)
        let broken = bill.rules(committing: created, receipts: fiscal)
        guard broken.isEmpty else { throw Purchase.failure(Broken(rules: broken), path: "details.items") }
        return try template(.commit, dispatch, purchase, Bodies.commit(bill, fiscal: fiscal, purchase.settings.money))
    }

    /// The bill that a capture commits: its own positions, or all of the order's for all of the amount.
    private static func committed(amount: Money?, details: Json?, _ created: Bill) throws(PlanFailure) -> Bill {
        let given = try operation(details)
        let asked = amount?.minor ?? created.amount
        guard let items = given.items else {
            guard asked == created.amount else { throw itemsMissing("a part of an order names what is delivered") }
            return Bill(amount: asked, prepaid: created.prepaid ?? 0, basket: created.basket)
        }
        return try bill(asked, given.prepaid, items)
    }

    static func refund(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate {
        let history = try RefundHistory(dispatch.earlier, try purchase.bill())
        let given = try operation(dispatch.details)
        let asked = dispatch.amount?.minor ?? history.left.amount
        if given.isCorrection { return try correction(asked, given, history, dispatch, purchase) }
        let returned: Bill
        if let items = given.items {
            returned = try bill(asked, given.prepaid, items)
        } else {
            guard asked == history.left.amount else { throw itemsMissing("a part of a refund names what came back") }
            returned = history.left
        }
        let broken = returned.rules(refunding: history.committed, earlier: history.refunds)
        guard broken.isEmpty else { throw Purchase.failure(Broken(rules: broken), path: "details.items") }
        let fiscal = purchase.settings.fiscalization ? Fiscal.enabled : nil
        return try template(
            .refund,
            dispatch,
            purchase,
            Bodies.refund(returned, fiscal: fiscal, purchase.settings.money)
        )
    }

    /// Tells that all is delivered: by itself, or with the positions as they were delivered in the end.
    static func completeDelivery(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure)
        -> RequestTemplate
    {
        let given = try operation(dispatch.details)
        guard !given.isCorrection else {
            throw PlanFailure(code: "details_invalid", path: "details.newItems", detail: "a delivery corrects nothing")
        }
        var bill: Bill?
        if let items = given.items {
            let created = try purchase.bill()
            let read = try Self.bill(created.amount, given.prepaid, items)
            guard read.difference == 0 else { throw Purchase.failure(Broken(rules: [.sum]), path: "details.items") }
            bill = read
        }
        return try template(
            .completeDelivery,
            dispatch,
            purchase,
            Bodies.completeDelivery(bill, purchase.settings.money)
        )
    }

    private static func correction(
        _ asked: Int64,
        _ given: OperationDetails,
        _ history: RefundHistory,
        _ dispatch: PlannedDispatch,
        _ purchase: Purchase
    ) throws(PlanFailure) -> RequestTemplate {
        guard purchase.settings.corrections else {
            throw PlanFailure(code: "operation_not_supported", path: "details", detail: "corrections are switched off")
        }
        let bill: Bill
        if let items = given.newItems {
            bill = try Self.bill(asked, given.prepaid, items)
        } else {
            bill = Bill(amount: asked, prepaid: try prepaid(given.prepaid) ?? 0, basket: .empty)
        }
        let broken = bill.rules(correcting: history.committed.basket, refunded: history.refundedSum)
        guard broken.isEmpty else { throw Purchase.failure(Broken(rules: broken), path: "details.newItems") }
        return try template(.correction, dispatch, purchase, Bodies.correction(bill, purchase.settings.money))
    }
}

extension Partner {
    static func operation(_ details: Json?) throws(PlanFailure) -> OperationDetails {
        do throws(SchemaFailure) { return try OperationDetails(details) } catch {
            throw PlanFailure(details: error)
        }
    }

    /// A bill of named positions; what its amount does not pay for was prepaid.
    static func bill(_ asked: Int64, _ prepaid: Json?, _ items: [RawPosition]) throws(PlanFailure) -> Bill {
        do throws(Broken) {
            let read = try Bill.read(amount: .string(Rubles.text(asked)), prepaid: prepaid, items)
            return Bill(amount: asked, prepaid: read.prepaid ?? 0, basket: read.basket)
        } catch {
            throw Purchase.failure(error, path: "details.items")
        }
    }

    private static func prepaid(_ json: Json?) throws(PlanFailure) -> Int64? {
        guard let json else { return nil }
        do throws(MoneyFailure) { return try Rubles.kopecks(json) } catch {
            throw PlanFailure(code: "details_invalid", path: "details.prepaidAmount", detail: "not an amount")
        }
    }

    private static func itemsMissing(_ detail: String) -> PlanFailure {
        PlanFailure(code: "items_missing", path: "details.items", detail: detail)
    }

    /// Receipts at a commit: the three flags together, or none of them.
    private static func fiscal(_ settings: DolyameSettings) -> Json? {
        guard settings.fiscalization else { return nil }
        guard let receipts = settings.commitReceipts else { return Fiscal.enabled }
        let flags = zip(Fiscal.flags, [receipts.committed, receipts.added, receipts.returned])
        return ["type": "enabled", "params": .object(JsonObject(flags.map { ($0.0, .bool($0.1)) }))]
    }

    package static func template(
        _ method: Method,
        _ dispatch: PlannedDispatch,
        _ purchase: Purchase,
        _ body: Json?
    ) throws(PlanFailure) -> RequestTemplate {
        if let fault = OrderId.fault(dispatch.paymentReference, atMost: purchase.settings.orderIdMax) {
            throw PlanFailure(code: "reference_invalid", detail: fault.rawValue)
        }
        let path =
            method == .create ? "/v1/orders/create" : "/v1/orders/\(dispatch.paymentReference)/\(method.rawValue)"
        let operation = dispatch.operationReference ?? dispatch.paymentReference
        return RequestTemplate(
            method: method == .info ? "GET" : "POST",
            url: purchase.settings.baseUrl + path,
            content: .compact([
                ("body", body),
                (
                    "correlation",
                    method == .info
                        ? nil
                        : .string(
                            Correlation.id(account: purchase.account.account.id, "\(method.rawValue):\(operation)")
                        )
                ), ("login", .string(purchase.settings.login)),
            ]),
            signing: signing
        )
    }
}

/// What was committed and what went back since, as far as it was asked for here.
struct RefundHistory {
    let committed: Bill
    let refunds: [Bill]
    /// What could still go back, as one bill.
    let left: Bill
    let refundedSum: Int64

    init(_ earlier: [EarlierOperation], _ created: Bill) throws(PlanFailure) {
        var committed = Bill(amount: created.amount, prepaid: created.prepaid ?? 0, basket: created.basket)
        var refunds: [Bill] = []
        for operation in earlier {
            let details = try Partner.operation(operation.details)
            switch operation.kind {
            case .capture:
                guard let items = details.items else { continue }
                committed = try Partner.bill(operation.amount?.minor ?? 0, details.prepaid, items)
            case .refund:
                guard let items = details.items else { continue }
                refunds.append(try Partner.bill(operation.amount?.minor ?? 0, details.prepaid, items))
            case .sale, .authorize, .verify, .tokenize, .transfer, .void, .refundReversal: continue
            }
        }
        self.committed = committed
        self.refunds = refunds
        refundedSum = refunds.reduce(0) { $0.addingReportingOverflow($1.basket.sum).partialValue }
        var basket: Basket? = committed.basket
        var (amount, prepaid) = (committed.amount, committed.prepaid ?? 0)
        for refund in refunds {
            basket = basket?.subtracting(refund.basket)
            amount = amount.subtractingReportingOverflow(refund.amount).partialValue
            prepaid = prepaid.subtractingReportingOverflow(refund.prepaid ?? 0).partialValue
        }
        left = Bill(amount: amount, prepaid: prepaid, basket: basket ?? .empty)
    }
}

/// `X-Correlation-ID`: one per logical operation, the same for each repetition of it.
package enum Correlation {
    package static func id(account: Uuid, _ operation: String) -> String {
        var bytes = Array(Digest.sha256(Array("dolyame:\(account):\(operation)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return Uuid(bytes: bytes).map { "\($0)" } ?? ""
    }

    /// Whether a text is a UUID of version 4.
    package static func isValid(_ text: String) -> Bool {
        guard text.utf8.count == 36, let id = Uuid(text) else { return false }
        return id.high >> 12 & 0xF == 4 && id.low >> 62 == 2
    }
}
