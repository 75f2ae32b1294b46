import Kernel

/// Gaps: a look tells of money and names no operation for it, or the other way round.
///
/// Such a look could not tell how the payment stands: it proves nothing and the next one is asked for later. A gap that
/// is repeated by as many looks as other questions get is a contradiction.
extension Payment {
    /// The gap that the newest look at an attempt left, of those looks that said anything.
    ///
    /// A lost answer does not close it.
    func gap(of number: Int) -> Contradiction? {
        for query in looks(at: number) {
            if let gap = query.outcome?.gap { return gap }
            if case .answered? = query.outcome { return nil }
        }
        return nil
    }

    /// Gaps that looks leave and two persons have not dealt with.
    var openGaps: [Contradiction] {
        guard mayHaveGap else { return [] }
        return attemptNumbers.compactMap { gap(of: $0) }.filter { !flags.settledContradictions.contains($0) }
    }

    /// Gaps that have stayed open for so long that a person owns them.
    ///
    /// A gap of an earlier attempt is one at once: nothing looks at that attempt again by itself.
    var lastingGaps: [Contradiction] {
        guard mayHaveGap else { return [] }
        return attemptNumbers.compactMap { number in
            guard let gap = gap(of: number) else { return nil }
            var count = 0
            for query in looks(at: number) {
                switch query.outcome {
                case nil, .notSent?: continue
                case .answered?: return nil
                case .unknown?, .notExecuted?, .refused?, .duplicate?, .accepted?: count += 1
                }
                if isPast(number) || count >= Payment.questionsBeforePerson { return gap }
            }
            return nil
        }
    }

    private var mayHaveGap: Bool { queries.contains { $0.outcome?.gap != nil } }

    /// Questions about an attempt, the newest first.
    private func looks(at number: Int) -> some Sequence<Dispatch> {
        queries.reversed().lazy.filter { pastAttempts.isEmpty || attemptNumber(at: $0.license.account) == number }
    }

    /// When the first of the looks at an attempt left that all leave the same open, up to the one before `asked`.
    fileprivate func firstLook(at number: Int, before asked: DispatchLicense, leaving gap: Contradiction) -> Timestamp?
    {
        var first: Timestamp?
        for query in looks(at: number) where query.license != asked {
            if case .answered? = query.outcome { break }
            if query.outcome?.gap == gap { first = query.license.leavesAt }
        }
        return first
    }

    /// Gaps in facts: they tell of money without the operation behind it.
    func gaps(in facts: [Fact], attempt number: Int) -> [Contradiction] {
        facts.compactMap { fact in
            switch fact {
            case .attempt(.reading(.moneyWithoutOperation(let word))): .moneyWithoutOperation(word)
            case .statement(let told): gap(in: told, attempt: number).map { .moneyWithoutOperation($0) }
            case .operation, .complete, .attempt, .order, .dispatch, .instrument, .instrumentNews, .receipt, .dispute,
                .method, .series, .seriesDebit, .fee, .commission, .contradiction, .question, .firstAnswer,
                .unrecognised:
                nil
            }
        }
    }

    /// The gap that a list or its total leaves.
    ///
    /// There are three: money without a sum that nothing known explains; a total that the list beside it does not
    /// reach; and a part left out that would tell of what was shown before or may have been done.
    private func gap(in told: Statement, attempt number: Int) -> String? {
        guard let currency else { return nil }
        switch told.total {
        case .untold(let said)?:
            let known = operations(of: number).filter { $0.kind == told.kind }
            let isKnown = known.contains { $0.state == .succeeded } && known.allSatisfy(\.isClosed)
            guard !said.isUnreadable, !isKnown, told.listed(in: currency) == 0 else { return nil }
            return "\(told.kind.rawValue) without a sum"
        case .books(let total)?:
            guard told.isListed, total.currency == currency, told.listed(in: currency) < total.minor else { return nil }
            return "\(told.kind.rawValue) beyond its list"
        case .missing?:
            let mayBe = operations(of: number).contains { operation in
                operation.kind == told.kind
                    && (!operation.isClosed && (operation.mayHaveLeft || operation.isRefused)
                        || operation.transactions.values.contains { !$0.isRefused })
            }
            return mayBe ? "\(told.kind.rawValue) is left out" : nil
        case .compares?, nil: return nil
        }
    }

    /// Whether an answer says nothing but that the provider does not know the attempt, or that nobody has paid it, though
    /// money moved in it; gives when that was seen first.
    fileprivate func forgottenSince(_ facts: [Fact], attempt number: Int) -> Timestamp? {
        guard facts.contains(.attempt(.notRegistered)) || facts.tellsUnpaid else { return nil }
        let saysMore = facts.contains { fact in
            switch fact {
            case .operation(let told): !told.isUnpaid
            case .statement(let told): !told.entries.isEmpty || told.total.map { $0.amount?.minor != 0 } ?? false
            case .attempt(.reading(.moneyWithoutOperation)), .attempt(.closed): true
            case .complete, .attempt(.reading): !facts.tellsUnpaid
            case .attempt(.notRegistered), .order, .dispatch, .instrument, .instrumentNews, .receipt, .dispute, .method,
                .series, .seriesDebit, .fee, .commission, .contradiction, .question, .firstAnswer, .unrecognised:
                false
            }
        }
        let sums = sums(of: number)
        guard !saysMore, sums.held > 0 || sums.collected > 0 else { return nil }
        return initial(of: number)?.transactions.values.filter(\.succeeded).compactMap(\.seenAt).min()
    }
}

