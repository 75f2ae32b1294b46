import Crypto
import EventSourcing
import Kernel
import Payments
import Schedules

/// A payment that took an occurrence's money otherwise than it was due: a person looks at it there.
struct AnomalyForward {
    private let payment: PaymentId
    private let concern: ClaimConcern

    /// Finds the anomaly that an event makes: the same that the schedule counts.
    init?(_ event: ScheduleEvent, _ before: [Anomaly: Int], _ after: [Anomaly: Int]) {
        if case .paidTwice(_, let payment, _, _) = event {
            self.payment = payment
            concern = .paidTwice
        } else if case .succeeded(_, let payment, _, _) = event,
            after[.amountDiffers, default: 0] > before[.amountDiffers, default: 0]
        {
            self.payment = payment
            concern = .amountDiffers
        } else {
            return nil
        }
    }

    func input(_ schedule: Schedule, _ cause: InputRecord, at now: Timestamp) -> InputRecord {
        .sent(
            .version5(namespace: payment.uuid, name: "\(concern.rawValue):\(schedule.id.text)"),
            to: StreamName(cause.stream.merchant, .payment, payment.uuid),
            PaymentCommand.confirm(meaning: "schedule", code: schedule.id.text, concern: concern),
            by: schedule.id.text,
            account: schedule.terms?.account,
            at: now
        )
    }
}
