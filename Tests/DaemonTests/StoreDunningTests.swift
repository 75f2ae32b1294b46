import Api
import Daemon
import EventSourcing
import Kernel
import Postgres
import Schedules
import Store
import TestKit
import Testing

/// Dunning policies in PostgreSQL.
@Suite(.timeLimit(.minutes(2)))
struct StoreDunningTests {
    private func policy(_ name: String, _ attempts: Int) -> DunningPolicy {
        DunningPolicy(
            name: name,
            version: 1,
            steps: DunningPolicy.standard.steps,
            caps: [NetworkCap(scheme: nil, attempts: attempts, days: 30)],
            giveUp: .mark,
            endsAtNext: true
        )
    }

    @Test func `many who keep a policy at once get a version for each content, and no version is ever another`()
        async throws
    {
        try await NodeHarness.run("dunning") { harness in
            let api = harness.node.api
            let kept = try await withThrowingTaskGroup(of: DunningPolicy.self) { group in
                for attempts in 1...4 {
                    let wanted = policy("gentle", attempts)
                    group.addTask { try await api.keep(wanted, by: "alice", of: harness.merchant) }
                }
                var kept: [DunningPolicy] = []
                for try await one in group { kept.append(one) }
                return kept
            }
            #expect(Set(kept.map(\.version)) == [1, 2, 3, 4])
            let newest = try #require(
                try await api.reader.tables.policies(of: harness.merchant).first { $0.name == "gentle" }
            )
            #expect(kept.contains(newest) && newest.version == 4)
            #expect(try await api.keep(newest.numbered(9), by: "bob", of: harness.merchant) == newest)
            let other = try await api.keep(policy("strict", 2), by: "bob", of: harness.merchant)
            #expect(try await api.reader.tables.policies(of: harness.merchant) == [newest, other])
            let rows = try await harness.backend.query(
                "SELECT version, kept_by, document ->> 'name' FROM paystream.dunning_policies WHERE policy = 'gentle'"
                    + " ORDER BY version"
            ) { row throws(PostgresFailure) in "\(try row.int32(0)) \(try row.text(1)) \(try row.text(2))" }
            #expect(rows == (1...4).map { "\($0) alice gentle" })
        }
    }
}
