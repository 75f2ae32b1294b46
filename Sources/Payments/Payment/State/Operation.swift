package import Kernel

/// One money-affecting step inside an attempt, with what is known of it.
package struct Operation: Hashable, Sendable {
    package let id: OperationId
    /// The kind that was asked for, or the kind that an operation turned out to be for which nobody asked.
    package var kind: OperationKind { origin == .provider ? leadingTransaction?.kind ?? enteredKind : enteredKind }
    package let origin: OperationOrigin
    /// The amount that was asked for; `nil` for tokenize and for operations that nobody here asked for.
    package let requested: Money?
    /// The capture or sale that a refund takes from, the refund that a reversal undoes; `nil` where nobody said.
    package let target: OperationId?
    /// Our name for it at the provider.
    package let reference: String
    package let requestedAt: Timestamp
    /// Who asked and why.
    package let actor: String
    package let reason: String?
    /// Details in the command for the adapter alone.
    package let details: Json?
    /// Number of the attempt that it belongs to.
    package let attempt: Int
    /// Whether an operator asked for it while evidence froze the payment.
    package let byOperator: Bool
    /// Its transactions at the provider by the provider's ids; the form of a payment may be tried more than once.
    package var transactions: [String: ProviderTransaction] = [:]
    /// Licences in their order.
    package var dispatches: [Dispatch] = []
    /// An end without evidence about a provider operation.
    package var ending: OperationEnding?
    /// Its part of a running total of the provider's, in minor units; see `Payment.shares`.
    package var share: Int64?
    private let enteredKind: OperationKind

    package init(_ request: OperationRequest, _ origin: OperationOrigin, attempt: Int = 1) {
        id = request.id
        self.attempt = attempt
        enteredKind = request.kind
        self.origin = origin
        requested = origin == .commanded ? request.amount : nil
        target = request.target
        reference = request.reference
        requestedAt = request.at
        actor = request.actor
        reason = request.reason
        details = request.details
        byOperator = request.byOperator
    }

    /// Where an operation stands: a function of what was seen at the provider, else of its ending, else of its messages.
    ///
    /// A success goes first, however late it is seen: every case goes to `succeeded` by it.
    package enum State: Hashable, Sendable {
        /// Licensed or about to be; nothing is known to have left.
        ///
        /// Goes to `pending` when the provider takes a message (`dispatchObserved`) or shows it unfinished
        /// (`operationReported`), and to `indeterminate` when the answer is lost or a refusal waits for a look. Goes to
        /// `failed` by a refusal, and to `notExecuted` by `operationEnded`.
        case requested
        /// Taken by the provider, or seen there unfinished.
        ///
        /// Goes to `failed` by a refusal, to `indeterminate` when the provider's word turns ambiguous or another message is
        /// under way behind a lost answer, to `notExecuted` by `operationEnded`, and back to `requested` with a licence on
        /// proof.
        case pending
        /// An answer was lost or says nothing.
        ///
        /// Goes to `pending` or `failed` by evidence, to `notExecuted` by `operationEnded`, and back to `requested` with a
        /// licence on proof. Time alone leads nowhere.
        case indeterminate
        /// Seen as done, booked by two persons, or explained by a total.
        ///
        /// The end, unless its transaction or its share turns out to be another operation's.
        case succeeded
        /// Refused for sure.
        ///
        /// Goes back to `pending` or `indeterminate` by another try in the same form.
        case failed(Decline)
        /// Proved to have had no effect at the provider, or ended so by two persons.
        ///
        /// Goes on only by a transaction that is seen after all.
        case notExecuted(String)
    }

    package var state: State {
        if transactions.values.contains(where: \.succeeded) { return .succeeded }
        if case .bookedByOperator? = ending { return .succeeded }
        if let share, share > 0 { return .succeeded }
        let open = transactions.values.lazy.filter { !$0.latest.outcome.isFinal }
        if !open.isEmpty { return open.allSatisfy { $0.latest.outcome == .ambiguous } ? .indeterminate : .pending }
        if let decline = lastDecline { return .failed(decline) }
        return ending?.state ?? stateOfDispatches
    }

    package var isClosed: Bool {
        switch state {
        case .succeeded, .failed, .notExecuted: true
        case .requested, .pending, .indeterminate: false
        }
    }

    /// Notes that the messages of a closed operation have no row any more, apart from those whose outcome is owed.
    mutating func dropRows() {
        for index in dispatches.indices where dispatches[index].hasRow && !dispatches[index].isInFlight {
            dispatches[index].hasRow = false
        }
    }

    /// The refusal that was seen last by the provider's clock.
    package var lastDecline: Decline? {
        let declined = transactions.values.compactMap { transaction -> (Timestamp, String, Decline)? in
            let seen = transaction.latest
            switch seen.outcome {
            case .declined(let decline): return (seen.changedAt ?? .epoch, seen.providerId, decline)
            case .expired:
                let decline = Decline(reason: .soft, code: "expired", tableVersion: 0)
                return (seen.changedAt ?? .epoch, seen.providerId, decline)
            case .waiting, .processing, .ambiguous, .succeeded: return nil
            }
        }
        return declined.max { ($0.0, $0.1) < ($1.0, $1.1) }?.2
    }

    /// Transactions in the order of the provider's ids: what is decided from them must not depend on a hash seed.
    package var orderedTransactions: [ProviderTransaction] {
        // Nearly always one or none.
        transactions.count < 2
            ? Array(transactions.values) : transactions.values.sorted { $0.providerId < $1.providerId }
    }

    /// The provider's id of the try that succeeded, else of the newest that is alive.
    var nameAtProvider: String? {
        let tries = orderedTransactions
        return tries.first(where: \.succeeded)?.providerId
            ?? tries.filter { !$0.latest.outcome.isFinal }.max {
                ($0.latest.createdAt ?? .epoch, $0.providerId) < ($1.latest.createdAt ?? .epoch, $1.providerId)
            }?.providerId
    }

    private var leadingTransaction: ProviderTransaction? {
        transactions.count == 1 ? transactions.values.first : orderedTransactions.first
    }
}

