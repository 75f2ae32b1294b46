import Cluster
import SystemKit

extension EmbeddedCluster {
    /// Starts a cluster of this name for `body`, and removes it afterwards.
    static func own(_ name: String, _ body: (EmbeddedCluster) async throws -> Void) async throws {
        let cluster = try EmbeddedCluster(checkout: ".", name: name)
        try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
        let outcome: Result<Void, any Error>
        do {
            try await body(cluster)
            outcome = .success(())
        } catch { outcome = .failure(error) }
        try await OwnThread.run { () throws(ClusterFailure) in try cluster.remove() }
        try outcome.get()
    }
}
