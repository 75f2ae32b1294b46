import Api
import EventSourcing
import Http
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
    /// Whether they have a server of their own.
    private let hasMetricsServer: Bool

    init(
        _ store: PostgresStore,
        _ metrics: MetricRegistry,
        _ followers: FollowerWatch,
        _ isDraining: Locked<Bool>,
        _ configuration: DaemonConfiguration
    ) {
        self.store = store
        self.metrics = metrics
        self.followers = followers
        self.isDraining = isDraining
        hasMetricsServer = configuration.metricsListen != nil
    }

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

    func readModels() async throws(StoreFailure) -> [ReadModelStanding] { try await followers.readModels(store) }

    /// They are shown to this machine alone, and not to what a proxy on it hands on.
    func showsMetrics(to request: HttpRequest) -> Bool {
        let isForwarded = request.headers.fields.contains { field in
            let name = field.name.lowercased()
            return ["forwarded", "via", "x-real-ip"].contains(name) || name.hasPrefix("x-forwarded-")
        }
        return !hasMetricsServer && !isForwarded
            && request.peerAddress.flatMap { SourceAddress($0) }.map(\.isLoopback) ?? false
    }

    func metrics() async -> String { metrics.exposition() }
}
