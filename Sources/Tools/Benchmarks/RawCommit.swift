/// What `StoreBench.single` writes, as a load generator writes it: by `commit`, and by plain statements in a pipeline.
///
/// Both send the same values from the same client, so that what they differ by is the server's work. The pipeline can't
/// tell a caller which of several streams stopped it: a unit that does not stand raises and takes its neighbours along.
package struct RawCommit: Sendable {
    /// A script for `pgbench`, and the values of its variables.
    package let script: String
    package let variables: [(name: String, value: String)]

    /// One call of `commit` for so many new streams.
    package static func call(streams: Int) -> RawCommit {
        func all(_ element: String) -> String {
            "{" + [String](repeating: element, count: streams).joined(separator: ",") + "}"
        }
        func quoted(_ text: String) -> String {
            let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
            return "\"\(escaped)\""
        }
        let numbers = "{\((1...streams).map { "\($0)" }.joined(separator: ","))}"
        let (ones, nulls, zeros) = (all("1"), all("NULL"), all("0"))
        let units = [
            ones, "", ones, "", nulls, zeros, ones, nulls, nulls, all(quoted(Row.context)), all(quoted(Row.versions)),
            all(quoted(Row.mac)), nulls, nulls, ones, all(Row.name), all(quoted(Row.meta)), all(quoted(Row.body)),
            all(quoted(Row.received)),
        ]
        let events = [numbers, ones, all(Row.type), all(quoted(Row.event))]
        let values = units + events + [String](repeating: "{}", count: 24)
        var variables: [(name: String, value: String)] = []
        let marks = values.enumerated().map { index, value in
            if value.isEmpty { return "ARRAY[\((0..<streams).map { Row.id(index, $0) }.joined(separator: ", "))]" }
            variables.append(("v\(index)", value))
            return ":v\(index)"
        }
        let call = "SELECT * FROM paystream.commit(NULL, \(marks.joined(separator: ", ")));\n"
        return RawCommit(script: Row.draw + call, variables: variables)
    }

    /// The same rows for so many new streams, a statement each, in one transaction and one trip.
    package static func pipeline(streams: Int) -> RawCommit {
        let numbers = 0..<streams
        let lines =
            ["BEGIN", "SELECT 1 / (paystream.epoch_here() IS NULL)::int"] + numbers.map(look) + numbers.map(move)
            + ["SELECT paystream.publish_floor()"] + numbers.map(input) + numbers.map(event)
            + numbers.flatMap { [decision($0), key($0), timers($0)] } + ["COMMIT"]
        return RawCommit(
            script: Row.draw + "\\startpipeline\n" + lines.map { "\($0);\n" }.joined() + "\\endpipeline\n",
            variables: [
                ("context", Row.context), ("versions", Row.versions), ("mac", Row.mac), ("name", Row.name),
                ("meta", Row.meta), ("body", Row.body), ("received", Row.received), ("type", Row.type),
                ("event", Row.event),
            ]
        )
    }

    private static func look(_ number: Int) -> String {
        """
        SELECT 1 / (NOT EXISTS (SELECT FROM paystream.input WHERE merchant = 1 AND id = \(Row.input(number))) \
        AND NOT EXISTS (SELECT FROM paystream.mail WHERE merchant = 1 AND stream = \(Row.stream(number))))::int
        """
    }

    private static func move(_ number: Int) -> String {
        """
        WITH made AS (INSERT INTO paystream.stream AS x (merchant, id, kind, ver, floor_pos) \
        SELECT 1, \(Row.stream(number)), 1, 1, q.last_value FROM paystream.pos_seq q \
        ON CONFLICT (merchant, id) DO UPDATE SET ver = EXCLUDED.ver WHERE x.ver = 0 RETURNING 1) \
        SELECT 1 / count(*) FROM made
        """
    }

    private static func input(_ number: Int) -> String {
        """
        INSERT INTO paystream.input (pos, received_at, merchant, stream_kind, kind, id, stream, name, meta, body) \
        VALUES (nextval('paystream.pos_seq'), :received, 1, 1, 1, \(Row.input(number)), \(Row.stream(number)), :name, \
        :meta, :body)
        """
    }

    private static func event(_ number: Int) -> String {
        """
        INSERT INTO paystream.event (pos, merchant, ver, stream_kind, stream, cause, type, data) \
        VALUES (nextval('paystream.pos_seq'), 1, 1, 1, \(Row.stream(number)), \(Row.input(number)), :type, :event) \
        RETURNING pos, at
        """
    }

    private static func decision(_ number: Int) -> String {
        """
        INSERT INTO paystream.decision (pos, merchant, stream_kind, events, base, input, stream, context, versions) \
        VALUES (nextval('paystream.pos_seq'), 1, 1, 1, 0, \(Row.input(number)), \(Row.stream(number)), :context, \
        :versions) RETURNING pos
        """
    }

    private static func key(_ number: Int) -> String {
        """
        INSERT INTO paystream.idempotency (merchant, stream_kind, input, stream, version, mac) \
        VALUES (1, 1, \(Row.input(number)), \(Row.stream(number)), 1, :mac) \
        ON CONFLICT (merchant, input) DO UPDATE SET version = EXCLUDED.version
        """
    }

    private static func timers(_ number: Int) -> String {
        "DELETE FROM paystream.due WHERE merchant = 1 AND stream = \(Row.stream(number))"
    }

    /// The values of one unit, of the sizes that `SampleLog` gives them.
    private enum Row {
        static let context = #"{"now":"2026-11-21T05:56:12.506013Z","publicUrl":"http://127.0.0.1:8080"}"#
        static let versions = #"{"build":"bench","of":{"adapter":1,"currencies":1,"decider":1,"tables":1}}"#
        static let meta = #"{"account":"d96709dc-083b-5c84-b9ef-c3bffe38ec64","actor":{"id":"bench","operator":false}}"#
        static let mac = "\\x" + [String](repeating: "07", count: 33).joined()
        static let name = "payment.create"
        static let type = "payment.created.v1"
        static let received = "2027-01-15 08:00:00Z"
        static let event = String(decoding: SampleLog.event, as: UTF8.self)
        static let body = event

        /// Draws the number that the ids of a transaction begin at.
        static let draw = "\\set first random(100000000000, 900000000000)\n"

        static func id(_ kind: Int, _ number: Int) -> String {
            "('\(kind)0000000-0000-4000-8000-' || (:first::bigint + \(number)))::uuid"
        }
        static func stream(_ number: Int) -> String { id(1, number) }
        static func input(_ number: Int) -> String { id(3, number) }
    }
}
