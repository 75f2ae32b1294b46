import Daemon
import Http
import Kernel
import SystemKit

/// A refund whose payment is known and can give the amount back.
struct RefundOrder: Hashable, Sendable {
    let entry: RefundFile.Entry
    let payment: PaymentId

    var line: RefundLine { entry.line }
}

/// Holds the lines of a file against the payments that they name, before anything is sent.
struct RefundCheck {
    /// A payment as it stands behind the lines before.
    private struct Payment {
        let currency: String
        /// Minor units that can still be given back.
        var left: Int64
        /// Refunds that it has: a line of an earlier run may have made each.
        var refunds: [Int64]
    }

    private let client: ApiClient
    private var payments: [PaymentId: Payment] = [:]
    private var references: [String: PaymentId] = [:]
    private(set) var orders: [RefundOrder] = []
    private(set) var faults: [RefundFault] = []

    init(_ client: ApiClient) { self.client = client }

    /// Looks at a line; where the daemon can't be asked now, nothing is known and the command ends.
    mutating func check(_ entry: RefundFile.Entry) async throws(CommandFailure) {
        switch try await payment(of: entry.line) {
        case .failure(let fault): faults.append(RefundFault(line: entry.line.number, reason: fault.description))
        case .success(let id):
            if let reason = try await hindrance(entry.line, id) {
                faults.append(RefundFault(line: entry.line.number, reason: reason))
            } else {
                orders.append(RefundOrder(entry: entry, payment: id))
            }
        }
    }

    private mutating func payment(of line: RefundLine) async throws(CommandFailure) -> Result<PaymentId, UsageError> {
        switch line.target {
        case .payment(let id): return .success(id)
        case .reference(let text):
            if let known = references[text] { return .success(known) }
            let query = FormEncoding.encode([("reference", text), ("limit", "2")])
            let found = try await asked("/v1/payments?\(query)")?["items"]?.items ?? []
            guard found.count < 2 else {
                return .failure(UsageError("several payments have this reference; name one by its id"))
            }
            guard let id = found.first?["id"]?.text.flatMap({ PaymentId($0) }) else {
                return .failure(UsageError("no payment has this reference"))
            }
            references[text] = id
            return .success(id)
        }
    }

    /// Why the payment can't give it back; takes what it gives from what is left.
    private mutating func hindrance(_ line: RefundLine, _ id: PaymentId) async throws(CommandFailure) -> String? {
        if payments[id] == nil {
            guard let document = try await asked("/v1/payments/\(id)") else { return "there is no such payment" }
            payments[id] = Self.read(document)
        }
        guard var payment = payments[id] else { return "nothing of this payment was captured" }
        if let amount = line.amount, amount.currency.code != payment.currency {
            return "the payment is in \(payment.currency)"
        }
        // The same line of an earlier run is no refund beyond what is left: its key answers for it.
        let same = payment.refunds.firstIndex { line.amount == nil || $0 == line.amount?.minor }
        let wanted = line.amount?.minor ?? payment.left
        if wanted > 0, wanted <= payment.left {
            payment.left -= wanted
        } else if let same {
            payment.refunds.remove(at: same)
        } else {
            return "available are \(Cell.money(payment.left, payment.currency)), with the lines before it"
        }
        payments[id] = payment
        return nil
    }

    private static func read(_ document: Json) -> Payment? {
        guard let sums = document["amounts"], let currency = sums["currency"]?.text,
            let captured = sums["captured"]?.integer, captured > 0
        else { return nil }
        var gone: Int64 = 0
        for name in ["refunded", "chargedBack", "disputed"] { gone += sums[name]?.integer ?? 0 }
        var refunds: [Int64] = []
        for operation in document["operations"]?.items ?? [] where operation["kind"] == "refund" {
            guard let state = operation["state"]?.text, !["failed", "notExecuted"].contains(state),
                let minor = operation.at("amount", "value")?.integer ?? operation.at("booked", "value")?.integer
            else { continue }
            refunds.append(minor)
            if state != "succeeded" { gone += minor }
        }
        return Payment(currency: currency, left: max(0, captured - gone), refunds: refunds)
    }

    /// What the daemon answers; `nil` where there is no such thing.
    private func asked(_ path: String) async throws(CommandFailure) -> Json? {
        do throws(ApiClient.Failure) { return try await client.call(.get, path) } catch {
            if error.status == 404 { return nil }
            throw CommandFailure("nothing was sent: \(error.description)")
        }
    }
}
