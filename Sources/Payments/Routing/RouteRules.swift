package import Kernel

/// A merchant's rules for payments that name no account: data in a closed form, versioned, read from the top.
package struct RouteRules: Hashable, Sendable {
    /// The first one that matches a payment decides.
    package let rules: [RouteRule]
    /// When an account is passed over because its provider is down.
    package let breaker: BreakerPolicy

    package static let rulesPerMerchant = 64
    package static let accountsPerRule = 16
    package static let wordsPerCondition = 250
    package static let nameCharacters = 64
    package static let heaviest = 1000

    package init(rules: [RouteRule], breaker: BreakerPolicy = .standard) {
        self.rules = rules
        self.breaker = breaker
    }

    /// Every account that a rule names, once each.
    package var accounts: [Uuid] {
        var seen: Set<Uuid> = []
        return rules.flatMap(\.accounts).filter { seen.insert($0).inserted }
    }

    /// Checks what holds whatever accounts there are.
    func check() throws(Rejection) {
        guard rules.count <= Self.rulesPerMerchant else {
            throw Rejection(.routingInvalid, "At most \(Self.rulesPerMerchant) rules.", path: "rules")
        }
        var names: Set<String> = []
        for (index, rule) in rules.enumerated() {
            guard names.insert(rule.name).inserted else {
                throw Rejection(.routingInvalid, "Each rule has its own name.", path: "rules.\(index).name")
            }
            try rule.check(at: "rules.\(index)")
        }
        try breaker.check()
    }
}

/// One rule: which payments it is for, and where they go.
package struct RouteRule: Hashable, Sendable {
    /// The merchant's name for it, as in `eur-cards`.
    package let name: String
    package let when: RouteCondition
    /// Payments are shared among these by weight.
    package let to: [RouteShare]
    /// The accounts that come after them, in this order.
    package let then: [Uuid]
    package let fallback: FallbackPolicy

    package init(
        name: String,
        when: RouteCondition,
        to: [RouteShare],
        then: [Uuid] = [],
        fallback: FallbackPolicy = .none
    ) {
        self.name = name
        self.when = when
        self.to = to
        self.then = then
        self.fallback = fallback
    }

    package var accounts: [Uuid] { to.map(\.account) + then }

    fileprivate func check(at path: String) throws(Rejection) {
        guard !name.isEmpty, name.utf8.count <= RouteRules.nameCharacters else {
            throw Rejection(.routingInvalid, "A name has 1 to 64 characters.", path: "\(path).name")
        }
        try when.check(at: "\(path).when")
        guard !to.isEmpty else {
            throw Rejection(.routingInvalid, "A rule leads to at least one account.", path: "\(path).to")
        }
        guard accounts.count <= RouteRules.accountsPerRule, Set(accounts).count == accounts.count else {
            throw Rejection(
                .routingInvalid,
                "A rule names each account once, and at most \(RouteRules.accountsPerRule).",
                path: path
            )
        }
        for (index, share) in to.enumerated() where !(0...RouteRules.heaviest).contains(share.weight) {
            throw Rejection(
                .routingInvalid,
                "A weight is 0 to \(RouteRules.heaviest).",
                path: "\(path).to.\(index).weight"
            )
        }
        guard to.contains(where: { $0.weight > 0 }) else {
            throw Rejection(.routingInvalid, "At least one account has a weight.", path: "\(path).to")
        }
        guard FallbackPolicy.range.contains(fallback.attempts) else {
            throw Rejection(
                .routingInvalid,
                "A payment has 1 to \(FallbackPolicy.range.upperBound) attempts.",
                path: "\(path).fallback.attempts"
            )
        }
    }
}

/// An account and how many of the payments it gets, relative to the others.
package struct RouteShare: Hashable, Sendable {
    package let account: Uuid
    /// Zero takes no new payment by share and stays a place to fall back to.
    package let weight: Int

    package init(account: Uuid, weight: Int) {
        self.account = account
        self.weight = weight
    }
}

