import EventSourcing
import Kernel
import Payments
import Store

/// Gathers what is unresolved and no payment's.
enum OpenMatters {
    /// The newest of each kind.
    static func list(_ session: StoreSession, _ merchant: MerchantNumber, limit: Int) async throws -> [OpenMatter] {
        let rows = MatterRows(session.store)
        var found = try await rows.bills(of: merchant, limit: limit)
        found += try await rows.removals(of: merchant, limit: limit)
        found += try await rows.inputs(of: merchant, limit: limit)
        for account in try await session.registers.accounts(of: merchant) {
            found += try await arrivals(session, merchant, account, limit: limit)
        }
        return found
    }

    /// Verified notifications of orders that the log does not know, the newest last.
    ///
    /// One whose order came to be known since is left out.
    private static func arrivals(
        _ session: StoreSession,
        _ merchant: MerchantNumber,
        _ account: Uuid,
        limit: Int
    ) async throws -> [OpenMatter] {
        let stream = StreamName.arrivals(merchant, account: account)
        var seen: Set<[Arrival.Reference]> = []
        var found: [OpenMatter] = []
        for recorded in try await session.store.load([(stream, 0)])[0].suffix(limit) {
            guard case .kept(let arrival, let at) = try ArrivalsEvent(type: recorded.type, data: recorded.data),
                seen.insert(arrival.references).inserted
            else { continue }
            var isKnown = false
            for name in arrival.references where !isKnown {
                let reference = Reference(account: account, kind: name.kind, value: name.value)
                isKnown = try await session.store.resolve(reference, merchant: merchant) != nil
            }
            guard !isKnown else { continue }
            found.append(
                OpenMatter(
                    kind: .arrival,
                    name: arrival.references.map { "\($0.kind) \($0.value)" }.joined(separator: ", "),
                    owner: "operator",
                    nextStep: "resolve",
                    reason: "order_unknown",
                    since: at
                )
            )
        }
        return found
    }
}
