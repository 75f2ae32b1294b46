public import Foundation

/// A payment as the daemon shows it; lists show one without what only a payment by its id has, as `operations`.
public struct Payment: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    /// `payment`, or `transfer`.
    public let object: String
    /// Of its stream: it grows with every event, and is the `ETag`.
    public let version: Int
    public let status: Open<PaymentStatus>
    public let mode: Open<PaymentMode>
    public let method: Open<PaymentMethod>
    public let amount: Money?
    public let amounts: Amounts?
    public let decline: Decline?
    public let fee: Money?
    /// What the payer paid on top.
    public let commission: Money?
    public let disputes: [Dispute]?
    public let receipts: [Receipt]?
    public let reference: String?
    public let customer: String?
    public let account: AccountReference
    public let obligations: [Obligation]?
    public let createdAt: Date
    public let updatedAt: Date
    public let country: String?
    public let description: String?
    public let instrument: String?
    public let schedule: String?
    /// The payment link by which its payer began it.
    public let paymentLink: String?
    public let metadata: [String: String]?
    public let expiresAt: Date?
    public let attempt: Attempt?
    public let earlierAttempts: [Attempt]?
    public let series: Series?
    public let nextAction: PayerAction?
    public let operations: [Operation]?
    public let savedInstruments: [String]?
    public let contradictions: [Contradiction]?
    /// Of a payment that is held first, as answers tell it; events don't.
    public let capturePlan: CapturePlan?

    /// The captures among its operations, whatever became of them.
    public var captures: [Operation] { operations?.filter { $0.kind == .capture } ?? [] }

    /// The refunds among its operations, whatever became of them.
    public var refunds: [Operation] { operations?.filter { $0.kind == .refund } ?? [] }
}

/// A transfer looks like a payment; its id begins with `trf_`.
public typealias Transfer = Payment

/// Sums in minor units, each a function of evidence.
public struct Amounts: Codable, Hashable, Sendable {
    public let currency: String
    public let authorized: Int64
    public let captured: Int64
    public let released: Int64
    public let holdExpired: Int64
    public let held: Int64
    public let refunded: Int64
    public let transferred: Int64
    public let disputed: Int64
    public let chargedBack: Int64
    public let returnedToCustomer: Int64
}

/// What can still be captured of a hold, in minor units, and what the account allows.
public struct CapturePlan: Codable, Hashable, Sendable {
    public let currency: String
    public let authorized: Int64
    public let captured: Int64
    public let released: Int64
    /// Captures and voids whose outcome is not known yet.
    public let underWay: Int64
    public let capturable: Int64
    /// The code that a capture would be refused with now.
    public let refusal: String?
    /// Whether nothing more will be captured.
    public let final: Bool
    public let partial: Bool
    public let multiple: Bool
    public let beyondHold: Bool
    /// When the provider lets the hold go.
    public let until: Date?
}

/// One step that moves or reserves money: a sale, a capture, a refund.
public struct Operation: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let kind: Open<OperationKind>
    public let origin: Open<OperationOrigin>
    public let state: Open<OperationState>
    public let amount: Money?
    /// What evidence shows of it.
    public let booked: Money?
    /// The operation that it is about, as the capture of a refund.
    public let target: String?
    public let reference: String
    public let reason: String?
    public let decline: Decline?
    /// Why one that was not executed is known to have done nothing.
    public let because: String?
    public let requestedAt: Date
}

/// Why a payment was refused: a class of ours, and the provider's own code.
public struct Decline: Codable, Hashable, Sendable {
    public let `class`: Open<DeclineClass>
    public let code: String?
}

public struct AccountReference: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let name: String
    public let provider: String
    public let mode: Open<AccountMode>
}

/// One try to pay at one account.
public struct Attempt: Codable, Hashable, Sendable {
    public let number: Int
    /// Its name at the provider.
    public let reference: String
    public let deadline: Date
    public let open: Bool
    public let account: AccountReference?
    public let providerMethod: String?
    public let cancelRequested: Bool?
    public let expiryReached: Bool?
}

public struct Dispute: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let capture: String
    public let amount: Money
    public let stage: Open<DisputeStage>
    public let reason: String?
    public let at: Date
    /// Until when the answer has to be with the provider or the bank.
    public let answerBy: Date?
}

/// What the provider tells for people and their books.
public struct Receipt: Codable, Hashable, Sendable {
    public let providerId: String
    public let url: String?
    public let payee: String?
    public let contract: String?
    /// As the provider writes it.
    public let paidAt: String?
    public let authorizationCode: String?
    public let retrievalReference: String?
    public let acquirerReference: String?
    /// Whether only an app says so.
    public let claimed: Bool?
}

/// What must still happen, who owes it, and until when.
public struct Obligation: Codable, Hashable, Sendable {
    public let kind: Open<ObligationKind>
    public let owner: Open<ObligationOwner>
    public let nextStep: Open<ObligationStep>
    public let reason: String
    public let operation: String?
    public let deadline: Date?
}

/// Two claims that can't both be true; while one is open, no new message about money is sent.
public struct Contradiction: Codable, Hashable, Sendable {
    public let kind: String
    public let detail: String
    public let open: Bool
}

/// Repeated debits that the provider knows under one id.
public struct Series: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let active: Bool?
    public let kind: Open<SeriesKind>?
}

/// What the payer is asked to do.
public struct PayerAction: Codable, Hashable, Sendable {
    public let `is`: String
    /// What the payer must give, for a clarification.
    public let fields: [String]?
    public let attemptsLeft: Int?
    public let seconds: Int?
}

/// What the payer's device has to do now.
public struct NextAction: Codable, Hashable, Sendable {
    public let type: Open<NextActionType>
    public let action: PayerAction?
    /// Signed and short-lived: give it to the payer's browser, never keep it.
    public let url: URL?
    /// Where an app's parameters are asked for.
    public let appParameters: String?
    public let deadline: Date?
    /// Why nothing can be done any more, as in `handover_impossible`.
    public let reason: String?
}

/// The object that a provider's SDK needs, made for this moment.
public struct AppParameters: Codable, Hashable, Sendable {
    public let provider: String
    public let parameters: JsonValue
    public let deadline: Date?
}
