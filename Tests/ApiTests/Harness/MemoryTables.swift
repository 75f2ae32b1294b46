import Api
import Crypto
import Daemon
import Decisions
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import ProviderKit
import Schedules
import TestKit

/// The API's tables over the memory store; the read model is folded when it is asked for.
struct MemoryTables: ApiTables {
    let store: MemoryStore
    let switches: Switches
    let accesses = Locked<[String]>([])
    static let readFault = StoreFailure(.unavailable, detail: "the test switched the tables off")
    let periods = Locked<[MerchantNumber: [ClosedPeriod]]>([:])
    let payers = Locked<Set<NotedPayer>>([])
    let files = Locked<[(evidence: DisputeEvidence, content: Json)]>([])
    let settlements: any SettlementTables = MemorySettlements()
    let webhooks: any WebhookTables = MemoryWebhooks()
    let access: any AccessTables
    let requestPages = MemoryRequests()
    var requests: any RequestTables { requestPages }
    let dunning = Locked<[MerchantNumber: [String: DunningPolicy]]>([:])

    init(store: MemoryStore, switches: Switches) {
        self.store = store
        self.switches = switches
        access = MemoryAccess(store, switches)
    }

    /// Every stream of a kind, in no order.
    private func streams(_ kind: StreamKind, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> [StreamName: [RecordedEvent]]
    {
        let events = try await store.events(after: 0, limit: .max).rows
        return Dictionary(grouping: events.filter { $0.stream.kind == kind && $0.stream.merchant == merchant }) {
            $0.stream
        }
    }
}

extension MemoryTables {
    private func rows(_ merchant: MerchantNumber) async throws(StoreFailure) -> [PaymentRow] {
        guard switches.isProjected else { return [] }
        var rows: [PaymentRow] = []
        let all = try await streams(.payment, merchant).merging(try await streams(.transfer, merchant)) { one, _ in one
        }
        for (stream, events) in all {
            guard let first = events.first, let last = events.last,
                let payment = try? Payment.fold(stream, events),
                let row = PaymentRow(payment, first: first, last: last)
            else { continue }
            rows.append(row)
        }
        return rows.sorted { ($1.createdAt, $1.id.uuid) < ($0.createdAt, $0.id.uuid) }
    }

    /// Reports are SQL's; what is sorted out here is the question.
    func periods(of merchant: MerchantNumber) async throws(StoreFailure) -> [ClosedPeriod] {
        periods.withLock { $0[merchant] ?? [] }
    }

    /// Months before 2027 are over.
    func close(_ month: String, by actor: String, note: String?, of merchant: MerchantNumber) async throws(StoreFailure)
        -> ClosedPeriod.Refusal?
    {
        guard month < "2027" else { return .notOver }
        let closed = ClosedPeriod(
            month: month,
            zone: "UTC",
            position: 0,
            closedAt: .epoch,
            closedBy: actor,
            note: note
        )
        periods.withLock { $0[merchant, default: []].insert(closed, at: 0) }
        return nil
    }

    func report(_ report: Report, _ query: ReportQuery, as form: ReportForm, of merchant: MerchantNumber)
        async throws(StoreFailure) -> ToldReport?
    {
        guard !switches.readFault else { throw Self.readFault }
        while switches.areReportsHeld { try? await Task.sleep(for: .milliseconds(5)) }
        if case .position(let place)? = query.asOf, place > 0 { return nil }
        if query.zone == "Europe/Nowhere" { throw StoreFailure(.corrupt, sqlState: "22023", detail: "no zone") }
        let head = ReportHead(report, position: 0, zone: query.zone ?? "UTC", openDay: "", aside: 0)
        return ToldReport(head: head, body: Array((head.begin(form) + head.end(form)).utf8), file: nil)
    }

    func note(_ payer: NotedPayer) async -> Bool {
        _ = payers.withLock { $0.insert(payer) }
        return true
    }

