import Crypto
import Decisions
package import EventSourcing
package import Kernel
package import Payments
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

    /// What one message showed.
    private struct Sign {
        let signal: HealthSignal
        let account: Uuid
        let at: Timestamp
    }

    /// What is told and was not looked at yet.
    private struct Pending {
        var signs: [MerchantNumber: [Sign]] = [:]
        var count = 0
    }

    private let store: any EventStore
    private let book: AccountBook
    private let notifier: CommitNotifier
    private let clock: @Sendable () -> Timestamp
    private let log: Logger
    private let owner: String
    private let watches = Locked<[Uuid: Watch]>([:])
    private let pending = Locked(Pending())
    /// Rung when there is something to look at.
    let signal = Signal()
    /// Signs beyond these are not counted: they are looked at much faster than messages end.
    private static let mostPending = 10_000
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

    /// Takes note of what one message showed; whoever decided on it waits for nothing.
    package func note(_ signal: HealthSignal, of account: Uuid, _ merchant: MerchantNumber) {
        let now = clock()
        if signal == .up, staysQuiet(account, now) { return }
        let isNoted = pending.withLock { pending in
            guard pending.count < Self.mostPending else { return false }
            pending.count += 1
            pending.signs[merchant, default: []].append(Sign(signal: signal, account: account, at: now))
            return true
        }
        if isNoted { self.signal.ring() }
    }

    /// Counts what was noted, and reports the counts with which a breaker would change; answers how many signs there were.
    ///
    /// A merchant whose routing can't be read takes nothing from the others.
    package func runOnce() async throws(StoreFailure) -> Int {
        let taken = pending.withLock { pending in
            defer { pending = Pending() }
            return pending
        }
        var reports: [InputRecord] = []
        for (merchant, signs) in taken.signs {
            do throws(StoreFailure) {
                reports += count(signs, try await book.routing(merchant), merchant)
            } catch {
                lost(error, signs.count, of: merchant)
            }
        }
        guard !reports.isEmpty else { return taken.count }
        _ = try await store.admit(reports)
        notifier.mail.ring()
        return taken.count
    }

    /// Counts the signs of a merchant's accounts; answers a report for each whose breaker would change.
    private func count(_ signs: [Sign], _ routing: Routing, _ merchant: MerchantNumber) -> [InputRecord] {
        let (policy, now) = (routing.policy, clock())
        return Dictionary(grouping: signs, by: \.account).compactMap { account, signs in
            let breaker = routing.breakers[account] ?? CircuitBreaker()
            let seen = watches.withLock { watches -> ProviderOutcomes in
                var watch = watches[account] ?? Watch()
                for sign in signs {
                    watch.window.note(sign.signal, at: sign.at, window: policy.window, from: breaker.countsFrom)
                }
                // Bad news may change the breaker: the next good news looks at it again.
                watch.isQuiet = breaker.phase == .closed && signs.last?.signal == .up
                watch.lookedAt = .now
                watches[account] = watch
                return watch.window.outcomes(since: breaker.countsFrom, at: now)
            }
            guard !breaker.changes(seen, policy, at: now).isEmpty else { return nil }
            return report(seen, account, merchant, routing.version)
        }
    }

    private func lost(_ error: StoreFailure, _ signs: Int, of merchant: MerchantNumber) {
        log.warning(
            "signs of providers' health not counted",
            ["code": .text(error.code.rawValue), "merchant": LogValue(merchant), "signs": .integer(Int64(signs))]
        )
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
    private func report(_ seen: ProviderOutcomes, _ account: Uuid, _ merchant: MerchantNumber, _ version: Int32)
        -> InputRecord
    {
        InputRecord.sent(
            .version5(namespace: account, name: "report:\(version):\(owner)"),
            to: DerivedNames.routing(merchant),
            RoutingCommand.report(account, seen),
            by: "provider-watch",
            account: account,
            at: seen.to
        )
    }
}
