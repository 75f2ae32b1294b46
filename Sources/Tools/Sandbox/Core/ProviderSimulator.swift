package import Kernel

/// A provider as a pure machine: one method per thing that can happen, each returning what must be done now.
///
/// It holds no socket and no clock. The shell in `SandboxServer` feeds requests, delivery replies and the time, and
/// does what comes back. Fed the same inputs again, it reaches the same state: that is how the journal restores it.
package protocol ProviderSimulator: Sendable {
    /// A request arrived; exactly one of the actions is its answer.
    mutating func received(_ request: SandboxRequest, at time: Timestamp) -> [SandboxAction]

    /// An attempt to deliver a notification ended.
    mutating func deliveryEnded(_ attempt: DeliveryAttempt, _ reply: DeliveryReply, at time: Timestamp)
        -> [SandboxAction]

    /// The time moved on; everything due until then happens, in order.
    mutating func timeReached(_ time: Timestamp) -> [SandboxAction]

    /// The state was restored from a journal: what was under way when the process ended is taken up again.
    mutating func resumed(at time: Timestamp) -> [SandboxAction]

    /// When `timeReached` has work next.
    var nextDue: Timestamp? { get }

    /// Whether a request may change the state and belongs into the journal.
    func isRecorded(_ request: SandboxRequest) -> Bool
}

/// What the shell must do.
package enum SandboxAction: Hashable, Sendable {
    case answer(SandboxAnswer)
    case deliver(SandboxDelivery)
}

/// Names one attempt of one notification.
package struct DeliveryAttempt: Hashable, Sendable {
    package let delivery: Int64
    /// Counted from one.
    package let number: Int

    package init(delivery: Int64, number: Int) {
        self.delivery = delivery
        self.number = number
    }
}

/// A notification to be sent now.
package struct SandboxDelivery: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case post
        /// A check of the address: a `GET` whose answer must hold these bytes, or it counts as none.
        case echo([UInt8])
        /// A `GET` with everything in the address.
        case get
    }

    package let attempt: DeliveryAttempt
    package let url: String
    package let contentType: String
    package let body: [UInt8]
    /// Further header fields by name.
    package var headers: [String: String] = [:]
    package var kind = Kind.post
}

/// How an attempt ended.
package enum DeliveryReply: Hashable, Sendable {
    case status(Int)
    /// No answer came: refused, timed out or broken off.
    case noAnswer
}
