package import Kernel

/// One money-affecting step inside an attempt, with what is known of it.
package struct Operation: Hashable, Sendable {
    package let id: OperationId
    package let kind: OperationKind
    package let origin: OperationOrigin
    /// What was asked for; `nil` for tokenize and for operations that nobody here asked for.
    package let requested: Money?
    /// The capture or sale that a refund takes from.
    package let target: OperationId?
    /// Our name for it at the provider.
    package let reference: String
    package let requestedAt: Timestamp
    /// Who asked and why.
    package let actor: String
    package let reason: String?
    /// What was seen of it at the provider, by the provider's id; the form of a payment may be tried more than once.
    package var sightings: [String: Sighting] = [:]
    /// Licences in their order.
    package var dispatches: [Dispatch] = []
    /// An end without evidence about a provider operation.
    package var ending: OperationEnding?

    package init(
        id: OperationId,
        kind: OperationKind,
        origin: OperationOrigin,
        requested: Money?,
        target: OperationId?,
        reference: String,
        requestedAt: Timestamp,
        actor: String,
        reason: String?
    ) {
        self.id = id
        self.kind = kind
        self.origin = origin
        self.requested = requested
        self.target = target
        self.reference = reference
        self.requestedAt = requestedAt
        self.actor = actor
        self.reason = reason
    }

    /// Where an operation stands.
    package enum State: Hashable, Sendable {
        /// Licensed or about to be; nothing is known to have left.
        case requested
        /// Taken by the provider, or seen there unfinished.
        case pending
        /// An answer was lost or says nothing.
        case indeterminate
        case succeeded
        case failed(Decline)
        /// Proved to have had no effect at the provider.
        case notExecuted(String)
    }

    package var state: State {
        if sightings.values.contains(where: \.succeeded) { return .succeeded }
        if case .bookedByOperator? = ending { return .succeeded }
        if sightings.values.contains(where: { !$0.latest.outcome.isFinal }) {
            let unclear = sightings.values.allSatisfy { $0.latest.outcome == .ambiguous || $0.latest.outcome.isFinal }
            return unclear ? .indeterminate : .pending
        }
        if let ending { return ending.state }
        if let decline = lastDecline { return .failed(decline) }
        guard let last = dispatches.last else { return .requested }
        switch last.outcome {
        case nil, .notSent?: return .requested
        case .accepted?, .duplicate?, .answered?: return .pending
        case .unknown?: return .indeterminate
        case .notExecuted(let decline)?: return .failed(decline)
        }
    }

    package var isClosed: Bool {
        switch state {
        case .succeeded, .failed, .notExecuted: true
        case .requested, .pending, .indeterminate: false
        }
    }

    /// The refusal that was seen last by the provider's clock.
    package var lastDecline: Decline? {
        let declined = sightings.values.compactMap { sighting -> (Timestamp, String, Decline)? in
            switch sighting.latest.outcome {
            case .declined(let decline): (sighting.latest.changedAt ?? .epoch, sighting.latest.providerId, decline)
            case .expired:
                (
                    sighting.latest.changedAt ?? .epoch, sighting.latest.providerId,
                    Decline(reason: .soft, code: "expired", tableVersion: 0)
                )
            case .waiting, .processing, .ambiguous, .succeeded: nil
            }
        }
        return declined.max { ($0.0, $0.1) < ($1.0, $1.1) }?.2
    }

    /// The money that evidence shows to have moved, in `currency`.
    package func booked(in currency: Currency) -> Int64 {
        var sum: Int64 = 0
        for sighting in sightings.values where sighting.succeeded {
            guard let amount = sighting.latest.amount, amount.currency == currency else { continue }
            sum = sum.addingClamped(amount.minor)
        }
        if sum == 0, case .bookedByOperator(let amount)? = ending, amount.currency == currency { sum = amount.minor }
        return sum
    }
}

/// How an operation ended without a provider operation to show for it.
package enum OperationEnding: Hashable, Sendable {
    /// A definitive answer that nothing was done.
    case refused(Decline)
    /// Nothing left this house and nothing will.
    case notSent(reason: String)
    /// The provider was asked after the proof time and does not know it.
    case absent
    /// Two persons decided, on evidence of their own.
    case bookedByOperator(Money)
    case failedByOperator(String)

    package var state: Operation.State {
        switch self {
        case .refused(let decline): .failed(decline)
        case .notSent(let reason): .notExecuted(reason)
        case .absent: .notExecuted("absent")
        case .bookedByOperator: .succeeded
        case .failedByOperator(let reason): .notExecuted(reason)
        }
    }
}

/// One licensed message.
package struct Dispatch: Hashable, Sendable {
    package let license: DispatchLicense
    package var outcome: DispatchOutcome?
    package var observedAt: Timestamp?
    package var revoked = false

    package var isInFlight: Bool { outcome == nil && !revoked }
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
        case sameKey
        case absent
        case closed
        case notExecuted
        case operatorOverride
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

extension Int64 {
    /// Adds and stops at the ends: evidence is booked even where it is absurd, and `amount` contradictions say so.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other > 0 ? .max : .min
    }
}
