package import Kernel

/// Where a payment or one operation in it stands, with the provider's text, category and number.
package enum WorldlineStatus: Hashable, Sendable, CaseIterable {
    case created, redirected, authorizing, uncertain, authorized, declined, cancelledByPayer
    case captureRequested, captureUncertain, captured, captureRefused
    case cancelRequested, cancelled, cancelRefused
    case refundRequested, refundUncertain, refunded, refundRefused

    package var code: Int64 {
        switch self {
        case .created: 0
        case .cancelledByPayer: 1
        case .declined: 2
        case .redirected: 46
        case .authorizing: 51
        case .uncertain: 52
        case .authorized: 5
        case .captureRequested: 91
        case .captureUncertain: 92
        case .captureRefused: 93
        case .captured: 9
        case .cancelRequested: 61
        case .cancelRefused: 63
        case .cancelled: 6
        case .refundRequested: 81
        case .refundUncertain: 82
        case .refundRefused: 83
        case .refunded: 8
        }
    }

    var text: String {
        switch self {
        case .created: "CREATED"
        case .redirected: "REDIRECTED"
        case .authorizing, .uncertain: "AUTHORIZATION_REQUESTED"
        case .authorized: "PENDING_CAPTURE"
        case .declined, .cancelRefused, .refundRefused: "REJECTED"
        case .cancelledByPayer, .cancelRequested, .cancelled: "CANCELLED"
        case .captureRequested, .captureUncertain: "CAPTURE_REQUESTED"
        case .captured: "CAPTURED"
        case .captureRefused: "REJECTED_CAPTURE"
        case .refundRequested, .refundUncertain: "REFUND_REQUESTED"
        case .refunded: "REFUNDED"
        }
    }

    var category: String {
        switch self {
        case .created: "CREATED"
        case .redirected, .authorizing, .uncertain, .captureRequested, .captureUncertain, .refundRequested,
            .refundUncertain:
            "PENDING_CONNECT_OR_3RD_PARTY"
        case .authorized, .cancelRequested: "PENDING_MERCHANT"
        case .declined, .cancelledByPayer, .cancelled, .cancelRefused, .captureRefused, .refundRefused: "UNSUCCESSFUL"
        case .captured: "COMPLETED"
        case .refunded: "REFUNDED"
        }
    }

    /// The type of the event that tells of it.
    var event: String {
        switch self {
        case .created: "payment.created"
        case .redirected: "payment.redirected"
        case .authorizing, .uncertain: "payment.authorization_requested"
        case .authorized: "payment.pending_capture"
        case .declined, .cancelRefused, .refundRefused: "payment.rejected"
        case .cancelledByPayer, .cancelRequested, .cancelled: "payment.cancelled"
        case .captureRequested, .captureUncertain: "payment.capture_requested"
        case .captured: "payment.captured"
        case .captureRefused: "payment.rejected_capture"
        case .refundRequested, .refundUncertain: "refund.refund_requested"
        case .refunded: "payment.refunded"
        }
    }

    /// Whether it waits for the acquirer.
    var isAwaited: Bool {
        switch self {
        case .authorizing, .uncertain, .captureRequested, .captureUncertain, .cancelRequested, .refundRequested,
            .refundUncertain:
            true
        case .created, .redirected, .authorized, .declined, .cancelledByPayer, .captured, .captureRefused, .cancelled,
            .cancelRefused, .refunded, .refundRefused:
            false
        }
    }
}

