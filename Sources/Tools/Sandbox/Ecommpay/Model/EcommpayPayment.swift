package import Kernel

/// Names a payment: its number space is the project.
package struct EcommpayPaymentKey: Hashable, Sendable, Comparable {
    package let project: Int64
    package let id: String

    package init(project: Int64, id: String) {
        self.project = project
        self.id = id
    }

    package static func < (left: EcommpayPaymentKey, right: EcommpayPaymentKey) -> Bool {
        (left.project, left.id) < (right.project, right.id)
    }
}

/// An order of the merchant, from a form address, an SDK object or a Gate request.
package struct EcommpayOrder: Hashable, Sendable {
    /// How the order came; a refused form leaves nothing behind, a refused Gate request does.
    package enum Channel: String, Hashable, Sendable {
        case paymentPage = "payment_page"
        case app
        case gate
    }

    package var key: EcommpayPaymentKey
    package var channel: Channel
    package var mode = EcommpayMode.purchase
    package var firstOperation = EcommpayOperationType.sale
    package var amount: Money
    package var customerId: String?
    package var customerPhone: String?
    package var description: String?
    package var callbackUrl: String?
    package var forcedMethod: String?
    /// A saved card that the merchant preselected.
    package var presetCard: EcommpayTestCard?
    /// Whether the payment registers a series for later debits.
    package var registersSeries = false
    /// The members of `recurring`, where it was given.
    package var seriesTerms: Json = [:]
    /// The series that this payment debits.
    package var seriesId: Int64?
    /// Whether another try can be offered: automatic redirects switch it off.
    package var allowsRetries = true
    package var callbackDelay = Duration.zero
    package var callbacksDisabled = false

    package init(key: EcommpayPaymentKey, channel: Channel, amount: Money) {
        self.key = key
        self.channel = channel
        self.amount = amount
    }

    /// `payment.method`.
    var method: String {
        guard let forcedMethod, forcedMethod != "card" else { return "card" }
        return forcedMethod
    }
}

/// A payment as the platform keeps it.
package struct EcommpayPayment: Hashable, Sendable {
    package let order: EcommpayOrder
    package let createdAt: Timestamp
    package var card: EcommpayTestCard
    /// The status when no follow-up operation runs.
    package var rest: EcommpayPaymentStatus
    package var changedAt: Timestamp
    package var operations: [EcommpayOperation] = []
    package var attemptsUsed = 0
    /// When the form stops offering another try.
    package var attemptsEnd: Timestamp?
    package var seriesId: Int64?
    /// Steps that follow by themselves.
    package var script: [EcommpayStep] = []
    /// The code of the declines of the script.
    package var scriptCode: String
    /// Counts changes of state: a timer that was armed in an earlier one does nothing.
    package var epoch = 0

    package var key: EcommpayPaymentKey { order.key }

    /// Whether a capture, cancel or refund runs.
    package var isFollowedUp: Bool {
        operations.contains { $0.isFollowUp && $0.status == .processing }
    }

    /// `payment.status`: a running follow-up hides the rest.
    package var status: EcommpayPaymentStatus { isFollowedUp ? .processing : rest }

    /// The position of the operation of the current try.
    var attemptIndex: Int? { operations.lastIndex { !$0.isFollowUp } }
}

/// One operation of a payment.
package struct EcommpayOperation: Hashable, Sendable {
    package let id: Int64
    package let type: EcommpayOperationType
    package var status: EcommpayOperationStatus
    package let createdAt: Timestamp
    package var changedAt: Timestamp
    package let requestId: String
    package let amount: Money
    package var code: String
    package let merchantRefundId: String?
    /// Whether our own merchant asked for it; otherwise staff, a rule or the platform did.
    package let isCommanded: Bool

    /// Whether it follows the payment instead of being it.
    package var isFollowUp: Bool {
        switch type {
        case .capture, .cancel, .refund, .reversal, .refundReverse, .manualChange: true
        case .sale, .auth, .recurring, .verification: false
        }
    }
}

/// A registration for later debits.
package struct EcommpaySeries: Hashable, Sendable {
    package let id: Int64
    package let project: Int64
    package let registeredBy: String
    package let customerId: String?
    package let card: EcommpayTestCard
    package let currency: Currency
    package var isActive = true
    /// The members of the registration, by the names of Payment Page; those of an update replace them.
    package var terms: Json = [:]
    /// Debits that the platform made by itself.
    package var runs = 0
    /// Raised with each change of its calendar.
    var epoch = 0
}