extension Operation {
    /// The licences that still count: a proof or a refusal has settled what came before them.
    var standingDispatches: ArraySlice<Dispatch> {
        let proved = dispatches.lastIndex(where: \.license.ground.isProof) ?? 0
        // That a bank's answer was passed on shows the order, and proves nothing about a bank's answer before it.
        let completed = dispatches.firstIndex { $0.license.ground == .completion } ?? 0
        return dispatches[max(proved, completed)...]
    }

    /// Messages beside this one that may have acted, or may still: an answer to this one proves nothing about them.
    ///
    /// Messages that a proof settled before this one was licensed are none of them. Messages that pass a bank's answer
    /// on are apart from the others.
    func doubtful(beside license: DispatchLicense) -> [Dispatch] {
        let family = dispatches.filter { $0.license.isCompletion == license.isCompletion }
        guard let place = family.firstIndex(where: { $0.license == license }) else { return [] }
        let settled = license.isCompletion ? 0 : family[...place].lastIndex(where: \.license.ground.isProof) ?? 0
        return family[settled...].filter { dispatch in
            guard dispatch.license != license else { return false }
            if case .unknown? = dispatch.outcome { return true }
            return dispatch.isInFlight
        }
    }

    /// Whether a message of it was taken by the provider.
    var wasAccepted: Bool { standingDispatches.contains { $0.outcome == .accepted } }

    /// When the last answer came that leaves open whether the provider has it: lost, or "known already" of what no look
    /// shows.
    ///
    /// None where a message behind it was taken: that one will have its outcome, whatever became of those before it.
    var unprovedAt: Timestamp? {
        let standing = standingDispatches
        guard let last = standing.lastIndex(where: \.isUnproved),
            !standing[last...].contains(where: { $0.outcome == .accepted })
        else { return nil }
        return standing.filter(\.isUnproved).compactMap(\.observedAt).max()
    }

    /// The refusal that counts once a look has shown how the money stands, and when it came.
    package var unseenRefusal: (decline: Decline, at: Timestamp)? {
        guard !isClosed, transactions.isEmpty, lostAt == nil, !isInFlight, let last = standingDispatches.last,
            case .refused(let decline)? = last.outcome, let at = last.observedAt
        else { return nil }
        return (decline, at)
    }

    /// When the last answer that says nothing was lost, where nothing later says more.
    var lostAt: Timestamp? {
        standingDispatches.compactMap { dispatch in
            guard case .unknown? = dispatch.outcome else { return nil }
            return dispatch.observedAt
        }
        .max()
    }

    /// Whether what the provider said to a message of ours was lost, and none is on its way.
    package var isAnswerLost: Bool {
        guard !isInFlight else { return false }
        return dispatches.contains(where: \.isUnproved)
    }

    /// Whether a message of ours may have had an effect at the provider.
    var mayHaveLeft: Bool {
        dispatches.contains { dispatch in
            switch dispatch.outcome {
            case nil: !dispatch.revoked
            case .unknown?, .accepted?, .duplicate?, .answered?: true
            case .notSent?, .notExecuted?, .refused?: false
            }
        }
    }

    /// Whether a message of it was refused by an answer that a look has to confirm.
    var isRefused: Bool {
        dispatches.contains { if case .refused? = $0.outcome { true } else { false } }
    }

    /// Whether every message of it was refused, and the provider shows it as done.
    package var isShownAfterRefusal: Bool {
        origin == .commanded && state == .succeeded && ending == nil && isRefused && !mayHaveLeft
    }

    var isInFlight: Bool { dispatches.contains(where: \.isInFlight) }

