/// The abilities of one account at one provider: the adapter's declaration narrowed by the account's settings.
package struct Capabilities: Hashable, Sendable {
    package let partialCapture: Bool
    package let multipleCaptures: Bool
    /// More than the hold may be captured.
    package let overCapture: Bool
    package let partialRefund: Bool
    package let multipleRefunds: Bool
    /// A hold can be given back in part.
    package let partialVoid: Bool
    /// How a lost answer of each operation is cleared up.
    package let recovery: Recoveries
    /// Lifetimes that arm timers.
    package let lifetimes: Lifetimes
    package let polling: PollSchedule
    /// How money can be moved on from a saved card to another one; empty where it can't.
    package let transfers: Set<TransferWay>
    /// A decline of the class `instrumentInvalid` ends the saved card that was charged.
    package let declinesEndInstruments: Bool
    /// Requests that the provider takes beside moving money.
    package let auxiliaryRequests: Set<AuxiliaryKind>
    /// Messages, by the adapter's names, that never state what an operation moved: there what was asked for counts.
    package let unstatedAmounts: Set<String>
    /// Answers, by the adapter's names, that the provider gives alike to every message under a key: refusals among them prove
    /// for repetitions that nothing was executed.
    package let firstAnswers: Set<String>
    /// The most that a check or the saving of a card takes hold of, in minor units, to give it back; `nil` where the provider
    /// does not say.
    package let checkHold: Int64?

    package init(
        partialCapture: Bool,
        multipleCaptures: Bool,
        overCapture: Bool,
        partialRefund: Bool,
        multipleRefunds: Bool,
        partialVoid: Bool,
        recovery: Recoveries,
        lifetimes: Lifetimes,
        polling: PollSchedule,
        transfers: Set<TransferWay> = [],
        declinesEndInstruments: Bool = true,
        auxiliaryRequests: Set<AuxiliaryKind> = [],
        unstatedAmounts: Set<String> = [],
        firstAnswers: Set<String> = [],
        checkHold: Int64? = nil
    ) {
        self.partialCapture = partialCapture
        self.multipleCaptures = multipleCaptures
        self.overCapture = overCapture
        self.partialRefund = partialRefund
        self.multipleRefunds = multipleRefunds
        self.partialVoid = partialVoid
        self.recovery = recovery
        self.lifetimes = lifetimes
        self.polling = polling
        self.transfers = transfers
        self.declinesEndInstruments = declinesEndInstruments
        self.auxiliaryRequests = auxiliaryRequests
        self.unstatedAmounts = unstatedAmounts
        self.firstAnswers = firstAnswers
        self.checkHold = checkHold
    }

    /// Where the recipient of a transfer is named.
    package enum TransferWay: String, Hashable, Sendable, CaseIterable {
        /// In the app: the recipient's card number never leaves it.
        case sdk
        /// On the provider's page, for a recipient's card that the provider keeps.
        case page
    }

    /// The way to go on when an answer was lost.
    package enum Recovery: Hashable, Sendable {
        /// The provider knows our key for so long, counted from the first licence: the same request may be repeated.
        case sameKey(lifetime: Duration)
        /// A query shows every operation of the payment; absence is proved so long after the request could have arrived.
        case query(absenceAfter: Duration)
        /// Neither key nor reference, but a query tells by its own ids what was done: one is seen before the licence, so that
        /// what it shows can't be taken for ours, and later ones are compared with it; otherwise as `query`.
        case baselineDiff(quiet: Duration)
        /// Neither key nor reference: an operator decides what a query can't explain.
        case none

        /// How long after a lost answer a query must be asked to prove absence; `nil` where none does.
        package var absenceProof: Duration? {
            switch self {
            case .query(let proof), .baselineDiff(let proof): proof
            case .sameKey, .none: nil
            }
        }
    }

    /// How lost answers are cleared up: by what was asked for, and for what begins a payment by how its payer pays, where the
    /// provider is told differently then.
    package struct Recoveries: Hashable, Sendable, ExpressibleByDictionaryLiteral {
        private let kinds: [OperationKind: Recovery]
        private let openings: [PaymentMethod: Recovery]

        package init(_ kinds: [OperationKind: Recovery], openings: [PaymentMethod: Recovery] = [:]) {
            self.kinds = kinds
            self.openings = openings
        }

        package init(dictionaryLiteral elements: (OperationKind, Recovery)...) {
            self.init(Dictionary(uniqueKeysWithValues: elements))
        }

        /// How an operation of a payment whose payer pays by `method` is cleared up; `none` where nothing is declared.
        package subscript(kind: OperationKind, by method: PaymentMethod?) -> Recovery {
            let opening = kind.isInitial ? method.flatMap { openings[$0] } : nil
            return opening ?? kinds[kind] ?? .none
        }

        /// Every time after which a look proves an absence.
        package var absenceProofs: [Duration] { (Array(kinds.values) + openings.values).compactMap(\.absenceProof) }

        /// The longest of them for a kind, however its payer pays; `nil` where its absence is proved by none.
        package func absenceProof(of kind: OperationKind) -> Duration? {
            let own = kind.isInitial ? Array(openings.values) : []
            return (own + [kinds[kind] ?? .none]).compactMap(\.absenceProof).max()
        }
    }

    /// How long things live at the provider.
    package struct Lifetimes: Hashable, Sendable {
        /// A payer who began at the deadline of the link may go on for so long: form tries and 3-D Secure.
        package let payerWindow: Duration
        /// A hold that nobody captures is gone after so long.
        package let hold: Duration
        /// Later than this after creation a status query finds nothing.
        package let query: Duration
        /// After so long the provider gives charges back by itself, so that it must be asked; `nil` where it does not.
        package let reversal: Duration?
        /// A page waits for its payer so long at the most; `nil` where the payment's own expiry alone bounds it.
        package let page: Duration?

        package init(
            payerWindow: Duration,
            hold: Duration,
            query: Duration,
            reversal: Duration? = nil,
            page: Duration? = nil
        ) {
            self.payerWindow = payerWindow
            self.hold = hold
            self.query = query
            self.reversal = reversal
            self.page = page
        }
    }
}

/// When to ask the provider again: doubling from `first` to `cap`, spread by up to a tenth from a seed.
package struct PollSchedule: Hashable, Sendable {
    package let first: Duration
    package let cap: Duration
    /// Never more often than this, whoever asks.
    package let atLeast: Duration

    package init(first: Duration, cap: Duration, atLeast: Duration) {
        self.first = first
        self.cap = cap
        self.atLeast = atLeast
    }
}
