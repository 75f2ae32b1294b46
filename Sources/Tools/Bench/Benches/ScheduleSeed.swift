import EventSourcing
import Kernel
import Payments
import Postgres
import ProviderKit
import Schedules
import Store
import SystemKit

/// Many armed schedules at once, written into the log as the engine would have written them, each with a card of its own.
struct ScheduleSeed: Sendable {
    let pool: PostgresPool
    let merchant: MerchantNumber

    /// Schedules of one transaction.
    private static let page = 20_000
    /// Stands for a schedule's own card in the bodies that all of them share.
    private static let card = InstrumentId(Uuid(high: 0xCA4D_CA4D_CA4D_CA4D, low: 0xCA4D_CA4D_CA4D_CA4D))

    /// The stored bodies of a schedule and its card.
    struct Bodies: Sendable {
        let saved: EventDraft
        let registered: EventDraft
        let activated: EventDraft
        let planned: EventDraft
    }

    /// A monthly charge of a saved card that first falls due at a moment.
    static func bodies(_ account: Uuid, token: Json, dueAt: Timestamp, at now: Timestamp) throws -> Bodies {
        let local = dueAt.description
        guard let euro = Currency("EUR"), let date = CivilDate(String(local.prefix(10))),
            let time = TimeOfDay(String(local.dropFirst(11).prefix(8)))
        else { throw CommandFailure("no date in \(local)") }
        let fact = InstrumentFact(
            token: token,
            fingerprint: "bench",
            masked: "431422******0056",
            scheme: "visa",
            expiryYear: 2099,
            expiryMonth: 12
        )
        let saved = SavedInstrument(fact: fact, account: account, customer: "bench-customer", payment: nil)
        let first = PaymentId(Uuid(high: 0xF145, low: 1))
        let terms = ScheduleTerms(
            kind: .regular,
            runner: .paystream,
            presence: .unattended,
            account: account,
            instrument: card,
            fallback: nil,
            customer: "bench-customer",
            reference: "bench",
            description: nil,
            amount: Money(1999, euro),
            rule: ScheduleRule(cadence: .every(1, .month), start: date, time: time, zone: zone),
            mandate: Mandate(),
            activation: .verify,
            activateBy: now.adding(.seconds(86_400)),
            policy: FiringPolicy(),
            details: ["payer": ["email": "payer@example.org"]],
            metadata: [:]
        )
        let plan = OccurrencePlan(
            ordinal: 1,
            date: date,
            dueAt: dueAt,
            startAt: dueAt,
            amount: Money(1999, euro),
            zoneDigest: nil,
            reasons: [],
            isLate: false
        )
        let activation = Activation(payment: first, mode: .verify, instrument: card, series: nil)
        return Bodies(
            saved: InstrumentEvent.saved(saved, at: now).draft,
            registered: ScheduleEvent.registered(terms, by: "bench", at: now).draft,
            activated: ScheduleEvent.activated(activation, at: now).draft,
            planned: ScheduleEvent.planned(plan).draft
        )
    }

    private static let zone = "Etc/UTC"

    /// Writes schedules with these numbers, all armed for one moment.
    func write(_ numbers: Range<Int>, _ bodies: Bodies, dueAt: Timestamp) async throws {
        var first = numbers.lowerBound
        while first < numbers.upperBound {
            let last = min(first + Self.page, numbers.upperBound) - 1
            try await page(first, last, bodies, dueAt)
            first = last + 1
        }
    }

    private func page(_ first: Int, _ last: Int, _ bodies: Bodies, _ dueAt: Timestamp) async throws {
        let marker = Self.card.uuid.compact
        let merchant = merchant
        let drafts = [bodies.saved, bodies.registered, bodies.activated, bodies.planned]
        try await pool.transaction { connection async throws(PostgresFailure) in
            try await connection.execute("SET LOCAL statement_timeout = 0")
            try await connection.execute("SELECT paystream.publish_floor()")
            try await connection.execute(
                """
                INSERT INTO paystream.stream (merchant, id, kind, ver, floor_pos)
                SELECT $1, md5(k.letter || n)::uuid, k.kind, k.ver, 0
                  FROM generate_series($2::int, $3::int) n, (VALUES ('s', 3, 3), ('c', 2, 1)) AS k (letter, kind, ver)
                """,
                [.int32(merchant.value), .int32(Int32(first)), .int32(Int32(last))]
            )
            try await connection.execute(
                """
                INSERT INTO paystream.event (pos, at, merchant, ver, stream_kind, stream, cause, type, data)
                SELECT nextval('paystream.pos_seq'), now(), $1, e.ver, e.kind, md5(e.letter || n)::uuid,
                       md5('i' || n)::uuid, e.type, replace(e.data, $4, md5('c' || n))::json
                  FROM generate_series($2::int, $3::int) n,
                       (VALUES ('c', 2, 1, $5, $6), ('s', 3, 1, $7, $8), ('s', 3, 2, $9, $10), ('s', 3, 3, $11, $12))
                           AS e (letter, kind, ver, type, data)
                 ORDER BY n, e.kind, e.ver
                """,
                [.int32(merchant.value), .int32(Int32(first)), .int32(Int32(last)), .text(marker)]
                    + drafts.flatMap { [.text($0.type), .text(String(decoding: $0.data, as: UTF8.self))] }
            )
            try await connection.execute(
                """
                INSERT INTO paystream.due (business, merchant, stream_kind, stream)
                SELECT $4, $1, 3, md5('s' || n)::uuid FROM generate_series($2::int, $3::int) n
                """,
                [.int32(merchant.value), .int32(Int32(first)), .int32(Int32(last)), .timestamp(dueAt)]
            )
        }
    }

    /// Lets the read models begin behind what was written, and the planner know of it.
    func finish() async throws {
        try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.script("SET statement_timeout = 0")
            // Each of them, or what one still catches up with is measured beside what fires.
            try await connection.execute(
                "UPDATE paystream.checkpoint SET pos = paystream.horizon() WHERE pos < paystream.horizon()"
            )
            try await connection.script("VACUUM ANALYZE paystream.due, paystream.stream, paystream.event")
            try await connection.script("RESET statement_timeout")
        }
    }
}