    private var stateOfDispatches: State {
        let standing = standingDispatches
        if standing.contains(where: \.isInFlight) { return lostAt == nil ? .requested : .indeterminate }
        var decline: Decline?
        var isAccepted = false
        var awaitsLook = false
        for dispatch in standing {
            switch dispatch.outcome {
            case .accepted?, .duplicate?, .answered?: isAccepted = true
            case .notExecuted(let refused)?: decline = refused
            case .refused?: awaitsLook = true
            case .notSent?, .unknown?, nil: break
            }
        }
        if isAccepted { return .pending }
        if awaitsLook || lostAt != nil { return .indeterminate }
        return decline.map(State.failed) ?? .requested
    }
}

extension Operation {
    /// The money of a kind that evidence shows to have moved, in `currency`.
    ///
    /// A success moved the amount that it states. What was asked for counts only where the message is declared never to
    /// state one; what an unreadable or negative amount moved nobody can tell, until evidence or an operator says.
    package func booked(_ counted: Set<OperationKind>, in currency: Currency) -> Int64 {
        var sum: Int64 = 0
        eachBooked(in: currency) { kind, amount, _ in if counted.contains(kind) { sum = sum.addingClamped(amount) } }
        return sum
    }

    /// The money that this operation moved, whatever its kind.
    package func booked(in currency: Currency) -> Int64 {
        var sum: Int64 = 0
        eachBooked(in: currency) { _, amount, _ in sum = sum.addingClamped(amount) }
        return sum
    }

    /// Names each amount that moved, with the kind that it counts as and the transaction that shows it, in no particular order;
    /// none is below zero.
    func eachBooked(in currency: Currency, _ body: (OperationKind, Int64, ProviderTransaction?) -> Void) {
        if let share { return body(kind, share, nil) }
        eachEvidenced(in: currency, body)
    }

    /// The money that it moved of its own kind by evidence about itself, totals apart.
    func evidenced(in currency: Currency) -> Int64 {
        var sum: Int64 = 0
        eachEvidenced(in: currency) { moved, amount, _ in if moved == kind { sum = sum.addingClamped(amount) } }
        return sum
    }

    private func eachEvidenced(in currency: Currency, _ body: (OperationKind, Int64, ProviderTransaction?) -> Void) {
        var isTold = false
        for transaction in transactions.values where transaction.succeeded {
            guard let amount = amount(of: transaction) else { continue }
            isTold = true
            if amount.currency == currency { body(transaction.kind, max(0, amount.minor), transaction) }
        }
        if !isTold, case .bookedByOperator(let amount)? = ending, amount.currency == currency {
            body(kind, max(0, amount.minor), nil)
        }
    }

    /// The money that it may still move while it is open: the amount that was asked for, or the most that was seen.
    func claimed(in currency: Currency) -> Int64 {
        let asked = requested.map { $0.currency == currency ? max(0, $0.minor) : 0 } ?? 0
        var seen: Int64 = 0
        for transaction in transactions.values where !transaction.latest.outcome.isFinal {
            guard let amount = transaction.latest.amount.money, amount.currency == currency else { continue }
            seen = seen.addingClamped(max(0, amount.minor))
        }
        return max(asked, seen)
    }

    /// Succeeded, and nobody has said how much it moved.
    var hasUnknownAmount: Bool {
        if case .bookedByOperator? = ending { return false }
        return transactions.values.contains { transaction in
            guard transaction.succeeded, amount(of: transaction) == nil else { return false }
            return transaction.kind.movesMoney
        }
    }

    private func amount(of transaction: ProviderTransaction) -> Money? {
        if let stated = transaction.finalAmount { return stated }
        return transaction.isUnstated ? requested ?? transaction.latest.amount.money : nil
    }
}

extension Dispatch {
    fileprivate var isUnproved: Bool {
        switch outcome {
        case .unknown?, .duplicate?: true
        case .notSent?, .accepted?, .notExecuted?, .refused?, .answered?, nil: false
        }
    }
}

extension DispatchLicense.Ground {
    /// Whether it proves that nothing came of what was sent before; a resend under the same key or on a person's word
    /// leaves that open.
    fileprivate var isProof: Bool {
        switch self {
        case .first, .baseline, .absent, .closed, .notExecuted: true
        case .sameKey, .operatorOverride, .completion, .news: false
        }
    }
}

/// How an operation ended without a provider operation to show for it.
package enum OperationEnding: Hashable, Sendable {
    /// A definitive answer that nothing was done.
    case refused(Decline)
    /// Nothing left the process and nothing will.
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

extension Int64 {
    /// Adds and stops at the ends: evidence is booked even where it is absurd, and `amount` contradictions say so.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other > 0 ? .max : .min
    }

    /// Subtracts and stops at the ends.
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        guard overflow else { return difference }
        return other > 0 ? .min : .max
    }
}
