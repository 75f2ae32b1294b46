package import Kernel

/// One licensed message.
package struct Dispatch: Hashable, Sendable {
    package let license: DispatchLicense
    package var outcome: DispatchOutcome?
    package var observedAt: Timestamp?
    /// The version of the stream that its outcome made; what it told has a later one.
    var observedVersion: Int32 = 0
    /// Proved never to have left, after its operation was closed without it.
    package var revoked = false
    /// Whether the store still has the row that it leaves by: that goes when its operation closes, and does not come back where
    /// the operation turns out to be open after all.
    package var hasRow = true
    /// The version of the stream that the licence made, where what follows is told from what was before by it.
    package var version: Int32 = 0

    package var isInFlight: Bool { outcome == nil && !revoked }

    /// Whether it waits for an outcome longer than a sender, its deadline and every grace explain.
    ///
    /// Its answer came and could not be decided, or its row is gone: a person looks at it, and nothing waits for it any more.
    package func isStuck(at now: Timestamp) -> Bool { isInFlight && now >= license.outcomeDue }
}

extension DispatchLicense {
    /// So long after the last moment at which it may leave, the outcome of a message is known, or that nobody knows it.
    package static let outcomeGrace = Duration.seconds(300)

    package var outcomeDue: Timestamp { sendBefore.adding(Self.outcomeGrace) }
}

/// The permission to send one message, appended before it may leave.
package struct DispatchLicense: Hashable, Sendable {
    /// Names the effect row; the same for every licence of an operation.
    package let effect: EffectId
    package let purpose: DispatchPurpose
    /// `nil` for queries.
    package let operation: OperationId?
    /// 1, 2, 3 … for one effect.
    package let ordinal: Int32
    package let ground: Ground
    /// SHA-256 of the template's canonical bytes, in lower-case hexadecimal.
    package let templateDigest: String
    package let account: Uuid
    package let accountVersion: Int32
    package let adapterVersion: Int
    package let licensedAt: Timestamp
    package let notBefore: Timestamp
    package let sendBefore: Timestamp

    /// Why it may be sent, where it is not the first time.
    package enum Ground: String, Hashable, Sendable, CaseIterable {
        case first
        /// First, after a look at what the provider shows.
        case baseline
        case sameKey
        case absent
        case closed
        case notExecuted
        case operatorOverride
        /// Passes the payer's step on: the values that the payer's device brought back go to the order that the
        /// provider opened.
        case completion
        /// A question because of what was said and proves nothing, as an unsigned notification.
        case news
    }

    package init(
        effect: EffectId,
        purpose: DispatchPurpose,
        operation: OperationId?,
        ordinal: Int32,
        ground: Ground,
        templateDigest: String,
        account: Uuid,
        accountVersion: Int32,
        adapterVersion: Int,
        licensedAt: Timestamp,
        notBefore: Timestamp,
        sendBefore: Timestamp
    ) {
        self.effect = effect
        self.purpose = purpose
        self.operation = operation
        self.ordinal = ordinal
        self.ground = ground
        self.templateDigest = templateDigest
        self.account = account
        self.accountVersion = accountVersion
        self.adapterVersion = adapterVersion
        self.licensedAt = licensedAt
        self.notBefore = notBefore
        self.sendBefore = sendBefore
    }
}
