import Daemon
import Glibc
import Http
import Kernel
import Testing

/// What moved, as finance reads it: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TurnoverFlowTests {
    private static let dump = """
        SELECT coalesce(string_agg(concat_ws(' ', id, movement, amount, at, mode), ',' ORDER BY id, movement, at), '')
          FROM paystream.movements
        """

    /// The schema as it was before movements were kept.
    private static let older = """
        DO $older$ BEGIN
            DROP VIEW paystream.payments, paystream.movements;
            DROP TABLE paystream.payment_movement, paystream.bill_movement;
            DROP FUNCTION paystream.turnover;
            DROP FUNCTION paystream.payment_view_apply;
            DROP FUNCTION paystream.bill_view_apply;
            ALTER TABLE paystream.merchant DROP COLUMN zone;
            ALTER TABLE paystream.payment_view DROP COLUMN provider, DROP COLUMN captured, DROP COLUMN refunded,
                DROP COLUMN transferred, DROP COLUMN held, DROP COLUMN in_dispute, DROP COLUMN charged_back;
            CREATE FUNCTION paystream.payment_view_apply(
                bigint, bigint, int, int[], uuid[], int[], bigint[], text[], text[], bigint[], text[], text[], uuid[],
                text[], boolean[], boolean[], timestamptz[], timestamptz[], json[], int[], boolean[])
                RETURNS boolean LANGUAGE sql AS 'SELECT true';
            CREATE FUNCTION paystream.bill_view_apply(
                bigint, bigint, int, int[], uuid[], int[], bigint[], text[], uuid[], text[], text[], timestamptz[], json[],
                int[], uuid[], int[], bigint[], text[], bigint[], text[], text[], uuid[], json[])
                RETURNS boolean LANGUAGE sql AS 'SELECT true';
            DROP INDEX paystream.bill_batch_view_open, paystream.inbox_merchant;
            DELETE FROM paystream.schema_version WHERE version >= 140;
        END $older$
        """

    @Test
    func `what moved is counted, of the accounts and in the zone that are asked for, and an upgrade counts it again`()
        async throws
    {
        try await Stage.run("turnoverflow") { stage, daemon in
            let sold = try await stage.paid(daemon, "sold", 7700)
            let body: Json = ["amount": Stage.euros(700)]
            try await stage.call(daemon, .post, "/v1/payments/\(sold)/refund", body, key: "back")
            try await stage.wait(daemon, sold, for: "partiallyRefunded")
            let lost = try await stage.paid(daemon, "lost", 7700)
            try await stage.lose(daemon, lost, 2000)
            let movements = try await stage.until("everything is followed") { () -> Stage.Look<String> in
                let found = try await stage.text(Self.dump)
                return found.split(separator: ",").count == 4 ? .done(found) : .notYet(found)
            }
            let report = ["report", "turnover", "--json", "--mode"]
            let line = try Json(text: try await stage.command(report + ["test"]))
            #expect(line["captured"] == 15400 && line["refunded"] == 700 && line["chargedBack"] == 2000)
            #expect(line["kind"] == "payment" && line["mode"] == "test" && line["currency"] == "EUR")
            #expect(try await stage.command(["report", "turnover"]).contains("no turnover of live accounts"))
            try await stage.command(["report", "zone", "Pacific/Kiritimati"])
            let there = try Json(text: try await stage.command(report + ["all"]))
            #expect(
                there == (try Json(text: try await stage.command(report + ["all", "--zone", "Pacific/Kiritimati"])))
            )
            for words in [["report", "zone", "Nowhere"], ["report", "turnover", "--zone", "Nowhere"]] {
                await #expect(throws: (any Error).self) { try await stage.command(words) }
            }
            let table = try await stage.command(["payments", "list"])
            #expect(table.contains("CHARGED BACK") && table.contains("20.00") && table.contains("HELD"))
            #expect(!table.contains("DISPUTED"), "nothing is in dispute any more")
            let columns = "paystream.payments WHERE id = '\(lost)' AND status = 'chargedBack' AND charged_back = 2000"
            #expect(try await stage.count(columns + " AND captured = 7700 AND held = 0 AND in_dispute = 0") == 1)
            // A database of before counts what happened in it.
            try await stage.end(daemon, SIGTERM)
            try await stage.execute(Self.older)
            try await stage.command(["migrate"])
            #expect(try await stage.text(Self.dump).isEmpty)
            _ = try await stage.serve()
            try await stage.until("everything is followed again") {
                let found = try await stage.text(Self.dump)
                return found == movements ? .done(()) : .notYet(found)
            }
            try await stage.verifyViews()
            try await stage.verifyReplay()
        }
    }
}

extension Stage {
    /// A dispute about a part that ends against the merchant.
    fileprivate func lose(_ daemon: DaemonProcess, _ payment: String, _ cents: Int64) async throws {
        let body: Json = ["amount": Stage.euros(cents)]
        let opened = try await call(daemon, .post, "/v1/payments/\(payment)/disputes", body, key: "dispute-\(payment)")
        guard let dispute = opened["disputes"]?.items?.first?["id"]?.text else {
            throw Failure(description: opened.canonicalText)
        }
        let path = "/v1/payments/\(payment)/disputes/\(dispute)/lost"
        try await call(daemon, .post, path, [:], key: "lost-\(payment)")
        let shown = try await wait(daemon, payment, for: "chargedBack")
        guard shown.at("amounts", "chargedBack") == .integer(cents) else {
            throw Failure(description: shown.canonicalText)
        }
    }
}
