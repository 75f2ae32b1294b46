/// A message of the provider's own, and how often it was tried.
package struct SandboxNotice: Hashable, Sendable {
    package let id: Int64
    package let url: String
    package let contentType: String
    package let body: [UInt8]
    package var kind = SandboxDelivery.Kind.post
    /// From each attempt that failed to the next one.
    package let pauses: [Duration]
    /// Statuses that say that it was taken.
    package var accepted = 200...200
    package var attempts = 0
    /// An attempt is under way.
    package var isOpen = false
    package var isDelivered = false

    func delivery(_ attempt: DeliveryAttempt) -> SandboxDelivery {
        SandboxDelivery(attempt: attempt, url: url, contentType: contentType, body: body, kind: kind)
    }
}

/// Something that the host of a simulator must do.
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
    package var body: [UInt8]
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
