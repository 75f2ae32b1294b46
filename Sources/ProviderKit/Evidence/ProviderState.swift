/// Where a payment stands at its provider, folded from facts; not the status of our payment.
package enum ProviderState: String, Hashable, Sendable, CaseIterable {
    /// The provider has no payment yet, or only a form that nobody confirmed.
    case unregistered
    /// The provider waits for the payer, the merchant or its own staff.
    case waiting
    /// The provider works on it.
    case processing
    /// The provider does not say what happened: later evidence or an operator decides, time never does.
    case indeterminate
    /// Money is held, nothing was taken.
    case held
    /// Money was taken, all of the hold or a part of it.
    case captured = "taken"
    /// A part of what was taken went back.
    case partlyReturned
    /// All that was taken went back.
    case returned
    /// The whole hold or an unpaid invoice was given up; no money was taken.
    case released
    /// Declined; no money was taken.
    case declined
    /// The provider closed it unpaid because its own deadline passed.
    case lapsed
    /// The instrument was checked; no money moved.
    case checked

    /// How far money has gone; a state never falls back behind one that it has reached.
    package var moneyRank: Int? {
        switch self {
        case .held: 1
        case .released: 2
        case .captured: 3
        case .partlyReturned: 4
        case .returned: 5
        case .unregistered, .waiting, .processing, .indeterminate, .declined, .lapsed, .checked: nil
        }
    }
}

/// The legal moves between provider-side states of one adapter.
package struct ProviderMoves: Sendable {
    package struct Move: Hashable, Sendable {
        package let from: ProviderState
        package let to: ProviderState
        package let cause: String

        package init(_ from: ProviderState, _ to: ProviderState, _ cause: String) {
            self.from = from
            self.to = to
            self.cause = cause
        }
    }

    package let initial: ProviderState
    package let moves: [Move]
    /// States that can be reached from each, in one move or several: messages may be lost or come together.
    private let reachable: [ProviderState: Set<ProviderState>]

    package init(initial: ProviderState, moves: [Move]) {
        self.initial = initial
        self.moves = moves
        var reachable: [ProviderState: Set<ProviderState>] = [:]
        for start in ProviderState.allCases {
            var found: Set<ProviderState> = []
            var open = [start]
            while let here = open.popLast() {
                for move in moves where move.from == here && found.insert(move.to).inserted { open.append(move.to) }
            }
            reachable[start] = found
        }
        self.reachable = reachable
    }

    package func allows(_ from: ProviderState, _ to: ProviderState) -> Bool {
        from == to || reachable[from]?.contains(to) == true
    }

    package var diagram: StateDiagram {
        StateDiagram(
            initial: initial.rawValue,
            moves: moves.map { StateDiagram.Move(from: $0.from.rawValue, to: $0.to.rawValue, cause: $0.cause) }
        )
    }
}
