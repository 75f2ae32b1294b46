import Kernel

/// The baseline of the store: plain SQL that a load generator runs with the same rows and clients.
package enum RawDatabase {
    /// Tables and functions of the baselines, in a schema of their own.
    package static let schema = """
        DROP SCHEMA IF EXISTS bench CASCADE;
        CREATE SCHEMA bench;
        CREATE TABLE bench.bare (id uuid PRIMARY KEY, body json NOT NULL);
        CREATE SEQUENCE bench.pos_seq;
        CREATE TABLE bench.stream (id uuid PRIMARY KEY, ver int NOT NULL);
        CREATE TABLE bench.event (
            pos bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(), stream uuid NOT NULL,
            ver int NOT NULL, type text NOT NULL, data json NOT NULL);
        CREATE INDEX event_stream ON bench.event (stream, ver);
        CREATE FUNCTION bench.floor_append(s uuid, expected int, ty text, d json) RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE p bigint;
        BEGIN
            INSERT INTO bench.stream AS x (id, ver) VALUES (s, expected + 1)
            ON CONFLICT (id) DO UPDATE SET ver = x.ver + 1 WHERE x.ver = expected;
            IF NOT FOUND THEN RAISE EXCEPTION 'conflict'; END IF;
            PERFORM pg_advisory_xact_lock_shared((x'70'::bigint << 56) | q.last_value) FROM bench.pos_seq q;
            INSERT INTO bench.event (pos, stream, ver, type, data)
            VALUES (nextval('bench.pos_seq'), s, expected + 1, ty, d) RETURNING pos INTO p;
            RETURN p;
        END $$;
        CREATE FUNCTION bench.serial_append(s uuid, expected int, ty text, d json) RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE p bigint; v int;
        BEGIN
            PERFORM pg_advisory_xact_lock(4711);
            SELECT coalesce(max(e.ver), 0) INTO v FROM bench.event e WHERE e.stream = s;
            IF v <> expected THEN RAISE EXCEPTION 'conflict'; END IF;
            INSERT INTO bench.event (pos, stream, ver, type, data)
            VALUES (nextval('bench.pos_seq'), s, expected + 1, ty, d) RETURNING pos INTO p;
            RETURN p;
        END $$;
        """

    /// One row, one transaction: what a database that keeps a payload costs at least.
    package static var bareInsert: String { "INSERT INTO bench.bare VALUES (gen_random_uuid(), '\(text)');\n" }

    /// An append with version check and floor, and nothing else.
    package static var floorAppend: String { call("floor_append") }

    /// An append under one exclusive lock, as stores with a serial order do it.
    package static var serialAppend: String { call("serial_append") }

    private static func call(_ name: String) -> String {
        "SELECT bench.\(name)(gen_random_uuid(), 0, 'payment.created.v1', '\(text)');\n"
    }

    private static var text: String { String(decoding: SampleLog.event, as: UTF8.self) }
}
