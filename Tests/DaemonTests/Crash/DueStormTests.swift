import Crypto
import EventSourcing
import Glibc
import Http
import Kernel
import Payments
import Postgres
import Schedules
import Store
import TestKit
import Testing

/// Many occurrences that fall due in one second beside daemons that are killed: each is charged once, none is missed.
///
/// `make storm` lets 20 000 fall due, the ordinary run 200.
@Suite(.timeLimit(.minutes(60)), .serialized)
struct DueStormTests {
    private static let settings: Json = ["gateTokenPaths": ["sale": "/v2/payment/card/sale/token"]]
    private static let cents: Int64 = 7700
    private static var size: Int { getenv("PAYSTREAM_STORM").flatMap { Int(String(cString: $0)) } ?? 200 }

    @Test func `of two daemons one is killed again and again while occurrences fall due, and each is charged once`()
        async throws
    {
        let size = Self.size
        try await Stage.run("storm", settings: Self.settings) { stage, first in
            let second = try await stage.serve()
            let storm = try await Storm(stage, first, cents: Self.cents)
            let due = try await storm.subscribe(size)
            try await storm.waitUntil(due)
            let kills = try await storm.killWhileFiring([first, second], size)
            #expect(kills >= 3, "the storm was over before anybody was killed")
            try await storm.check(size)
            let begun = ContinuousClock.now
            try await stage.verifyReplay()
            print("\(size) charges, \(kills) kills: the log replays in \(ContinuousClock.now - begun)")
            try await stage.verifyViews()
        }
    }
}