    /// What a search asks for beside status, reference and customer; cards and names at the provider are SQL's.
    private func isFound(_ row: PaymentRow, by query: PaymentQuery) -> Bool {
        let amounts = (query.amountFrom ?? .min)...(query.amountTo ?? .max)
        let known = payers.withLock { $0.filter { query.emailCodes?.contains($0.code) ?? true } }
        return (query.emailCodes == nil || known.contains { $0.payment == row.id.uuid || $0.customer == row.customer })
            && (query.amountFrom == nil && query.amountTo == nil || row.amount.map(amounts.contains) == true)
            && (query.currency.map { row.currency == $0 } ?? true) && (query.method.map { row.method == $0 } ?? true)
            && (query.provider.map { row.account.provider == $0 } ?? true)
            && (query.accountMode.map { row.account.mode == $0 } ?? true)
            && Set(query.labels).isSubset(of: row.labels)
    }

    /// Counted by SQL; what is sorted out here is the question.
    func activity(_ query: ActivityQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> Activity {
        guard !switches.readFault else { throw Self.readFault }
        if query.zone == "Europe/Nowhere" { throw StoreFailure(.corrupt, sqlState: "22023", detail: "no zone") }
        return Activity(zone: query.zone ?? "UTC", rows: [], money: [], times: [], answers: [])
    }

    func payments(_ query: PaymentQuery, merchant: MerchantNumber) async throws(StoreFailure) -> RowPage {
        let found = try await rows(merchant).filter { row in
            isFound(row, by: query)
                && (query.kind.map { row.kind == $0 } ?? true) && (!query.isDisputed || row.isDisputed)
                && (query.status.map { row.status == $0 } ?? true)
                && (query.reference.map { row.reference == $0 } ?? true)
                && (query.customer.map { row.customer == $0 } ?? true)
                && (query.account.map { row.account.id == $0 } ?? true)
                && (query.createdFrom.map { row.createdAt >= $0 } ?? true)
                && (query.createdBefore.map { row.createdAt < $0 } ?? true)
                && (!query.needsOperator || row.needsOperator) && (!query.hasObligations || row.hasObligations)
                && (query.cursor.map { (row.createdAt, row.id.uuid) < ($0.createdAt, $0.id) } ?? true)
        }
        let page = found.prefix(query.limit)
        return (page.compactMap { try? Json($0.document) }, found.count > page.count ? page.last?.cursor : nil)
    }

    func row(_ stream: StreamName) async throws(StoreFailure) -> Json? {
        guard
            let row = try await rows(stream.merchant).first(where: { $0.id.uuid == stream.id && $0.kind == stream.kind }
            ),
            case .object(var document)? = try? Json(row.document)
        else { return nil }
        document["position"] = .integer(row.position)
        return .object(document)
    }
}

extension MemoryTables {
    func instruments(_ query: InstrumentQuery, merchant: MerchantNumber) async throws(StoreFailure) -> RowPage {
        var rows: [InstrumentRow] = []
        for (stream, events) in try await streams(.instrument, merchant) {
            let read = try? events.map { try InstrumentEvent($0) }
            guard let read, let last = events.last else { continue }
            if let row = InstrumentRow(Instrument.fold(InstrumentId(stream.id), read), last: last) { rows.append(row) }
        }
        let found = rows.sorted { ($1.createdAt, $1.id.uuid) < ($0.createdAt, $0.id.uuid) }.filter { row in
            (query.customer.map { row.customer == $0 } ?? true) && (query.status.map { row.status == $0 } ?? true)
                && (query.account.map { row.account == $0 } ?? true)
                && (query.cursor.map { (row.createdAt, row.id.uuid) < ($0.createdAt, $0.id) } ?? true)
        }
        let page = found.prefix(query.limit)
        return (page.map(\.document), found.count > page.count ? page.last?.cursor : nil)
    }
}

extension MemoryTables {
    /// The removals alone: nothing else of the kind is in this store.
    func openItems(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenItem] {
        let rows = try await instruments(InstrumentQuery(), merchant: merchant).rows
        return rows.prefix(limit).compactMap { row in
            guard let word = row.at("removal", "atProvider")?.text, ["asked", "unknown", "refused"].contains(word)
            else {
                return nil
            }
            return OpenItem(
                kind: .removal,
                name: row["id"]?.text ?? "",
                owner: word == "asked" ? .provider : .merchant,
                nextStep: word == "asked" ? .awaitAnswer : .askAgain,
                reason: word == "asked" ? "message_on_its_way" : "removal_\(word)",
                since: nil
            )
        }
    }
}

extension MemoryTables {
    func schedules(_ query: ScheduleQuery, merchant: MerchantNumber) async throws(StoreFailure) -> RowPage {
        var rows: [(at: Timestamp, row: ScheduleRow)] = []
        for (stream, events) in try await streams(.schedule, merchant) {
            guard let schedule = try? Schedule.fold(stream, events), let first = events.first,
                let last = events.last, let row = ScheduleRow(schedule, first: first, last: last)
            else { continue }
            switch query.order {
            case .newest: rows.append((row.createdAt, row))
            case .nextRun: if let next = row.nextAt { rows.append((next, row)) }
            }
        }
        let isNewest = query.order == .newest
        func comesAfter(_ one: (Timestamp, Uuid), _ other: (Timestamp, Uuid)) -> Bool {
            isNewest ? one < other : other < one
        }
        rows.sort { comesAfter(($1.at, $1.row.id.uuid), ($0.at, $0.row.id.uuid)) }
        let found = rows.filter { at, row in
            (query.status.map { row.status == $0 } ?? true) && (query.customer.map { row.customer == $0 } ?? true)
                && (query.instrument.map { row.instrument == $0 || row.fallback == $0 } ?? true)
                && (query.account.map { row.account == $0 } ?? true)
                && (query.reference.map { row.reference == $0 } ?? true)
                && (query.nextFrom.map { next in row.nextAt.map { $0 >= next } ?? false } ?? true)
                && (query.nextBefore.map { next in row.nextAt.map { $0 < next } ?? false } ?? true)
                && (query.cursor.map { comesAfter((at, row.id.uuid), ($0.createdAt, $0.id)) } ?? true)
        }
        let page = found.prefix(query.limit)
        let next = page.last.map { PageCursor(createdAt: $0.at, id: $0.row.id.uuid) }
        return (page.map(\.row.document), found.count > page.count ? next : nil)
    }
}

extension MemoryTables {
    func clock(of merchant: MerchantNumber) async throws(StoreFailure) -> ClockState? {
        if switches.readFault { throw Self.readFault }
        return store.ownClock(of: merchant).map { clock in
            let waits = clock.target == nil ? [] : store.clockWaits(of: merchant)
            return ClockState(at: clock.at, target: clock.target, steps: clock.steps, waits: waits)
        }
    }

