import Api
import Engine
package import EventSourcing
import Kernel
import Postgres
package import Store
package import Telemetry

/// How the read models stand behind the log, and a line in the log for each stream that one was set beside.
package final class FollowerWatch: Service {
    package let name = "follower watch"
    package let rest = Duration.seconds(2)
    let signal = Signal()
    private let views: [any FollowedView]
    private let metrics: MetricRegistry
    private let log: Logger
    private let known = Locked<[String: ViewStanding]>([:])

    package init(_ views: [any FollowedView], _ metrics: MetricRegistry, _ log: Logger) {
        self.views = views
        self.metrics = metrics
        self.log = log
        for view in views.map(\.follower.name) { register(view) }
    }

    private func register(_ view: String) {
        let known = known
        metrics.sample(
            "paystream_follower_lag_events",
            help: "Events that a read model has not read.",
            labels: ["view": view]
        ) { known.withLock { $0[view]?.unread ?? 0 } }
        metrics.sample(
            "paystream_follower_lag_seconds",
            help: "How long ago the first event was recorded that a read model has not read.",
            labels: ["view": view],
            unit: .seconds
        ) { known.withLock { $0[view]?.lag.wholeMicroseconds ?? 0 } }
    }

    /// Where a view waits longer than this, a person should look.
    package static let slow = Duration.seconds(60)

    /// The last look at each view, by its name.
    package var standings: [(name: String, standing: ViewStanding)] {
        known.withLock { known in known.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Every view with its versions as they are now; what is behind is as of the last look.
    func readModels(_ store: PostgresStore) async throws(StoreFailure) -> [ReadModelStanding] {
        let known = known.withLock { $0 }
        let end = try await store.horizon()
        var all: [ReadModelStanding] = []
        for view in views {
            let follower = view.follower
            let (shown, next) = try await Projection(view).versions()
            let standing = known[follower.name]
            all.append(
                ReadModelStanding(
                    name: follower.name,
                    wanted: follower.version,
                    shown: shown.map { .init(number: $0.version, position: $0.position) },
                    copy: next.map { .init(number: $0.version, position: $0.position) },
                    logEnd: end,
                    unread: standing?.unread ?? 0,
                    milliseconds: standing?.lag.wholeMilliseconds ?? 0,
                    aside: (standing?.aside ?? []).map { .init(merchant: $0.merchant, stream: $0.stream) }
                )
            )
        }
        return all
    }

    /// Looks at every view; one that can't be looked at keeps no other from it.
    package func runOnce() async throws(StoreFailure) -> Int {
        try await views.eachByItself { view throws(StoreFailure) in
            tell(view.follower.name, try await view.follower.standing())
        }
        return 0
    }

    private func tell(_ name: String, _ standing: ViewStanding) {
        let before = known.withLock { $0.updateValue(standing, forKey: name) }
        metrics.gauge(
            "paystream_follower_streams_aside",
            help: "Streams that a read model can't show and was set beside.",
            labels: ["view": name]
        ).set(Int64(standing.aside.count))
        for stream in standing.aside where before?.aside.contains(stream) != true {
            log.error(
                "a read model goes on without a stream",
                [
                    "merchant": .integer(Int64(stream.merchant.value)), "reason": .text(stream.reason),
                    "stream": LogValue(stream.stream), "view": .text(name),
                ]
            )
        }
    }

    /// The finding of `doctor` about a view.
    package static func finding(_ name: String, _ standing: ViewStanding) -> Finding {
        if let other = standing.otherVersion {
            return Finding(
                .fail,
                "read model \(name)",
                "version \(other) is shown, which this program doesn't make; run 'paystream projections rebuild \(name) --swap'"
            )
        }
        if let first = standing.aside.first {
            return Finding(
                .fail,
                "read model \(name)",
                "\(standing.aside.count) streams were set aside, as \(first.stream) of merchant \(first.merchant): "
                    + "\(first.reason); mend them and run 'paystream replay views'"
            )
        }
        let seconds = standing.lag.wholeMilliseconds / 1000
        return standing.lag > slow
            ? Finding(.warn, "read model \(name)", "\(seconds) s behind the log")
            : Finding(.ok, "read model \(name)", "\(standing.lag.wholeMilliseconds) ms behind the log")
    }
}
