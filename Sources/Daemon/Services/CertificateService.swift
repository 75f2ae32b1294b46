import Api
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Store
import Telemetry

/// Looks at the certificates of all accounts four times a day.
struct CertificateService: Service {
    let watch: CertificateWatch
    let store: PostgresStore
    let registers: Registers
    let metrics: MetricRegistry
    let log: Logger
    let clock: DatabaseClock

    let name = "certificate watch"
    let rest = Duration.seconds(6 * 3600)
    let signal = Signal()

    func runOnce() async throws(StoreFailure) -> Int {
        let reader = Reader.detached(store, registers)
        try await registers.merchants().eachByItself { merchant throws(StoreFailure) in
            let accounts: [Account]
            do throws(Problem) { accounts = try await reader.accounts(merchant: merchant.number) } catch {
                throw StoreFailure(error)
            }
            for known in await watch.certificates(of: accounts, merchant.number) {
                watch.tell(known, metrics, log, at: clock.now)
            }
        }
        return 0
    }
}
