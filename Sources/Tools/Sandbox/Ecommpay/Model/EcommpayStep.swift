/// One thing that a payer, a bank or time does to a payment.
package enum EcommpayStep: String, Hashable, Sendable, CaseIterable {
    // While the form is open, and between two tries.
    case approve
    case decline
    /// Declined, and the form offers another try.
    case declineRetry = "decline_retry"
    case threeDS = "three_ds"
    case redirect
    case clarification
    case customerAction = "customer_action"
    case externalProcessing = "external_processing"
    case internalError = "internal_error"
    case externalError = "external_error"
    case unknownStatus = "unknown_status"
    /// The form's data is refused: nothing is registered as paid or declined.
    case formError = "form_error"
    case expire
    /// The payer leaves.
    case abandon
    // While something is awaited, or after an end that was not the last word.
    case pass
    case fail
    // Nobody on our side asked for these.
    case dashboardCapture = "dashboard_capture"
    case dashboardRefund = "dashboard_refund"
    case dashboardHalfRefund = "dashboard_half_refund"
    case autoRelease = "auto_release"
    case manualDecline = "manual_decline"

    /// Reads a step's name, also in the spellings people try.
    package init?(spelling: String) {
        switch spelling {
        case "3ds", "threeds", "3-d secure": self = .threeDS
        case "retry": self = .declineRetry
        case "cancel": self = .abandon
        case "success": self = .approve
        default:
            guard let step = EcommpayStep(rawValue: spelling) else { return nil }
            self = step
        }
    }
}

/// The course of a payment: the first step now, each further one when the one before has come to rest.
package struct EcommpayPlan: Hashable, Sendable {
    package let steps: [EcommpayStep]
    /// The code of a decline in the plan, as text.
    package let code: String

    package init(_ steps: [EcommpayStep], code: EcommpayCode = .insufficientFunds) {
        self.init(steps, codeText: code.text)
    }

    package init(_ steps: [EcommpayStep], codeText: String) {
        self.steps = steps
        code = codeText
    }
}