/// Which payments a rule is for: every part that is given must hold; a part that is left out always does.
package struct RouteCondition: Hashable, Sendable {
    package let currencies: Set<Currency>?
    /// The payer's country by ISO 3166-1, two upper-case letters.
    package let countries: Set<String>?
    package let amount: AmountRange?
    package let modes: Set<PaymentMode>?
    package let methods: Set<PaymentMethod>?
    /// The merchant's names for payers.
    package let customers: Set<String>?

    package init(
        currencies: Set<Currency>? = nil,
        countries: Set<String>? = nil,
        amount: AmountRange? = nil,
        modes: Set<PaymentMode>? = nil,
        methods: Set<PaymentMethod>? = nil,
        customers: Set<String>? = nil
    ) {
        self.currencies = currencies
        self.countries = countries
        self.amount = amount
        self.modes = modes
        self.methods = methods
        self.customers = customers
    }

    /// The part of a condition that a payment does not meet.
    package enum Part: String, Hashable, Sendable, CaseIterable {
        case currency, country, amount, mode, method, customer
    }

    /// The first part that does not hold; `nil` where the rule is for this payment.
    package func unmet(by question: RouteQuestion) -> Part? {
        func misses<Word: Hashable>(_ allowed: Set<Word>?, _ word: Word?) -> Bool {
            guard let allowed else { return false }
            return word.map { !allowed.contains($0) } ?? true
        }
        if misses(currencies, question.amount?.currency) { return .currency }
        if misses(countries, question.country) { return .country }
        if let amount, !amount.contains(question.amount) { return .amount }
        if misses(modes, question.mode) { return .mode }
        if misses(methods, question.method) { return .method }
        if misses(customers, question.customer) { return .customer }
        return nil
    }

    fileprivate func check(at path: String) throws(Rejection) {
        func check(_ count: Int?, _ name: String) throws(Rejection) {
            guard let count else { return }
            guard (1...RouteRules.wordsPerCondition).contains(count) else {
                throw Rejection(
                    .routingInvalid,
                    "A condition names 1 to \(RouteRules.wordsPerCondition) values, or is left out.",
                    path: "\(path).\(name)"
                )
            }
        }
        try check(currencies?.count, "currencies")
        try check(countries?.count, "countries")
        try check(modes?.count, "modes")
        try check(methods?.count, "methods")
        try check(customers?.count, "customers")
        for country in countries ?? [] where !RouteQuestion.isCountry(country) {
            throw Rejection(.routingInvalid, "A country is two upper-case letters.", path: "\(path).countries")
        }
        try amount?.check(at: "\(path).amount")
    }
}

/// Amounts of one currency, from one (it included) up to another (it not included).
package struct AmountRange: Hashable, Sendable {
    package let currency: Currency
    /// Minor units.
    package let from: Int64?
    package let below: Int64?

    package init(currency: Currency, from: Int64?, below: Int64?) {
        self.currency = currency
        self.from = from
        self.below = below
    }

    package func contains(_ amount: Money?) -> Bool {
        guard let amount, amount.currency == currency else { return false }
        return amount.minor >= from ?? .min && amount.minor < below ?? .max
    }

    fileprivate func check(at path: String) throws(Rejection) {
        guard from ?? 0 >= 0, below ?? 1 > 0, from ?? 0 < below ?? .max, from != nil || below != nil else {
            throw Rejection(.routingInvalid, "A range has a beginning before its end.", path: path)
        }
    }
}

/// When a payment may be tried at another account, and how often.
///
/// Proof comes first, whatever is set here: see `Payment.mayFallBack`.
package struct FallbackPolicy: Hashable, Sendable {
    /// The refusals after which another account is worth a try.
    package let classes: Set<DeclineClass>
    /// Tries in total, the first one included.
    package let attempts: Int

    package static let range = 1...8
    /// A payment keeps the account that it began with.
    package static let none = FallbackPolicy(classes: [], attempts: 1)

    package init(classes: Set<DeclineClass>, attempts: Int) {
        self.classes = classes
        self.attempts = attempts
    }
}