/// Schedules of a stage that are all due at once, each with a card of its own.
private final class Storm: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private let stage: Stage
    private let cents: Int64
    private let pool: PostgresPool
    private let store: PostgresStore
    private let merchant: MerchantNumber
    private let card: InstrumentFact
    private let account: Uuid
    /// Inputs of one call.
    private static let page = 200

    /// Pays once with a card that is kept; every schedule charges a copy of it.
    init(_ stage: Stage, _ daemon: DaemonProcess, cents: Int64) async throws {
        self.stage = stage
        self.cents = cents
        pool = PostgresPool(stage.database.options, limit: 2)
        store = PostgresStore(pool)
        guard let merchant = try await Registers(store).knownMerchant(named: "demo") else {
            throw Failure(description: "no merchant")
        }
        self.merchant = merchant
        let first = Stage.newPayment("first", cents, more: [("customer", "customer-7")])
        let payment = try await stage.call(daemon, .post, "/v1/payments", first, key: "first")
        guard let id = payment["id"]?.text else { throw Failure(description: "no payment") }
        try await stage.openPage(daemon, id)
        let paid = try await stage.wait(daemon, id, for: "captured")
        guard let text = paid["savedInstruments"]?.items?.first?.text, let saved = InstrumentId(text) else {
            throw Failure(description: "nothing was saved: \(paid.canonicalText)")
        }
        let store = store
        let known = try await stage.until("the card is saved") { () async throws -> Stage.Look<SavedInstrument> in
            let history = try await store.load([(StreamName(merchant, .instrument, saved.uuid), 0)])[0]
            let events = try history.map { try InstrumentEvent($0) }
            return Instrument.fold(saved, events).saved.map { .done($0) } ?? .notYet("nothing")
        }
        card = known.fact
        account = known.account
    }

    private static func schedule(_ number: Int) -> Uuid {
        .version5(namespace: InputNames.namespace, name: "s\(number)")
    }
    private static func card(_ number: Int) -> Uuid { .version5(namespace: InputNames.namespace, name: "c\(number)") }

    /// Saves a card for each schedule, registers and activates them, by inputs that the daemons decide; answers when all of
    /// them fall due.
    func subscribe(_ count: Int) async throws -> Timestamp {
        let patience = Duration.seconds(60 + count / 20)
        let saved = SavedInstrument(fact: card, account: account, customer: "customer-7", payment: nil)
        let save = InstrumentCommand.save(saved)
        let began = try await store.now()
        try await admit(count) { number in
            [input(StreamName(merchant, .instrument, Self.card(number)), save.name.rawValue, save.json, began)]
        }
        try await stage.until("\(count) cards are saved", patience: patience) {
            // One was saved before, by the payment.
            let cards = try await stage.count("paystream.event WHERE type = 'instrument.saved.v1'") - 1
            return cards == count ? .done(()) : .notYet("\(cards)")
        }
        let now = try await store.now()
        let due = Timestamp(seconds: now.seconds + 12 + Int64(count / 60))
        let terms = try terms(due: due, now: now)
        try await admit(count) { commands($0, terms, now) }
        try await stage.until("\(count) schedules are active", patience: patience) {
            let active = try await stage.count("paystream.schedule_view WHERE status = 'active'")
            return active == count ? .done(()) : .notYet("\(active)")
        }
        return due
    }

    /// Writes the inputs of each number, page by page.
    private func admit(_ count: Int, _ inputs: (Int) -> [InputRecord]) async throws {
        var page: [InputRecord] = []
        for number in 0..<count {
            page += inputs(number)
            if page.count >= Self.page || number == count - 1 {
                _ = try await store.admit(page)
                page = []
            }
        }
    }

    private func terms(due: Timestamp, now: Timestamp) throws -> (InstrumentId) -> ScheduleTerms {
        let text = due.description
        guard let euro = Currency("EUR"), let date = CivilDate(String(text.prefix(10))),
            let time = TimeOfDay(String(text.dropFirst(11).prefix(8)))
        else { throw Failure(description: text) }
        let (account, cents) = (account, cents)
        return { card in
            ScheduleTerms(
                kind: .regular,
                runner: .paystream,
                presence: .unattended,
                account: account,
                instrument: card,
                fallback: nil,
                customer: "customer-7",
                reference: "storm",
                description: nil,
                amount: Money(cents, euro),
                rule: ScheduleRule(cadence: .every(1, .month), start: date, time: time, zone: "Etc/UTC"),
                mandate: Mandate(),
                activation: .verify,
                activateBy: now.adding(.seconds(86_400)),
                policy: FiringPolicy(),
                details: ["payer": ["email": "payer@example.org"]],
                metadata: [:]
            )
        }
    }

    /// A schedule that charges its card, and the proof that its customer agreed.
    private func commands(_ number: Int, _ terms: (InstrumentId) -> ScheduleTerms, _ now: Timestamp) -> [InputRecord] {
        let card = InstrumentId(Self.card(number))
        let create = ScheduleCommand.create(terms(card))
        let first = Activation(payment: PaymentId(Self.card(number)), mode: .verify, instrument: card, series: nil)
        let activate = ScheduleCommand.activate(first)
        let stream = StreamName(merchant, .schedule, Self.schedule(number))
        return [
            input(stream, create.name.rawValue, create.json, now),
            input(stream, activate.name.rawValue, activate.json, now),
        ]
    }

    private func input(_ stream: StreamName, _ name: String, _ body: Json, _ now: Timestamp) -> InputRecord {
        let meta: Json = [
            "account": account.json, "actor": ["id": "storm", "operator": false],
        ]
        return InputRecord(
            id: .version5(namespace: stream.id, name: name),
            stream: stream,
            kind: .command,
            name: name,
            meta: meta.canonical,
            body: body.canonical,
            receivedAt: now
        )
    }

    func waitUntil(_ moment: Timestamp) async throws {
        let left = moment.since(try await store.now())
        if left > .zero { try await Task.sleep(for: left) }
    }

    /// Kills one daemon after the other and starts it again, until every schedule was paid; answers how often.
    func killWhileFiring(_ daemons: [DaemonProcess], _ count: Int) async throws -> Int {
        var daemons = daemons
        var kills = 0
        var last = -1
        var lastMove = ContinuousClock.now
        while true {
            let paid = try await stage.count("paystream.schedule_view WHERE paid = 1")
            if paid == count { return kills }
            if paid != last { (last, lastMove) = (paid, .now) }
            guard lastMove.duration(to: .now) < .seconds(90) else {
                throw Failure(description: "\(paid) of \(count) were paid, and nothing moves: \(try await left())")
            }
            // What a killed daemon held waits for its lease; a storm that is nearly over is left in peace.
            if kills < 3 || paid < count * 4 / 5 {
                let victim = kills % daemons.count
                try await stage.end(daemons[victim], SIGKILL)
                kills += 1
                daemons[victim] = try await stage.serve(onPortOf: daemons[victim])
                try await stage.passLeases()
            }
            try await Task.sleep(for: .milliseconds(count > 1000 ? 3000 : 400))
        }
    }

    /// What is waited for: each schedule that isn't paid, and its payments, with their last events, turns, effects and mail.
    private func left() async throws -> String {
        try await stage.text(
            """
            WITH unpaid AS (SELECT merchant, id FROM paystream.schedule_view WHERE paid = 0 LIMIT 5),
            streams AS (
                SELECT merchant, id AS stream FROM unpaid
                 UNION
                SELECT u.merchant, o.payment FROM unpaid u
                  JOIN paystream.occurrence_view o ON o.merchant = u.merchant AND o.schedule = u.id
                 WHERE o.payment IS NOT NULL)
            SELECT json_agg(row)::text FROM (
                SELECT s.stream, now(),
                       (SELECT json_agg(json_build_array(e.type, e.at) ORDER BY e.ver) FROM paystream.event e
                         WHERE e.merchant = s.merchant AND e.stream = s.stream) AS events,
                       (SELECT json_agg(json_build_array(i.name, i.received_at)) FROM paystream.input i
                         WHERE i.merchant = s.merchant AND i.stream = s.stream) AS inputs,
                       (SELECT json_build_array(d.machine - now(), d.business - now()) FROM paystream.due d
                         WHERE d.merchant = s.merchant AND d.stream = s.stream) AS turn,
                       (SELECT json_agg(json_build_array(f.state, f.not_before - now(), f.lease_until - now(), f.owner))
                          FROM paystream.effect f WHERE f.merchant = s.merchant AND f.stream = s.stream) AS effects,
                       (SELECT json_build_array(m.due - now(), m.owner, m.attempts) FROM paystream.mail m
                         WHERE m.merchant = s.merchant AND m.stream = s.stream) AS mail
                  FROM streams s) row
            """
        )
    }

    /// The provider's whole ledger, page by page.
    private func ledger() async throws -> [Json] {
        var entries: [Json] = []
        while true {
            let last = entries.last?["number"]?.integer ?? 0
            let path = "/sandbox/ledger?project=\(Stage.project)&after=\(last)&limit=150"
            let page = try await stage.control(path)["entries"]?.items ?? []
            if page.isEmpty { return entries }
            entries += page
        }
    }

    /// Held against the provider's own books and against the log.
    func check(_ count: Int) async throws {
        let entries = try await ledger()
        var charges: [String: Int] = [:]
        for entry in entries {
            #expect(entry["kind"] == "charge" && entry["amount"]?.integer == cents, "\(entry.canonicalText)")
            charges[entry["payment_id"]?.text ?? "?", default: 0] += 1
        }
        #expect(charges.count == count + 1, "one for each schedule, and the one that saved the card")
        #expect(charges.values.allSatisfy { $0 == 1 })
        #expect(entries.count == count + 1)
        #expect(try await stage.count("paystream.schedule_view WHERE paid = 1 AND collected = \(cents)") == count)
        let started = try await stage.count("paystream.event WHERE type = 'occurrence.started.v1'")
        #expect(started == count, "no occurrence was tried twice")
        await pool.drain()
    }
}
