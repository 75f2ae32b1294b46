package import EventSourcing
package import Kernel
import Postgres

/// Something that is unresolved and no payment's: a bill, a removal, an input.
package struct OpenMatter: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case bill, removal, arrival
        /// An input that could not be decided.
        case input
    }

    package let kind: Kind
    /// As people name it.
    package let name: String
    package let owner: String
    package let nextStep: String
    package let reason: String
    package let since: Timestamp?

    package init(kind: Kind, name: String, owner: String, nextStep: String, reason: String, since: Timestamp?) {
        self.kind = kind
        self.name = name
        self.owner = owner
        self.nextStep = nextStep
        self.reason = reason
        self.since = since
    }

    package var json: Json {
        .compact([
            ("id", .string(name)), ("kind", .string(kind.rawValue)), ("nextStep", .string(nextStep)),
            ("object", "openMatter"), ("owner", .string(owner)), ("reason", .string(reason)), ("since", since?.json),
        ])
    }
}

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
                owner: isUnknown ? "operator" : "provider",
                nextStep: isUnknown ? "resolve" : "awaitAnswer",
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
                owner: word == "asked" ? "provider" : "merchant",
                nextStep: word == "asked" ? "awaitAnswer" : "askAgain",
                reason: word == "asked" ? "message_on_its_way" : "removal_\(word)",
                since: try row.timestamp(2)
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
                owner: "operator",
                nextStep: "resolve",
                reason: "undecidable",
                since: try row.timestamp(1)
            )
        }
    }
}
