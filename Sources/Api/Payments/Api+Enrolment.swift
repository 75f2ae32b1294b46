import Http
import Kernel
import Payments
import ProviderKit
import Schedules

extension Api {
    /// The terms of a payment with what registers the series of its schedule at the provider.
    func enrolled(
        _ terms: PaymentTerms,
        _ schedule: ScheduleId?,
        as payment: PaymentId,
        _ adapter: any Adapter,
        _ facts: AccountFacts,
        _ call: Call
    ) async throws(Problem) -> PaymentTerms {
        guard let schedule else { return terms }
        let known = try await reader.schedule(schedule, merchant: call.merchant)
        guard let known, let wanted = known.schedule.terms, wanted.account == facts.id else {
            throw Problem(
                status: 422,
                code: ProblemCode.scheduleUnknown,
                "There is no such schedule at this account.",
                path: "schedule"
            )
        }
        do throws(ScheduleRejection) {
            try known.schedule.checkActivation(by: ActivationMode(rawValue: terms.mode.rawValue))
        } catch {
            guard try await isKnown(payment, call) else {
                throw Problem(PlanFailure(code: error.code.rawValue, path: error.path, detail: error.detail))
            }
        }
        let settings = try await reader.settings(of: facts, call.merchant)
        guard let recurring = adapter.recurring else { return terms }
        do throws(PlanFailure) { return try recurring.enrol(terms, in: wanted, settings) } catch {
            throw Problem(error)
        }
    }

    /// Whether the same call was heard before: it is answered as it was then, whatever became of the schedule.
    private func isKnown(_ payment: PaymentId, _ call: Call) async throws(Problem) -> Bool {
        try await reader.payment(call.stream(of: payment)) != nil
    }
}
