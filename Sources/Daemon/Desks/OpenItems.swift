package import EventSourcing
import Kernel
import Payments
package import Projections
package import Store

/// Gathers what is unresolved and no payment's.
package struct OpenItems: OpenItemList {
    private let store: PostgresStore
    private let registers: Registers

    package init(_ store: PostgresStore, _ registers: Registers) {
        self.store = store
        self.registers = registers
    }

    /// The newest of each kind; of strange orders those among the newest notifications.
    package func openItems(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenItem] {
        var found = try await OpenItemRows(store).openItems(of: merchant, limit: limit)
        for account in try await registers.accounts(of: merchant) {
            found += try await arrivals(merchant, account, limit: limit)
        }
        return found
    }

    /// Verified notifications of orders that the log does not know, the newest last.
    ///
    /// One whose order came to be known since is left out.
    private func arrivals(_ merchant: MerchantNumber, _ account: Uuid, limit: Int) async throws(StoreFailure)
        -> [OpenItem]
    {
        let stream = StreamName.arrivals(merchant, account: account)
        var seen: Set<[Arrival.Reference]> = []
        var found: [OpenItem] = []
        for recorded in try await store.load([(stream, 0)])[0].suffix(limit) {
            guard case .kept(let arrival, let at)? = try? ArrivalsEvent(recorded),
                seen.insert(arrival.references).inserted
            else { continue }
            var isKnown = false
            for name in arrival.references where !isKnown {
                let reference = Reference(account: account, kind: name.kind, value: name.value)
                isKnown = try await store.resolve(reference, merchant: merchant) != nil
            }
            guard !isKnown else { continue }
            found.append(
                OpenItem(
                    kind: .arrival,
                    name: arrival.references.map { "\($0.kind) \($0.value)" }.joined(separator: ", "),
                    owner: .operator,
                    nextStep: .resolve,
                    reason: "order_unknown",
                    since: at
                )
            )
        }
        return found
    }
}
