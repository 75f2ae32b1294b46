public import Foundation

public enum BillBatchStatus: String, CaseIterable, Sendable {
    case open, pricing, processing
    case requiresAction = "requires_action"
    case paused, completed
    case partiallyCompleted = "partially_completed"
    case failed, claimed, unresolved
}

public enum BillOutcome: String, CaseIterable, Sendable {
    case paid, held, refunded, cancelled, claimed
    case requiresAction = "requires_action"
    case failed, unknown, refused
}

/// Many bills paid as one task.
public struct BillBatch: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let object: String
    public let status: Open<BillBatchStatus>?
    public let version: Int?
    public let account: AccountReference?
    public let createdAt: Date?
    public let submittedAt: Date?
    public let endedAt: Date?
    public let credentials: String?
    public let instrument: String?
    public let customer: String?
    public let reference: String?
    public let currency: String?
    public let mode: String?
    /// How many there are.
    public let bills: Int?
    public let pages: Int?
    public let chunks: Int?
    public let total: Money?
    public let expectedCommission: Money?
    public let tally: Tally?
    public let digest: String?
    /// Why it does not go on.
    public let trouble: String?
    public let priceRefused: String?
    public let requiresAction: String?

    /// How many bills there are of each outcome, and their sums.
    public struct Tally: Codable, Hashable, Sendable {
        public let counts: [String: Int]
        public let charged: Money
        public let commission: Money
        public let claimed: Money
        public let differing: Int
    }
}

/// One bill of a batch, and what became of it.
public struct Bill: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let ordinal: Int
    public let amount: Money
    public let outcome: String
    public let standing: Standing?

    public struct Standing: Codable, Hashable, Sendable {
        public let id: String
        public let outcome: Open<BillOutcome>
        public let source: String
        public let paid: Money?
        public let claimed: Open<BillOutcome>?
        public let commission: Money?
        public let amountDiffers: Bool?
        public let errorCode: String?
        public let errorText: String?
        public let receiptUrl: String?
        public let payeeName: String?
        public let contractNumber: String?
        public let authCode: String?
        public let payDate: String?
    }
}
