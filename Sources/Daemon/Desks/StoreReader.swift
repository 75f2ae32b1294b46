import Api
import Engine
import EventSourcing
import Kernel
import Payments
import Projections
import Store

/// What the API reads, from the log and the read models.
struct StoreReader: Reader {
    let store: PostgresStore
    let registers: Registers
    let view: PaymentView
    let board: CommitBoard
    let accountsCache = AccountsCache()

    func payment(_ id: PaymentId, merchant: MerchantNumber, upTo version: Int32?) async throws(ReadFailure)
        -> PaymentSnapshot?
    {
        let stream = StreamName(merchant, .payment, id.uuid)
        let all = try await load(stream)
        let events = version.map { limit in all.filter { $0.version <= limit } } ?? all
        guard !events.isEmpty else { return nil }
        do throws(Undecidable) {
            return PaymentSnapshot(payment: try PaymentDecider.fold(stream, events), events: events)
        } catch {
            throw ReadFailure(error.reason)
        }
    }

    func wait(for stream: StreamName, past version: Int32, atMost time: Duration) async {
        let deadline = ContinuousClock.now + time
        while ContinuousClock.now < deadline {
            if let last = try? await load(stream).last, last.version > version { return }
            // Another node may decide it: look again now and then.
            let left = ContinuousClock.now.duration(to: deadline)
            await board.wait(for: stream, past: version, atMost: min(left, .milliseconds(250)))
        }
    }

    func payments(_ query: PaymentQuery, merchant: MerchantNumber) async throws(ReadFailure) -> PaymentPage {
        let (rows, next) = try await read { () async throws(StoreFailure) in
            try await view.list(query, merchant: merchant)
        }
        return PaymentPage(rows: rows, next: next)
    }

    func row(_ id: PaymentId, merchant: MerchantNumber) async throws(ReadFailure) -> Json? {
        try await read { () async throws(StoreFailure) in try await view.row(id, merchant: merchant) }
    }

    func instrument(_ id: InstrumentId, merchant: MerchantNumber) async throws(ReadFailure) -> Instrument? {
        let history = try await load(StreamName(merchant, .instrument, id.uuid))
        guard !history.isEmpty else { return nil }
        return Instrument.fold(id, try decode(history, InstrumentEvent.init(type:data:)))
    }

    func accounts(merchant: MerchantNumber) async throws(ReadFailure) -> [Account] {
        if let known = accountsCache.fresh(merchant) { return known }
        let ids = try await read { () async throws(StoreFailure) in try await registers.accounts(of: merchant) }
        let histories = try await read { () async throws(StoreFailure) in
            try await store.load(ids.map { (StreamName(merchant, .account, $0), 0) })
        }
        var accounts: [Account] = []
        for (id, history) in zip(ids, histories) {
            accounts.append(Account.fold(id, try decode(history, AccountEvent.init(type:data:))))
        }
        accounts.sort { ($0.configuration?.name ?? "") < ($1.configuration?.name ?? "") }
        accountsCache.keep(accounts, merchant)
        return accounts
    }

    func routing(merchant: MerchantNumber) async throws(ReadFailure) -> Routing {
        Routing.fold(try decode(try await load(DerivedNames.routing(merchant)), RoutingEvent.init(type:data:)))
    }

    func inboxOutcome(_ id: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Json? {
        try await read { () async throws(StoreFailure) in try await registers.inboxOutcome(id, merchant) }
    }

    private func load(_ stream: StreamName) async throws(ReadFailure) -> [RecordedEvent] {
        try await read { () async throws(StoreFailure) in try await store.load([(stream, 0)])[0] }
    }

    private func decode<Event>(
        _ history: [RecordedEvent],
        _ make: (String, [UInt8]) throws(CodecFailure) -> Event
    ) throws(ReadFailure) -> [Event] {
        var events: [Event] = []
        for recorded in history {
            do throws(CodecFailure) { events.append(try make(recorded.type, recorded.data)) } catch {
                throw ReadFailure("event \(recorded.version): \(error.path)")
            }
        }
        return events
    }

    private func read<Value: Sendable>(_ body: () async throws(StoreFailure) -> Value) async throws(ReadFailure)
        -> Value
    {
        do throws(StoreFailure) { return try await body() } catch { throw ReadFailure(error.detail) }
    }
}

/// The accounts of a merchant for a second, so that each new payment needs no extra reads.
final class AccountsCache: Sendable {
    private let known = Locked<[MerchantNumber: (accounts: [Account], readAt: ContinuousClock.Instant)]>([:])
    private static let freshness = Duration.seconds(1)

    func fresh(_ merchant: MerchantNumber) -> [Account]? {
        guard let entry = known.withLock({ $0[merchant] }), entry.readAt.duration(to: .now) < Self.freshness else {
            return nil
        }
        return entry.accounts
    }

    func keep(_ accounts: [Account], _ merchant: MerchantNumber) {
        known.withLock { $0[merchant] = (accounts, .now) }
    }

    func forget(_ merchant: MerchantNumber) { known.withLock { $0[merchant] = nil } }
}
