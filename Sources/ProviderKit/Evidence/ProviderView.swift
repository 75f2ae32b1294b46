import Kernel
package import Payments

/// A provider's view of one payment, folded from the facts of its messages in whatever order they came.
///
/// Each operation counts once, with the highest rank it has reached; a follow-up that failed or still runs changes
/// nothing; once money moved, only amounts move the state.
package struct ProviderView: Sendable {
    /// The state of knowledge before the first fact.
    package struct Baseline: Hashable, Sendable {
        package let state: ProviderState
        package let authorized: Int64
        package let captured: Int64
        package let refunded: Int64

        package init(state: ProviderState, authorized: Int64 = 0, captured: Int64 = 0, refunded: Int64 = 0) {
            self.state = state
            self.authorized = authorized
            self.captured = captured
            self.refunded = refunded
        }
    }

    /// An illegal move or two claims about one operation that can't both be true.
    package struct Contradiction: Hashable, Sendable {
        package let kind: ContradictionKind
        package let detail: String
    }

    private struct KnownOperation {
        var transaction: ProviderTransaction
        /// The word about the attempt in the message of this operation, or in a later one without any.
        var mark: AttemptFact?
    }

    private let moves: ProviderMoves
    private let moneyWords: [String: ProviderState]
    private let baseline: Baseline
    private var known: [String: KnownOperation] = [:]
    /// The highest running total of each kind.
    private var totals: [OperationKind: Int64] = [:]
    private var mark: AttemptFact?
    private var word: ProviderState?

    /// `moneyWords` reads the provider's words for a payment that come without an operation.
    package init(moves: ProviderMoves, moneyWords: [String: ProviderState], baseline: Baseline? = nil) {
        self.moves = moves
        self.moneyWords = moneyWords
        self.baseline = baseline ?? Baseline(state: moves.initial)
    }

    /// The state behind a word about money that came without an operation; `nil` where nobody knows.
    package func state(ofWord word: String) -> ProviderState? { moneyWords[word] }

    /// Takes the facts of one message; gives what contradicts what was known.
    package mutating func apply(_ facts: [Fact]) -> [Contradiction] {
        let before = state
        var found = take(facts)
        if let move = move(from: before) { found.append(Contradiction(kind: .outcome, detail: move)) }
        return found
    }

    /// Takes the facts of one message; gives the move that they tell where the provider knows none such.
    package mutating func move(_ facts: [Fact]) -> String? {
        let before = state
        _ = take(facts)
        return move(from: before)
    }

    private func move(from before: ProviderState) -> String? {
        moves.allows(before, state) ? nil : "\(before.rawValue) → \(state.rawValue)"
    }

    private mutating func take(_ facts: [Fact]) -> [Contradiction] {
        var found: [Contradiction] = []
        var told: [String] = []
        for operation in operations(in: facts) {
            if operation.kind.isInitial { told.append(operation.providerId) }
            for kind in take(operation) { found.append(Contradiction(kind: kind, detail: operation.providerId)) }
        }
        for case .statement(let statement) in facts {
            guard case .books(let total)? = statement.total else { continue }
            totals[statement.kind] = max(totals[statement.kind] ?? 0, total.minor)
        }
        for fact in facts {
            guard case .attempt(let attempt) = fact else { continue }
            take(attempt, about: newestBeginning(among: told.isEmpty ? nil : told))
        }
        return found
    }

    /// The operations that a message tells, lists included.
    private func operations(in facts: [Fact]) -> [ProviderOperation] {
        facts.flatMap { fact -> [ProviderOperation] in
            switch fact {
            case .operation(let operation): [operation]
            case .statement(let statement): statement.operations
            case .complete, .attempt, .order, .dispatch, .instrument, .instrumentNews, .receipt, .dispute, .method,
                .series, .seriesDebit, .fee, .commission, .contradiction, .question, .firstAnswer, .unrecognised:
                []
            }
        }
    }

    private mutating func take(_ operation: ProviderOperation) -> Set<ContradictionKind> {
        guard var one = known[operation.providerId] else {
            known[operation.providerId] = KnownOperation(transaction: ProviderTransaction(operation), mark: nil)
            return []
        }
        let before = one.transaction
        one.transaction.merge(operation)
        if before.latest.outcome != one.transaction.latest.outcome, one.mark?.isClosed != true { one.mark = nil }
        known[operation.providerId] = one
        return one.transaction.conflicts.subtracting(before.conflicts)
    }

    /// Takes a word for the payment: it is about the operation of its own message, else about the youngest.
    private mutating func take(_ fact: AttemptFact, about target: String?) {
        if case .reading(.moneyWithoutOperation(let text)) = fact {
            guard let state = moneyWords[text] else { return }
            word = [word, state].compactMap(\.self).max { ($0.moneyRank ?? 0) < ($1.moneyRank ?? 0) }
            return
        }
        guard let id = target else {
            if mark?.isClosed != true { mark = fact }
            return
        }
        if known[id]?.mark?.isClosed != true { known[id]?.mark = fact }
    }
}

