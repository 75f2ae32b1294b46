import Crypto
import EventSourcing
import Kernel
import Payments
import ProviderKit
import Schedules

/// The result of an occurrence's payment, as its schedule hears it: an input of the schedule's stream.
struct OccurrenceResult {
    /// The stored name of the input.
    static let name = "schedule.payment_result"

    private let payment: PaymentId
    private let ordinal: Int
    /// The credential that the payment saved, or charged.
    let instrument: InstrumentId?
    private let result: ScheduleObservation.PaymentResult
    /// Whether the payment registers a series whose id is not known yet.
    private let awaitsSeries: Bool
    /// The activation of the schedule, where this is the payment for it.
    private let activation: Activation?

    /// Reads a stored input.
    init?(_ input: InputRecord) {
        guard let json = try? Json(input.body), let payment = json["payment"]?.text.flatMap({ PaymentId($0) }),
            let ordinal = json["ordinal"]?.integer, let result = Self.result(json["result"])
        else { return nil }
        self.payment = payment
        self.ordinal = Int(ordinal)
        self.result = result
        awaitsSeries = json["awaitsSeries"]?.flag ?? false
        let mode = json["mode"]?.text.flatMap { ActivationMode(rawValue: $0) }
        let saved = json["instrument"]?.text.flatMap { InstrumentId($0) }
        instrument = saved
        activation = mode.map {
            Activation(
                payment: payment,
                mode: $0,
                instrument: saved,
                series: json["series"]?.text,
                reference: json["reference"]?.text
            )
        }
    }

    func decide(_ schedule: Schedule, _ context: ScheduleContext) throws(ScheduleRejection) -> ScheduleDecision {
        guard ordinal == 0, let activation else { return schedule.decide(.payment(payment, result), context) }
        switch result {
        case .succeeded:
            // A series is charged, or followed, by its id alone, which may come after the money.
            guard !awaitsSeries else { return ScheduleDecision() }
            return try schedule.decide(.activate(activation), context)
        case .failed, .waitsForCustomer, .voided: return ScheduleDecision()
        }
    }

    private static func result(_ json: Json?) -> ScheduleObservation.PaymentResult? {
        switch json?["is"]?.text {
        case "succeeded": return json?["amount"].flatMap { Money(json: $0) }.map { .succeeded($0) }
        case "waitsForCustomer": return .waitsForCustomer
        case "voided": return .voided
        case "failed":
            guard let kind = json?["kind"]?.text.flatMap({ DeclineKind(rawValue: $0) }) else { return nil }
            return .failed(ScheduleEvent.Failure(kind: kind, code: json?["code"]?.text))
        default: return nil
        }
    }
}

extension Payment {
    /// The input that tells the schedule what became of this payment, where that is new since `before`.
    func occurrenceForward(since before: Payment, _ input: InputRecord, at now: Timestamp) -> InputRecord? {
        guard let terms, let occurrence = terms.occurrence, let result = occurrenceResult else { return nil }
        // A card that is saved after the first payment succeeded is what the schedule waits for.
        let bringsCard =
            occurrence.ordinal == 0
            && (instruments.first != before.instruments.first || series?.id != before.series?.id)
        guard result != before.occurrenceResult || bringsCard else { return nil }
        let names: [(String, Json?)] = [
            ("awaitsSeries", terms.recurring != nil && series == nil ? true : nil),
            ("reference", attempt.map { .string($0.reference) }), ("series", series.map { .string($0.id) }),
        ]
        return Self.forward(result, terms, occurrence, id, instruments.first, names, input, now)
    }

    /// The same for a payment that was refused before it began.
    static func occurrenceForward(
        refusing terms: PaymentTerms,
        _ code: String,
        _ input: InputRecord,
        at now: Timestamp
    ) -> InputRecord? {
        guard let occurrence = terms.occurrence else { return nil }
        let kind: DeclineKind =
            switch Rejection.Code(rawValue: code)?.meaning {
            // Another charge by the same mandate came between: the next try comes when the payer allows it again.
            case .tooSoon?: .soft
            case .credential?: .instrumentInvalid
            case .command?: .configuration
            case nil: code == PlanFailure.instrumentMissing ? .instrumentInvalid : .configuration
            }
        let result: Json = ["code": .string(code), "is": "failed", "kind": .string(kind.rawValue)]
        return forward(result, terms, occurrence, PaymentId(input.stream.id), nil, [], input, now)
    }

    private static func forward(
        _ result: Json,
        _ terms: PaymentTerms,
        _ occurrence: OccurrenceName,
        _ id: PaymentId,
        _ saved: InstrumentId?,
        _ names: [(String, Json?)],
        _ input: InputRecord,
        _ now: Timestamp
    ) -> InputRecord {
        let body: Json = .compact(
            [
                ("instrument", (saved ?? terms.instrument)?.json), ("mode", .string(terms.mode.rawValue)),
                ("ordinal", .integer(Int64(occurrence.ordinal))), ("payment", id.json), ("result", result),
            ] + names
        )
        return .sent(
            .version5(namespace: occurrence.schedule, name: "result:\(input.id)"),
            to: StreamName(input.stream.merchant, .schedule, occurrence.schedule),
            OccurrenceResult.name,
            body.canonical,
            by: Actor(id: id.text, isOperator: false),
            at: now
        )
    }

    private var occurrenceResult: Json? {
        switch status {
        case .created, .processing, .indeterminate: nil
        case .requiresAction: ["is": "waitsForCustomer"]
        case .authorized, .partiallyCaptured, .captured, .partiallyRefunded, .refunded, .disputed, .chargedBack,
            .verified, .tokenized, .transferred:
            terms?.amount.map { ["amount": $0.json, "is": "succeeded"] }
        case .voided, .released: ["is": "voided"]
        case .expired: Self.failure(.unknown, ScheduleEvent.Failure.expired)
        case .failed: declined.map { Self.failure($0.kind, $0.code) } ?? Self.failure(.unknown, nil)
        }
    }

    private static func failure(_ kind: DeclineKind, _ code: String?) -> Json {
        .compact([("code", code.map(Json.string)), ("is", "failed"), ("kind", .string(kind.rawValue))])
    }

    /// The refusal that closed the attempt, or that of the first operation.
    private var declined: (kind: DeclineKind, code: String?)? {
        var decline: Decline?
        if case .declined(let found)? = attempt?.strongestEnding { decline = found }
        if decline == nil, case .failed(let found)? = initial?.state { decline = found }
        return decline.map { (DeclineKind($0.reason), $0.code) }
    }
}

extension DeclineKind {
    /// Dunning's word for a decline class of a payment.
    init(_ reason: DeclineClass) {
        switch reason {
        case .hard: self = .hard
        case .soft: self = .soft
        case .insufficientFunds: self = .insufficientFunds
        case .stepUpRequired: self = .stepUpRequired
        case .instrumentInvalid: self = .instrumentInvalid
        case .fraud: self = .fraud
        case .configuration: self = .configuration
        case .providerDown: self = .providerDown
        case .unknown: self = .unknown
        }
    }
}
