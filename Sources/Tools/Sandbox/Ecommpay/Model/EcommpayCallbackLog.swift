package import Kernel

/// Every callback that was made, with each attempt to deliver it.
package struct EcommpayCallbackLog: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// Its time has not come, or an earlier callback of the payment is under way.
        case waiting
        /// Waits for the next callback of its payment, to go after it.
        case held
        /// Is never sent unless somebody asks for it.
        case withheld
        /// An attempt is under way.
        case delivering
        /// An attempt failed; another will follow.
        case retrying
        case delivered
        /// The attempts or the days are used up.
        case givenUp = "given_up"
        /// There is no address to send it to.
        case noAddress = "no_address"

        /// Whether nothing more will happen by itself.
        package var isOver: Bool {
            switch self {
            case .delivered, .givenUp, .noAddress, .withheld: true
            case .waiting, .held, .delivering, .retrying: false
            }
        }
    }

    package struct Attempt: Hashable, Sendable {
        package let at: Timestamp
        /// `nil` while it is under way.
        package var reply: DeliveryReply?
    }

    package struct Delivery: Hashable, Sendable {
        package let id: Int64
        package let project: Int64
        package let paymentId: String?
        package let url: String?
        package let body: [UInt8]
        /// The body in short: payment status, operation type and status.
        package let summary: String
        package let createdAt: Timestamp
        package var state: State
        package var attempts: [Attempt] = []

        package var key: EcommpayPaymentKey { EcommpayPaymentKey(project: project, id: paymentId ?? "") }
    }

    package private(set) var deliveries: [Int64: Delivery] = [:]
    /// The kept ones in the order they were made; the ones before `firstKept` are gone.
    private var order: [Int64] = []
    private var firstKept = 0
    /// The delivery whose first attempt is under way, per payment: callbacks of a payment leave one by one.
    var underWay: [EcommpayPaymentKey: Int64] = [:]
    var queued: [EcommpayPaymentKey: [Int64]] = [:]
    var heldBack: [EcommpayPaymentKey: Int64] = [:]

    package init() {}

    package subscript(_ id: Int64) -> Delivery? {
        get { deliveries[id] }
        set { deliveries[id] = newValue }
    }

    /// The kept deliveries in the order they were made.
    package var inOrder: [Delivery] { order[firstKept...].compactMap { deliveries[$0] } }

    mutating func add(_ delivery: Delivery) {
        deliveries[delivery.id] = delivery
        order.append(delivery.id)
        prune()
    }

    /// Forgets the oldest deliveries that are over, beyond the limit.
    private mutating func prune() {
        while deliveries.count > EcommpayLimits.deliveriesKept, firstKept < order.count,
            let oldest = deliveries[order[firstKept]], oldest.state.isOver
        {
            deliveries[oldest.id] = nil
            firstKept += 1
        }
    }
}

/// When the platform tries to deliver a callback again.
package enum EcommpayRetrySchedule {
    /// Attempts in all.
    package static let attempts = 120
    /// The time within which they fall.
    package static let window = Duration.seconds(11 * 86_400)
    private static let longest: Int64 = 4 * 3600 * 1000

    /// The documented gap after attempt `number`: six tries ten seconds apart, then `70 + 10 · 1.12^(n − 4)` seconds,
    /// at most four hours.
    package static func gap(after number: Int) -> Duration {
        precondition(number >= 1, "attempts are counted from one")
        guard number >= 6 else { return .seconds(10) }
        var growing: Int64 = 10_000
        for _ in 4..<number {
            growing = growing * 112 / 100
            if growing > longest { break }
        }
        return .milliseconds(min(longest, 70_000 + growing))
    }
}
