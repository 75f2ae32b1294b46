package import Kernel
package import Payments

/// The adapters of this daemon by provider id, passed in from where they are composed.
package struct AdapterRegistry: Sendable {
    private let adapters: [String: any Adapter]
    /// Paths by which any of the providers writes what may look like a card's number and is none.
    package let identifierPaths: Set<JsonPath>
    /// Paths by which clients may bring any provider's identifiers.
    package let given: GivenIdentifiers
    /// The same of apps' claims.
    package let claimIdentifiers: Set<JsonPath>
    /// The same of bills.
    package let billIdentifiers: Set<JsonPath>

    package init(_ adapters: [any Adapter]) {
        for adapter in adapters {
            let isKept =
                adapter.device != nil || adapter.declaration.methods.isDisjoint(with: [.hosted, .sdk, .wallet])
            precondition(isKept, "\(adapter.declaration.id) promises what only a device adapter gives")
        }
        self.adapters = Dictionary(uniqueKeysWithValues: adapters.map { ($0.declaration.id, $0) })
        identifierPaths = adapters.reduce(into: []) { $0.formUnion($1.declaration.identifierPaths) }
        given = adapters.reduce(GivenIdentifiers()) { $0.union($1.declaration.given) }
        claimIdentifiers = adapters.reduce(into: []) { $0.formUnion($1.device?.claimIdentifiers ?? []) }
        billIdentifiers = adapters.reduce(into: []) { $0.formUnion($1.bills?.identifiers ?? []) }
        let pages = billIdentifiers.map { JsonPath(steps: ["bills", "*"] + $0.steps) }
        commandIdentifiers = Set(given.details.map { $0.below("details") }).union(pages)
    }

    /// Where a command's body carries what clients may bring: one list for the API and the SQL entrance.
    package let commandIdentifiers: Set<JsonPath>

    package subscript(_ provider: String) -> (any Adapter)? { adapters[provider] }

    /// An account as routing sees it, with what its adapter declares; `nil` where its provider is not served here.
    package func routed(_ facts: AccountFacts, isOpen: Bool, currencies: [Currency]?) -> RouteAccount? {
        guard let declaration = adapters[facts.provider]?.declaration else { return nil }
        return RouteAccount(
            facts: facts,
            isOpen: isOpen,
            currencies: currencies.map { Set($0) },
            modes: declaration.modes,
            methods: declaration.methods
        )
    }

    /// A merchant's accounts as routing sees them.
    package func routed(_ accounts: [Account]) -> [Uuid: RouteAccount] {
        var known: [Uuid: RouteAccount] = [:]
        for account in accounts {
            guard let facts = account.facts else { continue }
            known[account.id] = routed(
                facts,
                isOpen: account.isOpen,
                currencies: account.configuration?.currencies
            )
        }
        return known
    }

    package var ids: [String] { adapters.keys.sorted() }
}
