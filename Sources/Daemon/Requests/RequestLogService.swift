import Api
import Engine
import EventSourcing
import Kernel
import Store
import Telemetry

/// Writes the request log: one statement a second for what this node answered meanwhile, and what is too much of it away.
final class RequestLogService: Service {
    let name = "request log"
    let rest = Duration.seconds(1)
    let signal = Signal()
    private let requestLog: RequestLog
    private let rows: RequestRows
    private let written = Locked(Written())

    /// Whose pages were written since the last time that there were too many of them.
    private struct Written {
        var merchants: Set<MerchantNumber> = []
        var trimmedAt = ContinuousClock.now
    }

    /// The newest requests of a merchant that are kept, and for how long.
    static let keptRequests = 50_000
    static let keptTime = Duration.seconds(7 * 86_400)
    private static let trimPause = Duration.seconds(60)

    init(_ requestLog: RequestLog, _ store: PostgresStore, _ metrics: MetricRegistry) {
        self.requestLog = requestLog
        rows = RequestRows(store)
        metrics.sample(
            "paystream_request_log_lost_total",
            help: "Answered requests that the request log lacks.",
            kind: .counter
        ) { requestLog.lost }
    }

    func runOnce() async throws(StoreFailure) -> Int {
        try await write()
        try await trim()
        // However much comes, it is one statement a second.
        return 0
    }

    /// Writes what the last requests left, once nothing more is answered.
    func finish() async { try? await write() }

    private func write() async throws(StoreFailure) {
        let pages = requestLog.take()
        guard !pages.isEmpty else { return }
        do throws(StoreFailure) {
            try await rows.keep(
                pages.map { page in
                    RequestRows.Page(
                        merchant: page.merchant,
                        first: page.first,
                        last: page.last,
                        requests: page.entries.count,
                        lines: page.lines
                    )
                }
            )
        } catch {
            requestLog.settle(isWritten: false)
            throw error
        }
        requestLog.settle(isWritten: true)
        written.withLock { $0.merchants.formUnion(pages.map(\.merchant)) }
    }

    /// A merchant who sends much is brought back to his newest requests once a minute.
    private func trim() async throws(StoreFailure) {
        let due = written.withLock { written -> [MerchantNumber] in
            guard written.trimmedAt.duration(to: .now) > Self.trimPause else { return [] }
            defer { written.merchants = [] }
            written.trimmedAt = .now
            return Array(written.merchants)
        }
        _ = try await rows.trim(due, to: Self.keptRequests)
    }
}
