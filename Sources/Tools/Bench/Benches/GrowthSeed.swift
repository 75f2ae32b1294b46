import EventSourcing
import Kernel
import Payments
import Postgres

/// Many payments at once: copies of one that the daemon made, in every table that has it, each under an id of its own.
struct GrowthSeed: Sendable {
    let pool: PostgresPool
    let merchant: MerchantNumber

    /// Payments of one transaction.
    private static let page = 10_000

    /// Reference of a copy.
    static func reference(_ number: Int) -> String { "growth-\(number)" }

    /// Ids of so many copies, chosen evenly.
    func ids(_ chosen: Int, among count: Int) async throws -> [PaymentId] {
        let step = max(1, count / chosen)
        let references = stride(from: 0, to: count, by: step).map { Self.reference($0) }
        let merchant = merchant
        return try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.query(
                "SELECT id FROM paystream.payment_view WHERE merchant = $1 AND reference = ANY($2)",
                [.int32(merchant.value), .texts(references)]
            ) { row throws(PostgresFailure) in PaymentId(try row.uuid(0)) }
        }
    }

    /// Events of the payment that is copied.
    func events(of template: PaymentId) async throws -> Int64 {
        let merchant = merchant
        return try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.query(
                "SELECT count(*) FROM paystream.event WHERE merchant = $1 AND stream = $2",
                [.int32(merchant.value), .uuid(template.uuid)]
            ) { row throws(PostgresFailure) in try row.int64(0) }.first ?? 0
        }
    }

    /// Writes copies with the numbers below `count`, and lets the read models begin behind them.
    func copy(_ template: PaymentId, count: Int, progress: @Sendable (Int) -> Void) async throws {
        for first in stride(from: 0, to: count, by: Self.page) {
            try await page(first, min(first + Self.page, count) - 1, template)
            progress(min(first + Self.page, count))
        }
        try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.script("SET statement_timeout = 0")
            try await connection.script("SELECT paystream.extend_log()")
            try await connection.script("UPDATE paystream.checkpoint SET pos = paystream.horizon()")
            try await connection.script(
                """
                VACUUM ANALYZE paystream.due, paystream.stream, paystream.event, paystream.input, paystream.decision,
                    paystream.payment_view, paystream.movement, paystream.reference, paystream.idempotency
                """
            )
            try await connection.script("RESET statement_timeout")
        }
    }

    private func page(_ first: Int, _ last: Int, _ template: PaymentId) async throws {
        let merchant = merchant
        try await pool.transaction { connection async throws(PostgresFailure) in
            try await connection.execute("SET LOCAL statement_timeout = 0")
            try await connection.execute("SELECT paystream.publish_floor()")
            for sql in Self.copies {
                try await connection.execute(
                    sql.replacing("NEW", with: "md5('p' || n)::uuid")
                        .replacing("NUMBERS", with: "generate_series(\(first), \(last)) n")
                        .replacing("OLD", with: "merchant = \(merchant.value) AND stream = '\(template.uuid)'")
                        .replacing("VIEWED", with: "merchant = \(merchant.value) AND id = '\(template.uuid)'")
                        .replacing("HYPHENED", with: "'\(template.uuid)'")
                        .replacing("COMPACT", with: "'\(template.uuid.compact)'")
                )
            }
        }
    }

    /// What is copied of each table: `NEW` is the copy's id, `NUMBERS` the numbers, `OLD` and `VIEWED` the original's rows.
    private static let copies = [
        """
        INSERT INTO paystream.stream (merchant, id, kind, ver, floor_pos)
        SELECT merchant, NEW, kind, ver, floor_pos FROM paystream.stream, NUMBERS WHERE VIEWED
        """,
        """
        INSERT INTO paystream.event (pos, at, merchant, ver, stream_kind, stream, cause, type, data)
        SELECT nextval('paystream.pos_seq'), at, merchant, ver, stream_kind, NEW, md5(cause::text || n)::uuid, type,
               replace(replace(data::text, HYPHENED, NEW::text), COMPACT, md5('p' || n))::json
          FROM NUMBERS, paystream.event WHERE OLD ORDER BY n, ver
        """,
        """
        INSERT INTO paystream.input (pos, received_at, merchant, stream_kind, kind, id, stream, name, meta, body)
        SELECT nextval('paystream.pos_seq'), received_at, merchant, stream_kind, kind, md5(id::text || n)::uuid, NEW,
               name, meta, body
          FROM NUMBERS, paystream.input WHERE OLD
        """,
        """
        INSERT INTO paystream.decision (pos, at, merchant, stream_kind, events, base, input, stream, code, detail,
                                        context, versions)
        SELECT nextval('paystream.pos_seq'), at, merchant, stream_kind, events, base, md5(input::text || n)::uuid, NEW,
               code, detail, context, versions
          FROM NUMBERS, paystream.decision WHERE OLD
        """,
        """
        INSERT INTO paystream.idempotency (merchant, stream_kind, input, stream, version, mac)
        SELECT merchant, stream_kind, md5(input::text || n)::uuid, NEW, version, mac
          FROM NUMBERS, paystream.idempotency WHERE OLD
        """,
        """
        INSERT INTO paystream.reference (merchant, stream_kind, account, stream, kind, value)
        SELECT merchant, stream_kind, account, NEW, kind, value || ':' || n FROM NUMBERS, paystream.reference WHERE OLD
        """,
        """
        INSERT INTO paystream.due (machine, business, merchant, stream_kind, stream)
        SELECT now() + n * interval '1 second' + interval '30 days', NULL, merchant, kind, NEW
          FROM NUMBERS, paystream.stream WHERE VIEWED
        """,
        """
        INSERT INTO paystream.payment_view
        SELECT c.*
          FROM NUMBERS, paystream.payment_view v, LATERAL jsonb_populate_record(v, jsonb_build_object(
                   'id', NEW, 'reference', 'growth-' || n, 'customer', 'customer-' || n % 10000,
                   'created_at', now() - n * interval '1 second')) AS c
         WHERE v.id = HYPHENED
        """,
        """
        INSERT INTO paystream.movement
        SELECT c.*
          FROM NUMBERS, paystream.movement v, LATERAL jsonb_populate_record(v, jsonb_build_object(
                   'stream', NEW, 'known_at', now() - n * interval '1 second')) AS c
         WHERE v.stream = HYPHENED
        """,
    ]
}
