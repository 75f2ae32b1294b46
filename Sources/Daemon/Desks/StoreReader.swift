package import Api
import Decisions
package import Engine
package import EventSourcing
package import Kernel
package import Payments
package import Projections
import ProviderKit
package import Schedules
package import Store

/// What the API reads, from the log and the read models.
package struct StoreReader: Reader {
    package let histories: StreamCache
    package let view: any PaymentList
    package let saved: any InstrumentList
    package let series: any ScheduleList
    package let registers: any MerchantRegister
    package let openItems: any OpenItemList
    package let board: CommitNotifier
    package let zones: any ZoneSource
    package let now: @Sendable () -> Timestamp
    /// What each new payment needs, so that it costs no reads of its own.
    package let accountsCache = MerchantCache<[Account]>()
    package let routingCache = MerchantCache<Routing>()
    private let merchantNames = Locked<[String: MerchantNumber]>([:])

    package init(
        histories: StreamCache,
        view: any PaymentList,
        saved: any InstrumentList,
        series: any ScheduleList,
        registers: any MerchantRegister,
        openItems: any OpenItemList,
        board: CommitNotifier,
        zones: any ZoneSource = NoZones(),
        now: (@Sendable () -> Timestamp)? = nil
    ) {
        let machine = DatabaseClock()
        self.now = now ?? { machine.now }
        self.histories = histories
        self.view = view
        self.saved = saved
        self.series = series
        self.registers = registers
        self.openItems = openItems
        self.board = board
        self.zones = zones
    }

    /// Reads behind an engine that works.
    package init(
        _ engine: Engine,
        _ view: any PaymentList,
        _ saved: any InstrumentList,
        _ series: any ScheduleList,
        _ registers: any MerchantRegister,
        _ openItems: any OpenItemList,
        now: (@Sendable () -> Timestamp)? = nil
    ) {
        self.init(
            histories: engine.histories,
            view: view,
            saved: saved,
            series: series,
            registers: registers,
            openItems: openItems,
            board: engine.board,
            zones: engine.zones,
            now: now
        )
    }

    package func payment(_ stream: StreamName, upTo version: Int32?) async throws(ReadFailure) -> PaymentSnapshot? {
        let events = try await asked { () async throws(StoreFailure) in
            guard let version else { return try await histories.current([stream])[0] }
            return try await histories.histories(upTo: [stream: version])[stream] ?? []
        }
        guard !events.isEmpty else { return nil }
        do throws(CodecFailure) {
            let payment = try Payment.fold(stream, events)
            return PaymentSnapshot(
                payment: payment,
                events: events,
                obligations: await obligations(of: payment, stream.merchant)
            )
        } catch {
            throw ReadFailure(error.path)
        }
    }

    /// What a payment owes, with the deadlines that its account's lifetimes give.
    private func obligations(of payment: Payment, _ merchant: MerchantNumber) async -> [Obligation]? {
        guard !payment.obligations.isEmpty, let id = payment.account?.id,
            let account = try? await accounts(merchant: merchant).first(where: { $0.id == id }),
            let facts = account.facts, let configuration = account.configuration,
            let adapter = Node.adapters[facts.provider],
            let can = try? adapter.capabilities(
                AccountSettings(
                    account: facts,
                    values: configuration.settings,
                    notificationUrl: "",
                    returnUrl: ""
                )
            )
        else { return nil }
        return payment.obligations(can, at: now())
    }

    package func wait(for stream: StreamName, past version: Int32, atMost time: Duration) async {
        let deadline = ContinuousClock.now + time
        while ContinuousClock.now < deadline {
            if let last = try? await histories.current([stream])[0].last, last.version > version { return }
            // Another node may decide it: look again now and then.
            let left = ContinuousClock.now.duration(to: deadline)
            await board.wait(for: stream, past: version, atMost: min(left, .milliseconds(250)))
        }
    }

    package func payments(_ query: PaymentQuery, merchant: MerchantNumber) async throws(ReadFailure) -> PaymentPage {
        let (rows, next) = try await asked { () async throws(StoreFailure) in
            try await view.list(query, merchant: merchant)
        }
        guard query.hasObligations || query.needsOperator else { return PaymentPage(rows: rows, next: next) }
        var owed: [Json] = []
        for row in rows { owed.append(try await withDeadlines(row, merchant)) }
        return PaymentPage(rows: owed, next: next)
    }

    /// The row with what is owed now: the read model knows no account and no time.
    private func withDeadlines(_ row: Json, _ merchant: MerchantNumber) async throws(ReadFailure) -> Json {
        guard var members = row.members, let text = row["id"]?.text else { return row }
        let isTransfer = row["object"] == "transfer"
        guard let id = isTransfer ? TransferId(text)?.uuid : PaymentId(text)?.uuid else { return row }
        let stream = StreamName(merchant, isTransfer ? .transfer : .payment, id)
        guard let snapshot = try await payment(stream, upTo: nil) else { return row }
        members["obligations"] = .array(snapshot.obligations.map(\.json))
        return .object(members)
    }

    package func row(_ stream: StreamName) async throws(ReadFailure) -> Json? {
        try await asked { () async throws(StoreFailure) in try await view.row(stream) }
    }

    package func instruments(_ query: InstrumentQuery, merchant: MerchantNumber) async throws(ReadFailure)
        -> PaymentPage
    {
        let (rows, next) = try await asked { () async throws(StoreFailure) in
            try await saved.instruments(query, merchant: merchant)
        }
        return PaymentPage(rows: rows, next: next)
    }

    package func instrument(_ id: InstrumentId, merchant: MerchantNumber) async throws(ReadFailure) -> Instrument? {
        let history = try await load(StreamName(merchant, .instrument, id.uuid))
        guard !history.isEmpty else { return nil }
        return Instrument.fold(id, try decode(history))
    }

    package func schedules(_ query: ScheduleQuery, merchant: MerchantNumber) async throws(ReadFailure) -> PaymentPage {
        let (rows, next) = try await asked { () async throws(StoreFailure) in
            try await series.schedules(query, merchant: merchant)
        }
        return PaymentPage(rows: rows, next: next)
    }

    package func schedule(_ id: ScheduleId, merchant: MerchantNumber) async throws(ReadFailure) -> ScheduleSnapshot? {
        let history = try await load(StreamName(merchant, .schedule, id.uuid))
        guard !history.isEmpty else { return nil }
        let events: [ScheduleEvent] = try decode(history)
        return ScheduleSnapshot(schedule: Schedule.fold(id, events), events: events, log: history)
    }

    package func zone(named name: String) async throws(ReadFailure) -> ZoneData? {
        try await asked { () async throws(StoreFailure) in try await zones.zone(named: name) }
    }

    package func businessCalendar(named name: String) async throws(ReadFailure) -> BusinessCalendar? {
        try await asked { () async throws(StoreFailure) in
            try await zones.businessCalendar(named: name, version: nil)
        }
    }

    package func openItems(merchant: MerchantNumber, limit: Int) async throws(ReadFailure) -> [OpenItem] {
        try await asked { () async throws(StoreFailure) in try await openItems.openItems(of: merchant, limit: limit) }
    }

    package func accounts(merchant: MerchantNumber, isAsked: Bool) async throws(ReadFailure) -> [Account] {
        if !isAsked, let known = accountsCache.fresh(merchant) { return known }
        let mark = accountsCache.mark(merchant)
        let ids = try await asked { () async throws(StoreFailure) in try await registers.accounts(of: merchant) }
        let found = try await asked { () async throws(StoreFailure) in
            try await histories.current(ids.map { StreamName(merchant, .account, $0) })
        }
        var accounts: [Account] = []
        for (id, history) in zip(ids, found) {
            accounts.append(Account.fold(id, try decode(history)))
        }
        accounts.sort { ($0.configuration?.name ?? "") < ($1.configuration?.name ?? "") }
        accountsCache.keep(accounts, merchant, since: mark)
        return accounts
    }

    package func routing(merchant: MerchantNumber) async throws(ReadFailure) -> Routing {
        if let known = routingCache.fresh(merchant) { return known }
        let mark = routingCache.mark(merchant)
        let history = try await load(DerivedNames.routing(merchant))
        let routing = Routing().after(try decode(history))
        routingCache.keep(routing, merchant, since: mark)
        return routing
    }

    package func inboxOutcome(_ id: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Json? {
        try await asked { () async throws(StoreFailure) in try await registers.inboxOutcome(id, merchant) }
    }

    /// A name that is given stays its merchant's.
    package func merchant(named name: String) async throws(ReadFailure) -> MerchantNumber? {
        if let known = merchantNames.withLock({ $0[name] }) { return known }
        let found = try await asked { () async throws(StoreFailure) in try await registers.knownMerchant(named: name) }
        if let found { merchantNames.withLock { $0[name] = found } }
        return found
    }

    /// Forgets what this process has just written.
    package func forgetConfiguration(of merchant: MerchantNumber) {
        accountsCache.forget(merchant)
        routingCache.forget(merchant)
    }

    private func load(_ stream: StreamName) async throws(ReadFailure) -> [RecordedEvent] {
        try await asked { () async throws(StoreFailure) in try await histories.current([stream])[0] }
    }

    private func decode<Event: StoredEvent>(_ history: [RecordedEvent]) throws(ReadFailure) -> [Event] {
        do throws(CodecFailure) { return try history.decoded() } catch { throw ReadFailure(error.path) }
    }
}

/// The rows of payments that lists and searches show.
package protocol PaymentList: Sendable {
    func list(_ filter: PaymentQuery, merchant: MerchantNumber) async throws(StoreFailure)
        -> (rows: [Json], next: PageCursor?)
    func row(_ stream: StreamName) async throws(StoreFailure) -> Json?
}

/// The rows of saved instruments that lists show.
package protocol InstrumentList: Sendable {
    func instruments(_ filter: InstrumentQuery, merchant: MerchantNumber) async throws(StoreFailure)
        -> (rows: [Json], next: PageCursor?)
}

/// The rows of schedules that lists show.
package protocol ScheduleList: Sendable {
    func schedules(_ filter: ScheduleQuery, merchant: MerchantNumber) async throws(StoreFailure)
        -> (rows: [Json], next: PageCursor?)
}

/// What is unresolved and no payment's.
package protocol OpenItemList: Sendable {
    /// The newest of each kind.
    func openItems(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenItem]
}

/// What a merchant has, by tables beside the log.
package protocol MerchantRegister: Sendable {
    func accounts(of merchant: MerchantNumber) async throws(StoreFailure) -> [Uuid]
    func inboxOutcome(_ id: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure) -> Json?
    func knownMerchant(named name: String) async throws(StoreFailure) -> MerchantNumber?
}

extension PaymentView: PaymentList {}
extension InstrumentView: InstrumentList {}
extension ScheduleView: ScheduleList {}
extension Registers: MerchantRegister {}

/// What was read of a merchant, for a second.
package final class MerchantCache<Value: Sendable>: Sendable {
    private struct Entries {
        var known: [MerchantNumber: (value: Value, readAt: ContinuousClock.Instant)] = [:]
        /// How often something was written by this process.
        var writes: [MerchantNumber: Int] = [:]
    }

    private let entries = Locked(Entries())

    package init() {}

    private var freshness: Duration { .seconds(1) }

    package func fresh(_ merchant: MerchantNumber) -> Value? {
        guard let entry = entries.withLock({ $0.known[merchant] }), entry.readAt.duration(to: .now) < freshness else {
            return nil
        }
        return entry.value
    }

    /// To be taken before what is kept is read.
    package func mark(_ merchant: MerchantNumber) -> Int { entries.withLock { $0.writes[merchant, default: 0] } }

    /// Keeps what was read since the mark, unless this process has written meanwhile: it may be older than that.
    package func keep(_ value: Value, _ merchant: MerchantNumber, since mark: Int) {
        entries.withLock { entries in
            if entries.writes[merchant, default: 0] == mark { entries.known[merchant] = (value, .now) }
        }
    }

    package func forget(_ merchant: MerchantNumber) {
        entries.withLock { entries in
            entries.known[merchant] = nil
            entries.writes[merchant, default: 0] += 1
        }
    }
}

extension StoreReader {
    /// A reader that hears of no commits, for commands that read once.
    package static func detached(_ store: PostgresStore, _ registers: Registers) -> StoreReader {
        let histories = StreamCache(store: store)
        return StoreReader(
            histories: histories,
            view: PaymentView(store, histories: histories),
            saved: InstrumentView(store, histories: histories),
            series: ScheduleView(store, histories: histories),
            registers: registers,
            openItems: OpenItems(store, registers),
            board: CommitNotifier()
        )
    }
}
