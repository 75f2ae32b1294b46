import Crypto
import EventSourcing
import Kernel
import Payments
import Schedules

/// A debit that a provider made by itself and that is to be a payment here.
///
/// Whoever hears of it sends the command that adopts it; the command goes with the decision that heard of it.
struct DebitNews {
    private let debit: SeriesDebit
    /// Its name here.
    let payment: PaymentId
    private let account: Uuid
    private let registeredBy: PaymentId

    init(_ debit: SeriesDebit, _ account: Uuid, _ registeredBy: PaymentId) {
        self.debit = debit
        payment = debit.id(at: account)
        self.account = account
        self.registeredBy = registeredBy
    }

    /// Reads what a schedule hears; older news told no operation, and nothing could be booked of them.
    init?(_ input: InputRecord) {
        guard input.name == SeriesNews.debitName, let json = try? Json(input.body),
            let account = json["account"]?.text.flatMap({ Uuid($0) }),
            let registeredBy = json["registeredBy"]?.text.flatMap({ PaymentId($0) }),
            let debit = json["debit"].flatMap({ try? SeriesDebit(Fields($0)) }), debit.operation != nil
        else { return nil }
        self.init(debit, account, registeredBy)
    }

    /// A payment of the occurrence that the debit was matched with, where there is one.
    func adoption(of schedule: Schedule, _ cause: InputRecord, at now: Timestamp) -> InputRecord {
        let terms = schedule.terms
        let occurrence = schedule.tries[payment].map {
            OccurrenceName(schedule: schedule.id.uuid, ordinal: $0.ordinal, series: debit.series)
        }
        return adoption(
            reference: terms?.reference,
            description: terms?.description,
            customer: terms?.customer,
            metadata: terms?.metadata ?? [:],
            occurrence: occurrence,
            cause,
            actor: schedule.id.text,
            at: now
        )
    }

    func adoption(
        reference: String? = nil,
        description: String? = nil,
        customer: String?,
        metadata: Json = [:],
        occurrence: OccurrenceName? = nil,
        _ cause: InputRecord,
        actor: String,
        at now: Timestamp
    ) -> InputRecord {
        let terms = PaymentTerms(
            mode: .sale,
            method: .instrument,
            amount: debit.amount,
            reference: reference,
            description: description,
            customer: customer,
            instrument: nil,
            expiresAt: debit.at ?? now,
            details: [:],
            metadata: metadata,
            occurrence: occurrence,
            adopted: AdoptedDebit(name: debit.payment, registeredBy: registeredBy)
        )
        return .sent(
            .version5(namespace: payment.uuid, name: "adopt:\(cause.id)"),
            to: StreamName(cause.stream.merchant, .payment, payment.uuid),
            PaymentCommand.adopt(terms, debit),
            by: actor,
            account: account,
            at: now
        )
    }
}
