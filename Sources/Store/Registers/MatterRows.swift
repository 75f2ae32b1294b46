package import EventSourcing
import Kernel
import Payments
import Postgres
package import Projections
import Schedules

/// Reads what is unresolved beside payments, by the type of each effect.
package struct MatterRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Messages that no payment sent and whose outcome is not known: what pays bills or asks for prices, removes a credential,
    /// or changes a series.
    package func messages(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenMatter] {
        let sql = """
            SELECT stream_kind, stream, not_before, send_before,
                   send_before + $3 * interval '1 microsecond' <= statement_timestamp()
              FROM paystream.effect WHERE merchant = $1 AND stream_kind NOT IN (1, 7) ORDER BY not_before DESC LIMIT $2
            """
        let grace = DispatchLicense.outcomeGrace.wholeMicroseconds
        let rows = try await store.read(sql, [.int32(merchant.value), .int64(Int64(limit)), .int64(grace)]) {
            row throws(PostgresFailure) -> OpenMatter? in
            let id = try row.uuid(1)
            let (kind, name): (OpenMatter.Kind, String)
            switch StreamKind(rawValue: try row.int16(0)) {
            case .instrument?: (kind, name) = (.removal, InstrumentId(id).text)
            case .schedule?: (kind, name) = (.series, ScheduleId(id).text)
            case .chunk?: (kind, name) = (.chunk, "\(id)")
            case .billBatch?: (kind, name) = (.price, BillBatchId(id).text)
            case .payment?, .transfer?, .bill?, .account?, .routing?, .webhookEndpoint?, .merchant?, .arrivals?, nil:
                return nil
            }
            let isOverdue = try row.bool(4)
            return OpenMatter(
                kind: kind,
                name: name,
                owner: isOverdue ? .operator : .provider,
                nextStep: isOverdue ? .resolve : .awaitAnswer,
                reason: isOverdue ? "answer_stuck" : "message_on_its_way",
                since: try row.timestamp(2),
                deadline: isOverdue ? nil : try row.timestamp(3)
            )
        }
        return rows.compactMap(\.self)
    }

    /// Batches that stand still until somebody lets them go on.
    package func batches(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenMatter] {
        let sql = """
            SELECT id, coalesce(document ->> 'trouble', 'unknown'), created_at FROM paystream.bill_batch_view
             WHERE merchant = $1 AND status = 'paused' ORDER BY created_at DESC LIMIT $2
            """
        return try await store.read(sql, [.int32(merchant.value), .int64(Int64(limit))]) {
            row throws(PostgresFailure) in
            OpenMatter(
                kind: .batch,
                name: BillBatchId(try row.uuid(0)).text,
                owner: .merchant,
                nextStep: .askAgain,
                reason: "paused_\(try row.text(1))",
                since: try row.timestamp(2)
            )
        }
    }

    /// Bills whose message was not answered, whose money is only held, or whose payer must act.
    package func bills(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenMatter] {
        let sql = """
            SELECT v.bill, v.outcome, v.batch, b.created_at
              FROM paystream.bill_batch_view b CROSS JOIN LATERAL (
                   SELECT * FROM paystream.bill_view v
                    WHERE v.merchant = b.merchant AND v.batch = b.id AND v.outcome IN ('unknown', 'held', 'requires_action')
                    ORDER BY v.ordinal LIMIT $2) v
             WHERE b.merchant = $1 ORDER BY b.created_at DESC, v.ordinal LIMIT $2
            """
        return try await store.read(sql, [.int32(merchant.value), .int64(Int64(limit))]) {
            row throws(PostgresFailure) in
            let owed: (Obligation.Owner, Obligation.Step, String)
            switch try row.text(1) {
            case "unknown": owed = (.operator, .resolve, "answer_lost")
            case "requires_action": owed = (.payer, .payerActs, "waiting_for_payer")
            default: owed = (.provider, .awaitAnswer, "money_held")
            }
            return OpenMatter(
                kind: .bill,
                name: "\(BillBatchId(try row.uuid(2)))/\(try row.text(0))",
                owner: owed.0,
                nextStep: owed.1,
                reason: owed.2,
                since: try row.timestamp(3)
            )
        }
    }

    /// Credentials that were removed here and that their provider may still know, though nothing is on its way.
    package func removals(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenMatter] {
        let sql = """
            SELECT document ->> 'id', document -> 'removal' ->> 'atProvider', created_at
              FROM paystream.instrument_view
             WHERE merchant = $1 AND document -> 'removal' ->> 'atProvider' IN ('unknown', 'refused')
             ORDER BY created_at DESC LIMIT $2
            """
        return try await store.read(sql, [.int32(merchant.value), .int64(Int64(limit))]) {
            row throws(PostgresFailure) in
            OpenMatter(
                kind: .removal,
                name: try row.text(0),
                owner: .merchant,
                nextStep: .askAgain,
                reason: "removal_\(try row.text(1))",
                since: try row.timestamp(2)
            )
        }
    }

    /// What a provider that runs a series was asked in vain: it may go on debiting as before.
    package func series(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenMatter] {
        let sql = """
            SELECT document ->> 'id', document -> 'request' ->> 'state', document -> 'request' ->> 'ask', updated_at
              FROM paystream.schedule_view
             WHERE merchant = $1 AND document -> 'request' ->> 'state' IN ('unknown', 'refused')
             ORDER BY updated_at DESC LIMIT $2
            """
        return try await store.read(sql, [.int32(merchant.value), .int64(Int64(limit))]) {
            row throws(PostgresFailure) in
            OpenMatter(
                kind: .series,
                name: try row.text(0),
                owner: .operator,
                nextStep: .resolve,
                reason: "\(try row.text(2))_\(try row.text(1))",
                since: try row.timestamp(3)
            )
        }
    }

    /// Series whose provider debited what no occurrence explains.
    package func debits(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenMatter] {
        let sql = """
            SELECT document ->> 'id', updated_at FROM paystream.schedule_view
             WHERE merchant = $1 AND (document -> 'oddities')::jsonb ? 'debitUnmatched' ORDER BY updated_at DESC LIMIT $2
            """
        return try await store.read(sql, [.int32(merchant.value), .int64(Int64(limit))]) {
            row throws(PostgresFailure) in
            OpenMatter(
                kind: .series,
                name: try row.text(0),
                owner: .operator,
                nextStep: .resolve,
                reason: "debit_unmatched",
                since: try row.timestamp(1)
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
