import Api
import EventSourcing
import Kernel
import Postgres
import Store
import Telemetry

/// Whether the node can work, and its figures.
struct NodeVitals: Vitals {
    let store: PostgresStore
    let metrics: MetricRegistry
    let followers: FollowerWatch
    let isDraining: Locked<Bool>

    func unreadiness() async -> String? {
        if isDraining.withLock({ $0 }) { return "draining" }
        do throws(StoreFailure) {
            _ = try await store.now()
            return nil
        } catch {
            return "the database does not answer"
        }
    }

    func followers() async -> [FollowerLag] {
        followers.standings.map { name, standing in
            FollowerLag(name: name, milliseconds: standing.lag.wholeMilliseconds, aside: standing.aside.count)
        }
    }

    func metrics() async -> String { metrics.exposition() }
}
