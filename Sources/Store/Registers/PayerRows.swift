package import EventSourcing
package import Kernel
import Postgres

/// The register of payers by codes of their e-mail addresses.
package struct PayerRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Notes who gave addresses; those that are known stay as they are, and of an erased subject nothing is kept.
    package func note(
        _ merchants: [MerchantNumber],
        codes: [[UInt8]],
        subjects: [Uuid],
        customers: [String?],
        payments: [Uuid]
    ) async throws(StoreFailure) {
        try await store.write(
            """
            INSERT INTO paystream.payer_index (merchant, code, subject, customer, payment)
            SELECT n.merchant, n.code, n.subject, n.customer, n.payment
              FROM unnest($1::int[], $2::bytea[], $3::uuid[], $4::text[], $5::uuid[])
                   AS n (merchant, code, subject, customer, payment)
             WHERE NOT EXISTS (SELECT FROM paystream.subject_key k
                                WHERE k.merchant = n.merchant AND k.subject = n.subject AND k.wrapped IS NULL)
             ORDER BY n.merchant, n.subject, n.code
            ON CONFLICT DO NOTHING
            """,
            [
                .int32s(merchants.map(\.value)), .byteArrays(codes), .uuids(subjects), .texts(customers),
                .uuids(payments),
            ]
        )
    }
}
