import PaystreamClient

/// What the shop does with Paystream.
struct Till: Sendable {
    let book: OrderBook
    let payments: Payments

    /// The payment of an order: made at the first call, and the same one at every later call, because the key is the order's.
    func payment(of order: Order) async throws -> Payment {
        var payment = NewPayment(mode: .sale, amount: order.amount, reference: order.reference)
        payment.description = order.item
        payment.details = ["payer": ["email": "payer@example.org"]]
        return try await payments.create(payment, .key(order.reference))
    }

    /// Where the payer goes, as of now; such an address is never kept.
    func page(of order: Order) async throws -> String? {
        let payment = try await payment(of: order)
        return try await payments.nextAction(payment.id).url?.absoluteString
    }

    /// Gives all of an order's money back; asked twice, it is given once.
    func refund(_ order: Order) async throws {
        let payment = try await payment(of: order)
        _ = try await payments.refund(payment.id, reason: "sent back", .key(order.reference + "-refund"))
    }

    /// What happened, by the feed or by a webhook; the book knows what it has heard already.
    @Sendable func hear(_ event: Event) async throws {
        guard event.resource.object == "payment" else { return }
        let payment: Payment = try event.payload()
        guard let reference = payment.reference, let order = await book.order(reference) else { return }
        switch event.type {
        case "payment.captured" where payment.amounts?.captured == order.amount.value:
            try await book.fulfil(order, because: event.id)
        case "refund.succeeded":
            try await book.refunded(order, because: event.id)
        default: break
        }
    }
}
