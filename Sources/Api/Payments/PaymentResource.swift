import EventSourcing
import Http
import Kernel
import Payments
import Projections
import Schedules

/// A payment as the API shows it: no app parameters, no addresses that are signed, no sealed values, no secrets.
package struct PaymentResource {
    let payment: Payment
    private let createdAt: Timestamp
    private let updatedAt: Timestamp
    private let obligations: [Obligation]
    private let capturePlan: CapturePlan?

    package init(_ snapshot: PaymentSnapshot) {
        payment = snapshot.payment
        obligations = snapshot.obligations
        capturePlan = snapshot.capturePlan
        createdAt = snapshot.events.first?.recordedAt ?? .epoch
        updatedAt = snapshot.events.last?.recordedAt ?? .epoch
    }

    static func location(_ stream: StreamName) -> String {
        stream.kind == .transfer
            ? "/v1/transfers/\(TransferId(stream.id))" : "/v1/payments/\(PaymentId(stream.id))"
    }

    static func location(of payment: Payment) -> String {
        payment.isTransfer ? "/v1/transfers/\(TransferId(payment.id.uuid))" : "/v1/payments/\(payment.id)"
    }

    /// Answers for a payment whose creation waits for its turn.
    static func accepted(_ stream: StreamName, mode: AccountFacts.Mode?) -> HttpResponse {
        let isTransfer = stream.kind == .transfer
        let id = isTransfer ? TransferId(stream.id).json : PaymentId(stream.id).json
        let object: Json = isTransfer ? "transfer" : "payment"
        return HttpResponse.json(202, ["id": id, "object": object, "status": "accepted"]).with(mode)
    }

    func response(_ status: Int) -> HttpResponse {
        .thing(status, document, version: payment.version, payment.account?.mode)
    }

    /// JSON text.
    package var document: [UInt8] {
        payment.document(
            obligations,
            createdAt: createdAt,
            updatedAt: updatedAt,
            capturePlan: capturePlan
        )
    }
}