/// A payment as the simulated provider keeps it.
package struct WorldlinePayment: Hashable, Sendable {
    enum Mode: String, CaseIterable {
        case sale = "SALE"
        case preAuthorization = "PRE_AUTHORIZATION"
        case finalAuthorization = "FINAL_AUTHORIZATION"
    }

    /// Something that followed the beginning.
    package struct Operation: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable { case capture, cancel, refund }

        package let index: Int
        package let kind: Kind
        package let amount: Money
        /// The merchant's name for it; `nil` where the portal asked.
        let reference: String?
        /// Whether nothing is to follow it.
        let isFinal: Bool
        package internal(set) var status: WorldlineStatus
        var changedAt: Timestamp
    }

    /// The ten digits before the counter.
    package let number: String
    package let merchant: String
    let idForm: WorldlineMerchant.IdForm
    let mode: Mode
    package let amount: Money
    /// The merchant's name for it.
    package let reference: String?
    let customer: String?
    let card: WorldlineCard
    /// Whether the card is stored once the issuer agreed.
    let savesCard: Bool
    var token: String?
    let webhookUrls: [String]
    let returnUrl: String?
    /// Comes back with the payer.
    let mac: String
    let checkout: String?
    /// The reference that the merchant named: of the payment at which the payer agreed.
    package let initialReference: String?
    /// The merchant's word about the payment's place in a series.
    package let seriesIndicator: String?
    package internal(set) var begun: WorldlineStatus
    var changedAt: Timestamp
    package internal(set) var operations: [Operation] = []
    var declineCode = "30511001"

    package var id: String { id(0) }

    /// How the card's network names it.
    var schemeReference: String { "SCH" + number }

    func id(_ index: Int) -> String {
        switch idForm {
        case .underscore: return "\(number)_\(index)"
        case .digits:
            let text = String(index)
            return number + String(repeating: "0", count: max(0, 3 - text.count)) + text
        }
    }

    /// The number in an id of either form.
    static func number(in id: String) -> String {
        if let line = id.firstIndex(of: "_") { return String(id[..<line]) }
        return String(id.dropLast(3))
    }

    private func sum(_ kind: Operation.Kind, _ statuses: Set<WorldlineStatus>) -> Int64 {
        operations.filter { $0.kind == kind && statuses.contains($0.status) }.reduce(0) { $0 + $1.amount.minor }
    }

    package var captured: Int64 {
        mode == .sale ? (begun == .captured ? amount.minor : 0) : sum(.capture, [.captured])
    }

    var refundable: Int64 { captured - sum(.refund, [.refunded, .refundRequested, .refundUncertain]) }

    /// Of the hold, neither taken nor given back nor on its way to either.
    var capturable: Int64 {
        guard mode != .sale, begun == .authorized, !isClosed else { return 0 }
        return amount.minor - sum(.capture, [.captured, .captureRequested, .captureUncertain])
            - sum(.cancel, [.cancelled, .cancelRequested])
    }

    /// A final capture or cancellation ends what can be done with a hold.
    private var isClosed: Bool {
        operations.contains { operation in
            operation.isFinal && operation.kind != .refund && operation.status != .captureRefused
                && operation.status != .cancelRefused
        }
    }

    /// The status of the newest operation that was not refused, else of the beginning.
    package var status: WorldlineStatus {
        let refused: Set<WorldlineStatus> = [.captureRefused, .cancelRefused, .refundRefused]
        return operations.last { !refused.contains($0.status) }?.status ?? begun
    }

    var statusChangedAt: Timestamp { operations.last?.changedAt ?? changedAt }
}

/// A card of the simulated world: never a number, only what the provider shows of one.
struct WorldlineCard: Hashable, Sendable {
    /// The behaviour of the card when somebody pays with it.
    enum Behaviour: String, Hashable, Sendable, CaseIterable {
        case frictionless, challenge, declined
    }

    let behaviour: Behaviour
    let product: Int64
    let masked: String
    let expiry: String

    static func test(_ behaviour: Behaviour, product: Int64 = 1, lastFour: String = "1111") -> WorldlineCard {
        WorldlineCard(
            behaviour: behaviour,
            product: product,
            masked: String(repeating: "*", count: 12) + lastFour,
            expiry: "1230"
        )
    }
}

/// A stored card.
struct WorldlineToken: Hashable, Sendable {
    let id: String
    let merchant: String
    let card: WorldlineCard
    var isForgotten = false
}

/// A hosted page.
package struct WorldlineCheckout: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        case inProgress = "IN_PROGRESS"
        case created = "PAYMENT_CREATED"
        case cancelled = "CANCELLED_BY_CONSUMER"
    }

    package let id: String
    let merchant: String
    let amount: Money
    /// The request that opened it; every try on the page makes a payment of it.
    let request: Json
    let returnUrl: String
    let mac: String
    let deadline: Timestamp
    var triesLeft: Int64
    package internal(set) var payments: [String] = []
    package internal(set) var state = State.inProgress
}
