package import Kernel

/// Why a command was refused: a stable code for programs, a sentence for people, numbers where they help.
package struct Rejection: Error, Hashable, Sendable, JsonWritable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case paymentUnknown = "payment_unknown"
        case paymentExists = "payment_exists"
        case amountMissing = "amount_missing"
        case amountNotAllowed = "amount_not_allowed"
        case amountNotPositive = "amount_not_positive"
        case amountExceeds = "amount_exceeds_available"
        case amountOverflow = "amount_overflow"
        case currencyMismatch = "currency_mismatch"
        case alreadyExpired = "already_expired"
        case nothingToCapture = "nothing_to_capture"
        case nothingToVoid = "nothing_to_void"
        case nothingToRefund = "nothing_to_refund"
        case partialNotSupported = "partial_not_supported"
        case operationInProgress = "operation_in_progress"
        case captureUnknown = "capture_unknown"
        case frozen = "payment_frozen"
        case notConfirmable = "not_confirmable"
        case auxiliaryNotSupported = "errand_not_supported"
        case nothingDelivered = "nothing_delivered"
        case disputeUnknown = "dispute_unknown"
        case disputeClosed = "dispute_closed"
        case proposalUnknown = "proposal_unknown"
        case proposalStale = "proposal_stale"
        case sameActor = "second_person_needed"
        case operatorNeeded = "operator_needed"
        case nothingToResolve = "nothing_to_resolve"
        case requestRefused = "request_refused"
        case transferNotSupported = "transfer_not_supported"
        case transferMethod = "transfer_method"
        case transferFinal = "transfer_final"
        case transferMisplaced = "transfer_misplaced"
        case instrumentUnknown = "instrument_unknown"
        case instrumentMismatch = "instrument_mismatch"
        case instrumentNotOwned = "instrument_not_owned"
        case instrumentRemoved = "instrument_removed"
        case instrumentExpired = "instrument_expired"
        case mandateEnded = "mandate_ended"
        case mandateTooSoon = "mandate_too_soon"
        case instrumentInvalid = "instrument_invalid"
        case accountUnknown = "account_unknown"
        case accountClosed = "account_closed"
        case accountFixed = "account_fixed"
        case settingsInvalid = "settings_invalid"
        case secretNotSealed = "secret_not_sealed"
        case routingInvalid = "routing_invalid"
        case billBatchUnknown = "bill_batch_unknown"
        case billBatchExists = "bill_batch_exists"
        case billBatchClosed = "bill_batch_closed"
        case billBatchEmpty = "bill_batch_empty"
        case billBatchDiffers = "bill_batch_differs"
        case billBatchNotPaused = "bill_batch_not_paused"
        case pageDiffers = "page_differs"
        case pageOutOfOrder = "page_out_of_order"
        case pageInvalid = "page_invalid"
        case tooManyBills = "too_many_bills"
        case credentialsUnknown = "credentials_unknown"
        case credentialsStale = "credentials_stale"
        case billUnknown = "bill_unknown"
        case claimNotAwaited = "claim_not_awaited"
        case recurringInvalid = "recurring_invalid"
        case routingStale = "routing_stale"
        case webhookEndpointUnknown = "webhook_endpoint_unknown"
        case webhookEndpointExists = "webhook_endpoint_exists"
        case webhookEndpointInvalid = "webhook_endpoint_invalid"
        case webhookSecretsMany = "webhook_secrets_many"
        case paymentLinkUnknown = "payment_link_unknown"
        case paymentLinkExists = "payment_link_exists"
        case tooManyKeys = "too_many_keys"
        case tooManyChanges = "too_many_changes"
        case changeUnknown = "change_unknown"
        case changeEnded = "change_ended"
    }

    /// The meaning of a rejection for a later try of the same charge.
    package enum Meaning: Hashable, Sendable {
        /// The saved credential can't be charged.
        case credential
        /// It can, on a later day.
        case tooSoon
        /// Something of the command or of the payment.
        case command
    }

    /// A word of `Code`, or the code of a plan that could not be made.
    package let code: String
    package let detail: String
    package let path: String?

    package init(_ code: Code, _ detail: String, path: String? = nil) {
        self.code = code.rawValue
        self.detail = detail
        self.path = path
    }

    package init(planCode: String, _ detail: String, path: String?) {
        code = planCode
        self.detail = detail
        self.path = path
    }

    package func write(into out: inout JsonText) {
        out.member("code", code)
        out.member("detail", detail)
        out.member("path", path)
    }
}

extension Rejection.Code {
    /// The meaning of the code for a later try.
    package var meaning: Rejection.Meaning {
        switch self {
        case .instrumentUnknown, .instrumentMismatch, .instrumentNotOwned, .instrumentRemoved, .instrumentExpired,
            .instrumentInvalid, .mandateEnded:
            .credential
        case .mandateTooSoon: .tooSoon
        case .paymentUnknown, .paymentExists, .amountMissing, .amountNotAllowed, .amountNotPositive, .amountExceeds,
            .amountOverflow, .currencyMismatch, .alreadyExpired, .nothingToCapture, .nothingToVoid, .nothingToRefund,
            .partialNotSupported, .operationInProgress, .captureUnknown, .frozen, .notConfirmable,
            .auxiliaryNotSupported, .nothingDelivered, .disputeUnknown, .disputeClosed, .proposalUnknown,
            .proposalStale, .sameActor, .operatorNeeded, .nothingToResolve, .requestRefused, .transferNotSupported,
            .transferMethod, .transferFinal, .transferMisplaced, .accountUnknown, .accountClosed, .accountFixed,
            .settingsInvalid, .secretNotSealed, .routingInvalid, .billBatchUnknown, .billBatchExists, .billBatchClosed,
            .billBatchEmpty, .billBatchDiffers, .billBatchNotPaused, .pageDiffers, .pageOutOfOrder, .pageInvalid,
            .tooManyBills, .credentialsUnknown, .credentialsStale, .billUnknown, .claimNotAwaited, .recurringInvalid,
            .routingStale, .webhookEndpointUnknown, .webhookEndpointExists, .webhookEndpointInvalid,
            .webhookSecretsMany, .paymentLinkUnknown, .paymentLinkExists, .tooManyKeys, .tooManyChanges, .changeUnknown,
            .changeEnded:
            .command
        }
    }
}
