import EventSourcing
import Kernel
import Payments

/// One operation in a provider's books.
struct ModelOperation: Hashable, Sendable {
    enum Outcome: String, Hashable, Sendable {
        case waiting, processing, succeeded, declined

        var isFinal: Bool {
            switch self {
            case .waiting, .processing: false
            case .succeeded, .declined: true
            }
        }
    }

    let id: String
    let kind: OperationKind
    let amount: Int64
    /// Our name for it; `nil` for what the payer or the provider's people did.
    let ours: String?
    var outcome: Outcome
    let createdAt: Timestamp
    var changedAt: Timestamp
    /// Questions show it from then on.
    let shownFrom: Timestamp

    /// Done at the provider, by its people or its rules.
    var isUnasked: Bool { ours == nil && !kind.isInitial }
}

/// The sums that moved, in minor units; the provider's books and ours are compared by them.
struct Sums: Hashable, Sendable, CustomStringConvertible {
    var authorized: Int64 = 0
    var captured: Int64 = 0
    var released: Int64 = 0
    var refunded: Int64 = 0

    var description: String {
        "authorized \(authorized), captured \(captured), released \(released), refunded \(refunded)"
    }
}

/// One payment in a provider's books.
struct ModelPayment: Hashable, Sendable {
    enum Ending: String, Hashable, Sendable {
        case expired, cancelled
    }

    let reference: String
    let kind: OperationKind
    let amount: Int64
    let currency: Currency
    /// The link dies.
    let deadline: Timestamp
    var order: String?
    /// Questions show the order from then on; before, they don't know the payment at all.
    var orderShownFrom: Timestamp?
    var operations: [ModelOperation] = []
    var ending: Ending?
    /// When each request of ours arrived first and had its effect, by our name of the operation.
    var arrivals: [String: Timestamp] = [:]
    /// The answer to the last question, and when it was given.
    var lastAnswer: (state: Json, at: Timestamp)?

    init(reference: String, kind: OperationKind, amount: Int64, currency: Currency, deadline: Timestamp) {
        self.reference = reference
        self.kind = kind
        self.amount = amount
        self.currency = currency
        self.deadline = deadline
    }

    static func == (left: ModelPayment, right: ModelPayment) -> Bool {
        left.reference == right.reference && left.operations == right.operations && left.ending == right.ending
    }

    func hash(into hasher: inout Hasher) { hasher.combine(reference) }

    var isPaid: Bool { operations.contains { $0.kind.isInitial && $0.outcome == .succeeded } }

    /// Whether a question knows of it.
    func isShown(at now: Timestamp) -> Bool {
        ending != nil || orderShownFrom.map { $0 <= now } == true || operations.contains { $0.shownFrom <= now }
    }

    var sums: Sums {
        var sums = Sums()
        for operation in operations where operation.outcome == .succeeded {
            switch operation.kind {
            case .authorize: sums.authorized += operation.amount
            case .sale, .capture, .transfer: sums.captured += operation.amount
            case .void: sums.released += operation.amount
            case .refund: sums.refunded += operation.amount
            case .verify, .tokenize, .refundReversal: break
            }
        }
        return sums
    }

    /// The amount that a request of a kind may still take, without what is under way.
    func room(for kind: OperationKind) -> Int64 {
        let sums = sums
        func open(_ kinds: OperationKind...) -> Int64 {
            operations.filter { !$0.outcome.isFinal && kinds.contains($0.kind) }.reduce(0) { $0 + $1.amount }
        }
        switch kind {
        case .capture, .void:
            let fromHold = operations.filter { $0.kind == .capture && $0.outcome == .succeeded }
            let taken = fromHold.reduce(0) { $0 + $1.amount }
            return sums.authorized - taken - sums.released - open(.capture, .void)
        case .refund: return sums.captured - sums.refunded - open(.refund)
        case .sale, .authorize, .verify, .tokenize, .transfer, .refundReversal: return 0
        }
    }

    /// The state that a message at `now` shows; questions don't see the newest at once.
    func state(at now: Timestamp, isQuestion: Bool, echoes: Set<OperationKind>) -> Json {
        let shown = operations.filter { !isQuestion || $0.shownFrom <= now }
        let isOrderShown = !isQuestion || !shown.isEmpty || orderShownFrom.map { $0 <= now } == true
        return .compact([
            ("ending", ending.map { .string($0.rawValue) }),
            (
                "operations",
                .array(
                    shown.map { operation in
                        .compact([
                            ("amount", Money(operation.amount, currency).json), ("changed", operation.changedAt.json),
                            ("created", operation.createdAt.json), ("id", .string(operation.id)),
                            ("kind", .string(operation.kind.rawValue)),
                            ("outcome", .string(operation.outcome.rawValue)),
                            (
                                "reference",
                                echoes.contains(operation.kind) ? operation.ours.map(Json.string) : nil
                            ),
                        ])
                    }
                )
            ), ("order", isOrderShown ? order.map(Json.string) : nil), ("payment", .string(reference)),
        ])
    }
}
