import EventSourcing
package import Kernel

/// Where a merchant's payments go that name no account: a plain order, rules before it, and what is known of the health of
/// the accounts' providers; one stream per merchant.
package struct Routing: Aggregate, Hashable {
    /// Events folded so far; decisions name the version that they saw.
    package private(set) var version: Int32 = 0
    /// Accounts by their ids, the preferred one first: for payments that no rule matches.
    package private(set) var accounts: [Uuid] = []
    package private(set) var rules: RouteRules?
    /// 1, 2, 3 …: each change of the rules has its own.
    package private(set) var rulesNumber = 0
    /// Breakers that ever opened.
    package private(set) var breakers: [Uuid: CircuitBreaker] = [:]

    package static let accountsPerMerchant = 256

    package init() {}

    /// It holds nothing of its name.
    package init(id _: Uuid) {}

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: RoutingEvent) {
        version += 1
        switch event {
        case .set(let accounts, _, _): self.accounts = accounts
        case .rulesSet(let rules, let number, _, _):
            self.rules = rules
            rulesNumber = number
        case .breakerChanged(let account, let change, let at):
            breakers[account, default: CircuitBreaker()].evolve(change, at: at)
        }
    }

    /// Every account that a payment without one may go to.
    package var routedAccounts: [Uuid] {
        var seen: Set<Uuid> = []
        return ((rules?.accounts ?? []) + accounts).filter { seen.insert($0).inserted }
    }

    /// When a provider counts as down.
    package var policy: BreakerPolicy { rules?.breaker ?? .standard }

    /// Decides a command; whether the accounts exist was looked up before.
    package func decide(_ command: RoutingCommand, _ context: CommandContext) throws(Rejection) -> [RoutingEvent] {
        switch command {
        case .set(let wanted):
            guard wanted.count <= Self.accountsPerMerchant else {
                throw Rejection(.routingInvalid, "At most \(Self.accountsPerMerchant) accounts.", path: "accounts")
            }
            guard Set(wanted).count == wanted.count else {
                throw Rejection(.routingInvalid, "Each account is named once.", path: "accounts")
            }
            guard wanted != accounts || version == 0 else { return [] }
            return [.set(wanted, by: context.actor.id, at: context.now)]
        case .setRules(let wanted, let seen):
            if let seen, seen != rulesNumber {
                throw Rejection(.routingStale, "The rules have number \(rulesNumber) by now.", path: "seenNumber")
            }
            try wanted.check()
            guard wanted != rules else { return [] }
            return [.rulesSet(wanted, number: rulesNumber + 1, by: context.actor.id, at: context.now)]
        case .report(let account, let seen):
            let breaker = breakers[account] ?? CircuitBreaker()
            // What was counted before the breaker changed last has been judged already, maybe on another node.
            guard seen.from >= breaker.countsFrom else { return [] }
            return breaker.changes(seen, policy, at: context.now)
                .map { .breakerChanged(account, $0, at: context.now) }
        case .probe(let account):
            return (breakers[account] ?? CircuitBreaker()).probed(at: context.now)
                .map { .breakerChanged(account, $0, at: context.now) }
        }
    }
}

/// A fact about a merchant's routing.
package enum RoutingEvent: StoredEvent, Hashable {
    case set([Uuid], by: String, at: Timestamp)
    case rulesSet(RouteRules, number: Int, by: String, at: Timestamp)
    case breakerChanged(Uuid, BreakerChange, at: Timestamp)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case set = "routing.set.v1"
        case rulesSet = "routing.rules_set.v1"
        case breakerOpened = "routing.breaker_opened.v1"
        case breakerHalfOpened = "routing.breaker_half_opened.v1"
        case breakerClosed = "routing.breaker_closed.v1"
    }

    package var name: Name {
        switch self {
        case .set: .set
        case .rulesSet: .rulesSet
        case .breakerChanged(_, .opened, _): .breakerOpened
        case .breakerChanged(_, .halfOpened, _): .breakerHalfOpened
        case .breakerChanged(_, .closed, _): .breakerClosed
        }
    }
}

/// A request to the routing: by an administrator, or by the daemon that watches its providers.
package enum RoutingCommand: StoredCommand, Hashable {
    /// Replaces the plain order in full.
    case set([Uuid])
    /// Replaces the rules in full; `seen` is the number that the author looked at.
    case setRules(RouteRules, seen: Int?)
    /// Messages to an account ended so.
    case report(Uuid, ProviderOutcomes)
    /// A payment was sent to an account whose pause is over.
    case probe(Uuid)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case set = "routing.set"
        case setRules = "routing.set_rules"
        case report = "routing.report"
        case probe = "routing.probe"
    }

    package var name: Name {
        switch self {
        case .set: .set
        case .setRules: .setRules
        case .report: .report
        case .probe: .probe
        }
    }
}
