package import Kernel

/// The purpose of a dispatch.
package enum DispatchPurpose: Hashable, Sendable {
    /// Gives the payer's device an address or an SDK object; nothing is sent from here.
    case handover
    /// Asks how the payment stands; moves no money.
    case query
    /// Asks for money to move: a capture, void or refund, or an initial operation that needs no payer.
    case operation(OperationKind)
    /// Asks for something that moves no money.
    case auxiliary(AuxiliaryKind)
}

/// One message that the aggregate wants to have made.
package struct PlannedDispatch: Hashable, Sendable {
    package let purpose: DispatchPurpose
    /// Our reference of the payment at the provider, at most 30 characters of `[A-Za-z0-9-]`.
    package let paymentReference: String
    /// Our reference of the operation where the provider takes one, of the same form.
    package let operationReference: String?
    /// The amount of the operation; `nil` for handover of a tokenize payment and for queries.
    package let amount: Money?
    /// Whether `amount` is all that is left (a full capture, void or refund).
    package let isFull: Bool
    /// The provider's own deadline for a link, never later than the payment's expiry.
    package let deadline: Timestamp
    /// Free text for the operation.
    package let reason: String?
    /// The provider's method segment or word of the payment where evidence has shown one, as `card`.
    package let methodAtProvider: String?
    /// The order that the provider opened for the attempt.
    package let order: ProviderOrder?
    /// Details in the command for the adapter alone.
    package let details: Json?
    /// Captures, voids and refunds that were asked for before and stand.
    package let earlier: [EarlierOperation]
    /// The provider's id of what the payment began with: of the try that succeeded, else of the newest that is alive.
    package let initialAtProvider: String?
    /// Values that the payer's device brought back to complete the operation, as the answer of the payer's bank.
    package let completion: Json?

    package init(
        purpose: DispatchPurpose,
        paymentReference: String,
        operationReference: String?,
        amount: Money?,
        isFull: Bool,
        deadline: Timestamp,
        reason: String?,
        methodAtProvider: String?,
        order: ProviderOrder? = nil,
        details: Json? = nil,
        earlier: [EarlierOperation] = [],
        initialAtProvider: String? = nil,
        completion: Json? = nil
    ) {
        self.purpose = purpose
        self.paymentReference = paymentReference
        self.operationReference = operationReference
        self.amount = amount
        self.isFull = isFull
        self.deadline = deadline
        self.reason = reason
        self.methodAtProvider = methodAtProvider
        self.order = order
        self.details = details
        self.earlier = earlier
        self.initialAtProvider = initialAtProvider
        self.completion = completion
    }
}

/// An operation that was asked for before the one that is planned.
package struct EarlierOperation: Hashable, Sendable {
    package let kind: OperationKind
    package let amount: Money?
    package let details: Json?

    package init(kind: OperationKind, amount: Money?, details: Json?) {
        self.kind = kind
        self.amount = amount
        self.details = details
    }
}