extension PaymentDraft {
    /// Takes an answer in words that nobody knows for none: it says neither what is there nor what is not.
    ///
    /// The same holds of one that tells money and no operation behind it, until two persons have dealt with what it tells.
    func understood(_ facts: [Fact], _ answered: DispatchLicense) -> [Fact] {
        guard answered.purpose == .query else { return facts }
        let outcome: DispatchOutcome
        if let word = facts.unreadWord {
            outcome = .unknown(reason: DispatchReason.unreadable(word).text)
        } else if facts.contains(.dispatch(.answered)), let gap = openGap(in: facts, answered) {
            outcome = .unknown(gap)
        } else {
            return facts
        }
        let isOutcome: (Fact) -> Bool = { if case .dispatch = $0 { true } else { false } }
        return [.dispatch(outcome)] + facts.filter { !isOutcome($0) }
    }

    /// The first gap in an answer that two persons have not dealt with.
    private func openGap(in facts: [Fact], _ asked: DispatchLicense) -> Contradiction? {
        let isForgottenTooSoon = forgottenSince(facts, asked).map { asked.leavesAt < $0 } ?? false
        let gaps = payment.gaps(in: facts, attempt: focus) + (isForgottenTooSoon ? [Self.forgotten(facts, .books)] : [])
        return gaps.first { !payment.flags.settledContradictions.contains($0) }
    }

    /// A provider that does not know an attempt in which money moved, or shows it as not paid, has taken it back, or we ask
    /// for another.
    ///
    /// It may know it late: only a question that could leave after the proof time counts, and none after the provider's own
    /// memory.
    mutating func missForgotten(_ asked: DispatchLicense, _ facts: [Fact]) {
        guard let since = forgottenSince(facts, asked), asked.leavesAt >= since,
            payment.isConclusive(asked, context.capabilities),
            !payment.flags.settledContradictions.contains(Self.forgotten(facts, .books))
        else { return }
        contradict(Self.forgotten(facts, .message))
    }

    /// From when on an answer counts that does not know what was paid.
    private func forgottenSince(_ facts: [Fact], _ asked: DispatchLicense) -> Timestamp? {
        let ends = [payment.queryEnd(context.capabilities), payment.holdEnd(context.capabilities)]
        let isDue = payment.standing.collected > 0 ? ends.prefix(1) : ends[...]
        guard let seen = payment.forgottenSince(facts, attempt: focus),
            !isDue.contains(where: { end in end.map { asked.leavesAt >= $0 } ?? false })
        else { return nil }
        // One look may have asked a copy that lags: a second one says the same so long after it.
        let first =
            payment.firstLook(at: focus, before: asked, leaving: Self.forgotten(facts, .books)) ?? asked.leavesAt
        return max(seen, first).adding(context.capabilities.patience(payment.initial(of: focus)?.kind ?? .sale))
    }

    private static func forgotten(_ facts: [Fact], _ basis: Contradiction.Basis) -> Contradiction {
        let what = facts.tellsUnpaid ? "shows the payment as not paid" : "does not know the payment any more"
        return Contradiction(kind: .vanished, detail: "the provider \(what)", basis: basis)
    }
}

extension Contradiction {
    /// Money that is told in this word and by no operation.
    fileprivate static func moneyWithoutOperation(_ word: String) -> Contradiction {
        Contradiction(kind: .moneyWithoutOperation, detail: String(word.prefix(64)), basis: .books)
    }
}

extension ProviderOperation {
    /// Whether it is what a payment begins with, and waits for its payer or its provider.
    fileprivate var isUnpaid: Bool {
        switch outcome {
        case .waiting, .processing: kind.isInitial
        case .ambiguous, .succeeded, .declined, .expired: false
        }
    }
}

extension DispatchOutcome {
    /// The outcome of a look that left this open.
    static func unknown(_ gap: Contradiction) -> DispatchOutcome {
        .unknown(reason: DispatchReason.gap(gap.kind, gap.detail).text)
    }

    /// The gap that a look left.
    var gap: Contradiction? {
        guard case .unknown(let reason) = self, case .gap(let kind, let detail) = DispatchReason(reason) else {
            return nil
        }
        return Contradiction(kind: kind, detail: detail, basis: .books)
    }
}

extension [Fact] {
    /// Whether what a payment begins with is told as still to be paid.
    fileprivate var tellsUnpaid: Bool {
        contains { if case .operation(let told) = $0 { told.isUnpaid } else { false } }
    }

    /// Contradictions for totals that can't be read.
    var unreadableTotals: [Fact] {
        compactMap { fact in
            guard case .statement(let told) = fact, let text = told.unreadableTotal else { return nil }
            return .contradiction(.amount, detail: "total of \(told.kind.rawValue): \"\(text)\" can't be read")
        }
    }
}
