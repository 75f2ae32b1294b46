import Engine
import EventSourcing
import Kernel
import Store
import Telemetry

/// Counts schedules that should have been charged by now, and tells an operator.
struct OverdueWatch: Service {
    let registers: Registers
    let figures: NodeFigures
    let log: Logger

    let name = "overdue watch"
    let rest = Duration.seconds(10)
    let signal = Signal()

    private static let delay = Duration.seconds(120)

    func runOnce() async throws(StoreFailure) -> Int {
        let found = try await registers.overdueSchedules(by: Self.delay)
        let before = figures.know(overdue: found)
        if found > 0, before == 0 { log.warning("schedules are overdue", ["schedules": .integer(Int64(found))]) }
        if found == 0, before > 0 { log.info("no schedule is overdue any more", [:]) }
        return 0
    }
}
