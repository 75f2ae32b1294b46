package import EventSourcing
import Kernel
import Postgres

/// Knows what stands in the database under master keys, and replaces envelopes that are no part of the log.
package struct MasterKeyRows: Sendable {
    /// A column of envelopes that may be sealed again.
    package enum Column: String, Sendable, CaseIterable {
        case subjectKeys = "subject keys"
        case originals = "originals of inputs"
        case templates = "messages that wait"
        case quarantine = "notifications in quarantine"

        fileprivate var table: String {
            switch self {
            case .subjectKeys: "subject_key"
            case .originals: "input_original"
            case .templates: "effect"
            case .quarantine: "quarantine"
            }
        }

        fileprivate var envelope: String {
            switch self {
            case .subjectKeys: "wrapped"
            case .originals: "sealed"
            case .templates: "template"
            case .quarantine: "body"
            }
        }

        fileprivate var id: String {
            switch self {
            case .subjectKeys: "subject"
            case .originals: "input"
            case .templates, .quarantine: "id"
            }
        }

        /// The merchant that leads the key of the table; what is in quarantine is nobody's.
        fileprivate var merchant: String {
            switch self {
            case .subjectKeys, .originals, .templates: "merchant"
            case .quarantine: "0"
            }
        }

        fileprivate var idType: String {
            switch self {
            case .subjectKeys, .originals, .templates: "uuid"
            case .quarantine: "bigint"
            }
        }

        fileprivate var lowestId: String {
            switch self {
            case .subjectKeys, .originals, .templates: "\(Uuid(high: 0, low: 0))"
            case .quarantine: "0"
            }
        }
    }

    /// An envelope where it stands.
    package struct Row: Sendable {
        package let merchant: MerchantNumber
        package let id: String
        package let envelope: [UInt8]
    }

    /// What a key is needed for and how often: by the whole id in hexadecimal digits or by the bytes that lead codes.
    package struct Use: Sendable {
        package let what: String
        package let key: String
        package let count: Int64
    }

    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Reads the envelopes behind a row in the order of their ids, under whatever key.
    package func page(of column: Column, after row: Row?, limit: Int32) async throws(StoreFailure) -> [Row] {
        try await store.read(
            """
            SELECT \(column.merchant), \(column.id)::text, \(column.envelope) FROM paystream.\(column.table)
             WHERE \(column.envelope) IS NOT NULL AND (\(column.merchant), \(column.id)) > ($1, $2::\(column.idType))
             ORDER BY \(column.merchant == "0" ? "" : "merchant, ")\(column.id) LIMIT $3
            """,
            [.int32(row?.merchant.value ?? -1), .text(row?.id ?? column.lowestId), .int32(limit)]
        ) { row throws(PostgresFailure) in
            Row(merchant: MerchantNumber(try row.int32(0)), id: try row.text(1), envelope: try row.bytes(2))
        }
    }

    /// Replaces envelopes where their old bytes are still there: what was erased or sent meanwhile stays so.
    package func replace(_ rows: [(row: Row, envelope: [UInt8])], in column: Column) async throws(StoreFailure) -> Int {
        try await store.write(
            """
            UPDATE paystream.\(column.table) t SET \(column.envelope) = u.new
              FROM unnest($1::int[], $2::text[], $3::bytea[], $4::bytea[]) u (merchant, id, old, new)
             WHERE \(column == .quarantine ? "" : "t.merchant = u.merchant AND ")t.\(column.id) = u.id::\(column.idType)
               AND t.\(column.envelope) = u.old
            RETURNING true
            """,
            [
                .int32s(rows.map(\.row.merchant.value)), .texts(rows.map(\.row.id)),
                .byteArrays(rows.map(\.row.envelope)), .byteArrays(rows.map(\.envelope)),
            ]
        ) { row throws(PostgresFailure) in try row.bool(0) }.count
    }

    /// Counts all that stands under master keys; of codes, only those that one of these leads.
    package func uses(codesLedBy tags: [[UInt8]]) async throws(StoreFailure) -> [Use] {
        let columns = Column.allCases.map { column in
            """
            SELECT '\(column.rawValue)', encode(substr(\(column.envelope), 2, 16), 'hex'), count(*)
              FROM paystream.\(column.table) WHERE \(column.envelope) IS NOT NULL GROUP BY 2
            """
        }
        let codes = [
            ("commands", "idempotency", "mac"), ("API keys", "api_key", "hash"),
            ("API keys that were rotated", "api_key", "old_hash"),
        ].map { what, table, code in
            """
            SELECT '\(what)', encode(substr(\(code), 1, length(($1::bytea[])[1])), 'hex'), count(*)
              FROM paystream.\(table) WHERE substr(\(code), 1, length(($1::bytea[])[1])) = ANY ($1) GROUP BY 2
            """
        }
        let sql = (columns + codes + [Self.keptSecrets, Self.keptDocuments]).joined(separator: "\nUNION ALL ")
        do throws(PostgresFailure) {
            return try await store.pool.transaction { connection async throws(PostgresFailure) in
                // It reads the keys of all commands: no other statement may take so long.
                try await connection.script("SET LOCAL statement_timeout = 0")
                return try await connection.query(sql, [.byteArrays(tags)]) { row throws(PostgresFailure) in
                    Use(what: try row.text(0), key: try row.text(1), count: try row.int64(2))
                }
            }
        } catch {
            throw StoreFailure(error, mayHaveCommitted: false)
        }
    }

    /// The master key's id in the first 24 base64 digits of an envelope.
    private static func key(_ digits: String) -> String {
        "encode(substr(decode(translate(left(\(digits), 24), '-_', '+/'), 'base64'), 2, 16), 'hex')"
    }

    /// Secrets in events of accounts, of webhook endpoints, and of changes to them that wait for a second person.
    private static let keptSecrets = """
        SELECT 'secrets in the log', \(key("f.digits[1]")), count(*)
          FROM paystream.stream s JOIN paystream.event e ON e.merchant = s.merchant AND e.stream = s.id
               CROSS JOIN LATERAL regexp_matches(e.data::text, '"\\$sealed": *"([A-Za-z0-9_-]{24})', 'g') f (digits)
         WHERE s.kind IN (\([StreamKind.account, .webhookEndpoint, .merchant].map { "\($0.rawValue)" }.joined(separator: ", ")))
         GROUP BY 2
        """

    /// Documents that are kept whole in inputs.
    private static let keptDocuments = """
        SELECT 'documents kept whole in the log', \(key("convert_from(substr(i.body, 15, 24), 'UTF8')")), count(*)
          FROM paystream.input i WHERE substr(i.body, 1, 14) = '{"keptWhole":"'::bytea GROUP BY 2
        """
}
