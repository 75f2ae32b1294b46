import Kernel
import Payments
import ProviderKit
import Schedules

/// The payer's consent to later debits, as the payment that activates a schedule tells it to the bank.
enum Mandates {
    /// The bank's field holds no more.
    static let days = 1...28

    /// The schedule's limits are the payment's; a payment that names others is refused.
    static func enrol(_ payment: PaymentTerms, in schedule: ScheduleTerms) throws(PlanFailure) -> PaymentTerms {
        // What comes after the first payment is bound by it already.
        if let occurrence = payment.occurrence, occurrence.ordinal > 0 { return payment }
        guard let days = schedule.mandate.minimumDays, Self.days.contains(days) else {
            throw PlanFailure(
                code: "minimum_days_out_of_range",
                path: "mandate.minimumDays",
                detail: "the mandate names 1 to 28 days"
            )
        }
        let wanted = Json.compact([
            ("expiry", schedule.mandate.expiresOn.map { .string($0.text.filter { $0 != "-" }) }),
            ("frequencyDays", .integer(Int64(days))),
        ])
        var details = payment.details.members ?? JsonObject([])
        if let given = details["recurrent"], given["enabled"]?.flag != true || given.members?.count != 1 {
            guard given["expiry"] == wanted["expiry"], given["frequencyDays"] == wanted["frequencyDays"] else {
                throw PlanFailure(
                    code: "recurring_mismatch",
                    path: "details.recurrent",
                    detail: "the schedule's mandate names other limits"
                )
            }
            return payment
        }
        details["recurrent"] = wanted
        return payment.with(details: .object(details))
    }
}
