import Engine
import EventSourcing
import Kernel
import Store
import SystemKit
import Telemetry

/// Looks again at accounts whose settlement is reconciled: what was a matter of timing is missing when its time is up, whether or not a file
/// comes.
///
/// One that can't be looked at now comes up again behind all others.
struct SettlementWatch: Service {
    let reviews: SettlementReviews
    let clock: @Sendable () -> Timestamp
    let log: Logger

    let name = "settlements"
    let rest = Duration.seconds(120)
    let signal = Signal()
    /// Accounts that are looked at in a row.
    private static let most = 50

    func runOnce() async throws(StoreFailure) -> Int {
        var count = 0
        while count < Self.most, let due = try await reviews.due(at: clock()) {
            count += 1
            do throws(StoreFailure) {
                _ = try await reviews.look(at: due, as: SystemRandom().uuid(at: clock()), at: clock())
            } catch {
                log.warning(
                    "settlement not reviewed",
                    ["account": .text("\(due.account)"), "reason": .text(error.detail)]
                )
            }
        }
        return 0
    }
}
