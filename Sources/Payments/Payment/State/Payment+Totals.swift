import Kernel

/// The running totals of one kind of operation in one attempt, merged so that order and repetition don't matter.
package struct Totals: Hashable, Sendable {
    /// Names the totals.
    package struct Key: Hashable, Sendable, Comparable {
        package let kind: OperationKind
        package let attempt: Int

        package static func < (left: Key, right: Key) -> Bool {
            (left.attempt, left.kind.rawValue) < (right.attempt, right.kind.rawValue)
        }
    }

    /// One total that was told.
    package struct Step: Hashable, Sendable {
        package let total: Int64
        /// The version of the stream at which it was told first.
        package let version: Int32
    }

    /// Each total that books, told or summed up from a list, growing.
    package private(set) var steps: [Step] = []
    /// The highest total that was told to book, and that only is compared.
    private var booked: Int64?
    private var compared: Int64?
    /// The highest that one list summed up to.
    private var listed: Int64 = 0
    /// When the highest total was told first.
    private(set) var highestAt: Timestamp?

    /// The highest total that books.
    package var highest: Int64 { steps.last?.total ?? 0 }

    /// A list that says more than every total, or another sum than the total that is only compared with it.
    var disagrees: Bool {
        if let compared { return compared != listed }
        return booked.map { listed > $0 } ?? false
    }

    /// Whether a total adds to what was told before.
    func isNew(_ told: ToldTotal) -> Bool {
        var joined = self
        joined.take(told, 0, at: .epoch)
        return joined != self
    }

    mutating func take(_ told: ToldTotal, _ version: Int32, at time: Timestamp) {
        let sum = told.listed?.minor ?? 0
        listed = max(listed, sum)
        if let total = told.total?.minor, total > 0 {
            if told.books { booked = max(booked ?? 0, total) } else { compared = max(compared ?? 0, total) }
        }
        step(max(sum, told.books ? told.total?.minor ?? 0 : 0), version, at: time)
    }

    mutating func step(_ total: Int64, _ version: Int32, at time: Timestamp) {
        guard total > 0, !steps.contains(where: { $0.total == total }), steps.count < Self.kept else { return }
        if total > highest { highestAt = time }
        steps.append(Step(total: total, version: version))
        steps.sort { $0.total < $1.total }
    }

    /// So many totals of a kind are told apart; the next one is kept raw.
    private static let kept = 256
}

extension Payment {
    /// Shares out, over the operations, what totals tell beyond what is known by itself.
    ///
    /// The shares are a function of what was told. Each growth is explained by messages that were sent before it was
    /// told: first those that were acknowledged, in the order of the requests; then those that were lost, where one
    /// fits alone; and then those that were refused. The rest is the provider's.
    func shares() -> [OperationId: Int64] {
        guard let currency else { return [:] }
        var shares: [OperationId: Int64] = [:]
        for (key, told) in totals {
            var (own, left) = split(key, told, in: currency)
            let standIns = standIns(key)
            for standIn in standIns {
                let share = standIn.id == standIns.last?.id ? left : min(left, standIn.evidenced(in: currency))
                own[standIn.id] = share
                left -= share
            }
            shares.merge(own) { first, _ in first }
            shares.merge(cuts(key, told, in: currency)) { first, _ in first }
        }
        return shares
    }

    /// The rest of lines without a name where they and the named operations say more than any total or list did at
    /// once.
    ///
    /// A line that got a name, or another label, is not there twice.
    private func cuts(_ key: Totals.Key, _ told: Totals, in currency: Currency) -> [OperationId: Int64] {
        let known = operations.filter { $0.attempt == key.attempt && $0.kind == key.kind && !$0.standsForTotal }
        let sum = known.reduce(Int64(0)) { $0.addingClamped($1.evidenced(in: currency)) }
        var excess = sum.subtractingClamped(told.highest)
        guard excess > 0 else { return [:] }
        var cuts: [OperationId: Int64] = [:]
        let lines = known.filter(\.isLine)
        let exact = lines.first { $0.evidenced(in: currency) == excess }
        for line in exact.map({ [$0] }) ?? lines where excess > 0 {
            let amount = line.evidenced(in: currency)
            cuts[line.id] = max(0, amount.subtractingClamped(excess))
            excess = max(0, excess.subtractingClamped(amount))
        }
        return cuts
    }

    /// The part of a kind's totals that nobody here can have done and that no operation stands for yet.
    func unexplained(_ key: Totals.Key) -> Int64 {
        guard let currency, let told = totals[key], standIns(key).isEmpty else { return 0 }
        return split(key, told, in: currency).rest
    }

    /// The sum that is booked of a kind where it is more than `total`, and when the newest of it was seen.
    ///
    /// Money that two persons booked is left out: it is theirs to know.
    func booked(_ key: Totals.Key, beyond total: Int64) -> (minor: Int64, since: Timestamp)? {
        guard let currency else { return nil }
        var sum: Int64 = 0
        var since = totals[key]?.highestAt ?? .epoch
        for operation in operations where operation.attempt == key.attempt && operation.kind == key.kind {
            let isShown = operation.transactions.values.contains(where: \.succeeded)
            guard isShown || operation.share != nil else { continue }
            sum = sum.addingClamped(operation.booked([key.kind], in: currency))
            since = max(since, operation.transactions.values.compactMap(\.seenAt).max() ?? .epoch)
        }
        return sum > total ? (sum, since) : nil
    }

