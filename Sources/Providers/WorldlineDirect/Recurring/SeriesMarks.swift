import Kernel
import Payments
import ProviderKit
import Schedules

/// The marks that tell the card's network that a payment begins a series, or goes on with one.
enum SeriesMarks {
    static func enrol(_ payment: PaymentTerms, in schedule: ScheduleTerms) throws(PlanFailure) -> PaymentTerms {
        if let occurrence = payment.occurrence, occurrence.ordinal > 0 { return goesOn(payment, schedule) }
        return try begins(payment, schedule)
    }

    /// A calendar makes charges recurring, everything else unscheduled.
    private static func kind(_ schedule: ScheduleTerms) -> Json {
        .string((schedule.rule == nil ? Credential.Kind.unscheduled : .recurring).rawValue)
    }

    /// The payer agrees with this payment; the card is kept.
    private static func begins(_ payment: PaymentTerms, _ schedule: ScheduleTerms) throws(PlanFailure) -> PaymentTerms {
        switch payment.method {
        case .instrument: return payment
        case .hosted, .sdk, .wallet: break
        }
        var details = payment.details.members ?? JsonObject([])
        let wanted = kind(schedule)
        if let given = details["credential"] {
            guard given["kind"] == wanted, given["sequence"] == "first" else {
                throw PlanFailure(
                    code: "recurring_mismatch",
                    path: "details.credential",
                    detail: "the schedule's first payment begins a series of its kind"
                )
            }
        }
        let given = details["credential"]?.members?.members.map { ($0.name, Optional($0.value)) } ?? []
        let known = Set(given.map(\.0))
        let more: [(String, Json?)] = [
            ("kind", wanted), ("sequence", "first"),
            ("expiry", schedule.mandate.expiresOn.map { .string($0.text.filter { $0 != "-" }) }),
            ("frequency", schedule.rule?.frequency.map { .string($0.rawValue) }),
        ]
        details["credential"] = .compact(given + more.filter { !known.contains($0.0) })
        details["saveCredential"] = true
        return payment.with(details: .object(details))
    }

    /// The merchant begins this one: the issuer can't ask a payer who is not there.
    private static func goesOn(_ payment: PaymentTerms, _ schedule: ScheduleTerms) -> PaymentTerms {
        switch payment.method {
        case .instrument: break
        case .hosted, .sdk, .wallet: return payment
        }
        var details = payment.details.members ?? JsonObject([])
        if details["credential"] == nil {
            details["credential"] = ["initiator": "merchant", "kind": kind(schedule), "sequence": "subsequent"]
        }
        if details["threeDSecure"] == nil { details["threeDSecure"] = ["skip": true] }
        return payment.with(details: .object(details))
    }
}

extension ScheduleRule {
    /// The provider has words for single periods alone.
    fileprivate var frequency: Credential.Frequency? {
        switch cadence {
        case .every(1, .day): .daily
        case .every(1, .week): .weekly
        case .every(1, .month): .monthly
        case .every(1, .quarter), .every(3, .month): .quarterly
        case .every(1, .year), .every(12, .month): .yearly
        case .every, .dates: nil
        }
    }
}
