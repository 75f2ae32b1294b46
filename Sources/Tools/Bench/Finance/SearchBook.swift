import EventSourcing
import Kernel

/// A made-up book of payments to search in: a tenth as many customers, each with an address, and a twentieth as many saved cards.
///
/// What a row says follows from its number, so that whoever searches knows what there is.
struct SearchBook {
    let payments: Int
    let merchant: MerchantNumber
    let account: Uuid

    private static let perCustomer = 10
    private static let perCard = 20
    private static let perLabel = 100
    private static let amounts = 1_000_000
    private static let secondsApart = 3
    private static let newest = Timestamp(seconds: 1_790_000_000)

    // MARK: What a payment's row says

    static func reference(_ number: Int) -> String { "order-\(number)" }
    static func providerReference(_ number: Int) -> String { "provider-\(number)" }
    static func customer(_ number: Int) -> String { "customer-\(number / perCustomer)" }
    static func amount(_ number: Int) -> Int64 { Int64(1000 + number * 7919 % amounts) }
    static func created(_ number: Int) -> Timestamp { newest.adding(.seconds(-secondsApart * number)) }
    static func label(_ number: Int) -> Uuid { Uuid(high: 0, low: UInt64(number / perLabel)) }
    /// As its card shows itself: six digits, and four that many cards share.
    static func mask(_ number: Int) -> String {
        let card = number / perCard
        return "4\(padded(card / 10_000 % 100_000, 5))******\(padded(card % 10_000, 4))"
    }
    /// The code of its payer's address.
    static func code(of number: Int) -> [UInt8] {
        let customer = UInt64(number / perCustomer)
        let digits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: customer >> ($0 * 8)) }
        return Array(repeating: 0, count: 12) + digits
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    // MARK: The rows

    /// Statements that write the book, with what is said of each; indexes are made behind the rows.
    var steps: [(says: String, sql: String)] {
        [
            ("\(payments) payments", paymentRows), ("their labels and names at the provider", namesSql),
            ("their payers and cards", ownersSql),
            ("the tables are looked over", "VACUUM ANALYZE \(Self.tables.joined(separator: ", "))"),
        ]
    }

    private static let tables = ["payment_view", "payment_label", "reference", "payer_index", "instrument_view"].map {
        "paystream.\($0)"
    }

    private var paymentRows: String {
        """
        SET maintenance_work_mem = '1GB';
        CREATE TEMP TABLE made AS
            SELECT pg_get_indexdef(i.indexrelid) AS definition, i.indexrelid::regclass::text AS name FROM pg_index i
             WHERE i.indrelid = 'paystream.payment_view'::regclass AND NOT i.indisprimary;
        DO $$ DECLARE item record; BEGIN
            FOR item IN SELECT * FROM made LOOP EXECUTE 'DROP INDEX ' || item.name; END LOOP;
        END $$;
        ALTER TABLE paystream.payment_view DISABLE TRIGGER USER;
        INSERT INTO paystream.payment_view (merchant, id, version, pos, status, currency, amount, reference, customer, account,
            account_mode, needs_operator, has_obligations, created_at, updated_at, document, kind, disputed, provider, captured,
            refunded, transferred, held, in_dispute, charged_back, method, instrument, labels)
        SELECT \(merchant), \(Self.id), 14, 14::bigint * p, (ARRAY['captured', 'captured', 'captured', 'failed', 'refunded'])[1 + p % 5],
               'EUR', \(Self.amountSql), 'order-' || p, 'customer-' || p / \(Self.perCustomer), '\(account)', 'live',
               p % 100000 = 7, p % 100000 = 7, \(Self.createdSql), \(Self.createdSql),
               json_build_object('id', 'pay_' || md5('p' || p), 'object', 'payment', 'told', repeat(md5(p::text), 40)), 1, p % 10000 = 3,
               'ecommpay', 1000, 0, 0, 0, 0, 0, 'hosted', md5('c' || p / \(Self.perCard))::uuid, ARRAY[\(Self.labelSql)]
          FROM generate_series(0, \(payments - 1)) AS p;
        DO $$ DECLARE item record; BEGIN
            FOR item IN SELECT * FROM made LOOP EXECUTE item.definition; END LOOP;
        END $$;
        """
    }

    private var namesSql: String {
        """
        INSERT INTO paystream.payment_label (merchant, label, created_at, id)
        SELECT \(merchant), \(Self.labelSql), \(Self.createdSql), \(Self.id) FROM generate_series(0, \(payments - 1)) AS p;
        INSERT INTO paystream.stream (merchant, id, kind, ver, floor_pos) VALUES (\(merchant), '\(account)', 8, 1, 0);
        INSERT INTO paystream.reference (merchant, stream_kind, account, stream, kind, value)
        SELECT \(merchant), 1, '\(account)', \(Self.id), 'operation', 'provider-' || p FROM generate_series(0, \(payments - 1)) AS p;
        """
    }

    private var ownersSql: String {
        """
        INSERT INTO paystream.payer_index (merchant, code, subject, customer, payment, noted_at)
        SELECT \(merchant), decode(lpad(to_hex(c), 40, '0'), 'hex'), md5('s' || c)::uuid, 'customer-' || c,
               md5('p' || c * \(Self.perCustomer))::uuid, now()
          FROM generate_series(0, \((payments - 1) / Self.perCustomer)) AS c;
        INSERT INTO paystream.instrument_view (merchant, id, version, pos, status, customer, account, created_at, document)
        SELECT \(merchant), md5('c' || c)::uuid, 1, c, 'active', 'customer-' || c, '\(account)', now(), json_build_object(
                   'payment', 'pay_' || md5('p' || c * \(Self.perCard)),
                   'masked', '4' || lpad((c / 10000 % 100000)::text, 5, '0') || '******' || lpad((c % 10000)::text, 4, '0'))
          FROM generate_series(0, \((payments - 1) / Self.perCard)) AS c;
        """
    }

    private static let id = "md5('p' || p)::uuid"
    private static let amountSql = "1000 + p::bigint * 7919 % \(amounts)"
    private static let createdSql = "to_timestamp(\(newest.seconds)) - p * interval '\(secondsApart) seconds'"
    private static let labelSql = "lpad(to_hex(p / \(perLabel)), 32, '0')::uuid"
}