    /// Operations that stand for the provider's part of a total.
    private func standIns(_ key: Totals.Key) -> [Operation] {
        operations.filter { $0.attempt == key.attempt && $0.kind == key.kind && $0.standsForTotal }
    }

    private func split(
        _ key: Totals.Key,
        _ told: Totals,
        in currency: Currency
    ) -> (own: [OperationId: Int64], rest: Int64) {
        let known = operations.filter { $0.attempt == key.attempt && $0.kind == key.kind && !$0.standsForTotal }
        let waiting = known.filter { $0.waitsForTotal(in: currency) }
        var explained = known.reduce(Int64(0)) { $0.addingClamped($1.evidenced(in: currency)) }
        var own: [OperationId: Int64] = [:]
        // What was acknowledged explains all that was told since it was sent, whatever a list has shown of it meanwhile.
        for operation in waiting where operation.isAcknowledged {
            let before = told.steps.last { $0.version < operation.firstSent }?.total ?? 0
            let growth = min(told.highest.subtractingClamped(explained), told.highest.subtractingClamped(before))
            guard operation.asked <= growth else { continue }
            own[operation.id] = operation.asked
            explained = explained.addingClamped(operation.asked)
        }
        var rest: Int64 = 0
        for step in told.steps where step.total > explained {
            var growth = step.total.subtractingClamped(explained)
            let unsure = waiting.filter { own[$0.id] == nil && !$0.isAcknowledged && $0.firstSent <= step.version }
            for group in [unsure.filter(\.mayHaveLeft), unsure.filter { !$0.mayHaveLeft }] where growth > 0 {
                let fitting = group.filter { $0.asked == growth }
                let sum = group.reduce(Int64(0)) { $0.addingClamped($1.asked) }
                for operation in sum == growth ? group : fitting.count == 1 ? fitting : [] {
                    own[operation.id] = operation.asked
                    growth -= operation.asked
                }
            }
            rest = rest.addingClamped(growth)
            explained = step.total
        }
        return (own, rest)
    }

    /// The operation that stands for the provider's part of a total.
    func remainder(_ key: Totals.Key, _ amount: Int64, at time: Timestamp) -> OperationRequest? {
        guard let currency else { return nil }
        let name = Operation.remainderName(key.kind)
        return OperationRequest(
            id: adoptedId(name, attempt: key.attempt),
            kind: key.kind,
            amount: Money(amount, currency),
            target: nil,
            reference: name,
            actor: "provider",
            reason: nil,
            at: time,
            attempt: isPast(key.attempt) ? key.attempt : nil
        )
    }

    /// Whether the provider's part of a total may hide what came of an operation whose answer was lost.
    func isHiddenInTotal(_ operation: Operation) -> Bool {
        let key = Totals.Key(kind: operation.kind, attempt: operation.attempt)
        let isTimely = totals[key]?.steps.contains { $0.version >= operation.firstSent } == true
        return isTimely && standIns(key).contains { $0.share ?? 0 > 0 }
    }
}

extension Operation {
    static func remainderName(_ kind: OperationKind) -> String { "total:\(kind.rawValue)" }

    /// Whether it stands for what a total tells and nothing else does: its amount is the total's to say.
    var standsForTotal: Bool { origin == .provider && (isRemainder || isEarlierTotal) }

    var isRemainder: Bool {
        origin == .provider && transactions.isEmpty && reference == Self.remainderName(kind)
    }

    /// Whether it is known by lines of a list alone that have no name of their own.
    fileprivate var isLine: Bool {
        origin == .provider && !transactions.isEmpty && transactions.keys.allSatisfy { $0.hasPrefix(Statement.line) }
    }

    /// Earlier versions booked the growth of a total as an operation.
    private var isEarlierTotal: Bool {
        !transactions.isEmpty && transactions.values.allSatisfy { $0.latest.earlierTotal != nil }
    }

    /// When its first message was licensed, by the stream's own order.
    fileprivate var firstSent: Int32 { dispatches.first?.version ?? .max }

    fileprivate var asked: Int64 { requested?.minor ?? 0 }

    /// Whether the provider has taken a message of it for execution.
    var isAcknowledged: Bool {
        standingDispatches.contains { dispatch in
            switch dispatch.outcome {
            case .accepted?, .answered?: true
            case .notSent?, .unknown?, .notExecuted?, .refused?, .duplicate?, nil: false
            }
        }
    }

    /// Whether only a total can tell what became of it.
    fileprivate func waitsForTotal(in currency: Currency) -> Bool {
        origin == .commanded && transactions.isEmpty && ending == nil && (mayHaveLeft || isRefused) && asked > 0
            && requested?.currency == currency
    }
}

extension ProviderOperation {
    /// The running total in the name of an operation that an earlier version made of one.
    package var earlierTotal: Int64? {
        guard kind == .refund else { return nil }
        if providerId == "refund:all" { return amount.money?.minor }
        let prefix = "refund:total:"
        return providerId.hasPrefix(prefix) ? Int64(providerId.dropFirst(prefix.count)) : nil
    }
}
