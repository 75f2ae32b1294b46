import Glibc
import Kernel
import Postgres
import SystemKit
import TestKit
import Testing

/// The views for analysts: what a login reads, what it is refused, and the queries of the page about them.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ReportingTests {
    /// The queries of docs/REPORTING.md.
    private static var queries: [String] {
        let file = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let page = String(decoding: SmallFile.read("/\(file)/docs/REPORTING.md") ?? [], as: UTF8.self)
        return page.components(between: "```sql\n", and: "```")
    }

    @Test func `an analyst reads the documented views of her merchant and nothing else, and ten queries run`()
        async throws
    {
        try await Stage.run("reporting") { stage, daemon in
            _ = try await stage.paid(daemon, "sold", 7700)
            _ = try await stage.paid(daemon, "held", 7700, mode: "authorize")
            _ = try await stage.ecommpayCard(daemon, "card")
            try await stage.until("movements are followed") {
                let count = try await stage.count("paystream.fact WHERE kind = 'approved'")
                return count == 2 ? .done(()) : .notYet("\(count)")
            }
            try await stage.until("the card is listed") {
                try await stage.count("paystream.instrument_view") > 0 ? .done(()) : .notYet("none")
            }
            let names = ["ann", "bob"].map { "reporting_\(getpid())_\($0)" }
            try await stage.execute("INSERT INTO paystream.merchant (name) VALUES ('rival'), ('other')")
            // A third merchant has rows wherever the first one has.
            for table in ["payment_view", "movement", "fact", "instrument_view"] {
                try await stage.execute(
                    """
                    INSERT INTO paystream.\(table) SELECT c.* FROM paystream.\(table) v, paystream.merchant m,
                        LATERAL jsonb_populate_record(v, jsonb_build_object('merchant', m.id)) c WHERE m.name = 'other'
                    """
                )
            }
            for (name, merchant) in zip(names, ["demo", "rival"]) {
                try await stage.execute("CREATE ROLE \(name) LOGIN")
                try await stage.execute("SELECT paystream.grant_reporting('\(name)', '\(merchant)')")
            }
            let outcome: Result<Void, any Error>
            do {
                try await Self.read(stage, names[0], names[1])
                try await Self.isRefused(stage, names[0])
                outcome = .success(())
            } catch { outcome = .failure(error) }
            for name in names {
                try await stage.execute("DROP OWNED BY \(name)")
                try await stage.execute("DROP ROLE \(name)")
            }
            try outcome.get()
        }
    }

    private static func read(_ stage: Stage, _ ann: String, _ rival: String) async throws {
        #expect(queries.count == 10)
        for query in queries {
            let trimmed = query.split(separator: ";").first.map(String.init) ?? ""
            let count = try await stage.as(ann, "SELECT count(*)::text FROM (\(trimmed)) q")
            #expect(count.count == 1 && Int(count[0]) != nil, "\(query) \(count)")
            #expect(try await stage.as(rival, "SELECT count(*)::text FROM (\(trimmed)) q") == ["0"], "\(query)")
        }
        // Names without the schema are those of the views, and every one shows its merchant's rows alone.
        #expect(try await stage.as(ann, "SELECT captured::text FROM payments WHERE captured > 0") == ["7700"])
        let masked = try await stage.as(ann, "SELECT masked FROM instruments")
        #expect(!masked.isEmpty && masked.allSatisfy { $0.contains("*") })
        let views = try await stage.as(
            ann,
            "SELECT table_name::text FROM information_schema.views WHERE table_schema = 'reporting' ORDER BY 1"
        )
        #expect(views.count == 11, "\(views)")
        for view in views {
            #expect(
                try await stage.as(ann, "SELECT count(*)::text FROM (SELECT * FROM \(view)) t").count == 1,
                "\(view)"
            )
            #expect(
                try await stage.as(rival, "SELECT count(*)::text FROM (SELECT * FROM \(view)) t") == ["0"],
                "\(view)"
            )
        }
        let silent = """
            SELECT c.relname || '.' || coalesce(a.attname, '') FROM pg_class c
              LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
             WHERE c.relnamespace = 'reporting'::regnamespace
               AND (obj_description(c.oid, 'pg_class') IS NULL OR col_description(c.oid, a.attnum) IS NULL)
            """
        #expect(try await stage.as(ann, silent).isEmpty, "what is not described")
        let kept = """
            SELECT unnest(s.setconfig) FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole WHERE r.rolname = '\(ann)'
            """
        let settings = try await stage.as(ann, kept)
        for setting in ["default_transaction_read_only=on", "statement_timeout=60s", "search_path=reporting"] {
            #expect(settings.contains(setting), "\(setting)")
        }
        #expect(try await stage.as(ann, "SELECT rolconnlimit::text FROM pg_roles WHERE rolname = '\(ann)'") == ["8"])
    }

    private static func isRefused(_ stage: Stage, _ ann: String) async throws {
        let relations = try await stage.all(
            """
            SELECT c.oid::regclass::text FROM pg_class c
             WHERE c.relnamespace = 'paystream'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S') ORDER BY 1
            """
        )
        #expect(relations.count > 40)
        for relation in relations {
            #expect(try await stage.as(ann, "SELECT count(*)::text FROM \(relation)") == ["42501"], "\(relation)")
        }
        let functions = try await stage.all(
            """
            SELECT format('SELECT %s(%s)::text', p.oid::regproc, (SELECT string_agg('NULL::' || format_type(t, NULL), ', ')
                          FROM unnest(p.proargtypes) t)) FROM pg_proc p
             WHERE p.pronamespace = 'paystream'::regnamespace AND p.prokind = 'f' AND p.prorettype <> 'trigger'::regtype ORDER BY 1
            """
        )
        #expect(functions.count > 60)
        for call in functions { #expect(try await stage.as(ann, call) == ["42501"], "\(call)") }
        let writes = [
            "UPDATE reporting.payments SET status = 'x' RETURNING 'x'", "DELETE FROM reporting.payments RETURNING 'x'",
            "CREATE TABLE reporting.mine (a int)", "SET ROLE paystream_read",
            "SELECT lo_create(0)::text", "SELECT lo_from_bytea(0, 'x')::text",
        ]
        for write in writes {
            let told = try await stage.as(ann, write)
            #expect(["42501", "25006", "55000"].contains(told.first ?? ""), "\(write): \(told)")
        }
        // Whoever sets her defaults aside keeps nothing all the same.
        let temporary = "SELECT has_database_privilege(current_user, current_database(), 'TEMPORARY')::text"
        #expect(try await stage.as(ann, temporary) == ["false"])
        // A function that looks at every row it is given is given her merchant's alone.
        let leak = """
            SELECT count(*)::text FROM payments WHERE 1 / (length(merchant) - length('other')) < 5
            """
        #expect(try await stage.as(ann, leak) == ["3"])
    }
}

extension String {
    /// The parts between two marks.
    fileprivate func components(between begin: String, and end: String) -> [String] {
        split(separator: begin).dropFirst().compactMap { $0.split(separator: end).first.map(String.init) }
    }
}

extension Stage {
    /// The texts that a query of one column gives its owner.
    fileprivate func all(_ sql: String) async throws -> [String] {
        try await withDatabase { connection in
            try await connection.query(sql) { row throws(PostgresFailure) in try row.text(0) }
        }
    }
}
