package import Kernel

/// Everything that rules may look at of a payment that names no account.
package struct RouteQuestion: Hashable, Sendable {
    /// The share that an account gets is drawn from this id, so that the same payment always draws the same.
    package let payment: PaymentId
    package let mode: PaymentMode
    package let method: PaymentMethod
    package let amount: Money?
    package let country: String?
    package let customer: String?
    /// Only accounts at this provider, where the client asks for one.
    package let provider: String?
    /// The kind of money; `nil` takes live money where any live account is routed.
    package let accountMode: AccountFacts.Mode?

    package init(
        payment: PaymentId,
        mode: PaymentMode,
        method: PaymentMethod,
        amount: Money?,
        country: String? = nil,
        customer: String? = nil,
        provider: String? = nil,
        accountMode: AccountFacts.Mode? = nil
    ) {
        self.payment = payment
        self.mode = mode
        self.method = method
        self.amount = amount
        self.country = country
        self.customer = customer
        self.provider = provider
        self.accountMode = accountMode
    }

    package static func isCountry(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}

/// An account as routing sees it at one version, with what its provider offers.
package struct RouteAccount: Hashable, Sendable {
    package let facts: AccountFacts
    package let isOpen: Bool
    /// `nil` leaves the question to the provider.
    package let currencies: Set<Currency>?
    package let modes: Set<PaymentMode>
    package let methods: Set<PaymentMethod>

    package init(
        facts: AccountFacts,
        isOpen: Bool,
        currencies: Set<Currency>?,
        modes: Set<PaymentMode>,
        methods: Set<PaymentMethod>
    ) {
        self.facts = facts
        self.isOpen = isOpen
        self.currencies = currencies
        self.modes = modes
        self.methods = methods
    }
}

/// How one account fared when a payment was routed.
package struct RouteCandidate: Hashable, Sendable {
    package let account: Uuid
    /// `nil` where there is no such account.
    package let facts: AccountFacts?
    /// Its weight where it shares; `nil` behind the shares.
    package let weight: Int?
    package let verdict: Verdict

    package enum Verdict: Hashable, Sendable {
        case chosen
        /// Nothing speaks against it; another one came first.
        case available
        case passed(Reason)
    }

    /// Why an account was passed over.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        case unknown
        case closed
        /// Test money and live money never mix.
        case otherAccountMode
        case otherProvider
        case currencyNotTaken
        case modeNotOffered
        case methodNotOffered
        /// Its weight is zero.
        case noShare
        /// Its provider is down.
        case breakerOpen
        /// Its provider may be back; few payments try it, and this one is not among them.
        case breakerProbing
        /// This payment was tried there before.
        case tried
        /// Its adapter does not take these terms.
        case termsRefused
    }

    /// Whether the payment may go there yet: nothing but its share or its provider's health speaks against it.
    package var mayFollow: Bool {
        guard case .passed(let reason) = verdict else { return true }
        return switch reason {
        case .noShare, .breakerOpen, .breakerProbing: true
        case .unknown, .closed, .otherAccountMode, .otherProvider, .currencyNotTaken, .modeNotOffered,
            .methodNotOffered, .tried, .termsRefused:
            false
        }
    }

    package init(account: Uuid, facts: AccountFacts?, weight: Int?, verdict: Verdict) {
        self.account = account
        self.facts = facts
        self.weight = weight
        self.verdict = verdict
    }
}

/// A routing decision with everything that it looked at: what the payment's event keeps and `explain` shows.
package struct RouteDecision: Hashable, Sendable {
    /// Why an account was looked for.
    package enum Cause: Hashable, Sendable {
        case created
        /// An earlier attempt ended, and it is proved that it took nothing and never will.
        case fallback(after: Int, Proof, Decline)
    }

    /// Proof that an attempt can no longer charge.
    package enum Proof: String, Hashable, Sendable, CaseIterable {
        /// The provider closed it.
        case closed
        /// The provider answered that nothing was done.
        case notExecuted
        /// The provider was asked and does not know it.
        case absent
        /// Nothing left the process.
        case notSent
    }

    /// A rule that was looked at and did not match, and the first part that failed.
    package struct Skipped: Hashable, Sendable {
        package let rule: String
        package let part: RouteCondition.Part

        package init(rule: String, part: RouteCondition.Part) {
            self.rule = rule
            self.part = part
        }
    }

    package let cause: Cause
    package let at: Timestamp
    /// Version of the routing stream that was looked at: the rules, and the breakers.
    package let routingVersion: Int32
    /// Number of the rules; zero for the plain order.
    package let rulesNumber: Int
    package let question: RouteQuestion
    /// The kind of money that was looked for.
    package let accountMode: AccountFacts.Mode
    package let skipped: [Skipped]
    /// The rule that matched; `nil` where the plain order decides.
    package let rule: String?
    /// In the order in which they are tried.
    package let candidates: [RouteCandidate]
    /// Every candidate's breaker is open, and the first of them was taken all the same.
    package let isLastResort: Bool
    package let fallback: FallbackPolicy

    package init(
        cause: Cause,
        at: Timestamp,
        routingVersion: Int32,
        rulesNumber: Int,
        question: RouteQuestion,
        accountMode: AccountFacts.Mode,
        skipped: [Skipped],
        rule: String?,
        candidates: [RouteCandidate],
        isLastResort: Bool,
        fallback: FallbackPolicy
    ) {
        self.cause = cause
        self.at = at
        self.routingVersion = routingVersion
        self.rulesNumber = rulesNumber
        self.question = question
        self.accountMode = accountMode
        self.skipped = skipped
        self.rule = rule
        self.candidates = candidates
        self.isLastResort = isLastResort
        self.fallback = fallback
    }

    /// The account that takes the payment; `nil` where none does.
    package var chosen: AccountFacts? { candidates.first { $0.verdict == .chosen }?.facts }
}
