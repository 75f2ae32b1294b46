import Kernel
package import Payments
package import ProviderKit

/// Reads a payment: what it began with, and the captures, releases and refunds in it.
///
/// Only `Operations` names follow-ups by ids of their own. A message without it says that there are some and nothing more,
/// so it asks for a query; amounts are never added up from events.
package struct PaymentReading {
    let message: PaymentMessage
    let context: InterpretContext
    /// The code of the answer around the payment, where the payment itself names none.
    var answerCode: String?
    /// Whether it came by itself: then it may stand under the id of something that followed.
    var isEvent = false

    package init(message: PaymentMessage, context: InterpretContext, answerCode: String? = nil, isEvent: Bool = false) {
        self.message = message
        self.context = context
        self.answerCode = answerCode
        self.isEvent = isEvent
    }

    private typealias Word = StatusTable.Word

    /// Messages that never state an amount.
    enum Unstated {
        /// One about a follow-up, under its id: it says nothing of how much the payment began with.
        static let followUp = "message about a follow-up"
    }

    private var begins: OperationKind { context.terms.mode.operation }

    /// The name of the payment's first operation: an id as it came, the one that is known already where it is the same.
    ///
    /// `nil` where the message stands under a follow-up's id and nothing says what it followed.
    private func name(_ id: String, _ root: String) -> String? {
        if context.terms.method != .hosted, let order = context.order?.id, ProviderPaymentId.root(order) == root {
            return order
        }
        let known = context.known.first { $0.kind.isInitial && ProviderPaymentId.root($0.providerId) == root }
        if let known { return known.providerId }
        if message.entries.contains(where: { $0.id == root }) { return root }
        return isEvent && isAboutFollowUp && id != root ? nil : id
    }

    private var isAboutFollowUp: Bool { message.own.word.flatMap(Self.kind) != nil }

    /// Whether the payer may try again elsewhere: on a page, under another payment of the provider's.
    private var isOpenPage: Bool { context.terms.method == .hosted }

    package var facts: [Fact] {
        if let reference = message.merchantReference, reference != context.paymentReference {
            return [.contradiction(.identity, detail: "payment \(reference.prefix(64))")]
        }
        guard let id = message.id, !id.isEmpty else { return [.unrecognised(what: "payment.id", value: "")] }
        let root = ProviderPaymentId.root(id)
        guard let name = name(id, root) else { return [.question] }
        var facts: [Fact] = []
        if let unknown = message.own.unknownWord { facts.append(unknown) }
        // Before the money that it moved: a movement knows what was told until then.
        if let id = message.productId {
            facts.append(.method(String(id), scheme: InstrumentReading.schemes[id]))
        }
        let children = children(Beginning(name: name, root: root))
        facts += beginning(Beginning(name: name, root: root), children)
        facts += children.map(Fact.operation) + unreadEntries(beside: root)
        if !isEvent, message.hasAllOperations { facts.append(.complete([.capture, .void, .refund])) }
        if let instrument = InstrumentReading.fact(message.card, agreed: context.terms.method != .instrument) {
            facts.append(instrument)
        }
        return facts
    }

    // MARK: The beginning

    /// How the payment's first operation is named, and what its id and those of its follow-ups have in common.
    private struct Beginning {
        let name: String
        let root: String
    }

    private func beginning(_ root: Beginning, _ children: [ProviderOperation]) -> [Fact] {
        guard let word = message.own.word else {
            // Alone it may be about a follow-up: it closes what has no money and says nothing of what has.
            if message.own.status.category == "UNSUCCESSFUL" {
                return isOpenPage ? [] : [.attempt(.closed(.declined(decline)))]
            }
            return [.attempt(.reading(.ambiguous))]
        }
        switch word {
        case .created: return []
        case .redirected: return [initial(root, .waiting(.redirect))]
        case .pending: return [initial(root, .processing)]
        case .uncertain: return [initial(root, .ambiguous)]
        case .authorized, .captureRefused: return [initial(root, begins == .sale ? .processing : .succeeded)]
        case .declined:
            let declined = initial(root, .declined(decline))
            return isOpenPage ? [declined] : [declined, .attempt(.closed(.declined(decline)))]
        case .cancelledByPayer: return payerCancelled(root)
        case .cancelled: return isOpenPage ? [] : [.attempt(.closed(.cancelled))]
        case .reversed:
            return [
                .unrecognised(what: "status", value: "REVERSED"),
                .attempt(.reading(.moneyWithoutOperation(word.rawValue))),
            ]
        case .capturePending, .captured, .voidPending, .voided, .voidRefused, .refundPending, .refunded, .refundRefused:
            return followed(word, root, children)
        }
    }

    private var decline: Decline { CodeTable.decline(message.own.declineCode ?? answerCode) }

    /// The payer gave up before anything was authorized.
    private func payerCancelled(_ root: Beginning) -> [Fact] {
        let decline = Decline(reason: .soft, code: "1", tableVersion: CodeTable.version)
        let declined = initial(root, .declined(decline))
        return isOpenPage ? [declined] : [declined, .attempt(.closed(.declined(decline)))]
    }

    private func initial(_ root: Beginning, _ outcome: ProviderOutcome) -> Fact {
        .operation(
            ProviderOperation(
                providerId: root.name,
                kind: begins,
                outcome: outcome,
                amount: wholeAmount(root.root),
                changedAt: message.own.changedAt
            )
        )
    }

    /// The amount of the beginning: a message under a follow-up's id may name the follow-up's.
    private func wholeAmount(_ root: String) -> EvidenceAmount {
        if let entry = message.entries.first(where: { $0.id == root }) { return entry.amount }
        return isAboutFollowUp && message.id != root ? .unstated(in: Unstated.followUp) : message.own.amount
    }

    // MARK: Words about follow-ups

    /// The payment's own word is about something that followed: the beginning had succeeded by then.
    private func followed(_ word: Word, _ root: Beginning, _ children: [ProviderOperation]) -> [Fact] {
        if begins == .sale { return sale(word, root, children) }
        guard message.hasOperations else {
            // Whether it was authorized before is not said by a capture that is on its way.
            return (word == .capturePending ? [.attempt(.reading(.processing))] : [initial(root, .succeeded)])
                + unnamed(word)
        }
        let own = Self.kind(word).flatMap { kind in
            children.contains { $0.kind == kind } ? nil : derived(kind, word, root, children)
        }
        return [initial(root, .succeeded)] + (own.map { [.operation($0)] } ?? [])
    }

    /// A sale is taken with its capture; what comes after that are releases and refunds.
    private func sale(_ word: Word, _ root: Beginning, _ children: [ProviderOperation]) -> [Fact] {
        switch word {
        case .capturePending, .voidPending, .voidRefused: return [initial(root, .processing)]
        case .captured: return [initial(root, .succeeded)]
        case .voided:
            let decline = Decline(reason: .soft, code: "6", tableVersion: CodeTable.version)
            return [initial(root, .declined(decline)), .attempt(.closed(.cancelled))]
        case .refundPending, .refunded, .refundRefused:
            guard message.hasOperations else { return [initial(root, .succeeded)] + unnamed(word) }
            let isListed = children.contains { $0.kind == .refund }
            let own = isListed ? nil : derived(.refund, word, root, children)
            return [initial(root, .succeeded)] + (own.map { [.operation($0)] } ?? [])
        case .created, .redirected, .pending, .uncertain, .authorized, .captureRefused, .cancelledByPayer, .cancelled,
            .declined, .reversed:
            return []
        }
    }

    /// A word about a follow-up where the message lists none: in an event it asks for a look, and in a look it says nothing
    /// of one that was refused or that is known to be on its way.
    private func unnamed(_ word: Word) -> [Fact] {
        let isNothing: Bool
        switch word {
        case .captureRefused, .voidRefused, .refundRefused: isNothing = true
        case .capturePending, .voidPending, .refundPending:
            isNothing = context.known.contains { $0.kind == Self.kind(word) && !$0.outcome.isFinal }
        case .captured, .voided, .refunded, .created, .redirected, .pending, .uncertain, .authorized,
            .cancelledByPayer, .cancelled, .declined, .reversed:
            isNothing = false
        }
        return isNothing && !isEvent ? [] : [.attempt(.reading(.moneyWithoutOperation(word.rawValue)))]
    }

    /// A follow-up that the payment's own word tells and no entry names.
    private func derived(
        _ kind: OperationKind,
        _ word: Word,
        _ root: Beginning,
        _ children: [ProviderOperation]
    ) -> ProviderOperation? {
        let name = "\(kind.rawValue):\(root.name)"
        // One that is known by an id of its own is not there twice; the list tells how it ends.
        let isKnown = context.known.contains { known in
            let isDead = known.outcome.isFinal && !known.outcome.isSuccess
            return known.kind == kind && known.providerId != name && !isDead
        }
        guard !isKnown, let outcome = outcome(word, message.own) else { return nil }
        return ProviderOperation(
            providerId: name,
            kind: kind,
            outcome: outcome,
            amount: left(for: kind, children),
            changedAt: message.own.changedAt
        )
    }

    /// All that such a follow-up can be about: of a hold what no capture took.
    private func left(for kind: OperationKind, _ children: [ProviderOperation]) -> EvidenceAmount {
        guard case .stated(let whole) = message.own.amount, kind == .void else { return message.own.amount }
        let taken = children.reduce(Int64(0)) { sum, child in
            guard child.kind == .capture, child.outcome == .succeeded else { return sum }
            return sum &+ max(child.amount.money?.minor ?? 0, 0)
        }
        return .stated(taken > 0 && taken < whole.minor ? Money(whole.minor - taken, whole.currency) : whole)
    }

    // MARK: Entries

    /// The entries beside the beginning.
    ///
    /// An operation that the payment's own word told before it was listed keeps the name that it got then.
    private func children(_ root: Beginning) -> [ProviderOperation] {
        var children = message.entries.compactMap { child($0, root.root) }
        let known = Set(context.known.map(\.providerId))
        for kind in [OperationKind.capture, .void, .refund] {
            let name = "\(kind.rawValue):\(root.name)"
            let new = children.indices.filter { children[$0].kind == kind && !known.contains(children[$0].providerId) }
            let first = new.min { one, other in
                let (id, next) = (children[one].providerId, children[other].providerId)
                return (id.utf8.count, id) < (next.utf8.count, next)
            }
            if let first, known.contains(name) { children[first] = children[first].named(name) }
        }
        return children
    }

    /// An entry of `Operations` other than the beginning itself.
    private func child(_ entry: PaymentMessage.Entry, _ root: String) -> ProviderOperation? {
        guard let id = entry.id, !id.isEmpty, id != root else { return nil }
        guard let word = entry.word, let kind = Self.kind(word), let outcome = outcome(word, entry) else { return nil }
        if kind == .capture, begins == .sale { return nil }
        return ProviderOperation(
            providerId: "\(kind.rawValue):\(id)",
            kind: kind,
            outcome: outcome,
            amount: entry.amount,
            ourReference: ownReference(entry),
            changedAt: entry.changedAt
        )
    }

    /// Entries beside the beginning that may have moved money and can't be told: without an id, or in words that nobody knows.
    private func unreadEntries(beside root: String) -> [Fact] {
        message.entries.flatMap { entry -> [Fact] in
            let isNamed = entry.id?.isEmpty == false
            guard entry.id != root else { return [] }
            let isUnread: Bool
            switch entry.word {
            case nil: isUnread = entry.status.category != "UNSUCCESSFUL"
            case .reversed?, .cancelled?: isUnread = true
            case let word?:
                // A capture is the beginning of a sale; read by its code alone, it may be anything.
                let kind = Self.kind(word).flatMap { $0 == .capture && begins == .sale ? nil : $0 }
                isUnread = kind == nil ? entry.unknownWord != nil : !isNamed
            }
            guard isUnread else { return [] }
            let said = entry.status.status ?? entry.status.code.map(String.init) ?? "no status"
            let unread = Fact.attempt(.reading(.moneyWithoutOperation("an entry of Operations, \(said.prefix(32))")))
            return (entry.unknownWord.map { [$0] } ?? []) + [unread]
        }
    }

    /// A reference that names the operation and not the payment.
    private func ownReference(_ entry: PaymentMessage.Entry) -> String? {
        guard let reference = entry.reference, !reference.isEmpty, reference != context.paymentReference else {
            return nil
        }
        return String(reference.prefix(64))
    }

    /// The answer to our own capture or refund.
    func answer(_ kind: OperationKind, _ entry: PaymentMessage.Entry) -> Fact? {
        guard let id = entry.id, !id.isEmpty, let word = entry.word, Self.kind(word) == kind,
            let outcome = outcome(word, entry), ProviderPaymentId.root(id) != id
        else { return nil }
        return .operation(
            ProviderOperation(
                providerId: "\(kind.rawValue):\(id)",
                kind: kind,
                outcome: outcome,
                amount: entry.amount,
                ourReference: ownReference(entry),
                changedAt: entry.changedAt
            )
        )
    }

    private static func kind(_ word: Word) -> OperationKind? {
        switch word {
        case .capturePending, .captured, .captureRefused: .capture
        case .voidPending, .voided, .voidRefused: .void
        case .refundPending, .refunded, .refundRefused: .refund
        case .created, .redirected, .pending, .uncertain, .authorized, .cancelledByPayer, .cancelled, .declined,
            .reversed:
            nil
        }
    }

    private func outcome(_ word: Word, _ entry: PaymentMessage.Entry) -> ProviderOutcome? {
        switch word {
        case .capturePending, .voidPending, .refundPending: .processing
        case .captured, .voided, .refunded: .succeeded
        case .captureRefused, .voidRefused, .refundRefused:
            .declined(CodeTable.decline(entry.declineCode ?? entry.status.code.map(String.init)))
        case .created, .redirected, .pending, .uncertain, .authorized, .cancelledByPayer, .cancelled, .declined,
            .reversed:
            nil
        }
    }
}
