import Crypto
package import EventSourcing
package import Kernel

/// One message of a removal, with what became of it.
package struct RemovalRequest: Hashable, Sendable {
    package let license: MessageLicense
    package var outcome: RemovalOutcome?

    package init(license: MessageLicense, outcome: RemovalOutcome? = nil) {
        self.license = license
        self.outcome = outcome
    }
}

/// The outcome of one message, as an adapter reads it.
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
    /// So often a provider is asked to forget a credential before it is left alone: forgetting twice does no harm.
    package static let repetition = Repetition(tries: 5, firstPause: 10)

    /// The effect row of removal requests since the last saving; a credential saved again is removed anew.
    package var removalEffect: EffectId {
        EffectId(.version5(namespace: id.uuid, name: "removal:\(version)"))
    }

    /// Decides on the outcome of a message: the end, or another try after a pause.
    ///
    /// `asksFirst` where the provider is to be asked what it keeps before the next try.
    package func decide(
        _ outcome: RemovalOutcome,
        effect: EffectId,
        ordinal: Int32,
        asksFirst: Bool = false,
        at now: Timestamp
    ) -> (events: [InstrumentEvent], repeats: MessageLicense?) {
        guard let known = requests.last(where: { $0.license.effect == effect && $0.license.ordinal == ordinal }),
            known.outcome == nil, removal == nil
        else { return ([], nil) }
        let observed = InstrumentEvent.removalObserved(effect, ordinal: ordinal, outcome, at: now)
        switch outcome {
        case .removed: return ([observed, .removalEnded(.removed, at: now)], nil)
        case .refused(let code): return ([observed, .removalEnded(.refused(code: code), at: now)], nil)
        case .unknown:
            guard ordinal < Self.repetition.tries else { return ([observed, .removalEnded(.unknown, at: now)], nil) }
            // Where the provider can be asked, the question goes first and the next message follows from its answer.
            if asksFirst { return ([observed], nil) }
            let next = known.license.next(at: now, Self.repetition)
            return ([observed, .removalLicensed(next)], next)
        }
    }
}
