package import EventSourcing
import Kernel
import Payments
import Postgres
package import Projections
import Schedules

/// Reads what is unresolved beside payments.
package struct OpenItemRows: Sendable {
    /// A row as the database tells it.
    private struct Found {
        let id: Uuid?
        let name: String
        let word: String
        let since: Timestamp
        let deadline: Timestamp?
        let isOverdue: Bool

        init(_ row: borrowing PostgresRow) throws(PostgresFailure) {
            id = try row.optional(2) { row, column throws(PostgresFailure) in try row.uuid(column) }
            name = row.isNull(3) ? "" : try row.text(3)
            word = row.isNull(4) ? "" : try row.text(4)
            since = try row.timestamp(5)
            deadline = try row.optional(6) { row, column throws(PostgresFailure) in try row.timestamp(column) }
            isOverdue = try row.bool(7)
        }
    }

    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// The newest of each sort.
    package func openItems(of merchant: MerchantNumber, limit: Int) async throws(StoreFailure) -> [OpenItem] {
        let rows = try await store.read(
            """
            SELECT what, kind, id, name, word, since, deadline, is_overdue FROM paystream.open_matters($1, $2, $3)
            """,
            [
                .int32(merchant.value), .int32(Int32(clamping: limit)),
                .int64(DispatchLicense.outcomeGrace.wholeMicroseconds),
            ]
        ) { row throws(PostgresFailure) -> OpenItem? in
            let kind = row.isNull(1) ? nil : StreamKind(rawValue: try row.int16(1))
            return Self.openItem(try row.text(0), kind, try Found(row))
        }
        return rows.compactMap(\.self)
    }

    private static func openItem(_ what: String, _ kind: StreamKind?, _ found: Found) -> OpenItem? {
        switch what {
        case "message": message(kind, found)
        case "batch": batch(found)
        case "bill": bill(found)
        case "removal": owed(.removal, found.name, .merchant, .askAgain, "removal_\(found.word)", found)
        case "series": owed(.series, found.name, .operator, .resolve, found.word, found)
        case "input": input(kind, found)
        case "webhook": webhook(found)
        default: nil
        }
    }

    /// Reads an input that could not be decided, with what it is about and why.
    private static func input(_ kind: StreamKind?, _ found: Found) -> OpenItem? {
        guard let id = found.id, let stream = Uuid(found.name) else { return nil }
        return OpenItem(
            kind: .input,
            name: "\(id)",
            owner: .operator,
            nextStep: .resolve,
            reason: "undecidable",
            since: found.since,
            detail: found.word,
            about: OpenItem.name(of: kind, stream)
        )
    }

    /// An endpoint that failed for days, or said that it is gone; enabling or removing it ends the item.
    private static func webhook(_ found: Found) -> OpenItem? {
        guard let id = found.id else { return nil }
        return OpenItem(
            kind: .webhook,
            name: WebhookEndpointId(id).text,
            owner: .operator,
            nextStep: .resolve,
            reason: "webhook_disabled",
            since: found.since,
            detail: found.word
        )
    }

    private static func message(_ kind: StreamKind?, _ found: Found) -> OpenItem? {
        guard let id = found.id else { return nil }
        let (sort, name): (OpenItem.Kind, String)
        switch kind {
        case .instrument?: (sort, name) = (.removal, InstrumentId(id).text)
        case .schedule?: (sort, name) = (.series, ScheduleId(id).text)
        case .chunk?: (sort, name) = (.chunk, "\(id)")
        case .billBatch?: (sort, name) = (.price, BillBatchId(id).text)
        case .payment?, .transfer?, .bill?, .account?, .routing?, .webhookEndpoint?, .merchant?, .arrivals?,
            .paymentLink?, nil:
            return nil
        }
        return found.isOverdue
            ? owed(sort, name, .operator, .resolve, "answer_stuck", found)
            : owed(sort, name, .provider, .awaitAnswer, "message_on_its_way", found, until: found.deadline)
    }

    private static func batch(_ found: Found) -> OpenItem? {
        let name = found.id.map { BillBatchId($0).text }
        return found.word.isEmpty
            ? owed(.batch, name, .payer, .payerActs, "waiting_for_app", found)
            : owed(.batch, name, .merchant, .askAgain, "paused_\(found.word)", found)
    }

    /// Nothing asks a provider about a bill again: whatever its answer or an app left open is a person's.
    private static func bill(_ found: Found) -> OpenItem? {
        let name = found.id.map { "\(BillBatchId($0))/\(found.name)" }
        return switch found.word {
        case "unknown": owed(.bill, name, .operator, .resolve, "answer_lost", found)
        case "requires_action": owed(.bill, name, .payer, .payerActs, "waiting_for_payer", found)
        case "claimed": owed(.bill, name, .operator, .resolve, "app_claim_unconfirmed", found)
        default: owed(.bill, name, .operator, .resolve, "money_held", found)
        }
    }

    private static func owed(
        _ kind: OpenItem.Kind,
        _ name: String?,
        _ owner: Obligation.Owner,
        _ step: Obligation.Step,
        _ reason: String,
        _ found: Found,
        until deadline: Timestamp? = nil
    ) -> OpenItem? {
        name.map {
            OpenItem(
                kind: kind,
                name: $0,
                owner: owner,
                nextStep: step,
                reason: reason,
                since: found.since,
                deadline: deadline
            )
        }
    }
}