extension ProviderView {
    /// The merged transactions by the provider's ids.
    package var operations: [String: ProviderOperation] { known.mapValues(\.transaction.latest) }

    /// Held in total: successful authorizations less successful voids; captures are not subtracted.
    package var authorized: Int64 { baseline.authorized.saturating(sum(.authorize)).saturating(-sum(.void)) }
    /// Taken in total, refunds not subtracted.
    package var captured: Int64 { baseline.captured.saturating(sum(.sale)).saturating(sum(.capture)) }
    package var refunded: Int64 { baseline.refunded.saturating(sum(.refund)).saturating(-sum(.refundReversal)) }

    /// The step that the payer is asked for, where the state is `waiting`.
    package var action: PayerAction? { state == .waiting ? openAction : nil }

    package var state: ProviderState {
        // Refund reversals lead back, so what was known before counts only until the amounts speak of taken money.
        let amounts = moneyState
        let floor = baseline.state.moneyRank == nil || captured > 0 ? nil : baseline.state
        let reached = [amounts, word, floor].compactMap(\.self)
        if let furthest = reached.max(by: { ($0.moneyRank ?? 0) < ($1.moneyRank ?? 0) }) { return furthest }
        if has(.verify) || baseline.state == .checked { return .checked }
        if let id = newestBeginning(), let newest = known[id] { return Self.state(of: newest) }
        return mark.map { Self.state(of: $0) } ?? baseline.state
    }

    /// The state that the amounts alone give; `nil` while no money moved.
    private var moneyState: ProviderState? {
        if captured > 0 {
            if refunded >= captured { return .returned }
            return refunded > 0 ? .partlyReturned : .captured
        }
        if refunded > 0 { return .returned }
        if has(.sale) || has(.capture) { return .captured }
        guard baseline.authorized > 0 || has(.authorize) || has(.void) else { return nil }
        return authorized > 0 ? .held : .released
    }

    private func has(_ kind: OperationKind) -> Bool {
        totals[kind] ?? 0 > 0
            || known.values.contains { $0.transaction.latest.kind == kind && $0.transaction.succeeded }
    }

    private func sum(_ kind: OperationKind) -> Int64 {
        let told = known.values.reduce(Int64(0)) { sum, one in
            let operation = one.transaction.latest
            guard operation.kind == kind, operation.outcome == .succeeded else { return sum }
            return sum.saturating(operation.amount.money?.minor ?? 0)
        }
        return max(told, totals[kind] ?? 0)
    }

    /// The youngest operation that a payment can begin with: by its creation, then by its id.
    private func newestBeginning(among ids: [String]? = nil) -> String? {
        let candidates = known.values.map(\.transaction.latest).filter { operation in
            operation.kind.isInitial && ids?.contains(operation.providerId) != false
        }
        return candidates.max { left, right in
            if let one = left.createdAt, let two = right.createdAt, one != two { return one < two }
            return Self.precedes(left.providerId, right.providerId)
        }?
        .providerId
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count ? left < right : left.utf8.count < right.utf8.count
    }

    private static func state(of operation: KnownOperation) -> ProviderState {
        if let mark = operation.mark, mark.isClosed { return state(of: mark) }
        switch operation.transaction.latest.outcome {
        case .succeeded: return .captured
        case .expired: return .lapsed
        case .declined: return operation.mark.flatMap(stateAfterDecline) ?? .declined
        case .waiting: return operation.mark.map { state(of: $0) } ?? .waiting
        case .processing: return operation.mark.map { state(of: $0) } ?? .processing
        case .ambiguous: return operation.mark.map { state(of: $0) } ?? .indeterminate
        }
    }

    /// A decline is the end unless the message says that the form goes on.
    private static func stateAfterDecline(_ mark: AttemptFact) -> ProviderState? {
        switch mark {
        case .notRegistered: .unregistered
        case .reading(.waiting): .waiting
        case .reading(.processing), .reading(.ambiguous), .reading(.moneyWithoutOperation), .closed: nil
        }
    }

    private static func state(of fact: AttemptFact) -> ProviderState {
        switch fact {
        case .notRegistered: .unregistered
        case .reading(.waiting): .waiting
        case .reading(.processing): .processing
        case .reading(.ambiguous), .reading(.moneyWithoutOperation): .indeterminate
        case .closed(.declined): .declined
        case .closed(.expired): .lapsed
        case .closed(.cancelled): .released
        }
    }

    private var openAction: PayerAction? {
        let marked = newestBeginning().flatMap { known[$0]?.mark } ?? mark
        if case .reading(.waiting(let action)) = marked { return action }
        guard let id = newestBeginning(), case .waiting(let action) = known[id]?.transaction.latest.outcome else {
            return nil
        }
        return action
    }
}

extension AttemptFact {
    fileprivate var isClosed: Bool {
        switch self {
        case .closed: true
        case .notRegistered, .reading: false
        }
    }
}

extension Int64 {
    /// Adds and stops at the ends of the range: a hostile amount must not end the process.
    fileprivate func saturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return Swift.max(sum, -.max) }
        return other < 0 ? -.max : .max
    }
}
