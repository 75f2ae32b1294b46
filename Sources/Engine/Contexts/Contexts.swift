package import Decisions
package import EventSourcing
package import Kernel
import Payments

/// Resolves what a decision may look at: for live work from the newest state, for replay from what its record names.
package struct Contexts: Sendable {
    let book: AccountBook
    let folds: FoldCache
    let streamCache: StreamCache
    let publicUrl: String
    let zones: any ZoneSource
    let beginnings = Beginnings()
    private let decisions: EpochCache<DecisionKey, RecordedDecision>
    let clocks: any MerchantClocks
    let clock: @Sendable () -> Timestamp

    package init(
        book: AccountBook,
        publicUrl: String,
        zones: any ZoneSource,
        clocks: any MerchantClocks = NoClocks(),
        streamCache: StreamCache? = nil,
        folds: FoldCache = FoldCache(),
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.book = book
        decisions = EpochCache(capacity: Self.decisionsHeld) { () async throws(StoreFailure) in try await book.epoch() }
        self.streamCache = streamCache ?? StreamCache(store: book.store)
        self.folds = folds
        self.publicUrl = publicUrl
        self.zones = zones
        self.clocks = clocks
        self.clock = clock
    }

    init(_ parts: EngineParts, _ book: AccountBook, _ streamCache: StreamCache, _ folds: FoldCache) {
        self.init(
            book: book,
            publicUrl: parts.publicUrl,
            zones: parts.zones,
            clocks: parts.clocks,
            streamCache: streamCache,
            folds: folds,
            clock: parts.clock
        )
    }

    /// The context of an input that is decided now, in the newest recovery epoch, with the instruments that its batch has seen.
    func now(_ history: History, _ input: InputRecord, _ epoch: RecoveryEpoch?, _ seen: SeenInstruments)
        async throws(StoreFailure) -> DecisionContext
    {
        let merchant = input.stream.merchant
        let now = Self.reading(clock(), for: input)
        if let bills = try await bills(history, input, now, epoch) { return bills }
        if input.stream.kind == .instrument {
            let id = Self.accountOfInstrument(history) ?? (try? InputMeta(input))?.account
            var account: ConfiguredAccount?
            if let id { account = try await book.newest(id, merchant) }
            return DecisionContext(now: now, publicUrl: publicUrl, account: account, instrument: nil)
        }
        if input.stream.kind == .schedule { return try await schedule(history, input, seen) }
        guard input.stream.kind.isPayment else {
            return DecisionContext(now: now, publicUrl: publicUrl, account: nil, instrument: nil)
        }
        let meta = try? InputMeta(input)
        let found = try await accounts(about: history, input, meta, merchant)
        var account: ConfiguredAccount?
        if let id = found.account { account = try await book.newest(id, merchant) }
        var instrument: Instrument?
        if let id = instrumentNamed(in: history, input) { instrument = try await self.instrument(id, merchant, seen) }
        var others: [ConfiguredAccount] = []
        for id in found.others {
            if let other = try await book.newest(id, merchant) { others.append(other) }
        }
        var context = DecisionContext(
            now: now,
            publicUrl: publicUrl,
            account: account,
            instrument: instrument,
            otherAccounts: others,
            routes: found.routes
        )
        context.epoch = epoch
        context.clock = try await clocks.reading(of: merchant)
        return context
    }

    /// The newest recovery epoch, which begins where it must.
    func epoch() async throws(StoreFailure) -> RecoveryEpoch? { try await book.epoch() }

    /// Forgets what may have changed with the database: the connection to it was lost.
    func forgetEpoch() { book.forgetEpoch() }

    /// Which accounts an input is about.
    private struct InputAccounts {
        var account: Uuid?
        var others: [Uuid] = []
        var routes: DecisionContext.Routes?
    }

    /// A payment that was not routed stays at the account that it was created with; only the others cost a look.
    private func accounts(
        about history: History,
        _ input: InputRecord,
        _ meta: InputMeta?,
        _ merchant: MerchantNumber
    ) async throws(StoreFailure) -> InputAccounts {
        guard !history.isEmpty else {
            var found = InputAccounts(account: meta?.account)
            if let route = meta?.route { found.routes = try await routes(of: route, merchant) }
            return found
        }
        guard Self.mayHaveOtherAccounts(history),
            let payment: Payment = try? folds.fold(input.stream, history)
        else { return InputAccounts(account: beginnings.beginning(of: history)?.account) }
        var found = InputAccounts(account: payment.account(of: payment.attemptNumber(of: meta, input.kind))?.id)
        found.others = payment.triedAccounts.map(\.id).filter { $0 != found.account }
        if payment.mayFallBack, input.kind != .command, let first = payment.routes.first {
            var candidates: [ConfiguredAccount] = []
            for candidate in first.candidates {
                guard let found = try await book.newest(candidate.account, merchant) else { continue }
                candidates.append(found)
            }
            found.routes = DecisionContext.Routes(
                routing: try await book.routing(merchant),
                accounts: candidates
            )
        }
        return found
    }

    /// Whether the payment went on to another account, or its rule lets it.
    private static func mayHaveOtherAccounts(_ history: History) -> Bool {
        let routed = history.events.filter { $0.type == PaymentEventName.routed.rawValue }
        guard let first = routed.first, routed.count == 1 else { return !routed.isEmpty }
        guard case .routed(let decision)? = try? PaymentEvent(first) else { return true }
        return decision.fallback.attempts > 1
    }

    private func routes(of route: RouteReference, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> DecisionContext.Routes
    {
        var accounts: [ConfiguredAccount] = []
        for (id, version) in route.accounts {
            if let account = try await book.at(version, id, merchant) { accounts.append(account) }
        }
        return DecisionContext.Routes(
            routing: try await book.routing(merchant, version: route.routing),
            accounts: accounts
        )
    }

    /// A timer is decided at its own time at the earliest: this node's clock may be a little behind the database's, and a
    /// timer that found nothing due would be armed for the same moment again.
    static func reading(_ now: Timestamp, for input: InputRecord) -> Timestamp {
        guard input.kind == .timer, let at = (try? InputMeta(input))?.dueAt else {
            return now
        }
        return max(now, at)
    }

    /// Takes note of what this process committed.
    func committed(_ decision: RecordedDecision, in epoch: RecoveryEpoch?) {
        let stream = decision.stream
        if stream.kind.isPayment { decisions.keep(decision, of: DecisionKey(decision), in: epoch) }
        if stream.kind == .account { book.forget(stream) }
        if stream.kind == .routing { book.forgetRouting(of: stream.merchant) }
    }

    /// The context that a record kept.
    package func recorded(_ decision: RecordedDecision) async throws(StoreFailure) -> DecisionContext? {
        guard let json = try? Json(decision.record.context), let now = json["now"]?.text.flatMap({ Timestamp($0) }),
            let publicUrl = json["publicUrl"]?.text
        else { return nil }
        let merchant = decision.stream.merchant
        var instrument: Instrument?
        if let id = json.at("instrument", "id")?.text.flatMap({ InstrumentId($0) }),
            let version = json.at("instrument", "version")?.integer
        {
            instrument = try await self.instrument(id, merchant, version: Int32(version))
        }
        var routes: DecisionContext.Routes?
        if let named = json["ways"] {
            guard let version = named["routing"]?.integer else { return nil }
            routes = DecisionContext.Routes(
                routing: try await book.routing(merchant, version: Int32(version)),
                accounts: try await accounts(named["accounts"]?.items ?? [], merchant)
            )
        }
        var context = DecisionContext(
            now: now,
            publicUrl: publicUrl,
            account: try await accounts([json["account"]].compactMap(\.self), merchant).first,
            instrument: instrument,
            otherAccounts: try await accounts(json["otherAccounts"]?.items ?? [], merchant),
            routes: routes
        )
        context.epoch = json["epoch"].flatMap { try? RecoveryEpoch(Fields($0)) }
        context.clock = json["clock"]?.text.flatMap { Timestamp($0) }
        context.foreignReferences = (json["taken"]?.items ?? []).compactMap { Reference(named: $0) }
        if let kept = json["schedule"] {
            context.schedule = try await surroundings(recorded: kept, merchant)
        }
        return try await recordedBills(json, merchant, &context) ? context : nil
    }

    /// The context in which a message was licensed, by the event that says so; `nil` where no record is kept.
    ///
    /// The message is planned again from the same values, whatever account, credential and public address have become.
    func licensing(_ event: RecordedEvent?, _ store: any EventStore) async throws(StoreFailure) -> DecisionContext? {
        guard let event else { return nil }
        let merchant = event.stream.merchant
        let decision = try await decisions.value(of: DecisionKey(merchant: merchant, input: event.cause)) {
            () async throws(StoreFailure) in try await store.decision(event.cause, merchant: merchant)
        }
        guard let decision else { return nil }
        return try await recorded(decision)
    }

    private struct DecisionKey: Hashable, Sendable {
        let merchant: MerchantNumber
        let input: Uuid

        init(merchant: MerchantNumber, input: Uuid) {
            self.merchant = merchant
            self.input = input
        }

        init(_ decision: RecordedDecision) {
            self.init(merchant: decision.stream.merchant, input: decision.input)
        }
    }

    /// Decisions about payments that are held at most: a payer's page is rendered from the one that licensed it.
    private static let decisionsHeld = 2048

    /// Accounts that a record names by id and version.
    private func accounts(_ named: [Json], _ merchant: MerchantNumber) async throws(StoreFailure) -> [ConfiguredAccount]
    {
        var found: [ConfiguredAccount] = []
        for item in named {
            guard let id = item["id"]?.text.flatMap({ Uuid($0) }), let version = item["version"]?.integer else {
                continue
            }
            if let account = try await book.at(Int32(version), id, merchant) { found.append(account) }
        }
        return found
    }
}
