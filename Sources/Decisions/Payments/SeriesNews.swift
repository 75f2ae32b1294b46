import Crypto
import EventSourcing
import Kernel
import Payments
import Schedules

/// News of a series from the payment that registered it to its schedule: inputs of the schedule's stream.
enum SeriesNews {
    /// The provider debited the series by itself.
    case debit(PaymentId, series: String, amount: Money, ScheduleObservation.PaymentResult, at: Timestamp)
    /// The provider says that it is over.
    case ended

    /// The stored names of the inputs.
    static let debitName = "schedule.series_debit"
    static let endedName = "schedule.series_ended"

    /// Reads a stored input; `nil` for every other one, or where it can't be read.
    init?(_ input: InputRecord) {
        switch input.name {
        case Self.endedName: self = .ended
        case Self.debitName:
            guard let json = try? Json(input.body), let payment = json["payment"]?.text.flatMap({ PaymentId($0) }),
                let series = json["series"]?.text, let amount = json["amount"].flatMap({ Money(json: $0) }),
                let at = json["at"]?.text.flatMap({ Timestamp($0) })
            else { return nil }
            var result = ScheduleObservation.PaymentResult.succeeded(amount)
            if let kind = json["kind"]?.text.flatMap({ DeclineKind(rawValue: $0) }) {
                result = .failed(ScheduleEvent.Failure(kind: kind, code: json["code"]?.text))
            }
            self = .debit(payment, series: series, amount: amount, result, at: at)
        default: return nil
        }
    }

    var observation: ScheduleObservation {
        switch self {
        case .debit(let payment, let series, let amount, let result, let at):
            .debit(payment, series: series, amount: amount, result, at: at)
        case .ended: .seriesEnded
        }
    }

    /// Whether an input is of this kind, readable or not.
    static func isNamed(_ input: InputRecord) -> Bool { input.name == debitName || input.name == endedName }
}

extension PaymentCase {
    /// The news that an event of the registering payment is to its schedule.
    func seriesNews(_ event: PaymentEvent, _ after: Payment) -> InputRecord? {
        guard let occurrence = after.registers else { return nil }
        switch event {
        case .seriesReported(let series):
            guard series.isActive == false else { return nil }
            return news(SeriesNews.endedName, [:], occurrence)
        case .seriesDebitReported(let debit, let at):
            guard let amount = debit.amount else { return nil }
            var decline: Decline?
            if case .declined(let found) = debit.outcome { decline = found }
            let body = Json.compact([
                ("account", account.facts.id.json), ("amount", amount.json), ("at", (debit.at ?? at).json),
                ("code", decline?.code.map(Json.string)),
                ("kind", decline.map { .string(DeclineKind($0.reason).rawValue) }),
                ("debit", debit.operation == nil ? nil : debit.json), ("payment", debit.id(at: account.facts.id).json),
                ("registeredBy", payment.id.json), ("series", .string(debit.series)),
            ])
            return news(SeriesNews.debitName, body, occurrence)
        case .created, .routed, .attemptOpened, .dispatchLicensed, .dispatchObserved, .dispatchRevoked,
            .operationRequested, .operationAdopted, .operationReported, .operationEnded, .totalReported,
            .attemptReported,
            .orderOpened, .attemptClosed, .cancelRequested, .expiryReached, .holdExpired, .claimRecorded,
            .contradictionFound, .lateSuccess, .overReturned, .instrumentSaved, .instrumentReported, .receiptReported,
            .methodReported, .feeReported, .commissionReported, .unrecognisedReported, .auxiliaryRequested,
            .disputeRecorded, .evidenceAdded, .resolutionProposed, .resolutionApproved, .recoveryBegan:
            return nil
        }
    }

    /// A debit that no schedule hears of becomes a payment all the same: none knows the series, or nothing says what it took.
    func adoption(_ event: PaymentEvent, _ after: Payment) -> InputRecord? {
        guard case .seriesDebitReported(let debit, let at) = event, after.registers == nil || debit.amount == nil
        else { return nil }
        return DebitNews(debit, account.facts.id, payment.id).adoption(
            customer: after.terms?.customer,
            input,
            actor: payment.id.text,
            at: at
        )
    }

    private func news(_ name: String, _ body: Json, _ occurrence: OccurrenceName) -> InputRecord {
        .sent(
            .version5(namespace: occurrence.schedule, name: "\(name):\(input.id)"),
            to: StreamName(input.stream.merchant, .schedule, occurrence.schedule),
            name,
            body.canonical,
            by: Actor(id: payment.id.text, isOperator: false),
            at: context.now
        )
    }
}

extension Payment {
    /// The schedule whose series this payment registers.
    fileprivate var registers: OccurrenceName? { terms?.occurrence.flatMap { $0.ordinal == 0 ? $0 : nil } }
}
