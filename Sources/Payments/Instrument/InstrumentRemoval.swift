import Crypto
package import Kernel

/// The permission to send one message that asks the provider to forget a credential.
package struct RemovalLicense: Hashable, Sendable {
    package let effect: EffectId
    /// 1, 2, 3 …: forgetting twice does no harm, so a lost answer leads to another try.
    package let ordinal: Int32
    /// SHA-256 of the template's canonical bytes, in lower-case hexadecimal.
    package let templateDigest: String
    package let account: Uuid
    package let accountVersion: Int32
    package let adapterVersion: Int
    package let licensedAt: Timestamp
    package let sendBefore: Timestamp

    package init(
        effect: EffectId,
        ordinal: Int32,
        templateDigest: String,
        account: Uuid,
        accountVersion: Int32,
        adapterVersion: Int,
        licensedAt: Timestamp,
        sendBefore: Timestamp
    ) {
        self.effect = effect
        self.ordinal = ordinal
        self.templateDigest = templateDigest
        self.account = account
        self.accountVersion = accountVersion
        self.adapterVersion = adapterVersion
        self.licensedAt = licensedAt
        self.sendBefore = sendBefore
    }

    /// So often a provider is asked before it is left alone.
    package static let tries: Int32 = 5
    /// A licence that was not used within so long is not used any more.
    package static let window = Duration.seconds(600)

    /// The pause before the next try.
    package static func pause(after ordinal: Int32) -> Duration { .seconds(5 << Int64(min(ordinal, 10))) }
}

/// One message of a removal, with what became of it.
package struct RemovalRequest: Hashable, Sendable {
    package let license: RemovalLicense
    package var outcome: RemovalOutcome?

    package init(license: RemovalLicense, outcome: RemovalOutcome? = nil) {
        self.license = license
        self.outcome = outcome
    }
}

/// What one message came to, as an adapter reads it.
package enum RemovalOutcome: Hashable, Sendable {
    /// The provider has forgotten it, or never knew it.
    case removed
    /// The provider keeps it, for good.
    case refused(code: String?)
    /// Nobody knows, or it may be asked again.
    case unknown(reason: String)
}

/// How the removal at the provider ended.
package enum RemovalEnd: Hashable, Sendable {
    case removed
    case refused(code: String?)
    /// The provider was asked as often as it is, and never said.
    case unknown
    /// The provider takes no such request: the credential is removed here alone.
    case notSupported

    package var word: String {
        switch self {
        case .removed: "removed"
        case .refused: "refused"
        case .unknown: "unknown"
        case .notSupported: "notSupported"
        }
    }

    package var code: String? {
        switch self {
        case .refused(let code): code
        case .removed, .unknown, .notSupported: nil
        }
    }
}

extension Instrument {
    /// The effect row of removal requests since the last saving; a credential saved again is removed anew.
    package var removalEffect: EffectId {
        EffectId(.version5(namespace: id.uuid, name: "removal:\(version)"))
    }

    /// What follows from the outcome of a message: the end, or another try after a pause.
    ///
    /// `asksFirst` where the provider is to be asked what it keeps before the next try.
    package func decide(
        _ outcome: RemovalOutcome,
        effect: EffectId,
        ordinal: Int32,
        asksFirst: Bool = false,
        at now: Timestamp
    ) -> (events: [InstrumentEvent], repeats: RemovalLicense?) {
        guard let known = requests.last(where: { $0.license.effect == effect && $0.license.ordinal == ordinal }),
            known.outcome == nil, removal == nil
        else { return ([], nil) }
        let observed = InstrumentEvent.removalObserved(effect, ordinal: ordinal, outcome, at: now)
        switch outcome {
        case .removed: return ([observed, .removalEnded(.removed, at: now)], nil)
        case .refused(let code): return ([observed, .removalEnded(.refused(code: code), at: now)], nil)
        case .unknown:
            guard ordinal < RemovalLicense.tries else { return ([observed, .removalEnded(.unknown, at: now)], nil) }
            // Where the provider can be asked, the question goes first and the next message follows from its answer.
            if asksFirst { return ([observed], nil) }
            let next = known.license.next(at: now)
            return ([observed, .removalLicensed(next)], next)
        }
    }
}