    func own(_ merchant: MerchantNumber, from start: Timestamp) async throws(StoreFailure) -> Bool {
        store.own(merchant, from: start)
    }

    func send(_ merchant: MerchantNumber, to target: Timestamp) async throws(StoreFailure) -> Bool {
        store.send(merchant, to: target)
    }
}

extension MemoryTables {
    func policies(of merchant: MerchantNumber) async throws(StoreFailure) -> [DunningPolicy] {
        if switches.readFault { throw Self.readFault }
        return dunning.withLock { ($0[merchant] ?? [:]).values.sorted { $0.name < $1.name } }
    }

    func keep(_ policy: DunningPolicy, by actor: String, of merchant: MerchantNumber) async throws(StoreFailure)
        -> Bool
    {
        dunning.withLock { known in
            guard policy.version == (known[merchant]?[policy.name]?.version ?? 0) + 1 else { return false }
            known[merchant, default: [:]][policy.name] = policy
            return true
        }
    }
}

/// What an installation has that planned by one zone and one calendar.
extension MemoryTables {
    func zones() async throws(StoreFailure) -> [PlannedZone] {
        if switches.readFault { throw Self.readFault }
        return [
            PlannedZone(name: "Europe/Kyiv", digest: String(repeating: "a0", count: 32), adoptedAt: .epoch)
        ]
    }

