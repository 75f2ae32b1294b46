package import Decisions
package import EventSourcing
package import Kernel
package import Payments
package import ProviderKit

/// Configured accounts and saved instruments as decisions see them, read from their streams.
package final class AccountBook: Sendable {
    private let store: any EventStore
    private let adapters: AdapterRegistry?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let recovery: any RecoveryRecords
    /// How old the knowledge of an account's newest version may be.
    private static let freshness = Duration.seconds(1)

    private struct Entries {
        var newest: [StreamName: (account: ConfiguredAccount, readAt: ContinuousClock.Instant)] = [:]
        var versions: [StreamName: [Int32: ConfiguredAccount]] = [:]
        var routings: [MerchantNumber: (routing: Routing, readAt: ContinuousClock.Instant)] = [:]
        var pages = GenerationCache<Uuid, StoredPage>(capacity: AccountBook.pagesHeld)
        var epoch: (epoch: RecoveryEpoch?, readAt: ContinuousClock.Instant)?
        /// How often this process has written what is kept here; what was read before a write is not kept after it.
        var writes = 0
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
        recovery: any RecoveryRecords = NoRecovery(),
        restored: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.restored = restored
        self.recovery = recovery
        self.adapters = adapters
        now = time.now
    }

    /// The newest configuration; `nil` where there is none.
    package func newest(_ id: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure) -> ConfiguredAccount? {
        let stream = StreamName(merchant, .account, id)
        let known = entries.withLock { $0.newest[stream] }
        if let known, known.readAt.duration(to: now()) < Self.freshness { return known.account }
        return try await read(stream, version: nil)
    }

    /// The configuration that a decision saw.
    package func at(_ version: Int32, _ id: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> ConfiguredAccount?
    {
        let stream = StreamName(merchant, .account, id)
        if let known = entries.withLock({ $0.versions[stream]?[version] }) { return known }
        return try await read(stream, version: version)
    }

    /// Forgets the newest version: this process has just written another one.
    package func forget(_ account: StreamName) {
        entries.withLock { entries in
            entries.newest[account] = nil
            entries.writes += 1
        }
    }

    private func read(_ stream: StreamName, version: Int32?) async throws(StoreFailure) -> ConfiguredAccount? {
        let mark = entries.withLock { $0.writes }
        var account = Account(id: stream.id)
        var wanted: ConfiguredAccount?
        for event in try await events(of: stream) as [AccountEvent] {
            account.evolve(event)
            guard let facts = account.facts, let configuration = account.configuration else { continue }
            let plain = ConfiguredAccount(
                merchant: stream.merchant,
                facts: facts,
                values: configuration.settings,
                sealedSecrets: configuration.secrets,
                isOpen: account.isOpen,
                currencies: configuration.currencies
            )
            let configured = adapters.map { plain.read(by: $0) } ?? plain
            entries.withLock { $0.versions[stream, default: [:]][account.version] = configured }
            if version == nil || version == account.version { wanted = configured }
        }
        if version == nil, let wanted {
            entries.withLock { if $0.writes == mark { $0.newest[stream] = (wanted, now()) } }
        }
        return wanted
    }

    /// The body of an input that a decision needs again; the newest few are held.
    package func page(_ input: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure) -> StoredPage? {
        if let held = entries.withLock({ $0.pages.find(input) }) { return held }
        guard let record = try await store.input(input, merchant: merchant) else { return nil }
        let page = StoredPage(input: input, bytes: record.body)
        entries.withLock { $0.pages.keep(page, of: input) }
        return page
    }

    /// Pages of uploads, of at most 64 kilobytes each.
    private static let pagesHeld = 32

    /// A merchant's routing at its newest version, as known for at most a second, or at the one that a decision saw.
    package func routing(_ merchant: MerchantNumber, version: Int32? = nil) async throws(StoreFailure) -> Routing {
        let known = entries.withLock { $0.routings[merchant] }
        if let known {
            if let version {
                if known.routing.version == version { return known.routing }
            } else if known.readAt.duration(to: now()) < Self.freshness {
                return known.routing
            }
        }
        let mark = entries.withLock { $0.writes }
        let stream = DerivedNames.routing(merchant)
        let routing = Routing().after(try await events(of: stream, upTo: version))
        if version == nil {
            entries.withLock { if $0.writes == mark { $0.routings[merchant] = (routing, now()) } }
        }
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
            if isAnother { entries = Entries() }
            entries.readIn = epoch
            entries.epoch = (epoch, asked)
            return isAnother
        }
        if isAnother { restored() }
        return epoch
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
    package func forgetRouting(of merchant: MerchantNumber) {
        entries.withLock { entries in
            entries.routings[merchant] = nil
            entries.writes += 1
        }
    }

    /// A saved instrument, removed ones too, at its newest version or at the one that a decision saw.
    package func instrument(
        _ id: InstrumentId,
        _ merchant: MerchantNumber,
        version: Int32? = nil
    ) async throws(StoreFailure) -> Instrument? {
        let events: [InstrumentEvent] = try await events(of: StreamName(merchant, .instrument, id.uuid), upTo: version)
        let instrument = Instrument.fold(id, events)
        return instrument.saved == nil ? nil : instrument
    }

    private func events<Event: StoredEvent>(of stream: StreamName, upTo version: Int32? = nil)
        async throws(StoreFailure) -> [Event]
    {
        let history = try await store.load([(stream, 0)])[0]
        do throws(CodecFailure) { return try history.prefix { $0.version <= version ?? .max }.decoded() } catch {
            throw StoreFailure(.corrupt, detail: "\(stream) \(error.path)")
        }
    }
}
