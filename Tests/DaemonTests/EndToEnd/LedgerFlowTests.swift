import Http
import Kernel
import Testing

/// The ledger over HTTP and by its command: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct LedgerFlowTests {
    @Test func `a month is closed once, by who may, and the books are the payment's`() async throws {
        try await Stage.run("ledger") { stage, daemon in
            let sold = try await stage.paid(daemon, "sold", 7700)
            try await stage.call(
                daemon,
                .post,
                "/v1/payments/\(sold)/refund",
                ["amount": Stage.euros(700)],
                key: "back"
            )
            try await stage.wait(daemon, sold, for: "partiallyRefunded")
            let sql = "SELECT to_char(now() AT TIME ZONE 'UTC' - 1 * interval '1 month', 'YYYY-MM')"
            let month = try await stage.text(sql)
            let now = try await stage.text(sql.replacing(" 1 *", with: " 0 *"))
            try await stage.until("the refund is in the books") {
                let found = try await stage.command(["ledger", "balance", "--mode", "test", "--format", "csv"])
                return found.contains("70.00") ? .done(()) : .notYet(found)
            }
            let closed = try await stage.call(daemon, .put, "/v1/periods/\(month)", ["note": "done"])
            #expect(closed["month"]?.text == month && closed["note"] == "done" && closed["zone"] == "UTC")
            let again = try await stage.tool(daemon, ["ledger", "--json", "--note", "other", "close", month])
            #expect(try Json(text: again) == closed, "it stays as it was closed")
            let early = try await stage.exchange(daemon, .put, "/v1/periods/\(now)", [:])
            #expect(try early.status == 409 && Json(early.body)["code"] == "period_open")
            for wrong in ["2026-13", "2026-1", "10-2026"] {
                #expect(try await stage.exchange(daemon, .put, "/v1/periods/\(wrong)", [:]).status == 404, "\(wrong)")
            }
            let listed = try await stage.call(daemon, .get, "/v1/periods")
            #expect(listed["items"]?.items == [closed])
            let rows = try Json(
                text: try await stage.command(["ledger", "months", "--mode", "test", "--format", "json"])
            )["rows"]?.items
            let provider = try #require(rows?.first { $0["ledgerAccount"] == "provider" })
            #expect(provider["period"]?.text == now + "-01" && provider["fromEarlier"] == 0)
            #expect(provider["debit"] == 7700 && provider["credit"] == 700 && provider["closing"] == 7000)
            for words in [
                ["report", "zone", "Asia/Tokyo"], ["ledger", "months", "--zone", "Asia/Tokyo"], ["ledger", "open"],
            ] {
                await #expect(throws: (any Error).self, "\(words)") { try await stage.command(words) }
            }
            let reader = try await stage.newKey("reader", scopes: "read")
            await #expect(throws: (any Error).self) {
                try await stage.tool(daemon, ["ledger", "close", month], key: reader)
            }
            #expect(try await stage.tool(daemon, ["ledger", "periods"], key: reader).contains(month))
        }
    }
}
