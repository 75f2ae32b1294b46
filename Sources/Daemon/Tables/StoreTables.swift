package import Api
import Crypto
package import Engine
package import EventSourcing
package import Kernel
import Payments
package import Projections
import ProviderKit
package import Schedules
package import Store
import SystemKit

/// The tables of the API in PostgreSQL.
package struct StoreTables: ApiTables {
    private let store: PostgresStore
    private let registers: Registers
    /// `nil` where nobody's key is proved.
    private let ring: KeyRing?
    private let views: ReadModels
    private let reports: FinanceReports
    private let clocks: StoreClocks
    private let payers: PayerIndex
    package let settlements: any SettlementTables
    package let webhooks: any WebhookTables
    package let access: any AccessTables
    package let requests: any RequestTables
    /// Proved keys; a revoked key works no longer than they are fresh.
    private let keys = FreshCache<[UInt8], Caller>(for: .seconds(2))

    init(
        _ store: PostgresStore,
        _ registers: Registers,
        _ ring: KeyRing?,
        _ views: ReadModels,
        _ clocks: StoreClocks,
        payers: PayerIndex? = nil
    ) {
        self.store = store
        self.registers = registers
        self.ring = ring
        self.clocks = clocks
        self.views = views
        reports = FinanceReports(store)
        self.payers = payers ?? PayerIndex(store) { nil }
        settlements = StoreSettlements(store)
        webhooks = StoreWebhooks(rows: WebhookRows(store))
        access = StoreAccess(store, ring)
        requests = StoreRequests(store)
    }

    // MARK: Read models

    package func payments(_ query: PaymentQuery, merchant: MerchantNumber) async throws(StoreFailure) -> RowPage {
        try await views.payments.list(query, merchant: merchant)
    }

    package func row(_ stream: StreamName) async throws(StoreFailure) -> Json? { try await views.payments.row(stream) }

    package func events(_ query: EventQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> EventPage {
        try await EventFeed(store).page(query, of: merchant)
    }

    package func event(_ id: PublicEventId, of merchant: MerchantNumber) async throws(StoreFailure) -> [UInt8]? {
        try await EventFeed(store).event(id, of: merchant)
    }

    package func exists(_ stream: StreamName) async throws(StoreFailure) -> Bool {
        try await EventFeed(store).exists(stream)
    }

    package func report(_ report: Report, _ query: ReportQuery, as form: ReportForm, of merchant: MerchantNumber)
        async throws(StoreFailure) -> ToldReport?
    {
        guard let rows = try await reports.open(report, query, of: merchant) else { return nil }
        return try await ReportSpool.answer(rows, form)
    }

    package func periods(of merchant: MerchantNumber) async throws(StoreFailure) -> [ClosedPeriod] {
        try await PeriodRows(store).closed(of: merchant)
    }

    package func close(_ month: String, by actor: String, note: String?, of merchant: MerchantNumber)
        async throws(StoreFailure) -> ClosedPeriod.Refusal?
    { try await PeriodRows(store).close(month, by: actor, note: note, of: merchant) }

    package func activity(_ query: ActivityQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> Activity {
        try await reports.activity(query, of: merchant)
    }

    package func instruments(_ query: InstrumentQuery, merchant: MerchantNumber) async throws(StoreFailure) -> RowPage {
        try await views.instruments.instruments(query, merchant: merchant)
    }

    package func schedules(_ query: ScheduleQuery, merchant: MerchantNumber) async throws(StoreFailure) -> RowPage {
        try await views.schedules.schedules(query, merchant: merchant)
    }

    package func bills(_ query: BillQuery, merchant: MerchantNumber) async throws(StoreFailure)
        -> (rows: [Json], next: Int?)
    {
        try await views.bills.bills(
            of: query.batch,
            outcome: query.outcome,
            after: query.after,
            limit: query.limit,
            merchant: merchant
        )
    }

    package func batches(behind: PageCursor?, limit: Int, merchant: MerchantNumber) async throws(StoreFailure)
        -> RowPage
    {
        try await views.bills.batches(behind: behind, limit: limit, merchant: merchant)
    }

    package func paymentLinks(of merchant: MerchantNumber, behind: PageCursor?, limit: Int)
        async throws(StoreFailure) -> [PageCursor]
    { try await PaymentLinkRows(store).links(of: merchant, behind: behind, limit: limit) }

    /// The newest of each kind; of strange orders those among the newest notifications.
    package func openItems(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenItem] {
        var found = try await OpenItemRows(store).openItems(of: merchant, limit: limit)
        for account in try await registers.accounts(of: merchant) {
            found += try await arrivals(merchant, account, limit: limit)
        }
        return found
    }

    /// Verified notifications of orders that the log does not know, the newest last.
    ///
    /// One whose order came to be known since is left out.
    private func arrivals(_ merchant: MerchantNumber, _ account: Uuid, limit: Int) async throws(StoreFailure)
        -> [OpenItem]
    {
        let stream = StreamName.arrivals(merchant, account: account)
        var seen: Set<[Arrival.Reference]> = []
        var found: [OpenItem] = []
        var open: [(references: [Reference], at: Timestamp)] = []
        // However many strangers have brought, the newest alone are read.
        let behind = max(0, try await store.version(of: stream) - Int32(clamping: limit))
        for recorded in try await store.load([(stream, behind)])[0] {
            guard case .kept(let arrival, let at)? = try? ArrivalsEvent(type: recorded.type, data: recorded.data),
                seen.insert(arrival.references).inserted
            else { continue }
            let names = arrival.references.map { Reference(account: account, kind: $0.kind, value: $0.value) }
            open.append((names, at))
        }
        let known = try await store.resolve(open.flatMap(\.references), merchant: merchant)
        for (references, at) in open where !references.contains(where: { known[$0] != nil }) {
            found.append(
                OpenItem(
                    kind: .arrival,
                    name: references.map { "\($0.kind) \($0.value)" }.joined(separator: ", "),
                    owner: .operator,
                    nextStep: .resolve,
                    reason: "order_unknown",
                    since: at
                )
            )
        }
        return found
    }

    // MARK: Registers

    package func keep(_ evidence: DisputeEvidence, content: Json, of merchant: MerchantNumber)
        async throws(StoreFailure) -> DisputeEvidence?
    { try await DisputeEvidenceRows(store).keep(evidence, content: content, of: merchant) }

    package func evidence(of dispute: DisputeId, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> [DisputeEvidence]
    { try await DisputeEvidenceRows(store).all(of: dispute, merchant) }

    package func evidence(_ id: Uuid, of dispute: DisputeId, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> (evidence: DisputeEvidence, content: Json)?
    { try await DisputeEvidenceRows(store).one(id, of: dispute, merchant) }

    /// Proves a key by its keyed hash; the database holds no key.
    package func caller(_ token: Secret) async throws(StoreFailure) -> Caller? {
        guard let hashes = ring.map({ ring in token.withBytes { ring.codes(.apiKey, $0) } }), let newest = hashes.first
        else { return nil }
        if let known = keys.fresh(newest) { return known }
        let mark = keys.mark(newest)
        guard let row = try await registers.usableKey(hashes: hashes) else { return nil }
        let caller = Caller(row)
        keys.keep(caller, newest, since: mark)
        // Told once a minute, and by nobody who waits.
        if row.isUseStale { Task { [registers] in try? await registers.noteUse(of: row.id) } }
        return caller
    }

    package func accounts(of merchant: MerchantNumber) async throws(StoreFailure) -> [Uuid] {
        try await registers.accounts(of: merchant)
    }

    package func merchant(named name: String) async throws(StoreFailure) -> MerchantNumber? {
        try await registers.knownMerchant(named: name)
    }

    package func inboxOutcome(_ id: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure) -> Json? {
        try await registers.inboxOutcome(id, merchant)
    }

    package func input(_ id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> InputRecord? {
        try await store.input(id, merchant: merchant)
    }

    package func recordAccess(_ what: String, _ stream: StreamName, key: String) async throws(StoreFailure) {
        try await registers.recordAccess(what, stream: stream, actor: key)
    }

    package func note(_ payer: NotedPayer) async -> Bool { await payers.note(payer) }

    // MARK: Schedules

    package func zones() async throws(StoreFailure) -> [PlannedZone] {
        try await ZoneRows(store).all().map {
            PlannedZone(name: $0.name, digest: $0.digest, adoptedAt: $0.adoptedAt)
        }
    }

    package func calendars() async throws(StoreFailure) -> [KeptCalendar] {
        var calendars: [KeptCalendar] = []
        for row in try await CalendarRows(store).newest() {
            do throws(CodecFailure) {
                let calendar = try BusinessCalendar(name: row.name, version: row.version, row.document)
                calendars.append(KeptCalendar(calendar, adoptedAt: row.adoptedAt))
            } catch {
                throw StoreFailure(.corrupt, detail: "the calendar \(row.name): \(error.path)")
            }
        }
        return calendars
    }

    package func clock(of merchant: MerchantNumber) async throws(StoreFailure) -> ClockState? {
        try await clocks.clock(of: merchant)
    }

    package func own(_ merchant: MerchantNumber, from start: Timestamp) async throws(StoreFailure) -> Bool {
        try await clocks.own(merchant, from: start)
    }

    package func send(_ merchant: MerchantNumber, to target: Timestamp) async throws(StoreFailure) -> Bool {
        try await clocks.send(merchant, to: target)
    }

    package func policies(of merchant: MerchantNumber) async throws(StoreFailure) -> [DunningPolicy] {
        var policies: [DunningPolicy] = []
        for document in try await DunningRows(store).newest(of: merchant) {
            do throws(CodecFailure) { policies.append(try DunningPolicy(Fields(document))) } catch {
                throw StoreFailure(.corrupt, detail: "a stored dunning policy: \(error.path)")
            }
        }
        return policies
    }

    package func keep(_ policy: DunningPolicy, by actor: String, of merchant: MerchantNumber)
        async throws(StoreFailure) -> Bool
    {
        try await DunningRows(store).keep(
            policy.json,
            named: policy.name,
            version: policy.version,
            by: actor,
            of: merchant
        )
    }
}

extension Reader {
    /// A reader that hears of no commits, for commands and services that read once.
    package static func detached(_ store: PostgresStore, _ registers: Registers) -> Reader {
        let streamCache = StreamCache(store: store)
        let machine = DatabaseClock()
        return Reader(
            streamCache: streamCache,
            tables: StoreTables(
                store,
                registers,
                nil,
                ReadModels(store, streamCache: streamCache),
                StoreClocks(ClockRows(store))
            ),
            adapters: Node.adapters,
            now: { machine.now }
        )
    }
}
