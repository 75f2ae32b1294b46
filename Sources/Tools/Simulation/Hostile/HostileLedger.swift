package import Kernel
package import Payments

/// The truth about one payment of ours at the provider.
package struct HostileLedger: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// Counts the entries of the payment from one.
        package let number: Int
        package let kind: OperationKind
        package let minor: Int64
        /// The message's name for it; `nil` where the provider's own people did it.
        package let ours: String?
        package let at: Timestamp
    }

    /// Our reference of the payment.
    package let reference: String
    /// How it begins: a sale or a hold.
    package let begins: OperationKind
    package let currency: Currency
    /// Which of the provider's payments it is.
    package let number: Int64
    /// Over how much an order was opened for the payer, where one was.
    package private(set) var order: Int64?
    package private(set) var entries: [Entry] = []
    /// Whether it keeps the payer's card for later payments.
    package private(set) var keepsCard = false
    /// Whether what a check held went back.
    package private(set) var isGivenBack = false
    private var count = 0

    package init(reference: String, begins: OperationKind, currency: Currency, number: Int64 = 0) {
        self.reference = reference
        self.begins = begins
        self.currency = currency
        self.number = number
    }

    package mutating func open(_ minor: Int64) { order = minor }

    package mutating func add(_ kind: OperationKind, _ minor: Int64, ours: String?, at now: Timestamp) {
        count += 1
        entries.append(Entry(number: count, kind: kind, minor: minor, ours: ours, at: now))
    }

    /// Pays the order, as its payer does.
    package mutating func pay(at now: Timestamp) {
        guard let order else { return }
        add(begins, order, ours: nil, at: now)
        if isCheck { keepsCard = true }
    }

    /// Whether a check or the saving of a card was done.
    package var isChecked: Bool { entries.contains { $0.kind == .verify || $0.kind == .tokenize } }

    /// Whether the payment is one that is to move no money.
    package var isCheck: Bool { begins == .verify || begins == .tokenize }

    /// Takes back what the newest entry of a kind did, as the provider's own people would.
    package mutating func undo(_ kind: OperationKind, at now: Timestamp) {
        guard let index = entries.lastIndex(where: { $0.kind == kind }) else { return }
        switch kind {
        case .sale, .capture, .transfer: add(.refund, entries[index].minor, ours: nil, at: now)
        case .authorize: add(.void, entries[index].minor, ours: nil, at: now)
        case .verify, .tokenize: isGivenBack = true
        case .void, .refund, .refundReversal: entries.remove(at: index)
        }
    }

    package func sum(_ kinds: OperationKind...) -> Int64 {
        entries.reduce(0) { kinds.contains($1.kind) ? $0 + $1.minor : $0 }
    }

    package var authorized: Int64 { sum(.authorize) }
    package var captured: Int64 { sum(.sale, .capture) }
    package var released: Int64 { sum(.void) }
    package var refunded: Int64 { sum(.refund) }
    package var transferred: Int64 { sum(.transfer) }
    /// Nothing is known of an order, nor of money.
    package var isEmpty: Bool { order == nil && entries.isEmpty }
}
