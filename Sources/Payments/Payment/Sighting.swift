import Kernel

/// Everything seen of one provider operation, merged so that order and repetition don't matter.
package struct Sighting: Hashable, Sendable {
    package private(set) var latest: ProviderOperation
    /// Two claims about this operation that can't both be true, by kind.
    package private(set) var conflicts: Set<ContradictionKind> = []

    package init(_ first: ProviderOperation) { latest = first }

    package var succeeded: Bool { latest.outcome == .succeeded }

    /// Takes another sighting in; final beats open, success beats refusal, later beats earlier.
    package mutating func merge(_ other: ProviderOperation) {
        let (winner, loser) = Self.rank(latest) < Self.rank(other) ? (other, latest) : (latest, other)
        if winner.outcome.isFinal, loser.outcome.isFinal, winner.outcome.isSuccess != loser.outcome.isSuccess {
            conflicts.insert(.outcome)
        }
        if winner.kind != loser.kind { conflicts.insert(.identity) }
        if let one = winner.amount, let two = loser.amount {
            if one.currency != two.currency {
                conflicts.insert(.currency)
            } else if one.minor != two.minor, winner.outcome.isFinal, loser.outcome.isFinal {
                conflicts.insert(.amount)
            }
        }
        latest = ProviderOperation(
            providerId: winner.providerId,
            kind: winner.kind,
            outcome: winner.outcome,
            amount: winner.amount ?? loser.amount,
            ourReference: winner.ourReference ?? loser.ourReference,
            createdAt: winner.createdAt ?? loser.createdAt,
            changedAt: [winner.changedAt, loser.changedAt].compactMap(\.self).max()
        )
    }

    /// A total order over sightings of one operation: equal ranks mean equal content for every purpose here.
    private static func rank(_ operation: ProviderOperation) -> Rank {
        let outcome: Int
        switch operation.outcome {
        case .ambiguous: outcome = 0
        case .processing: outcome = 1
        case .waiting: outcome = 2
        case .expired: outcome = 3
        case .declined: outcome = 4
        case .succeeded: outcome = 5
        }
        return Rank(
            isFinal: operation.outcome.isFinal,
            changedAt: operation.outcome.isFinal ? 0 : operation.changedAt?.microseconds ?? 0,
            outcome: outcome,
            amount: operation.amount?.minor ?? .min,
            text: "\(operation.kind.rawValue)\(operation.amount?.currency.code ?? "")\(operation.outcome)"
        )
    }

    private struct Rank: Comparable {
        let isFinal: Bool
        let changedAt: Int64
        let outcome: Int
        let amount: Int64
        let text: String

        static func < (left: Rank, right: Rank) -> Bool {
            if left.isFinal != right.isFinal { return right.isFinal }
            return (left.changedAt, left.outcome, left.amount, left.text)
                < (right.changedAt, right.outcome, right.amount, right.text)
        }
    }
}

extension ProviderOutcome {
    /// Whether money moved (or the check passed).
    package var isSuccess: Bool { self == .succeeded }
}
