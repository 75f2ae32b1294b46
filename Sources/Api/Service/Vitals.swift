package import EventSourcing
package import Http
import Kernel

/// How the daemon is.
package protocol Vitals: Sendable {
    /// `nil` when requests can be served; otherwise why not, in a word that names no secret.
    func unreadiness() async -> String?

    /// Each read model behind the log, by its name: how long its oldest event waits, and how many streams it does not show.
    func followers() async -> [FollowerLag]

    /// Each read model with its versions, in the order in which they are always told.
    func readModels() async throws(StoreFailure) -> [ReadModelStanding]

    /// Whether this request may read the metrics, which name every merchant and account.
    func showsMetrics(to request: HttpRequest) -> Bool

    /// The metrics page in Prometheus' text format.
    func metrics() async -> String
}

/// How far a read model is behind the log.
package struct FollowerLag: Hashable, Sendable {
    package let name: String
    package let milliseconds: Int64
    /// Streams that it can't show.
    package let aside: Int

    package init(name: String, milliseconds: Int64, aside: Int) {
        self.name = name
        self.milliseconds = milliseconds
        self.aside = aside
    }

    var json: Json {
        [
            "lagMilliseconds": .integer(milliseconds), "name": .string(name),
            "streamsAside": .integer(Int64(aside)),
        ]
    }
}
