package import Kernel

/// Everything seen of one provider operation, merged so that order and repetition don't matter.
///
/// Each part is a maximum, a minimum or a flag that is set once: merging is commutative, associative and idempotent.
package struct ProviderTransaction: Hashable, Sendable {
    package let providerId: String
    /// When it was seen first: it existed then, whatever the provider says of its creation.
    package private(set) var seenAt: Timestamp?
    /// The transaction that counts: final beats open, success beats refusal, later beats earlier, and of two that are final
    /// the one that was asked for later.
    package private(set) var leading: ProviderOperation
    /// The one that counts among those that name an amount.
    private var priced: ProviderOperation?
    /// The text that stood in the place of an amount, until a finished operation names one.
    private var unreadable: Span<String>?
    /// Messages of its success that by declaration never name an amount, until one does.
    private var unstated: Span<String>?
    private var references: Span<String>?
    private var createdAt: Timestamp?
    private var changedAt: Timestamp?
    private var finalAmounts: Span<Int64>?
    private var currencies: Span<String>?
    private var kinds: Span<String>
    private var sawSuccess: Bool
    private var sawRefusal: Bool

    package init(_ first: ProviderOperation, at seenAt: Timestamp? = nil) {
        self.seenAt = seenAt
        let isFinal = first.outcome.isFinal
        providerId = first.providerId
        leading = first
        priced = first.amount.money == nil ? nil : first
        switch first.amount {
        case .stated, .absent: break
        case .unstated(let message): unstated = first.outcome.isSuccess ? Span(message) : nil
        case .unreadable(let text): unreadable = Span(text)
        }
        references = first.ourReference.map { Span($0) }
        createdAt = first.createdAt
        changedAt = first.changedAt
        finalAmounts = isFinal ? first.amount.money.map { Span($0.minor) } : nil
        currencies = first.amount.money.map { Span($0.currency.code) }
        kinds = Span(first.kind.rawValue)
        sawSuccess = first.outcome.isSuccess
        sawRefusal = isFinal && !first.outcome.isSuccess
    }

    package var succeeded: Bool { sawSuccess }
    /// Ended, and never told as a success.
    var isRefused: Bool { sawRefusal && !sawSuccess }
    package var kind: OperationKind { leading.kind }

    /// Everything that is known in one value, as if the provider had said it at once.
    package var latest: ProviderOperation {
        ProviderOperation(
            providerId: providerId,
            kind: leading.kind,
            outcome: leading.outcome,
            amount: amount,
            ourReference: references?.highest,
            createdAt: createdAt,
            changedAt: changedAt,
            askedAt: leading.askedAt
        )
    }

    /// The amount as far as it is known: named, else unreadable, else not to be expected.
    private var amount: EvidenceAmount {
        if let priced { return priced.amount }
        if let unreadable { return .unreadable(unreadable.highest) }
        return unstated.map { .unstated(in: $0.highest) } ?? .absent
    }

    /// The amount that the provider named for a finished operation.
    package var finalAmount: Money? {
        guard let priced, priced.outcome.isFinal else { return nil }
        return priced.amount.money
    }

    /// The text that stands where the amount should, while no finished operation names one.
    package var unreadableAmount: String? { unreadable?.highest }

    /// Succeeded by messages that never name the amount: what was asked for counts.
    package var isUnstated: Bool { unstated != nil && unreadable == nil }

    /// Claims about this operation that can't both be true, by kind.
    package var conflicts: Set<ContradictionKind> {
        var found: Set<ContradictionKind> = []
        if sawSuccess, sawRefusal { found.insert(.outcome) }
        if !kinds.isSingle || references?.isSingle == false { found.insert(.identity) }
        if currencies?.isSingle == false { found.insert(.currency) }
        if finalAmounts?.isSingle == false { found.insert(.amount) }
        return found
    }

    /// Whether it says anything new; the same said again later is nothing new.
    func isChanged(by other: ProviderOperation) -> Bool {
        var merged = self
        merged.merge(other)
        return merged.undated != undated
    }

    /// The same whenever it was asked for.
    private var undated: ProviderTransaction {
        var copy = self
        copy.leading = leading.asked(at: nil)
        copy.priced = priced?.asked(at: nil)
        return copy
    }

    /// Whether nothing but times and repetitions came to it with another one.
    func says(asMuchAs other: ProviderTransaction) -> Bool {
        let (mine, theirs) = (latest, other.latest)
        return mine.kind == theirs.kind && mine.outcome == theirs.outcome && mine.amount == theirs.amount
            && mine.ourReference == theirs.ourReference && succeeded == other.succeeded
            && conflicts == other.conflicts
    }

    /// Takes another transaction of the same operation in.
    package mutating func merge(_ other: ProviderOperation) { merge(ProviderTransaction(other)) }

    /// Takes everything in that another place knew of the same operation.
    package mutating func merge(_ other: ProviderTransaction) {
        leading = Self.later(leading, other.leading)
        if let mine = priced, let theirs = other.priced {
            priced = Self.later(mine, theirs)
        } else {
            priced = priced ?? other.priced
        }
        references = Span.joining(references, other.references)
        createdAt = [createdAt, other.createdAt].compactMap(\.self).min()
        seenAt = [seenAt, other.seenAt].compactMap(\.self).min()
        changedAt = [changedAt, other.changedAt].compactMap(\.self).max()
        finalAmounts = Span.joining(finalAmounts, other.finalAmounts)
        // Once a finished operation names its amount, what other messages say in its place counts no more.
        let isTold = finalAmount != nil
        unreadable = isTold ? nil : Span.joining(unreadable, other.unreadable)
        unstated = isTold ? nil : Span.joining(unstated, other.unstated)
        currencies = Span.joining(currencies, other.currencies)
        kinds.join(other.kinds)
        sawSuccess = sawSuccess || other.sawSuccess
        sawRefusal = sawRefusal || other.sawRefusal
    }

    /// Picks by a total order over what a provider can say of one operation.
    private static func later(_ left: ProviderOperation, _ right: ProviderOperation) -> ProviderOperation {
        if left == right { return left }
        let (one, two) = (Rank(left), Rank(right))
        if one != two { return one < two ? right : left }
        return left.json.canonicalText < right.json.canonicalText ? right : left
    }

    private struct Rank: Comparable {
        let isFinal: Bool
        let changedAt: Int64
        let outcome: Int
        let askedAt: Int64
        let amount: Int64

        init(_ operation: ProviderOperation) {
            isFinal = operation.outcome.isFinal
            changedAt = isFinal ? 0 : operation.changedAt?.microseconds ?? 0
            askedAt = isFinal ? operation.askedAt?.microseconds ?? .min : 0
            amount = operation.amount.money?.minor ?? .min
            switch operation.outcome {
            case .ambiguous: outcome = 0
            case .processing: outcome = 1
            case .waiting: outcome = 2
            case .expired: outcome = 3
            case .declined: outcome = 4
            case .succeeded: outcome = 5
            }
        }

        static func < (left: Rank, right: Rank) -> Bool {
            if left.isFinal != right.isFinal { return right.isFinal }
            return (left.changedAt, left.outcome, left.askedAt, left.amount)
                < (right.changedAt, right.outcome, right.askedAt, right.amount)
        }
    }

    /// The smallest and the largest of the values seen.
    private struct Span<Value: Comparable & Hashable & Sendable>: Hashable, Sendable {
        private var lowest: Value
        private(set) var highest: Value

        init(_ value: Value) {
            lowest = value
            highest = value
        }

        var isSingle: Bool { lowest == highest }

        mutating func join(_ other: Span) {
            lowest = min(lowest, other.lowest)
            highest = max(highest, other.highest)
        }

        static func joining(_ left: Span?, _ right: Span?) -> Span? {
            guard var joined = left, let right else { return left ?? right }
            joined.join(right)
            return joined
        }
    }
}

extension ProviderOutcome {
    /// Whether money moved (or the check passed).
    package var isSuccess: Bool { self == .succeeded }
}
