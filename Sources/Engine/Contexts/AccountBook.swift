package import Decisions
package import EventSourcing
package import Kernel
package import Payments
package import ProviderKit

/// Configured accounts as decisions see them, read from their streams.
package final class AccountBook: Sendable {
    let store: any EventStore
    private let adapters: AdapterRegistry?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let recovery: any RecoveryRecords
    /// How old the knowledge of the newest recovery epoch may be.
    private static let freshness = Duration.seconds(1)
    private let newestAccounts: FreshCache<StreamName, ConfiguredAccount>
    private let routings: FreshCache<MerchantNumber, Routing>

    private struct Version: Hashable, Sendable {
        let stream: StreamName
        let number: Int32
    }

    private struct Entries {
        var versions = GenerationCache<Version, ConfiguredAccount>(capacity: AccountBook.settingsHeld) {
            AccountBook.entryBytes + $0.values.compactBytes.count
        }
        /// Streams as they were folded last: the newest state is read on from there, however long they are.
        var accounts = GenerationCache<StreamName, Account>(capacity: AccountBook.streamsHeld)
        var routings = GenerationCache<MerchantNumber, Routing>(capacity: AccountBook.streamsHeld)
        var pages = GenerationCache<Uuid, StoredPage>(capacity: AccountBook.pagesHeld)
        var epoch: (epoch: RecoveryEpoch?, readAt: ContinuousClock.Instant)?
        /// The epoch that everything here was read in.
        var readIn: RecoveryEpoch??
    }

    private let entries = Locked(Entries())
    private let restored: @Sendable () -> Void

    /// With adapters, settings are read once for each version of an account; `restored` is called when another recovery
    /// epoch has begun, once everything is forgotten here.
    package init(
        store: any EventStore,
        adapters: AdapterRegistry? = nil,
        time: EngineTime = .machine,
        recovery: any RecoveryRecords,
        restored: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.restored = restored
        self.recovery = recovery
        self.adapters = adapters
        now = time.now
        newestAccounts = FreshCache(for: Self.freshness, now: time.now)
        routings = FreshCache(for: Self.freshness, now: time.now)
    }

    /// The newest configuration; `nil` where there is none.
    package func newest(_ id: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure) -> ConfiguredAccount? {
        let stream = StreamName(merchant, .account, id)
        if let known = newestAccounts.fresh(stream) { return known }
        return try await readOn(stream)
    }

    /// The configuration that a decision saw.
    package func at(_ version: Int32, _ id: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> ConfiguredAccount?
    {
        let stream = StreamName(merchant, .account, id)
        if let known = entries.withLock({ $0.versions.find(Version(stream: stream, number: version)) }) { return known }
        let epoch = readIn
        var account = Account(id: id)
        try await advance(&account, stream, to: version)
        return account.version == version ? configured(account, stream, in: epoch) : nil
    }

    /// Forgets the newest version: this process has just written another one.
    package func forget(_ account: StreamName) { newestAccounts.forget(account) }

    private func readOn(_ stream: StreamName) async throws(StoreFailure) -> ConfiguredAccount? {
        let (epoch, mark) = (readIn, newestAccounts.mark(stream))
        var account = entries.withLock { $0.accounts.find(stream) } ?? Account(id: stream.id)
        try await advance(&account, stream)
        keep(in: epoch) { entries in
            guard entries.accounts.find(stream)?.version ?? 0 <= account.version else { return }
            entries.accounts.keep(account, of: stream)
        }
        guard let newest = configured(account, stream, in: epoch) else { return nil }
        newestAccounts.keep(newest, stream, since: mark)
        return newest
    }

    /// The configuration of a state, whose settings are read once; `nil` where it has none yet.
    private func configured(_ account: Account, _ stream: StreamName, in epoch: RecoveryEpoch??) -> ConfiguredAccount? {
        let version = Version(stream: stream, number: account.version)
        if let known = entries.withLock({ $0.versions.find(version) }) { return known }
        guard let facts = account.facts, let configuration = account.configuration else { return nil }
        let plain = ConfiguredAccount(
            merchant: stream.merchant,
            facts: facts,
            values: configuration.settings,
            sealedSecrets: configuration.secrets,
            isOpen: account.isOpen,
            currencies: configuration.currencies
        )
        let configured = adapters.map { plain.read(by: $0) } ?? plain
        keep(in: epoch) { $0.versions.keep(configured, of: version) }
        return configured
    }

    /// The epoch that everything here was read in; none before it was asked for.
    private var readIn: RecoveryEpoch?? { entries.withLock { $0.readIn } }

    /// Keeps what was read, unless another epoch has begun meanwhile: the log may have lost it.
    private func keep(in epoch: RecoveryEpoch??, _ body: (inout Entries) -> Void) {
        entries.withLock { if $0.readIn == epoch { body(&$0) } }
    }

    /// The body of an input that a decision needs again; the newest few are held.
    package func page(_ input: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure) -> StoredPage? {
        if let held = entries.withLock({ $0.pages.find(input) }) { return held }
        let epoch = readIn
        guard let record = try await store.input(input, merchant: merchant) else { return nil }
        let page = StoredPage(input: input, bytes: record.body)
        keep(in: epoch) { $0.pages.keep(page, of: input) }
        return page
    }

    /// Pages of uploads, of at most 64 kilobytes each.
    private static let pagesHeld = 32
    /// Bytes that settings of versions may have, and what a version takes beside them.
    private static let settingsHeld = 8 << 20
    private static let entryBytes = 1000
    private static let streamsHeld = 4096

    /// A merchant's routing at its newest version, as known for at most a second, or at the one that a decision saw.
    package func routing(_ merchant: MerchantNumber, version: Int32? = nil) async throws(StoreFailure) -> Routing {
        if let version {
            if let known = routings.last(merchant), known.version == version { return known }
        } else if let known = routings.fresh(merchant) {
            return known
        }
        let (epoch, mark) = (readIn, routings.mark(merchant))
        let stream = DerivedNames.routing(merchant)
        var routing = version == nil ? entries.withLock { $0.routings.find(merchant) } ?? Routing() : Routing()
        try await advance(&routing, stream, to: version ?? .max)
        guard version == nil else { return routing }
        keep(in: epoch) { entries in
            guard entries.routings.find(merchant)?.version ?? 0 <= routing.version else { return }
            entries.routings.keep(routing, of: merchant)
        }
        routings.keep(routing, merchant, since: mark)
        return routing
    }

    /// The newest recovery epoch, as known for at most a second.
    ///
    /// Another one than before means that the log may have lost what is held here: everything is forgotten.
    package func epoch() async throws(StoreFailure) -> RecoveryEpoch? {
        if let known = entries.withLock({ $0.epoch }), known.readAt.duration(to: now()) < Self.freshness {
            return known.epoch
        }
        let asked = now()
        let epoch = try await recovery.recoveryEpoch()
        let isAnother = entries.withLock { entries in
            let isAnother = entries.readIn.map { $0 != epoch } ?? false
            if isAnother { forgetAll(&entries) }
            entries.readIn = epoch
            entries.epoch = (epoch, asked)
            return isAnother
        }
        if isAnother { restored() }
        return epoch
    }

    /// Forgets everything: what was held elsewhere turned out not to be in the log.
    func forgetLog() {
        entries.withLock { forgetAll(&$0) }
        restored()
    }

    private func forgetAll(_ entries: inout Entries) {
        entries = Entries()
        newestAccounts.forgetAll()
        routings.forgetAll()
    }

    /// Asks for the epoch again at the next occasion.
    func forgetEpoch() { entries.withLock { $0.epoch = nil } }

    /// Runs a step: nothing is done in a log that was restored before its recovery epoch has begun.
    package func inEpoch<Value>(_ step: () async throws(StoreFailure) -> Value) async throws(StoreFailure) -> Value {
        _ = try await epoch()
        do throws(StoreFailure) { return try await step() } catch {
            if error.code == .moved { forgetEpoch() }
            throw error
        }
    }

    /// Forgets a merchant's routing: this process has just written to it.
    package func forgetRouting(of merchant: MerchantNumber) { routings.forget(merchant) }

    /// Moves a state on to a version or to its stream's end, in pages.
    private func advance<State: Aggregate>(_ state: inout State, _ stream: StreamName, to version: Int32 = .max)
        async throws(StoreFailure)
    {
        var known = state.version
        while known < version {
            let page = try await store.load([(stream, known)], atMost: stream.kind.page)[0]
            guard let last = page.last else { return }
            do throws(CodecFailure) { try state.evolve(page.prefix { $0.version <= version }) } catch {
                throw StoreFailure(.corrupt, detail: "\(stream) \(error.path)")
            }
            guard page.count == stream.kind.page else { return }
            known = last.version
        }
    }
}
