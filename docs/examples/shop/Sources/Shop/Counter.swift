import Foundation
import PaystreamClient

/// Answers the shop's customers, and Paystream's webhooks.
struct Counter: Sendable {
    let till: Till
    let verifier: WebhookVerifier?

    func answer(_ request: HttpRequest) async -> HttpAnswer {
        do {
            switch (request.method, request.path.count, request.path.first) {
            case ("POST", 1, "orders"): return try await place(request)
            case ("GET", 1, "orders"): return .json(200, await till.book.orders)
            case ("POST", 1, "webhooks"): return try await hear(request)
            case (_, 3, "orders"): return try await act(request)
            default: return .text(404, "there is no such page")
            }
        } catch let failure as WebhookFailure {
            return .text(400, "not believed: \(failure)")
        } catch {
            // The customer, or Paystream, comes again; nothing that was begun is done twice.
            return .text(503, "not now: \(error)")
        }
    }

    private struct Wish: Decodable {
        let item: String
        let cents: Int64
    }

    private func place(_ request: HttpRequest) async throws -> HttpAnswer {
        guard let wish = try? JSONDecoder().decode(Wish.self, from: request.body), wish.cents > 0 else {
            return .text(422, "an order has an item and cents")
        }
        return .json(201, try await till.book.place(item: wish.item, amount: Money(wish.cents, "EUR")))
    }

    /// `GET /orders/7/pay` sends the payer on, `POST /orders/7/refund` gives the money back.
    private func act(_ request: HttpRequest) async throws -> HttpAnswer {
        guard let number = Int(request.path[1]), let order = await till.book.order(number) else {
            return .text(404, "there is no such order")
        }
        switch (request.method, request.path[2]) {
        case ("GET", "pay"):
            guard let page = try await till.page(of: order) else { return .text(409, "there is nothing to pay") }
            return HttpAnswer(status: 303, headers: ["Location": page])
        case ("POST", "refund"):
            try await till.refund(order)
            return .json(202, order)
        default: return .text(404, "there is no such page")
        }
    }

    /// Believes a webhook only by its signature, and answers well only once the event is handled: otherwise it comes again.
    private func hear(_ request: HttpRequest) async throws -> HttpAnswer {
        guard let verifier else { return .text(404, "this shop follows the feed") }
        try await till.hear(verifier.verify(headers: request.headers, body: request.body))
        return HttpAnswer(status: 204)
    }
}
