import Crypto
import EventSourcing
import Kernel
import Payments
import Schedules

/// A payment that took an occurrence's money otherwise than it was due: a person looks at it there.
struct OddPayment {
    private let payment: PaymentId
    private let concern: ClaimConcern

    /// What an event makes odd, if it does: the same that the schedule counts.
    init?(_ event: ScheduleEvent, _ before: [Oddity: Int], _ after: [Oddity: Int]) {
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
        let command = PaymentCommand.confirm(meaning: "schedule", code: schedule.id.text, concern: concern)
        return InputRecord(
            id: .version5(namespace: payment.uuid, name: "\(concern.rawValue):\(schedule.id.text)"),
            stream: StreamName(cause.stream.merchant, .payment, payment.uuid),
            kind: .command,
            name: command.name.rawValue,
            meta: InputMeta.command(
                actor: Actor(id: schedule.id.text, isOperator: false),
                account: schedule.terms?.account,
                traceparent: nil,
                correlation: nil
            ).canonical,
            body: command.json.canonical,
            receivedAt: now
        )
    }
}
