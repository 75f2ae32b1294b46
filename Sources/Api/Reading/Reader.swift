package import Engine
package import EventSourcing
package import Http
package import Kernel
package import Payments
package import Projections
package import ProviderKit
package import Schedules

/// Reads what answers show, from the log and the tables beside it; what can't be read now is a problem that says so.
package struct Reader: Sendable {
    private let streamCache: StreamCache
    private let folds: FoldCache
    package let tables: any ApiTables
    private let notifier: CommitNotifier
    private let zones: any ZoneSource
    private let adapters: AdapterRegistry
    private let now: @Sendable () -> Timestamp
    /// Each new payment needs them: they cost it no reads of their own.
    private let accountsCache = FreshCache<MerchantNumber, KnownAccounts>()
    private let routingCache = FreshCache<MerchantNumber, Routing>()
    private let merchantNames = FreshCache<String, MerchantNumber>()

    package init(
        streamCache: StreamCache,
        folds: FoldCache = FoldCache(),
        tables: any ApiTables,
        notifier: CommitNotifier = CommitNotifier(),
        zones: any ZoneSource = NoZones(),
        adapters: AdapterRegistry,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.streamCache = streamCache
        self.folds = folds
        self.tables = tables
        self.notifier = notifier
        self.zones = zones
        self.adapters = adapters
        self.now = now
    }

    // MARK: Payments

    /// Folds a payment's or transfer's stream, up to `version` where one is given; `nil` where there is none.
    ///
    /// Where it `isKnown`, what this process saw of it last is enough: another one may have gone on.
    package func payment(
        _ stream: StreamName,
        upTo version: Int32? = nil,
        isKnown: Bool = false
    ) async throws(Problem) -> PaymentSnapshot? {
        let history = try await asked { () async throws(StoreFailure) in
            guard let version else {
                return try await (isKnown ? streamCache.known([stream]) : streamCache.current([stream]))[0]
            }
            return try await streamCache.stream(stream, at: version)
        }
        guard !history.isEmpty else { return nil }
        let payment: Payment = try fold(stream, history)
        let debts = Debts(payment)
        guard !debts.isEmpty || payment.terms?.mode == .authorize,
            let can = await capabilities(of: payment, stream.merchant)
        else { return PaymentSnapshot(payment: payment, events: history.events, obligations: debts.obligations) }
        return PaymentSnapshot(
            payment: payment,
            events: history.events,
            obligations: debts.obligations(can, at: now()),
            capturePlan: payment.capturePlan(can)
        )
    }

    /// What the account of a payment is able to; `nil` where it can't be known now.
    private func capabilities(of payment: Payment, _ merchant: MerchantNumber) async -> Capabilities? {
        guard let id = payment.account?.id, let facts = try? await accounts(merchant: merchant)[id]?.facts,
            let adapter = adapters[facts.provider], let settings = try? await settings(of: facts, merchant)
        else { return nil }
        return try? adapter.capabilities(settings)
    }

    /// Waits until a stream is past a version or the time is over.
    package func wait(for stream: StreamName, past version: Int32, atMost time: Duration) async {
        let deadline = ContinuousClock.now + time
        while ContinuousClock.now < deadline {
            // Another node may decide it: look again now and then.
            let left = ContinuousClock.now.duration(to: deadline)
            let past = await notifier.wait(for: stream, past: version, atMost: min(left, .milliseconds(250))) {
                (try? await streamCache.current([stream])[0].version).flatMap { $0 > version ? $0 : nil }
            }
            if past != nil { return }
        }
    }

    /// Lists payments by the read model, newest first; where it is asked who owes what, with what is owed now.
    package func payments(_ query: PaymentQuery, merchant: MerchantNumber) async throws(Problem) -> RowPage {
        let page = try await asked { () async throws(StoreFailure) in
            try await tables.payments(query, merchant: merchant)
        }
        guard query.hasObligations || query.needsOperator else { return page }
        var owed: [Json] = []
        for row in page.rows { owed.append(try await withDeadlines(row, merchant)) }
        return (owed, page.next)
    }

    /// The row with what is owed now: the read model knows no account and no time.
    private func withDeadlines(_ row: Json, _ merchant: MerchantNumber) async throws(Problem) -> Json {
        guard var members = row.members, let text = row["id"]?.text else { return row }
        let isTransfer = row["object"] == "transfer"
        guard let id = isTransfer ? TransferId(text)?.uuid : PaymentId(text)?.uuid else { return row }
        let stream = StreamName(merchant, isTransfer ? .transfer : .payment, id)
        let found: PaymentSnapshot?
        do throws(Problem) { found = try await payment(stream) } catch {
            // What can't be read any more stays as it was shown last.
            guard error.isUnreadable else { throw error }
            return row
        }
        guard let snapshot = found else { return row }
        members["obligations"] = .array(snapshot.obligations.map(\.json))
        return .object(members)
    }

    // MARK: Other streams

    /// An instrument with all that payments have shown of it: what saves it is decided a moment behind the payment.
    package func instrument(_ id: InstrumentId, merchant: MerchantNumber) async throws(Problem) -> Instrument? {
        let stream = StreamName(merchant, .instrument, id.uuid)
        let known: Instrument? = try await state(stream)
        if let known, known.isUsable { return known }
        let isWhole = try await waitForMail(of: stream, InstrumentCommand.lifting)
        let newest: Instrument? = try await state(stream)
        guard isWhole || newest?.saved != nil else {
            throw .unavailable("The instrument is shown and not saved yet.")
        }
        return newest
    }

    /// Waits until no input of these names is in a stream's mailbox; answers `false` where that takes too long.
    private func waitForMail(of stream: StreamName, _ names: [String]) async throws(Problem) -> Bool {
        let deadline = ContinuousClock.now + Self.mailPatience
        while try await isAwaited(stream, names) {
            guard ContinuousClock.now < deadline else { return false }
            notifier.mail.ring()
            _ = try await notifier.wait(for: stream, past: 0, atMost: .milliseconds(50)) {
                () async throws(Problem) -> Bool? in try await isAwaited(stream, names) ? nil : true
            }
        }
        return true
    }

    private func isAwaited(_ stream: StreamName, _ names: [String]) async throws(Problem) -> Bool {
        try await asked { () async throws(StoreFailure) in try await streamCache.awaits(stream, names) }
    }

    /// As long as a command waits behind its stream's other inputs.
    private static let mailPatience = Duration.seconds(5)

    package func schedule(_ id: ScheduleId, merchant: MerchantNumber) async throws(Problem) -> ScheduleSnapshot? {
        let history = try await load(StreamName(merchant, .schedule, id.uuid))
        guard !history.isEmpty else { return nil }
        let events = try readable { () throws(CodecFailure) in try history.events.decoded(as: ScheduleEvent.self) }
        return ScheduleSnapshot(schedule: Schedule.fold(id, events), events: events, log: history.events)
    }

    /// What administrators did about a merchant as a whole, as it is now.
    func merchant(_ number: MerchantNumber) async throws(Problem) -> Merchant {
        try await state(DerivedNames.merchant(number)) ?? Merchant()
    }

    func batch(_ id: BillBatchId, merchant: MerchantNumber) async throws(Problem) -> BillBatch? {
        try await state(StreamName(merchant, .billBatch, id.uuid))
    }

    func chunk(_ id: Uuid, merchant: MerchantNumber) async throws(Problem) -> Chunk? {
        try await state(StreamName(merchant, .chunk, id))
    }

    /// A bill of an account; `nil` where no batch ever named it.
    func bill(_ id: String, account: Uuid, merchant: MerchantNumber) async throws(Problem) -> Bill? {
        try await state(Bill.stream(id, account: account, merchant))
    }

    func paymentLink(_ id: PaymentLinkId, merchant: MerchantNumber) async throws(Problem) -> PaymentLink? {
        try await state(StreamName(merchant, .paymentLink, id.uuid))
    }

    func webhookEndpoint(_ id: WebhookEndpointId, merchant: MerchantNumber) async throws(Problem) -> WebhookEndpoint? {
        try await state(StreamName(merchant, .webhookEndpoint, id.uuid))
    }

    /// Endpoints by their ids, each as it is or why it can't be read.
    func webhookEndpoints(_ ids: [Uuid], merchant: MerchantNumber) async throws(Problem)
        -> [(id: WebhookEndpointId, found: Result<WebhookEndpoint, Problem>)]
    {
        let names = ids.map { StreamName(merchant, .webhookEndpoint, $0) }
        let found = try await asked { () async throws(StoreFailure) in try await streamCache.current(names) }
        var endpoints: [(id: WebhookEndpointId, found: Result<WebhookEndpoint, Problem>)] = []
        for (name, history) in zip(names, found) {
            let id = WebhookEndpointId(name.id)
            do throws(Problem) { endpoints.append((id, .success(try fold(name, history)))) } catch {
                endpoints.append((id, .failure(error)))
            }
        }
        return endpoints
    }

    // MARK: What new payments need

    /// The merchant's accounts, in the order of their names; as known for at most a second, or asked now.
    package func accounts(merchant: MerchantNumber, isAsked: Bool = false) async throws(Problem) -> [Account] {
        if !isAsked, let known = accountsCache.fresh(merchant) { return known.all }
        let mark = accountsCache.mark(merchant)
        let ids = try await asked { () async throws(StoreFailure) in try await tables.accounts(of: merchant) }
        let found = try await asked { () async throws(StoreFailure) in
            try await streamCache.current(ids.map { StreamName(merchant, .account, $0) })
        }
        var accounts: [Account] = []
        for (id, history) in zip(ids, found) {
            let stream = StreamName(merchant, .account, id)
            accounts.append(try fold(stream, history))
        }
        accounts.sort { ($0.configuration?.name ?? "") < ($1.configuration?.name ?? "") }
        accountsCache.keep(KnownAccounts(accounts, adapters), merchant, since: mark)
        return accounts
    }

    /// The same for a call that names one: another daemon may have made it a moment ago.
    func accounts(merchant: MerchantNumber, naming name: String) async throws(Problem) -> [Account] {
        let known = try await accounts(merchant: merchant)
        return known.called(name) != nil ? known : try await accounts(merchant: merchant, isAsked: true)
    }

    /// The settings that an account has now, for questions to its adapter.
    func settings(of account: AccountFacts, _ merchant: MerchantNumber) async throws(Problem) -> AccountSettings {
        if let known = accountsCache.fresh(merchant)?.settings[account] { return known }
        let known = try await accounts(merchant: merchant)[account.id]
        return AccountSettings(account, known?.configuration?.settings ?? [:])
    }

    package func routing(merchant: MerchantNumber) async throws(Problem) -> Routing {
        if let known = routingCache.fresh(merchant) { return known }
        let mark = routingCache.mark(merchant)
        let routing: Routing = try await state(DerivedNames.routing(merchant)) ?? Routing()
        routingCache.keep(routing, merchant, since: mark)
        return routing
    }

    /// Forgets what this process has just written.
    func forgetConfiguration(of merchant: MerchantNumber) {
        accountsCache.forget(merchant)
        routingCache.forget(merchant)
    }

    /// The merchant of a name, as a second ago: a restore can give the name to another one.
    func merchant(named name: String) async throws(Problem) -> MerchantNumber? {
        if let known = merchantNames.fresh(name) { return known }
        let mark = merchantNames.mark(name)
        let found = try await asked { () async throws(StoreFailure) in try await tables.merchant(named: name) }
        if let found { merchantNames.keep(found, name, since: mark) }
        return found
    }

    /// The time zone data that holds for a name; `nil` where there is no such zone.
    package func zone(named name: String) async throws(Problem) -> ZoneData? {
        try await asked { () async throws(StoreFailure) in try await zones.zone(named: name) }
    }

    /// The table of holidays that holds for a name; `nil` where there is none.
    func businessCalendar(named name: String) async throws(Problem) -> BusinessCalendar? {
        try await asked { () async throws(StoreFailure) in
            try await zones.businessCalendar(named: name, version: nil)
        }
    }

    // MARK: Events

    private func load(_ stream: StreamName) async throws(Problem) -> History {
        try await asked { () async throws(StoreFailure) in try await streamCache.current([stream])[0] }
    }

    /// Folds a stream; `nil` where there is none.
    private func state<State: Aggregate>(_ stream: StreamName) async throws(Problem) -> State? {
        let history = try await load(stream)
        guard !history.isEmpty else { return nil }
        return try fold(stream, history)
    }

    /// Folds what is known of a stream; one that can't be read, or whose events the log has lost, can't be shown.
    private func fold<State: Aggregate>(_ stream: StreamName, _ history: History) throws(Problem) -> State {
        guard history.isContiguous else { throw .unreadable("events of \(stream) are missing") }
        return try readable { () throws(CodecFailure) in try folds.fold(stream, history) }
    }

    private func readable<Value>(_ read: () throws(CodecFailure) -> Value) throws(Problem) -> Value {
        do throws(CodecFailure) { return try read() } catch { throw .unreadable(error.path) }
    }
}

/// A merchant's accounts, and their settings as their adapters read them.
private struct KnownAccounts: Sendable {
    let all: [Account]
    let settings: [AccountFacts: AccountSettings]

    init(_ accounts: [Account], _ adapters: AdapterRegistry) {
        all = accounts
        settings = accounts.reduce(into: [:]) { known, account in
            guard let facts = account.facts, let values = account.configuration?.settings else { return }
            let settings = AccountSettings(facts, values)
            known[facts] = adapters[facts.provider].map { settings.read(by: $0) } ?? settings
        }
    }
}

/// Asks the store; what can't be asked now, or is there and can't be read, is a problem that says so.
func asked<Value>(_ body: () async throws(StoreFailure) -> Value) async throws(Problem) -> Value {
    do throws(StoreFailure) { return try await body() } catch {
        throw error.isAboutData ? .unreadable(error.detail) : .unavailable(error.detail)
    }
}
