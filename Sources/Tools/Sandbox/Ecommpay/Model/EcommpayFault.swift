import Kernel

/// Something that goes wrong on demand.
package struct EcommpayFault: CountedFault {
    /// The way in which it goes wrong.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        // With the answer to a Gate request.
        /// The answer is held back for `milliseconds`.
        case slow
        /// The request has its effect, and the connection closes without an answer.
        case lostAnswer = "lost_answer"
        /// The request has its effect, and the answer is a 5xx.
        case errorAfter = "error_after"
        /// The request has no effect, and the answer is a 5xx.
        case errorBefore = "error_before"
        /// The request has its effect, and the answer is a page.
        case html
        /// The request has its effect, and the answer is 100 MB long.
        case huge
        // With the outcome.
        /// The capture, cancel or refund is accepted and then declined.
        case declined
        /// The next try of a payment is declined with a code that no list has.
        case unknownCode = "unknown_code"
        // With callbacks.
        case duplicateCallback = "duplicate_callback"
        /// Two callbacks of a payment arrive in the wrong order.
        case reorderedCallbacks = "reordered_callbacks"
        case withheldCallback = "withheld_callback"
        /// The callback leaves `milliseconds` late.
        case lateCallback = "late_callback"
        /// The callback carries statuses that no document knows.
        case unknownStatus = "unknown_status"
        case wrongAmount = "wrong_amount"
        case forgedSignature = "forged_signature"
        /// Half of the body arrives.
        case truncatedCallback = "truncated_callback"
    }

    /// Where it strikes.
    package enum Point: String, Hashable, Sendable, CaseIterable {
        case any, status, capture, cancel, refund, payment, callback
    }

    package let id: Int64
    package let kind: Kind
    package let point: Point
    package let project: Int64?
    package let paymentId: String?
    package let milliseconds: Int64
    /// The status of a 5xx.
    package let status: Int
    /// How often it still strikes.
    package var times: Int

    package static let hugeBytes = 100 * 1024 * 1024

    /// Whether it strikes at the answers of Gate.
    var strikesAnswers: Bool {
        switch kind {
        case .slow, .lostAnswer, .errorAfter, .errorBefore, .html, .huge: true
        case .declined, .unknownCode, .duplicateCallback, .reorderedCallbacks, .withheldCallback, .lateCallback,
            .unknownStatus, .wrongAmount, .forgedSignature, .truncatedCallback:
            false
        }
    }

    /// Whether it strikes at callbacks.
    var strikesCallbacks: Bool {
        switch kind {
        case .duplicateCallback, .reorderedCallbacks, .withheldCallback, .lateCallback, .unknownStatus,
            .wrongAmount, .forgedSignature, .truncatedCallback:
            true
        case .slow, .lostAnswer, .errorAfter, .errorBefore, .html, .huge, .declined, .unknownCode: false
        }
    }
}

extension EcommpayFault.Kind {
    /// Where it can strike.
    var points: Set<EcommpayFault.Point> {
        switch self {
        case .slow, .lostAnswer, .errorAfter, .errorBefore, .html, .huge:
            [.any, .status, .capture, .cancel, .refund, .payment]
        case .declined: [.any, .capture, .cancel, .refund]
        case .unknownCode: [.any, .payment]
        case .duplicateCallback, .reorderedCallbacks, .withheldCallback, .lateCallback, .unknownStatus,
            .wrongAmount, .forgedSignature, .truncatedCallback:
            [.any, .callback]
        }
    }
}
