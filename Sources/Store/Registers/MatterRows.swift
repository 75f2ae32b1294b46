package import EventSourcing
import Kernel
import Payments
import Postgres
package import Projections

/// Reads what is unresolved beside payments, by the type of each effect.
package struct MatterRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Bills whose message was not answered, or whose money is only held.
    package func bills(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenMatter] {
        let sql = """
            SELECT v.bill, v.outcome, v.batch, b.created_at
              FROM paystream.bill_batch_view b CROSS JOIN LATERAL (
                   SELECT * FROM paystream.bill_view v
                    WHERE v.merchant = b.merchant AND v.batch = b.id AND v.outcome IN ('unknown', 'held')
                    ORDER BY v.ordinal LIMIT $2) v
             WHERE b.merchant = $1 ORDER BY b.created_at DESC, v.ordinal LIMIT $2
            """
        return try await store.read(sql, [.int32(merchant.value), .int64(Int64(limit))]) {
            row throws(PostgresFailure) in
            let isUnknown = try row.text(1) == "unknown"
            return OpenMatter(
                kind: .bill,
                name: "\(try row.text(0)) of \(try row.uuid(2))",
                owner: isUnknown ? .operator : .provider,
                nextStep: isUnknown ? .resolve : .awaitAnswer,
                reason: isUnknown ? "answer_lost" : "money_held",
                since: try row.timestamp(3)
            )
        }
    }

    /// Credentials that were removed here and that their provider may still know.
    package func removals(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenMatter] {
        let sql = """
            SELECT document ->> 'id', document -> 'removal' ->> 'atProvider', created_at
              FROM paystream.instrument_view
             WHERE merchant = $1 AND document -> 'removal' ->> 'atProvider' IN ('asked', 'unknown', 'refused')
             ORDER BY created_at DESC LIMIT $2
            """
        return try await store.read(sql, [.int32(merchant.value), .int64(Int64(limit))]) {
            row throws(PostgresFailure) in
            let word = try row.text(1)
            return OpenMatter(
                kind: .removal,
                name: try row.text(0),
                owner: word == "asked" ? .provider : .merchant,
                nextStep: word == "asked" ? .awaitAnswer : .askAgain,
                reason: word == "asked" ? "message_on_its_way" : "removal_\(word)",
                since: try row.timestamp(2)
            )
        }
    }

    /// What a provider that runs a series was asked and has not confirmed: it may go on debiting as before.
    package func series(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenMatter] {
        let sql = """
            SELECT document ->> 'id', document -> 'request' ->> 'state', document -> 'request' ->> 'ask', updated_at
              FROM paystream.schedule_view
             WHERE merchant = $1 AND document -> 'request' ->> 'state' IN ('asked', 'unknown', 'refused')
             ORDER BY updated_at DESC LIMIT $2
            """
        return try await store.read(sql, [.int32(merchant.value), .int64(Int64(limit))]) {
            row throws(PostgresFailure) in
            let state = try row.text(1)
            return OpenMatter(
                kind: .series,
                name: try row.text(0),
                owner: state == "asked" ? .provider : .operator,
                nextStep: state == "asked" ? .awaitAnswer : .resolve,
                reason: "\(try row.text(2))_\(state)",
                since: try row.timestamp(3)
            )
        }
    }

    /// Inputs that could not be decided.
    package func inputs(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenMatter] {
        let sql = """
            SELECT input, at FROM paystream.input_quarantine WHERE merchant = $1 ORDER BY at DESC LIMIT $2
            """
        return try await store.read(sql, [.int32(merchant.value), .int64(Int64(limit))]) {
            row throws(PostgresFailure) in
            OpenMatter(
                kind: .input,
                name: "\(try row.uuid(0))",
                owner: .operator,
                nextStep: .resolve,
                reason: "undecidable",
                since: try row.timestamp(1)
            )
        }
    }
}
