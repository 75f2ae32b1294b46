import Kernel

/// The owner of a provider operation among ours.
enum TransactionOwner: Hashable {
    case operation(OperationId)
    /// Nobody here asked for it.
    case adopted
}

extension Payment {
    /// Assigns each provider operation to one of ours, whatever order they arrived in.
    ///
    /// 1. A beginning is the payment's own, whatever its kind: its form may be tried several times.
    /// 2. A reference that the provider echoes names the operation.
    /// 3. Where it echoes none, each commanded operation that may have left takes the oldest one of its kind and amount that
    ///    the provider made since:
    ///    - one made while its messages could leave goes before the others;
    ///    - what was refused comes behind what may have acted, with what was made before the refusal came;
    ///    - what was ended without evidence comes last;
    ///    - equal ones that nothing tells apart belong to nobody while fewer messages than they may have made one of them
    ///      and none of these was acknowledged.
    /// 4. A capture or void that the provider acknowledged and that no amount fits is the one that it shows.
    /// 5. What is left, nobody here asked for.
    func owners(with sighted: ProviderOperation, attempt number: Int, at now: Timestamp) -> [String: TransactionOwner] {
        var matching = TransactionMatching(self, attempt: number, at: now)
        matching.assignNamed(transactions(with: sighted, among: operations(of: number)))
        matching.assignByAmount()
        matching.assignAcknowledged()
        return matching.owners
    }

    /// The owner of a provider operation until now.
    func currentOwner(of providerId: String, attempt number: Int) -> TransactionOwner? {
        let holder = operations.first { $0.attempt == number && $0.transactions[providerId] != nil }
        guard let holder else { return nil }
        switch holder.origin {
        case .commanded: return .operation(holder.id)
        case .provider: return holder.id == initial(of: number)?.id ? .operation(holder.id) : .adopted
        }
    }

    func transaction(of providerId: String, attempt number: Int) -> ProviderTransaction? {
        operations.lazy.filter { $0.attempt == number }.compactMap { $0.transactions[providerId] }.first
    }

    /// The target of an adopted operation, where the provider says so: the refund that a reversal names.
    func adoptedTarget(_ sighted: ProviderOperation) -> OperationId? {
        switch sighted.kind {
        case .refundReversal:
            sighted.ourReference.flatMap { name in operations.first { $0.isCommanded(.refund, named: name) }?.id }
        case .sale, .authorize, .verify, .tokenize, .transfer, .capture, .void, .refund: nil
        }
    }

    /// Whether provider operations that nobody asked for may be the trace of `operation`: a proof of absence fails.
    func isUnexplained(_ operation: Operation) -> Bool {
        if isHiddenInTotal(operation) { return true }
        return operations.contains { other in
            guard other.origin == .provider, other.kind == operation.kind, other.attempt == operation.attempt else {
                return false
            }
            return other.transactions.values.contains {
                $0.latest.ourReference == nil && operation.mayPrecede($0, firstSeen[$0.providerId])
            }
        }
    }

    /// All transactions, one more taken in.
    private func transactions(with sighted: ProviderOperation, among operations: [Operation]) -> [ProviderTransaction] {
        var all = operations.flatMap(\.orderedTransactions)
        if let index = all.firstIndex(where: { $0.providerId == sighted.providerId }) {
            all[index].merge(sighted)
        } else {
            all.append(ProviderTransaction(sighted))
        }
        return all
    }
}

extension PaymentDraft {
    /// Takes a transaction in and moves each provider operation to the owner that it has now.
    mutating func book(_ told: ProviderOperation) {
        let sighted = told.admitted(by: context.capabilities)
        if case .unreadable(let text) = sighted.amount { book(.unrecognised(what: "amount", value: text)) }
        let known = payment.transaction(of: sighted.providerId, attempt: focus)
        guard known != nil || payment.operations.reduce(0, { $0 + $1.transactions.count }) < Payment.operationsKept
        else { return book(.unrecognised(what: "operations", value: "more than \(Payment.operationsKept)")) }
        guard let owner = beginning(sighted, known) ?? matched(sighted) else { return }
        if payment.currentOwner(of: sighted.providerId, attempt: focus) == owner,
            let known = payment.transaction(of: sighted.providerId, attempt: focus)
        {
            guard known.isChanged(by: sighted) else { return }
        }
        put(sighted, owner)
    }

