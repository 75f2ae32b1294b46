package import Kernel

/// Amounts that play an outcome by themselves: the last four digits of the minor units are `77NN`.
package enum EcommpayMagicAmount: Int, Hashable, Sendable, CaseIterable {
    case approve = 0
    case noFunds = 1
    case declined = 2
    case doNotRetry = 3
    case cardExpired = 4
    case risk = 5
    case unknownCode = 6
    case retryOpen = 7
    case retryThenApprove = 8
    case challengeOpen = 10
    case challengePassed = 11
    case challengeFailed = 12
    case clarificationOpen = 20
    case clarified = 21
    case redirectOpen = 30
    case redirectPassed = 31
    case redirectFailed = 32
    case customerActionOpen = 33
    case customerActionPassed = 34
    case externalProcessingOpen = 35
    case externalProcessingPassed = 36
    case internalError = 40
    case internalErrorThenSuccess = 41
    case externalError = 42
    case declineThenSuccess = 43
    case unknownStatus = 44
    case formError = 45
    case expired = 46
    case duplicateCallbacks = 60
    case reorderedCallbacks = 61
    case withheldCallbacks = 62
    case wrongAmount = 63
    case forgedSignature = 64
    case lateCallbacks = 65
    case unknownStatusOnce = 66
    case slowAnswer = 70
    case lostAnswer = 71
    case errorAfter = 72
    case errorBefore = 73
    case htmlAnswer = 74
    case hugeAnswer = 75
    case followUpDeclined = 76
    case statusError = 77
    case dashboardCapture = 80
    case autoRelease = 81
    case dashboardRefund = 82
    case dashboardHalfRefund = 83
    case manualDecline = 84

    /// Reads the amount's last four digits.
    package init?(_ amount: Money) {
        let digits = amount.minor % 10_000
        guard (7700...7799).contains(digits), let magic = EcommpayMagicAmount(rawValue: Int(digits - 7700)) else {
            return nil
        }
        self = magic
    }

    /// The smallest amount of that meaning, in minor units.
    package var minor: Int64 { Int64(7700 + rawValue) }

    /// The course of the payment.
    package var plan: EcommpayPlan {
        switch self {
        case .approve, .duplicateCallbacks, .withheldCallbacks, .wrongAmount, .forgedSignature, .lateCallbacks,
            .unknownStatusOnce, .slowAnswer, .lostAnswer, .errorAfter, .errorBefore, .htmlAnswer, .hugeAnswer,
            .followUpDeclined, .statusError:
            EcommpayPlan([.approve])
        case .noFunds: EcommpayPlan([.decline])
        case .declined: EcommpayPlan([.decline], code: .generalDecline)
        case .doNotRetry: EcommpayPlan([.decline], code: .doNotRetry)
        case .cardExpired: EcommpayPlan([.decline], code: .cardExpired)
        case .risk: EcommpayPlan([.decline], code: .risk)
        case .unknownCode: EcommpayPlan([.decline], code: .unheardOf)
        case .retryOpen: EcommpayPlan([.declineRetry])
        case .retryThenApprove: EcommpayPlan([.declineRetry, .approve])
        case .challengeOpen: EcommpayPlan([.threeDS])
        case .challengePassed, .reorderedCallbacks: EcommpayPlan([.threeDS, .pass])
        case .challengeFailed: EcommpayPlan([.threeDS, .fail])
        case .clarificationOpen: EcommpayPlan([.clarification])
        case .clarified: EcommpayPlan([.clarification, .pass])
        case .redirectOpen: EcommpayPlan([.redirect])
        case .redirectPassed: EcommpayPlan([.redirect, .pass])
        case .redirectFailed: EcommpayPlan([.redirect, .fail])
        case .customerActionOpen: EcommpayPlan([.customerAction])
        case .customerActionPassed: EcommpayPlan([.customerAction, .pass])
        case .externalProcessingOpen: EcommpayPlan([.externalProcessing])
        case .externalProcessingPassed: EcommpayPlan([.externalProcessing, .pass])
        case .internalError: EcommpayPlan([.internalError])
        case .internalErrorThenSuccess: EcommpayPlan([.internalError, .pass])
        case .externalError: EcommpayPlan([.externalError])
        case .declineThenSuccess: EcommpayPlan([.decline, .pass])
        case .unknownStatus: EcommpayPlan([.unknownStatus])
        case .formError: EcommpayPlan([.formError])
        case .expired: EcommpayPlan([.expire])
        case .dashboardCapture: EcommpayPlan([.approve, .dashboardCapture])
        case .autoRelease: EcommpayPlan([.approve, .autoRelease])
        case .dashboardRefund: EcommpayPlan([.approve, .dashboardRefund])
        case .dashboardHalfRefund: EcommpayPlan([.approve, .dashboardHalfRefund])
        case .manualDecline: EcommpayPlan([.approve, .manualDecline])
        }
    }

    /// Faults of the payment's callbacks and follow-ups, and how often each strikes.
    package var faults: [(kind: EcommpayFault.Kind, point: EcommpayFault.Point, times: Int)] {
        let everyTime = 1000
        return switch self {
        case .duplicateCallbacks: [(.duplicateCallback, .callback, everyTime)]
        case .reorderedCallbacks: [(.reorderedCallbacks, .callback, 1)]
        case .withheldCallbacks: [(.withheldCallback, .callback, everyTime)]
        case .wrongAmount: [(.wrongAmount, .callback, everyTime)]
        case .forgedSignature: [(.forgedSignature, .callback, everyTime)]
        case .lateCallbacks: [(.lateCallback, .callback, everyTime)]
        case .unknownStatusOnce: [(.unknownStatus, .callback, 1)]
        case .slowAnswer: EcommpayMagicAmount.onFollowUps(.slow)
        case .lostAnswer: EcommpayMagicAmount.onFollowUps(.lostAnswer)
        case .errorAfter: EcommpayMagicAmount.onFollowUps(.errorAfter)
        case .errorBefore: EcommpayMagicAmount.onFollowUps(.errorBefore)
        case .htmlAnswer: EcommpayMagicAmount.onFollowUps(.html)
        case .hugeAnswer: EcommpayMagicAmount.onFollowUps(.huge)
        case .followUpDeclined:
            [(.declined, .capture, everyTime), (.declined, .cancel, everyTime), (.declined, .refund, everyTime)]
        case .statusError: [(.errorBefore, .status, 3)]
        case .approve, .noFunds, .declined, .doNotRetry, .cardExpired, .risk, .unknownCode, .retryOpen,
            .retryThenApprove, .challengeOpen, .challengePassed, .challengeFailed, .clarificationOpen, .clarified,
            .redirectOpen, .redirectPassed, .redirectFailed, .customerActionOpen, .customerActionPassed,
            .externalProcessingOpen, .externalProcessingPassed, .internalError, .internalErrorThenSuccess,
            .externalError, .declineThenSuccess, .unknownStatus, .formError, .expired, .dashboardCapture,
            .autoRelease, .dashboardRefund, .dashboardHalfRefund, .manualDecline:
            []
        }
    }

    /// The first capture, the first cancel and the first refund meet the fault; the next ones don't.
    private static func onFollowUps(
        _ kind: EcommpayFault.Kind
    ) -> [(kind: EcommpayFault.Kind, point: EcommpayFault.Point, times: Int)] {
        [(kind, .capture, 1), (kind, .cancel, 1), (kind, .refund, 1)]
    }
}
