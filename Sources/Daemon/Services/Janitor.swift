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

    let name = "janitor"
    let rest = Duration.seconds(120)
    let signal = Signal()

    func runOnce() async throws(StoreFailure) -> Int {
        _ = try await registers.dropExpiredOriginals()
        let made = try await store.extendLog()
        if made > 0 { log.info("log extended", ["partitions": .integer(Int64(made))]) }
        return 0
    }
}
