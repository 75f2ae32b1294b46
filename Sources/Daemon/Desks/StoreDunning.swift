package import Api
package import EventSourcing
import Kernel
package import Schedules
package import Store

/// Merchants' dunning policies out of the database.
package struct StoreDunning: DunningDesk {
    private let rows: DunningRows

    package init(_ rows: DunningRows) { self.rows = rows }

    package func policies(of merchant: MerchantNumber) async throws(ReadFailure) -> [DunningPolicy] {
        let documents = try await asked { () async throws(StoreFailure) in try await rows.newest(of: merchant) }
        var policies: [DunningPolicy] = []
        for document in documents { policies.append(try Self.policy(document)) }
        return policies
    }

    package func policy(named name: String, of merchant: MerchantNumber) async throws(ReadFailure) -> DunningPolicy? {
        let document = try await asked { () async throws(StoreFailure) in
            try await rows.newest(named: name, of: merchant)
        }
        return try document.map(Self.policy)
    }

    package func keep(_ policy: DunningPolicy, by actor: String, of merchant: MerchantNumber) async throws(ReadFailure)
        -> DunningPolicy
    {
        for _ in 0..<Self.mostRaces {
            let known = try await self.policy(named: policy.name, of: merchant)
            if let known, policy.numbered(known.version) == known { return known }
            let next = policy.numbered((known?.version ?? 0) + 1)
            let isKept = try await asked { () async throws(StoreFailure) in
                try await rows.keep(next.json, named: next.name, version: next.version, by: actor, of: merchant)
            }
            if isKept { return next }
        }
        throw ReadFailure("others keep policies of this name all the time")
    }

    /// Others may take the next version's number so often.
    private static let mostRaces = 5

    private static func policy(_ document: Json) throws(ReadFailure) -> DunningPolicy {
        do throws(CodecFailure) { return try DunningPolicy(Fields(document)) } catch {
            throw ReadFailure("a stored dunning policy: \(error.path)")
        }
    }
}
