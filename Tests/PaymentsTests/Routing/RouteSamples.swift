import EventSourcing
import Kernel
import Payments

/// Accounts and rules that tests of routing share.
enum RouteSamples {
    static let first = Samples.uuid(0xA1)
    static let second = Samples.uuid(0xA2)
    static let third = Samples.uuid(0xA3)

    static func facts(_ id: Uuid, _ mode: AccountFacts.Mode = .live, provider: String = "ecommpay") -> AccountFacts {
        AccountFacts(id: id, name: "account-\(id.low & 0xFF)", provider: provider, mode: mode, version: 2)
    }

    static func account(
        _ id: Uuid,
        _ mode: AccountFacts.Mode = .live,
        provider: String = "ecommpay",
        isOpen: Bool = true,
        currencies: Set<Currency>? = nil,
        methods: Set<PaymentMethod> = Set(PaymentMethod.allCases)
    ) -> RouteAccount {
        RouteAccount(
            facts: facts(id, mode, provider: provider),
            isOpen: isOpen,
            currencies: currencies,
            modes: Set(PaymentMode.allCases),
            methods: methods
        )
    }

    static func known(_ accounts: RouteAccount...) -> [Uuid: RouteAccount] {
        Dictionary(accounts.map { ($0.facts.id, $0) }) { first, _ in first }
    }

    static var three: [Uuid: RouteAccount] { known(account(first), account(second), account(third)) }

    static func question(
        _ number: UInt64 = 1,
        _ amount: Money? = .cents(1999),
        method: PaymentMethod = .hosted,
        country: String? = nil,
        customer: String? = nil,
        provider: String? = nil,
        accountMode: AccountFacts.Mode? = nil
    ) -> RouteQuestion {
        RouteQuestion(
            payment: PaymentId(Samples.uuid(number)),
            mode: .sale,
            method: method,
            amount: amount,
            country: country,
            customer: customer,
            provider: provider,
            accountMode: accountMode
        )
    }

    /// One rule for everything, shared or in order.
    static func sharing(_ shares: [(Uuid, Int)], then: [Uuid] = [], fallback: FallbackPolicy = .none) -> Routing {
        let rule = RouteRule(
            name: "all",
            when: RouteCondition(),
            to: shares.map { RouteShare(account: $0.0, weight: $0.1) },
            then: then,
            fallback: fallback
        )
        return Routing().after([.rulesSet(RouteRules(rules: [rule]), number: 1, by: "root", at: .epoch)])
    }

    static let softly = FallbackPolicy(classes: [.soft, .providerDown], attempts: 3)

    static var rules: RouteRules {
        RouteRules(
            rules: [
                RouteRule(
                    name: "euro",
                    when: RouteCondition(
                        currencies: [Samples.euro, Samples.dollar],
                        countries: ["DE", "AT"],
                        amount: AmountRange(currency: Samples.euro, from: 100, below: 5000),
                        modes: [.sale],
                        methods: [.hosted, .sdk],
                        customers: ["vip-1"]
                    ),
                    to: [RouteShare(account: first, weight: 70), RouteShare(account: second, weight: 30)],
                    then: [third],
                    fallback: softly
                ), RouteRule(name: "rest", when: RouteCondition(), to: [RouteShare(account: third, weight: 1)]),
            ],
            breaker: BreakerPolicy(
                failures: 3,
                percent: 40,
                window: .seconds(30),
                pause: .seconds(20),
                probePercent: 5,
                successes: 2
            )
        )
    }

    static let failing = ProviderOutcomes(
        failures: 7,
        successes: 2,
        from: Samples.noon,
        to: Samples.noon.adding(.seconds(20)),
        lastFailure: "unreachable: deadline"
    )

    /// A routing whose breaker for the account has just opened, for half a minute.
    static func opened(_ account: Uuid, _ routing: Routing, at now: Timestamp = Samples.noon) -> Routing {
        var routing = routing
        routing.evolve(.breakerChanged(account, .opened(failing, until: now.adding(.seconds(30)), trip: 1), at: now))
        return routing
    }
}
