import Api
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Store

/// Shows the breakers of every merchant's accounts as figures.
struct BreakerWatch: Service {
    let store: PostgresStore
    let registers: Registers
    let figures: NodeFigures

    let name = "breaker watch"
    let rest = Duration.seconds(30)
    let signal = Signal()

    func runOnce() async throws(StoreFailure) -> Int {
        let reader = Reader.detached(store, registers)
        try await registers.merchants().eachByItself { merchant throws(StoreFailure) in
            do throws(Problem) {
                let accounts = try await reader.accounts(merchant: merchant.number)
                figures.know(try await reader.routing(merchant: merchant.number), of: accounts, merchant.name)
            } catch {
                throw StoreFailure(error)
            }
        }
        return 0
    }
}

extension StoreFailure {
    /// A read that failed for a service of the node.
    init(_ problem: Problem) { self.init(.unavailable, detail: problem.detail) }
}
