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
        let at: Timestamp
    }

    /// Accounts of a merchant that are to be looked at, with what their messages showed since.
    private struct Pending {
        var accounts: [Uuid: [Sign]] = [:]
        var count = 0
    }

    private let store: any EventStore
    private let book: AccountBook
    private let notifier: CommitNotifier
    private let clock: @Sendable () -> Timestamp
    private let log: Logger
    private let owner: String
    private let watches = Locked<[Uuid: Watch]>([:])
    private let pending = Locked<[MerchantNumber: Pending]>([:])
    /// Rung when there is something to look at.
    let signal = Signal()
    /// Signs of a merchant beyond these are not counted: they are looked at much faster than messages end.
    private static let mostPending = 1000
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
        pending.withLock { pending in
            guard pending[merchant, default: Pending()].count < Self.mostPending else { return }
            pending[merchant, default: Pending()].count += 1
            pending[merchant, default: Pending()].accounts[account, default: []].append(Sign(signal: signal, at: now))
        }
        self.signal.ring()
    }

    /// Counts what was noted, and reports the counts with which a breaker would change; answers how many accounts it looked at.
    ///
    /// A merchant whose routing can't be read takes nothing from the others. Where the store is away, accounts are looked at again.
    package func runOnce() async throws(StoreFailure) -> Int {
        let taken = pending.withLock { pending in
            defer { pending = [:] }
            return pending
        }
        // What is left to look at, where this fails.
        var left = taken
        do throws(StoreFailure) {
            var reports: [InputRecord] = []
            // In an order that a simulation repeats.
            for (merchant, noted) in taken.sorted(by: { $0.key.value < $1.key.value }) {
                guard let routing = try await routing(of: merchant, noted.count) else { continue }
                for (account, signs) in noted.accounts.sorted(by: { $0.key < $1.key }) {
                    if let report = count(signs, of: account, routing, merchant) { reports.append(report) }
                    left[merchant]?.accounts[account] = []
                }
                left[merchant]?.count = 0
            }
            try await admit(reports)
        } catch {
            putBack(left)
            throw error
        }
        return taken.values.reduce(0) { $0 + $1.accounts.count }
    }

    /// Whether accounts are to be looked at.
    package var hasPending: Bool { pending.withLock { !$0.isEmpty } }

    private func putBack(_ left: [MerchantNumber: Pending]) {
        pending.withLock { pending in
            for (merchant, noted) in left {
                var all = pending[merchant] ?? Pending()
                all.count += noted.count
                for (account, signs) in noted.accounts { all.accounts[account] = signs + (all.accounts[account] ?? []) }
                pending[merchant] = all
            }
        }
    }

    /// A merchant's routing; `nil` where it can't be read for what it holds.
    private func routing(of merchant: MerchantNumber, _ signs: Int) async throws(StoreFailure) -> Routing? {
        do throws(StoreFailure) { return try await book.routing(merchant) } catch {
            guard error.isAboutData else { throw error }
            lost(error, signs, of: merchant)
            return nil
        }
    }

    private func admit(_ reports: [InputRecord]) async throws(StoreFailure) {
        guard !reports.isEmpty else { return }
        do throws(StoreFailure) { _ = try await store.admit(reports) } catch {
            guard error.isAboutData else { throw error }
            guard reports.count > 1 else { return lost(error, 1, of: reports[0].stream.merchant) }
            // One of them is to blame.
            for report in reports { try await admit([report]) }
        }
        notifier.mail.ring()
    }

    /// Counts the signs of an account, one after the other; answers a report where its breaker would change.
    private func count(_ signs: [Sign], of account: Uuid, _ routing: Routing, _ merchant: MerchantNumber)
        -> InputRecord?
    {
        let (policy, now) = (routing.policy, clock())
        let breaker = routing.breakers[account] ?? CircuitBreaker()
        return watches.withLock { watches -> ProviderOutcomes? in
            var watch = watches[account] ?? Watch()
            defer { watches[account] = watch }
            // Bad news may change the breaker: the next good news looks at it again.
            watch.isQuiet = breaker.phase == .closed && signs.last?.signal == .up
            watch.lookedAt = .now
            func changing(at time: Timestamp) -> ProviderOutcomes? {
                let oldest = max(breaker.countsFrom, time.adding(.zero - policy.window))
                let seen = watch.window.outcomes(since: oldest, at: time)
                guard seen.failures + seen.successes > 0 else { return nil }
                return breaker.changes(seen, policy, at: time).isEmpty ? nil : seen
            }
            var found: ProviderOutcomes?
            for sign in signs {
                watch.window.note(sign.signal, at: sign.at, window: policy.window, from: breaker.countsFrom)
                found = found ?? changing(at: sign.at)
            }
            return found ?? changing(at: now)
        }.map { report($0, account, merchant, routing.version) }
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
