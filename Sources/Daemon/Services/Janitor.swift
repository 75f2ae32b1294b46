import Engine
import EventSourcing
import Kernel
import Store
import Telemetry

/// Drops what has expired, and gives the log partitions ahead of its end.
struct Janitor: Service {
    let store: PostgresStore
    let registers: Registers
    let log: Logger
    let clock: @Sendable () -> Timestamp

    let name = "janitor"
    let rest = Duration.seconds(120)
    let signal = Signal()

    private static let deliveriesKept = Duration.seconds(30 * 86_400)
    private static let dropped = 5000

    func runOnce() async throws(StoreFailure) -> Int {
        _ = try await registers.dropExpiredOriginals()
        let old = clock().adding(.zero - Self.deliveriesKept)
        while try await WebhookRows(store).drop(endedBefore: old, limit: Self.dropped) == Self.dropped {}
        let long = clock().adding(.zero - RequestLogService.keptTime)
        _ = try await RequestRows(store).drop(before: long, ofEach: Self.dropped)
        let made = try await store.extendLog()
        if made > 0 { log.info("log extended", ["partitions": .integer(Int64(made))]) }
        return 0
    }
}
