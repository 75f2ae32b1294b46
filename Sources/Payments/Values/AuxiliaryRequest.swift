package import Kernel

/// Something that a provider is asked to do for a payment and that moves no money.
package enum AuxiliaryKind: String, Hashable, Sendable, CaseIterable {
    /// All that was sold is delivered: the provider ends what it keeps open for that.
    case completeDelivery
    /// Ends an order that nobody has paid, so that nobody pays it any more.
    case cancelOrder
}

/// An auxiliary request as it enters the stream.
package struct AuxiliaryRequestFact: Hashable, Sendable {
    /// Names its one effect, too.
    package let id: EffectId
    package let kind: AuxiliaryKind
    package let actor: String
    /// Details in the command for the adapter alone.
    package let details: Json?
    package let at: Timestamp

    package init(id: EffectId, kind: AuxiliaryKind, actor: String, details: Json?, at: Timestamp) {
        self.id = id
        self.kind = kind
        self.actor = actor
        self.details = details
        self.at = at
    }
}

/// An auxiliary request with what is known of it.
package struct AuxiliaryRequest: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        case underWay, done, refused
        /// Nothing left the process: it may be asked for again.
        case notSent
        /// An answer was lost: the provider may have done it.
        case unknown
    }

    package let request: AuxiliaryRequestFact
    package var dispatch: Dispatch?

    package var state: State {
        switch dispatch?.outcome {
        case nil: .underWay
        case .accepted?, .answered?, .duplicate?: .done
        case .notExecuted?, .refused?: .refused
        case .notSent?: .notSent
        case .unknown?: .unknown
        }
    }
}
