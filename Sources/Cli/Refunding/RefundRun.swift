import Daemon
import Http
import Kernel
import SystemKit

/// Sends the refunds of a file, one after the other, each under its key.
struct RefundRun {
    let client: ApiClient
    let journal: RefundJournal
    /// Seconds that each refund is waited for.
    let wait: Int

    private static let attempts = 5
    private static let pauses = (first: Duration.milliseconds(500), last: Duration.seconds(8))
    private static let look = Duration.milliseconds(500)
    /// Refunds that were sent and whose outcome is not known, by their payments.
    private var open: [PaymentId: (operation: String, line: Int)] = [:]
    /// The first line of a payment of which nobody knows whether it arrived.
    private var unheard: [PaymentId: Int] = [:]

    init(_ client: ApiClient, _ journal: RefundJournal, wait: Int) {
        self.client = client
        self.journal = journal
        self.wait = wait
    }

    /// Sends what the journal does not know the end of; what became of it is kept before the next is sent.
    ///
    /// Ends the run where the key, or its merchant, may send nothing now: that says nothing of the line.
    mutating func send(_ order: RefundOrder) async throws(CommandFailure) -> RefundResult {
        if let known = journal.result(of: order) { return known }
        let result = try await self.result(of: order)
        if result.outcome == .unknown, unheard[order.payment] == nil { unheard[order.payment] = order.line.number }
        try journal.keep(result)
        return result
    }

    private mutating func result(of order: RefundOrder) async throws(CommandFailure) -> RefundResult {
        if let line = unheard[order.payment] {
            return RefundResult(order, .waiting, "nobody knows what became of line \(line)")
        }
        if let before = open[order.payment] {
            // Two at a time are refused by most providers, and a refusal under this key would be for good.
            guard await state(of: before.operation, order.payment)?.isOpen == false else {
                return RefundResult(order, .waiting, "the refund of line \(before.line) is under way")
            }
            open[order.payment] = nil
        }
        let document: Json
        switch await sent(order) {
        case .success(let answer): document = answer
        case .failure(let failure):
            guard ![401, 403].contains(failure.status) else {
                throw CommandFailure(
                    "line \(order.line.number) and those behind it were not sent: \(failure.description); "
                        + "the same command goes on there"
                )
            }
            // Anything else was said by somebody who decided nothing, as a proxy.
            let isDecided = [409, 422].contains(failure.status)
            return RefundResult(order, isDecided ? .refused : .unknown, code: failure.code, failure.description)
        }
        let last = document["operations"]?.items?.last { $0["kind"] == "refund" }
        guard let operation = last?["id"]?.text else { return RefundResult(order, .underWay) }
        guard let now = await state(of: operation, order.payment) else {
            return RefundResult(order, .unknown, "sent, and the payment can't be read now")
        }
        if now.isOpen { open[order.payment] = (operation, order.line.number) }
        return RefundResult(order, now.outcome, amount: now.amount, code: now.code)
    }

    /// The answer to the command; what passes is asked again under the same key.
    private func sent(_ order: RefundOrder) async -> Result<Json, ApiClient.Failure> {
        var pause = Self.pauses.first
        var attempt = 1
        while true {
            do throws(ApiClient.Failure) {
                return .success(
                    try await client.call(
                        .post,
                        "/v1/payments/\(order.payment)/refund",
                        order.line.body,
                        key: order.entry.key,
                        headers: wait > 0 ? [("Prefer", "wait=\(wait)")] : []
                    )
                )
            } catch {
                let isPassing = error.status.map { $0 == 429 || $0 >= 500 } ?? true
                guard isPassing, attempt < Self.attempts else { return .failure(error) }
            }
            attempt += 1
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, Self.pauses.last)
        }
    }

    /// A refund as its payment shows it.
    private struct Standing {
        let outcome: RefundResult.Outcome
        let amount: Json?
        let code: String?
        var isOpen: Bool { outcome == .underWay }
    }

    /// How a refund stands, as soon as it has an end or the wait is over; `nil` where the payment can't be read.
    private func state(of operation: String, _ payment: PaymentId) async -> Standing? {
        let deadline = ContinuousClock.now + .seconds(wait)
        var standing: Standing?
        repeat {
            if standing != nil { try? await Task.sleep(for: Self.look) }
            guard let document = try? await client.call(.get, "/v1/payments/\(payment)") else { return standing }
            let found = document["operations"]?.items?.first { $0["id"]?.text == operation }
            standing = Self.read(found)
        } while standing?.isOpen == true && ContinuousClock.now < deadline
        return standing
    }

    private static func read(_ operation: Json?) -> Standing {
        let outcome: RefundResult.Outcome =
            switch operation?["state"]?.text {
            case "succeeded"?: .refunded
            case "failed"?, "notExecuted"?: .failed
            default: .underWay
            }
        let code = operation?.at("decline", "code") ?? operation?.at("decline", "class") ?? operation?["because"]
        return Standing(
            outcome: outcome,
            amount: outcome == .refunded ? operation?["booked"] : operation?["amount"],
            code: code?.text
        )
    }
}
