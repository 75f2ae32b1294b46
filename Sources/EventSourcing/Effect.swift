package import Kernel

/// A dispatch that was licensed: the row that a sender marks.
package struct NewEffect: Hashable, Sendable {
    package let id: Uuid
    /// Provider account, the `id` of its stream.
    package let account: Uuid
    /// 1 for the first licence of the operation, 2 for the next.
    package let ordinal: Int32
    /// The unsigned request template: canonical JSON whose digest the licence has, sealed from its commit on.
    package let template: [UInt8]
    package let notBefore: Timestamp
    /// Past this moment it is not sent any more.
    package let sendBefore: Timestamp
    /// The provider's total request deadline.
    package let deadline: Duration

    package init(
        id: Uuid,
        account: Uuid,
        ordinal: Int32,
        template: [UInt8],
        notBefore: Timestamp,
        sendBefore: Timestamp,
        deadline: Duration
    ) {
        self.id = id
        self.account = account
        self.ordinal = ordinal
        self.template = template
        self.notBefore = notBefore
        self.sendBefore = sendBefore
        self.deadline = deadline
    }

    /// The same row with other bytes for its template.
    package func with(template: [UInt8]) -> NewEffect {
        NewEffect(
            id: id,
            account: account,
            ordinal: ordinal,
            template: template,
            notBefore: notBefore,
            sendBefore: sendBefore,
            deadline: deadline
        )
    }
}

/// A change that a decision makes to the stream's effect rows.
package enum EffectChange: Hashable, Sendable {
    case create(NewEffect)
    /// Makes the row ready once more under another licence: same template, next ordinal, whatever its state was.
    case resend(Uuid, ordinal: Int32, notBefore: Timestamp, sendBefore: Timestamp)
    /// Closes the send window of a row that was not marked as sending and takes it from its claimer, so that it expires
    /// unsent; a row that was marked stays as it is, because its message may be on the wire.
    case revoke(Uuid)
    /// Deletes the row, whatever its state: the operation is closed or the licence was used up.
    case remove(Uuid)

    /// Whether a message waits to be sent because of it.
    package var makesReady: Bool {
        switch self {
        case .create, .resend: true
        case .revoke, .remove: false
        }
    }
}

/// The right of one sender to a row of the effect table, until its time ends.
package struct EffectLease: Hashable, Sendable {
    package let stream: StreamName
    package let id: Uuid
    /// Grows with every claim of the row, and whenever it is made ready.
    package let fence: Int64

    package init(stream: StreamName, id: Uuid, fence: Int64) {
        self.stream = stream
        self.id = id
        self.fence = fence
    }
}

/// An effect that one sender may mark: claimed until the lease ends, or ready under a fence that its decision alone was told.
package struct LeasedEffect: Hashable, Sendable {
    package let lease: EffectLease
    package let effect: NewEffect
    package let leaseUntil: Timestamp

    package init(lease: EffectLease, effect: NewEffect, leaseUntil: Timestamp) {
        self.lease = lease
        self.effect = effect
        self.leaseUntil = leaseUntil
    }
}

/// An effect whose sender vanished between the mark and the answer.
package struct LostEffect: Hashable, Sendable {
    package let lease: EffectLease
    package let ordinal: Int32
    package let account: Uuid

    package init(lease: EffectLease, ordinal: Int32, account: Uuid) {
        self.lease = lease
        self.ordinal = ordinal
        self.account = account
    }
}
