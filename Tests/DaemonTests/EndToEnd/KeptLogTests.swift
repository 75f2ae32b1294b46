import FoundationEssentials
import Glibc
import Http
import Kernel
import SystemKit
import Testing

/// A log that an earlier build wrote: brought to this build's schema it decides again as it did, shows what it showed and
/// goes on.
///
/// Each folder under `KeptLogs` is named by the day and the commit of a build. It holds a database as `paystream demo --exit`
/// left it (`pg_dump --format=custom`) and the master key that seals in it. Nobody answers at the providers' addresses in it.
@Suite(.timeLimit(.minutes(3)))
struct KeptLogTests {
    private static let logs = ["2026-11-24-0537699a"]
    private static let folder = #filePath.components(separatedBy: "/EndToEnd/")[0] + "/KeptLogs"

    /// What lists and books show, as text.
    private static let shown = """
        SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
            SELECT concat_ws(' ', 'payment', id, status, currency, amount, created_at) FROM paystream.payment_view
            UNION ALL SELECT concat_ws(' ', 'schedule', id, status) FROM paystream.schedule_view
        ) AS l (line)
        """

    @Test(arguments: logs)
    func `a log of an earlier build decides as it did, shows what it showed and goes on`(_ name: String) async throws {
        let kept = "\(Self.folder)/\(name)"
        try await Stage.run("e2ekept") { stage, daemon in
            try await stage.end(daemon, SIGTERM)
            try await stage.restore(kept + "/log.dump")
            try PrivateFile.write(try #require(FileTree.text(kept + "/master.key")), to: stage.masterKeyFile)
            let shown = try await stage.text(Self.shown)
            #expect(shown.contains("payment") && shown.contains("schedule"), "there is something to show")
            try await stage.command(["migrate"])
            try await stage.command(["projections", "rebuild", "--swap", "all"])
            #expect(try await stage.text(Self.shown) == shown)
            try await stage.verifyReplay()
            try await stage.verifyViews()
            try await goesOn(stage)
        }
    }

    /// Each payment reads over HTTP as its row does, and one that is captured takes a refund that waits for its provider.
    private func goesOn(_ stage: Stage) async throws {
        stage.use(try await stage.newKey("kept"))
        let daemon = try await stage.serve()
        let list = try await stage.call(daemon, .get, "/v1/payments?limit=100")["items"]?.items ?? []
        #expect(list.count == (try await stage.count("paystream.payment_view WHERE kind = 1")))
        for id in list.compactMap({ $0["id"]?.text }) {
            // Holds end as time goes by, also while this is read.
            try await stage.until("\(id) reads as its row") { () -> Stage.Look<Void> in
                let row = "FROM paystream.payment_view WHERE id = '\(id.dropFirst(4))'"
                let status = try await stage.text("SELECT status \(row)")
                let payment = try await stage.payment(daemon, id)
                guard payment["status"]?.text == status else { return .notYet("\(status) \(payment.canonicalText)") }
                return .done(())
            }
        }
        let captured = try #require(list.first { $0["status"]?.text == "captured" })
        let id = captured["id"]?.text ?? ""
        try await stage.call(daemon, .post, "/v1/payments/\(id)/refund", [:], key: "kept-refund")
        try await stage.until("the refund is on its way") { () -> Stage.Look<Void> in
            let operations = try await stage.payment(daemon, id)["operations"]?.items ?? []
            let refund = operations.first { $0["kind"]?.text == "refund" }
            return refund == nil ? .notYet("\(operations)") : .done(())
        }
        try await stage.end(daemon, SIGTERM)
        try await stage.verifyReplay()
    }
}
