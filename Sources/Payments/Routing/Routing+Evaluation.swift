import Crypto
package import Kernel

extension Routing {
    /// Chooses the account of a new payment, and says why each account was taken or passed over.
    ///
    /// 1. The first rule whose condition holds names the accounts; where none does, the plain order.
    /// 2. Accounts that share by weight are drawn without putting back, from a hash of the payment's id: the order is
    ///    the same whoever asks, and without an account that is passed over the others share as their weights say.
    /// 3. The first account in that order that nothing speaks against takes the payment.
    /// 4. Where breakers alone speak against every account, the first of those takes it: a provider that may be down is
    ///    better than a payment that is refused.
    package func route(_ question: RouteQuestion, among known: [Uuid: RouteAccount], at now: Timestamp) -> RouteDecision
    {
        var skipped: [RouteDecision.Skipped] = []
        var matching: RouteRule?
        for rule in rules?.rules ?? [] {
            guard let part = rule.when.unmet(by: question) else {
                matching = rule
                break
            }
            skipped.append(RouteDecision.Skipped(rule: rule.name, part: part))
        }
        let wanted = question.accountMode ?? usualMode(known)
        let places = matching.map { self.places($0, question.payment) } ?? accounts.map { ($0, nil) }
        var found = places.map { id, weight in
            let reason =
                weight == 0
                ? RouteCandidate.Reason.noShare : objection(to: known[id], id, question, wanted, at: now)
            return RouteCandidate(
                account: id,
                facts: known[id]?.facts,
                weight: weight,
                verdict: reason.map(RouteCandidate.Verdict.passed) ?? .available
            )
        }
        let isLastResort = RouteCandidate.choose(&found)
        return RouteDecision(
            cause: .created,
            at: now,
            routingVersion: version,
            rulesNumber: matching == nil ? 0 : rulesNumber,
            question: question,
            accountMode: wanted,
            skipped: skipped,
            rule: matching?.name,
            candidates: found,
            isLastResort: isLastResort,
            fallback: matching?.fallback ?? .none
        )
    }

    /// Chooses the account of another attempt among the candidates of the first decision, in its order.
    ///
    /// `refusals` are accounts whose adapter does not take the payment's terms. No breaker is overruled here: a payment
    /// that failed once is not sent where nothing can be expected.
    package func next(
        after decision: RouteDecision,
        cause: RouteDecision.Cause,
        among known: [Uuid: RouteAccount],
        tried: Set<Uuid>,
        refusals: Set<Uuid>,
        at now: Timestamp
    ) -> RouteDecision {
        var found = decision.candidates.map { candidate in
            let id = candidate.account
            var reason: RouteCandidate.Reason? = tried.contains(id) ? .tried : nil
            reason = reason ?? objection(to: known[id], id, decision.question, decision.accountMode, at: now)
            if reason == nil, refusals.contains(id) { reason = .termsRefused }
            return RouteCandidate(
                account: id,
                facts: known[id]?.facts ?? candidate.facts,
                weight: candidate.weight,
                verdict: reason.map(RouteCandidate.Verdict.passed) ?? .available
            )
        }
        if let first = found.firstIndex(where: { $0.verdict == .available }) { found[first] = found[first].chosen }
        return RouteDecision(
            cause: cause,
            at: now,
            routingVersion: version,
            rulesNumber: decision.rulesNumber,
            question: decision.question,
            accountMode: decision.accountMode,
            skipped: [],
            rule: decision.rule,
            candidates: found,
            isLastResort: false,
            fallback: decision.fallback
        )
    }

    /// Why an account can't take a payment; `nil` where nothing speaks against it.
    private func objection(
        to account: RouteAccount?,
        _ id: Uuid,
        _ question: RouteQuestion,
        _ wanted: AccountFacts.Mode,
        at now: Timestamp
    ) -> RouteCandidate.Reason? {
        guard let account else { return .unknown }
        guard account.facts.mode == wanted else { return .otherAccountMode }
        guard account.isOpen else { return .closed }
        if let provider = question.provider, provider != account.facts.provider { return .otherProvider }
        if let currency = question.amount?.currency, account.currencies?.contains(currency) == false {
            return .currencyNotTaken
        }
        guard account.modes.contains(question.mode) else { return .modeNotOffered }
        guard account.methods.contains(question.method) else { return .methodNotOffered }
        switch (breakers[id] ?? CircuitBreaker()).gate(at: now) {
        case .passable: return nil
        case .shut: return .breakerOpen
        case .probing:
            let draw = Self.draw("\(question.payment)|probe|\(id)") % 100
            return draw < UInt64(policy.probePercent) ? nil : .breakerProbing
        }
    }

    /// Live money where any routed account takes it.
    private func usualMode(_ known: [Uuid: RouteAccount]) -> AccountFacts.Mode {
        let modes = Set(routedAccounts.compactMap { known[$0]?.facts.mode })
        if modes.contains(.live) { return .live }
        return modes.contains(.liveAutoCancel) ? .liveAutoCancel : .test
    }

    /// The accounts of a rule in the order in which this payment tries them, with their weights.
    private func places(_ rule: RouteRule, _ payment: PaymentId) -> [(Uuid, Int?)] {
        var left = rule.to.filter { $0.weight > 0 }
        var drawn: [(Uuid, Int?)] = []
        while !left.isEmpty {
            let total = left.reduce(UInt64(0)) { $0 + UInt64($1.weight) }
            var ticket = Self.draw("\(payment)|\(rule.name)|\(drawn.count)") % total
            var index = 0
            while ticket >= UInt64(left[index].weight) {
                ticket -= UInt64(left[index].weight)
                index += 1
            }
            let share = left.remove(at: index)
            drawn.append((share.account, share.weight))
        }
        return drawn + rule.to.filter { $0.weight == 0 }.map { ($0.account, 0) } + rule.then.map { ($0, nil) }
    }

    /// A number that looks random and is the same for the same words.
    private static func draw(_ words: String) -> UInt64 {
        Digest.sha256(Array(words.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension RouteCandidate {
    fileprivate var chosen: RouteCandidate {
        RouteCandidate(account: account, facts: facts, weight: weight, verdict: .chosen)
    }

    /// Marks the one that takes the payment; answers whether it was taken although its breaker is open.
    fileprivate static func choose(_ candidates: inout [RouteCandidate]) -> Bool {
        if let first = candidates.firstIndex(where: { $0.verdict == .available }) {
            candidates[first] = candidates[first].chosen
            return false
        }
        let resort = candidates.firstIndex { candidate in
            candidate.verdict == .passed(.breakerProbing) || candidate.verdict == .passed(.breakerOpen)
        }
        guard let resort else { return false }
        candidates[resort] = candidates[resort].chosen
        return true
    }
}