    /// The owner of a beginning, which takes nothing from the others: those are matched once in a decision.
    private func beginning(_ sighted: ProviderOperation, _ known: ProviderTransaction?) -> TransactionOwner? {
        guard hasMatched, sighted.kind.isInitial, known?.latest.kind.isInitial ?? true else { return nil }
        return payment.initial(of: focus).map { .operation($0.id) }
    }

    /// The owner of a provider operation, once the others have gone to theirs.
    private mutating func matched(_ sighted: ProviderOperation) -> TransactionOwner? {
        hasMatched = true
        let owners = payment.owners(with: sighted, attempt: focus, at: context.now)
        for (providerId, owner) in owners.sorted(by: { $0.key < $1.key }) where providerId != sighted.providerId {
            guard payment.currentOwner(of: providerId, attempt: focus) != owner,
                let known = payment.transaction(of: providerId, attempt: focus)
            else { continue }
            put(known.leading, owner)
        }
        return owners[sighted.providerId]
    }
}

/// One assignment of an attempt's provider operations, in passes.
private struct TransactionMatching {
    private(set) var owners: [String: TransactionOwner] = [:]

    private let payment: Payment
    private let operations: [Operation]
    private let initial: Operation?
    private let now: Timestamp
    /// What names no operation of ours and has none yet, the oldest first.
    private var unnamed: [ProviderTransaction] = []
    /// Operations that may own one of these, in the order in which they choose.
    private var candidates: [Operation] = []
    private var placed: Set<OperationId> = []

    init(_ payment: Payment, attempt number: Int, at now: Timestamp) {
        self.payment = payment
        self.now = now
        operations = payment.operations(of: number)
        initial = payment.initial(of: number)
    }

    /// Gives what is the beginning or has a name to its owner, and finds out who may own the rest.
    mutating func assignNamed(_ transactions: [ProviderTransaction]) {
        var named: Set<OperationId> = []
        for transaction in transactions {
            let latest = transaction.latest
            if latest.kind.isInitial, let initial {
                owners[latest.providerId] = .operation(initial.id)
            } else if let reference = latest.ourReference {
                let operation = operations.first { $0.isCommanded(latest.kind, named: reference) }
                owners[latest.providerId] = operation.map { .operation($0.id) } ?? .adopted
                if let operation { named.insert(operation.id) }
            } else {
                unnamed.append(transaction)
                owners[latest.providerId] = .adopted
            }
        }
        unnamed.sort { $0.age < $1.age }
        let nameless = operations.filter { $0.mayHaveTransactions && !named.contains($0.id) }
        // What was refused, or never left, comes behind what may have acted, and an end without evidence behind both.
        let open = nameless.filter { $0.ending == nil }
        candidates =
            open.filter(\.mayHaveActed) + open.filter { !$0.mayHaveActed } + nameless.filter { $0.ending != nil }
    }

    /// Lets each candidate take the oldest one of its kind and amount.
    mutating func assignByAmount() {
        // What was made while a message could be on its way is that message's before it is an older one's.
        for isTimely in [true, false] {
            for operation in candidates where !placed.contains(operation.id) {
                let index = unnamed.firstIndex { transaction in
                    operation.mayBe(transaction, payment.firstSeen[transaction.providerId])
                        && (!isTimely || operation.isTimely(transaction))
                }
                guard let index else { continue }
                let found = unnamed[index]
                guard operation.isAcknowledged || !isAmbiguous(found) else { continue }
                owners[found.providerId] = .operation(operation.id)
                unnamed.remove(at: index)
                placed.insert(operation.id)
            }
        }
    }

