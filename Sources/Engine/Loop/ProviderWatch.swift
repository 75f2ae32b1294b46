import Crypto
import Decisions
package import EventSourcing
package import Kernel
import Payments
package import Telemetry

/// Watches how messages to each account end, and reports to the merchant's routing what may change a breaker.
///
/// It counts in memory, one window per account and process; what follows from a count is decided on the routing's stream,
/// so that every node passes the same accounts over and the log tells why.
package final class ProviderWatch: Sendable {
    private struct Watch {
        var window = OutcomeWindow()
        /// Whether the breaker was closed when good news looked at it last.
        var isQuiet = false
        var lookedAt: ContinuousClock.Instant?
    }

    private let store: any EventStore
    private let book: AccountBook
    private let notifier: CommitNotifier
    private let clock: @Sendable () -> Timestamp
    private let log: Logger
    private let owner: String
    private let watches = Locked<[Uuid: Watch]>([:])
    /// Good news of a quiet account look at its breaker no more often than this.
    private static let patience = Duration.seconds(10)

    package init(
        store: any EventStore,
        book: AccountBook,
        notifier: CommitNotifier,
        clock: @escaping @Sendable () -> Timestamp,
        log: Logger,
        owner: String
    ) {
        self.store = store
        self.book = book
        self.notifier = notifier
        self.clock = clock
        self.log = log
        self.owner = owner
    }

    /// Counts what one message showed and reports the count where the breaker would change.
    func note(_ signal: HealthSignal, of account: Uuid, _ merchant: MerchantNumber) async {
        let now = clock()
        if signal == .up, staysQuiet(account, now) { return }
        do throws(StoreFailure) {
            let routing = try await book.routing(merchant)
            let breaker = routing.breakers[account] ?? CircuitBreaker()
            let policy = routing.policy
            let seen = watches.withLock { watches -> ProviderOutcomes in
                var watch = watches[account] ?? Watch()
                watch.window.note(signal, at: now, window: policy.window, from: breaker.countsFrom)
                // Bad news may change the breaker: the next good news looks at it again.
                watch.isQuiet = breaker.phase == .closed && signal == .up
                watch.lookedAt = .now
                watches[account] = watch
                return watch.window.outcomes(since: breaker.countsFrom, at: now)
            }
            guard !breaker.changes(seen, policy, at: now).isEmpty else { return }
            try await report(seen, account, merchant, routing.version)
        } catch {
            log.warning("provider report lost", ["account": LogValue(account), "code": .text(error.code.rawValue)])
        }
    }

    /// Counts good news of an account whose breaker is closed without looking at its routing.
    private func staysQuiet(_ account: Uuid, _ now: Timestamp) -> Bool {
        watches.withLock { watches in
            guard var watch = watches[account], watch.isQuiet, let lookedAt = watch.lookedAt,
                lookedAt.duration(to: .now) < Self.patience
            else { return false }
            watch.window.note(.up, at: now, window: BreakerPolicy.standard.window)
            watches[account] = watch
            return true
        }
    }

    /// One report per process and version of the routing: the same news again is the same input.
    private func report(
        _ seen: ProviderOutcomes,
        _ account: Uuid,
        _ merchant: MerchantNumber,
        _ version: Int32
    ) async throws(StoreFailure) {
        let input = InputRecord.sent(
            .version5(namespace: account, name: "report:\(version):\(owner)"),
            to: DerivedNames.routing(merchant),
            RoutingCommand.report(account, seen),
            by: "provider-watch",
            account: account,
            at: seen.to
        )
        _ = try await store.admit([input])
        notifier.mail.ring()
    }
}
