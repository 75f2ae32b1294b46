package import EventSourcing
package import Kernel
import Postgres

/// The register of payers by codes of their e-mail addresses.
package struct PayerRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Notes who gave addresses, and answers how many are new.
    ///
    /// Those that are known stay as they are, and of an erased subject nothing is kept.
    @discardableResult
    package func note(
        _ merchants: [MerchantNumber],
        codes: [[UInt8]],
        subjects: [Uuid],
        customers: [String?],
        payments: [Uuid]
    ) async throws(StoreFailure) -> Int {
        try await store.write(
            """
            INSERT INTO paystream.payer_index (merchant, code, subject, customer, payment)
            SELECT n.merchant, n.code, n.subject, n.customer, n.payment
              FROM unnest($1::int[], $2::bytea[], $3::uuid[], $4::text[], $5::uuid[])
                   AS n (merchant, code, subject, customer, payment)
             WHERE NOT EXISTS (SELECT FROM paystream.subject_key k
                                WHERE k.merchant = n.merchant AND k.subject = n.subject AND k.wrapped IS NULL)
             ORDER BY n.merchant, n.subject, n.code
            ON CONFLICT DO NOTHING RETURNING 1
            """,
            [
                .int32s(merchants.map(\.value)), .byteArrays(codes), .uuids(subjects), .texts(customers),
                .uuids(payments),
            ]
        ) { row throws(PostgresFailure) in try row.int32(0) }.count
    }

    /// A stream of a merchant, and the address that its payment or transfer was created with, as it stands in the log.
    package struct Given: Sendable {
        package let stream: Uuid
        package let isPayment: Bool
        package let customer: String?
        package let email: Json?
    }

    /// Streams of a merchant in the order of their ids.
    package func given(_ merchant: MerchantNumber, behind last: Uuid?, limit: Int32) async throws(StoreFailure)
        -> [Given]
    {
        try await store.read(
            """
            SELECT s.id, e.data IS NOT NULL, e.data -> 'terms' ->> 'customer',
                   (e.data -> 'terms' -> 'details' -> 'payer' -> 'email')::text
              FROM (SELECT id FROM paystream.stream WHERE merchant = $1 AND id > $2 ORDER BY id LIMIT $3) s
              LEFT JOIN paystream.event e ON e.merchant = $1 AND e.stream = s.id AND e.ver = 1 AND e.type = 'payment.created.v1'
             ORDER BY s.id
            """,
            [.int32(merchant.value), .uuid(last ?? Uuid(high: 0, low: 0)), .int32(limit)]
        ) { row throws(PostgresFailure) in
            Given(
                stream: try row.uuid(0),
                isPayment: try row.bool(1),
                customer: row.isNull(2) ? nil : try row.text(2),
                email: row.isNull(3) ? nil : try? Json(text: try row.text(3))
            )
        }
    }
}