    /// Gives an acknowledged capture or void the one that the provider shows, whatever its amount.
    mutating func assignAcknowledged() {
        for operation in candidates where !placed.contains(operation.id) && operation.isAcknowledged {
            guard operation.kind == .capture || operation.kind == .void else { continue }
            let index = unnamed.firstIndex { transaction in
                transaction.kind == operation.kind
                    && operation.mayPrecede(transaction, payment.firstSeen[transaction.providerId])
            }
            if let index { owners[unnamed.remove(at: index).providerId] = .operation(operation.id) }
        }
    }

    /// Whether others that came in the same look can't be told from this one, and there are more of them than messages
    /// that may have made one.
    private func isAmbiguous(_ one: ProviderTransaction) -> Bool {
        guard one.latest.createdAt == nil else { return false }
        let twins = unnamed.filter { other in
            other.kind == one.kind && other.latest.createdAt == nil && other.latest.amount == one.latest.amount
                && other.seenAt ?? now == one.seenAt ?? now
        }
        let makers = candidates.filter { $0.mayBe(one, payment.firstSeen[one.providerId]) }
        return twins.count > makers.count
    }
}

extension ProviderTransaction {
    /// The order in which provider operations are chosen: by creation, then by id, and never by arrival.
    fileprivate var age: (Timestamp, String) { (latest.createdAt ?? .distantFuture, providerId) }
}

extension Operation {
    fileprivate func isCommanded(_ kind: OperationKind, named reference: String) -> Bool {
        self.reference == reference && origin == .commanded && self.kind == kind
    }

    /// Whether the provider may show something that came of a message of ours, or that made one needless.
    fileprivate var mayHaveTransactions: Bool {
        origin == .commanded && !kind.isInitial
            && (mayHaveLeft || refusedAt != nil || dispatches.contains(where: \.revoked))
    }

    /// When its last message was refused by an answer that a look has to confirm.
    fileprivate var refusedAt: Timestamp? {
        dispatches.compactMap { dispatch in
            guard case .refused? = dispatch.outcome else { return nil }
            return dispatch.observedAt
        }
        .max()
    }

    private var endedRefused: Bool { if case .refused? = ending { true } else { false } }

    fileprivate func mayBe(_ other: ProviderTransaction, _ seenIn: Int32?) -> Bool {
        let latest = other.latest
        guard kind == latest.kind, latest.amount.money == nil || latest.amount.money == requested else { return false }
        return mayPrecede(other, seenIn)
    }

    /// Whether something may have come of the messages that count.
    fileprivate var mayHaveActed: Bool { !standingDispatches.allSatisfy(\.hadNoEffect) }

    /// Whether the provider made the other operation while the last message could still leave.
    fileprivate func isTimely(_ other: ProviderTransaction) -> Bool {
        guard let created = other.latest.createdAt, let last = dispatches.last?.license else { return true }
        return created <= last.sendBefore.adding(Payment.clockSkew)
    }

    /// Whether a message of ours may have left before the provider made the other operation, and not too long before.
    fileprivate func mayPrecede(_ other: ProviderTransaction, _ seenIn: Int32?) -> Bool {
        guard let earliest = dispatches.first, let last = dispatches.last?.license else { return false }
        let first = earliest.license
        // The stream's own order: nodes' clocks differ, and an answer may be quicker than they do.
        if let seenIn, seenIn < earliest.version { return false }
        guard let created = other.latest.createdAt else {
            // Equal ones that came after the look behind a refusal are not told apart from somebody else's.
            return !(endedRefused && refusedAt != nil)
        }
        if case .absent? = ending, created > last.sendBefore.adding(Payment.clockSkew) { return false }
        if !mayHaveLeft, let refusedAt, created > refusedAt.adding(Payment.clockSkew) { return false }
        return created.adding(Payment.clockSkew) >= first.licensedAt
    }
}