    func calendars() async throws(StoreFailure) -> [KeptCalendar] {
        if switches.readFault { throw Self.readFault }
        let days: Json = ["weekend": [6, 7], "holidays": ["2027-01-01"], "workdays": ["2027-01-09"]]
        do throws(CodecFailure) {
            return [KeptCalendar(try BusinessCalendar(name: "ua", version: 2, days), adoptedAt: .epoch)]
        } catch {
            throw StoreFailure(.corrupt, detail: "a calendar of the test: \(error.path)")
        }
    }
}

extension MemoryTables {
    func accounts(of merchant: MerchantNumber) async throws(StoreFailure) -> [Uuid] {
        try await streams(.account, merchant).keys.map(\.id)
    }

    func merchant(named name: String) async throws(StoreFailure) -> MerchantNumber? {
        name == "shop" ? MerchantNumber(1) : nil
    }

    func inboxOutcome(_ id: Uuid, _ merchant: MerchantNumber) async throws(StoreFailure) -> Json? {
        switch store.outcome(id) {
        case nil: nil
        case .admit(let input, _)?: ["state": "admitted", "stream": input.stream.id.json]
        case .refuse(let code, let detail)?:
            ["state": "refused", "code": .string(code), "detail": .string(detail)]
        case .later?: ["state": "pending"]
        }
    }
}

extension MemoryTables {
    func input(_ id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> InputRecord? {
        try await store.input(id, merchant: merchant)
    }

    func recordAccess(_ what: String, _ stream: StreamName, key: String) async throws(StoreFailure) {
        if switches.recordFault { throw Self.readFault }
        accesses.withLock {
            $0.append("\(what) \(stream.kind == .transfer ? TransferId(stream.id).text : PaymentId(stream.id).text)")
        }
    }
}

extension MemoryTables: Vitals {
    func unreadiness() async -> String? { switches.unready }
    func followers() async -> [FollowerLag] { [FollowerLag(name: "payment_view", milliseconds: 0, aside: 0)] }
    func readModels() async throws(StoreFailure) -> [ReadModelStanding] {
        if switches.readFault { throw Self.readFault }
        return [
            ReadModelStanding(
                name: "payment_view",
                wanted: 5,
                shown: .init(number: 5, position: 7),
                copy: nil,
                logEnd: 7,
                unread: 0,
                milliseconds: 0,
                aside: []
            )
        ]
    }
    func showsMetrics(to request: HttpRequest) -> Bool { request.headers["X-Forwarded-For"] == nil }
    func metrics() async -> String { "# TYPE paystream_up gauge\npaystream_up 1\n" }
}

/// No read model shows bills here.
extension MemoryTables {
    func bills(_: BillQuery, merchant: MerchantNumber) async throws(StoreFailure) -> (rows: [Json], next: Int?) {
        ([], nil)
    }

    func batches(behind: PageCursor?, limit: Int, merchant: MerchantNumber) async throws(StoreFailure) -> RowPage {
        ([], nil)
    }
}

/// The engine's ports, where a test has switched no other answer on.
struct SwitchedPorts: CommandPort, HandoverPort {
    let engine: Engine
    let switches: Switches

    func take(_ input: InputRecord, macs: [[UInt8]]) async -> CommandResult {
        if let outcome = switches.outcome { return outcome }
        return await engine.commands.take(input, macs: macs)
    }

    func render(_ stream: StreamName, _ history: [RecordedEvent]?) async throws(HandoverFailure) -> RenderedHandover {
        if let failure = switches.handover { throw failure }
        return try await engine.handovers.render(stream, history)
    }

    func sign(_ text: String, _ stream: StreamName, _ history: [RecordedEvent]?) async throws(HandoverFailure) -> String
    {
        if let failure = switches.handover { throw failure }
        return try await engine.handovers.sign(text, stream, history)
    }
}
