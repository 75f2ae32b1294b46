import Crypto
package import EventSourcing
package import Kernel

/// A provider's answer about a saved credential when it is asked whether it still keeps it.
package enum CredentialListing: Hashable, Sendable {
    case listed
    /// The provider no longer lists it: nobody can charge it.
    case notListed
    /// Nobody knows: asked again on the next occasion.
    case unknown(reason: String)
}

extension Instrument {
    /// The effect row of the next question to the provider.
    package var checkEffect: EffectId { EffectId(.version5(namespace: id.uuid, name: "check:\(version)")) }

    /// Whether an answer to the question is awaited.
    package func awaitsCheck(_ effect: EffectId) -> Bool { openCheck?.effect == effect }

    /// Refuses a question about what is not there.
    package func checkAskable() throws(Rejection) {
        guard saved != nil else { throw Rejection(.instrumentUnknown, "There is no such instrument.") }
    }

    /// Whether a question tells more than what is under way will.
    package var isCheckDue: Bool { openCheck == nil && (removed == nil || removal != nil) }

    /// Decides on the answer: the credential is marked, or its removal goes on with the licence given.
    package func decide(_ listing: CredentialListing, effect: EffectId, at now: Timestamp)
        -> (events: [InstrumentEvent], repeats: MessageLicense?)
    {
        guard openCheck?.effect == effect else { return ([], nil) }
        let observed = InstrumentEvent.checkObserved(effect, listing, at: now)
        switch listing {
        case .notListed:
            guard removed != nil else {
                return (
                    [
                        observed, .removed(by: Self.provider, reason: nil, at: now),
                        .removalEnded(.removed, at: now),
                    ], nil
                )
            }
            // A removal under way comes to its own end.
            if removal == nil, let last = requests.last, last.outcome == nil { return ([observed], nil) }
            switch removal {
            case nil, .unknown?: return ([observed, .removalEnded(.removed, at: now)], nil)
            case .removed?, .refused?, .notSupported?: return ([observed], nil)
            }
        case .listed, .unknown:
            // A removal whose answer was lost is asked for once more: forgetting twice does no harm.
            guard removed != nil, removal == nil, let last = requests.last, last.outcome != nil else {
                return ([observed], nil)
            }
            let next = last.license.next(at: now, Self.repetition)
            return ([observed, .removalLicensed(next)], next)
        }
    }

    /// Who removed it where the provider was found to have forgotten it.
    package static let provider = "provider"
}

extension CredentialListing: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .listed: out.member("is", "listed")
        case .notListed: out.member("is", "notListed")
        case .unknown(let reason):
            out.member("is", "unknown")
            out.member("reason", reason)
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "listed": self = .listed
        case "notListed": self = .notListed
        case "unknown": self = .unknown(reason: try fields.text("reason"))
        default: throw CodecFailure("is")
        }
    }
}
