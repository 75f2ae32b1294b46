import Api
import Daemon
import Engine
import EventSourcing
import Http
import HttpClient
import Kernel
import Payments
import Postgres
import Projections
import Store
import Telemetry
import TestKit
import Testing

@testable import Cli

/// One stream that can't be shown stops nobody else's lists.
@Suite(.timeLimit(.minutes(2)))
struct PoisonedStreamTests {
    private static func payment(_ reference: String) -> String {
        """
        {"mode":"sale","amount":{"value":1999,"currency":"EUR"},"reference":"\(reference)",
         "details":{"payer":{"email":"payer@example.org"}}}
        """
    }

    /// What the daemon writes into its log.
    private final class Lines: LogSink {
        private let lines = Locked("")

        var text: String { lines.withLock { $0 } }

        func write(_ line: [UInt8]) { lines.withLock { $0 += String(decoding: line, as: UTF8.self) } }
    }

    /// How a stream comes to be what no row can be made of.
    enum Poison: String, CaseIterable, CustomTestStringConvertible {
        /// An event that was written under another kind: what a transfer's route once did to a payment.
        case foreign
        /// An event that no version of the program wrote.
        case unread
        /// An event of a kind of stream that nobody knows.
        case unknown
        /// An event that others are missing before.
        case holed
        /// A row that the table does not take.
        case refused

        var testDescription: String { rawValue }

        func sql(_ id: Uuid) -> String {
            let next = """
                WITH moved AS (UPDATE paystream.stream SET ver = ver + 1 WHERE id = '\(id)' RETURNING *)
                INSERT INTO paystream.event (pos, merchant, ver, stream_kind, stream, cause, type, data)
                SELECT nextval('paystream.pos_seq'), m.merchant, m.ver,
                """
            switch self {
            case .foreign: return next + " 7, m.id, gen_random_uuid(), 'query.asked.v1', '{}' FROM moved m"
            case .unread: return next + " 1, m.id, gen_random_uuid(), 'payment.conjured.v1', '{}' FROM moved m"
            case .unknown: return next + " 99, m.id, gen_random_uuid(), 'query.asked.v1', '{}' FROM moved m"
            case .holed: return Poison.refused.sql(id).replacing("ver = ver + 1", with: "ver = ver + 2")
            case .refused:
                return next + " 1, m.id, gen_random_uuid(), 'payment.unrecognised_reported.v1', "
                    + #"'{"value":"x","what":"y"}' FROM moved m"#
            }
        }
    }

    @Test(arguments: Poison.allCases)
    func `a stream that can't be shown is set aside, and everybody else is listed`(_ poison: Poison) async throws {
        try await NodeHarness.run("poison\(poison)".lowercased()) { harness in
            let bad = try await harness.created("bad", Self.payment("bad"))
            // The daemon's own memory of it would hide what the database holds.
            let node = harness.node
            while try await node.views.payments.followOnce() > 0 {}
            let before = try await harness.listed()
            if poison == .refused {
                try await harness.backend.execute(
                    "ALTER TABLE paystream.payment_view ADD CONSTRAINT refused CHECK (reference <> 'bad') NOT VALID"
                )
            }
            try await harness.backend.execute(poison.sql(bad))
            // No view asks for a kind that nobody knows; the stream's next event brings it along.
            if poison == .unknown { try await harness.backend.execute(Poison.refused.sql(bad)) }
            try await harness.backend.execute("DELETE FROM paystream.checkpoint WHERE name = 'payment_view'")
            _ = try await harness.created("good", Self.payment("good"))
            let view = harness.freshView()
            try await harness.until { try await harness.listed().contains("good") }
            while try await view.followOnce() > 0 {}
            #expect(try await harness.listed() == (before + ["good"]).sorted())
            // Nor does the list of who owes what, which reads each stream.
            let refused = poison == .refused ? " WHERE reference <> 'bad'" : ""
            try await harness.backend.execute("UPDATE paystream.payment_view SET has_obligations = true" + refused)
            var open = PaymentQuery(.payment)
            open.hasObligations = true
            let owed = try await harness.node.api.reader.payments(open, merchant: harness.merchant).rows
            #expect(owed.contains { $0["reference"] == "good" }, "\(owed)")

            let standing = try await view.follower.standing()
            #expect(standing.aside.map(\.stream) == [bad], "\(standing)")
            let findings = await Doctor(harness.configuration).examine(goLive: false, merchant: nil)
            let told = findings.filter { $0.what == "read model payment_view" }
            #expect(told.map(\.verdict) == [.fail], "\(findings.map(\.line))")
            #expect(told.first?.detail.contains("\(bad)") == true)
            try await harness.until {
                let page = try await harness.page("/metrics")
                return page.contains(#"paystream_follower_streams_aside{view="payment_view"} 1"#)
            }
            let ready = try Json(Array(try await harness.page("/readyz").utf8))
            let follower = ready["followers"]?.items?.first { $0["name"] == "payment_view" }
            #expect(follower?["streamsAside"]?.integer == 1, "\(ready.canonicalText)")
            #expect(follower?["lagMilliseconds"]?.integer != nil)
        }
    }

    @Test(arguments: ["/v1/payment-links", "/v1/webhook-endpoints"])
    func `a list of streams shows those that it can read, and names the one that it can't`(path: String) async throws {
        let name = "poisonlist\(path.contains("links") ? "links" : "hooks")"
        let log = Lines()
        try await NodeHarness.run(name, log: log) { harness in
            let isLink = path.hasSuffix("links")
            let amount: Json = ["amount": ["currency": "EUR", "value": 1999]]
            let receiver: Json = ["url": "http://127.0.0.1:9/hook"]
            var ids: [String] = []
            for key in ["first", "bad", "last"] {
                let made = try await harness.call(.post, path, isLink ? amount : receiver, key: key)
                #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
                ids.append(try Json(made.body)["id"]?.text ?? "")
            }
            let uuid = try #require(Uuid(String(ids[1].split(separator: "_").last ?? "")))
            try await harness.backend.execute(
                """
                WITH moved AS (UPDATE paystream.stream SET ver = ver + 1 WHERE id = '\(uuid)' RETURNING *)
                INSERT INTO paystream.event (pos, merchant, ver, stream_kind, stream, cause, type, data)
                SELECT nextval('paystream.pos_seq'), m.merchant, m.ver, m.kind, m.id, gen_random_uuid(), 'conjured.v1', '{}'
                  FROM moved m
                """
            )
            let answer = try await harness.call(.get, path)
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            let items = try Json(answer.body)["items"]?.items ?? []
            #expect(Set(items.compactMap { $0["id"]?.text }) == Set(ids))
            for item in items {
                #expect((item["status"] == "unreadable") == (item["id"]?.text == ids[1]), "\(item.canonicalText)")
            }
            #expect(log.text.contains("a stream can't be read") && log.text.contains(ids[1]))
            #expect(try await harness.call(.get, "\(path)/\(ids[1])").status == 503)
            #expect(try await harness.call(.get, "\(path)/\(ids[0])").status == 200)
        }
    }

    @Test func `rows that a server's crash took back, with their checkpoint, are written again`() async throws {
        try await NodeHarness.run("takenback") { harness in
            _ = try await harness.created("first", Self.payment("first"))
            try await harness.until { try await harness.listed() == ["first"] }
            let place = try await harness.freshView().checkpoint()
            _ = try await harness.created("second", Self.payment("second"))
            try await harness.until { try await harness.listed() == ["first", "second"] }
            try await harness.backend.execute(
                """
                WITH gone AS (DELETE FROM paystream.payment_view WHERE reference = 'second')
                UPDATE paystream.checkpoint SET pos = \(place) WHERE name = 'payment_view'
                """
            )
            try await harness.until { try await harness.listed() == ["first", "second"] }
        }
    }

    @Test func `a rebuild that fails leaves the old rows, and one that works puts mended streams back`() async throws {
        try await NodeHarness.run("rebuild") { harness in
            let bad = try await harness.created("bad", Self.payment("bad"))
            _ = try await harness.created("good", Self.payment("good"))
            let view = harness.freshView()
            while try await view.followOnce() > 0 {}
            // The building can't begin: two functions of that name.
            try await harness.backend.execute(
                "CREATE FUNCTION paystream.payment_view_apply(text) RETURNS boolean LANGUAGE sql AS 'SELECT true'"
            )
            await #expect(throws: StoreFailure.self) { try await ViewRebuild.run(view, harness.node.store) }
            #expect(try await harness.listed() == ["bad", "good"])
            try await harness.backend.execute("DROP FUNCTION paystream.payment_view_apply(text)")

            try await harness.backend.execute(Poison.unread.sql(bad))
            let poisoned = harness.freshView()
            _ = try await ViewRebuild.run(poisoned, harness.node.store)
            #expect(try await harness.listed() == ["good"])
            #expect(try await poisoned.follower.standing().aside.map(\.stream) == [bad])
            try await harness.backend.execute("DELETE FROM paystream.event WHERE type = 'payment.conjured.v1'")
            try await harness.backend.execute("UPDATE paystream.stream SET ver = ver - 1 WHERE id = '\(bad)'")
            let mended = harness.freshView()
            _ = try await ViewRebuild.run(mended, harness.node.store)
            #expect(try await harness.listed() == ["bad", "good"])
            #expect(try await mended.follower.standing().aside.isEmpty)
        }
    }

    @Test func `a copy comes up to what it replaces while that stands still, and takes its place`() async throws {
        try await NodeHarness.run("standstill") { harness in
            _ = try await harness.created("first", Self.payment("first"))
            let view = harness.node.views.payments
            try await harness.until { try await harness.listed() == ["first"] }
            let projection = Projection(view)
            try await projection.build()
            // An earlier transaction holds the swap up until its follower is about to write a page, which comes a little further
            // than the last event.
            let earlier = try await PostgresConnection.connect(harness.database.options)
            let follower = try await PostgresConnection.connect(harness.database.options)
            try await earlier.script("BEGIN; SELECT now()")
            async let isSwapped = projection.swap()
            try await harness.until { try await harness.isAnyAt("query LIKE '%l.virtualtransaction = ANY%'") }
            let row = "paystream.checkpoint WHERE name = '\(view.follower.name)'"
            try await follower.script("BEGIN; SELECT pos FROM \(row) FOR UPDATE")
            await earlier.close()
            try await harness.until {
                try await harness.isAnyAt("wait_event_type = 'Lock' AND query LIKE 'SELECT pos FROM%FOR UPDATE'")
            }
            _ = try await harness.created("second", Self.payment("second"))
            try await follower.script(
                "UPDATE paystream.checkpoint SET pos = paystream.horizon() + 5 WHERE name = '\(view.follower.name)'; COMMIT"
            )
            #expect(try await isSwapped)
            #expect(try await harness.listed() == ["first", "second"])
            await follower.close()
        }
    }

    @Test func `a copy takes its place while the first page of what it replaces is written`() async throws {
        try await NodeHarness.run("firstpage") { harness in
            // Nothing here is about bills, so that their view has no checkpoint yet.
            let view = harness.node.views.bills
            let (name, version) = (view.follower.name, view.follower.version)
            let projection = Projection(view)
            try await projection.build()
            let row = "(name, version, pos) VALUES ('\(name)', \(version), 1)"
            try await harness.backend.execute("INSERT INTO paystream_next_\(name).checkpoint \(row)")
            // An earlier transaction holds the swap up until the page's own has begun.
            let earlier = try await PostgresConnection.connect(harness.database.options)
            try await earlier.script("BEGIN; SELECT now()")
            async let isSwapped = projection.swap()
            try await harness.until { try await harness.isAnyAt("query LIKE '%l.virtualtransaction = ANY%'") }
            try await harness.backend.execute("BEGIN")
            try await harness.backend.execute("INSERT INTO paystream.checkpoint \(row)")
            await earlier.close()
            try await harness.until { try await harness.isAnyAt("wait_event = 'transactionid'") }
            try await harness.backend.execute("COMMIT")
            #expect(try await isSwapped)
            #expect(try await view.checkpoint() == 1)
        }
    }
}

extension NodeHarness {
    /// Asks the API as a key of the merchant does that may do everything.
    fileprivate func call(_ method: HttpMethod, _ path: String, _ body: Json? = nil, key: String? = nil) async throws
        -> HttpResponse
    {
        var headers = HttpHeaders(body == nil ? [] : [("Content-Type", "application/json")])
        if let key { headers.set("Idempotency-Key", key) }
        let caller = Caller(
            keyId: Uuid(high: 1, low: 1),
            name: "tests",
            merchant: merchant,
            merchantName: Self.merchantName,
            scopes: [.commands, .read, .admin]
        )
        let request = HttpRequest(method: method, target: path, headers: headers, body: body?.compactBytes ?? [])
        let answer = await node.api.handle(request, from: Peer(address: "127.0.0.1"), proven: caller)
        try SchemaCheck.check(method, path, answer)
        return answer
    }

    /// The view over a memory of its own, which knows nothing of what was there before.
    fileprivate func freshView() -> PaymentView {
        ReadModels(node.store, streamCache: StreamCache(store: node.store)).payments
    }

    /// References of the payments that the list shows.
    fileprivate func listed() async throws -> [String] {
        let query = PaymentQuery(.payment)
        let rows = try await node.views.payments.list(query, merchant: merchant).rows
        return rows.compactMap { $0["reference"]?.text }.sorted()
    }

    /// Whether another connection to the database is at something, by what the server shows of it.
    fileprivate func isAnyAt(_ what: String) async throws -> Bool {
        try await backend.query(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND \(what)"
        ) { _ throws(PostgresFailure) in true }.first ?? false
    }

    /// A page for probes.
    fileprivate func page(_ path: String) async throws -> String {
        let client = HttpClient()
        let request = OutgoingRequest(
            method: .get,
            url: node.address + path,
            headers: HttpHeaders(),
            body: [],
            deadline: .seconds(10)
        )
        let outcome = await client.send(request)
        await client.stop()
        guard case .answered(let response) = outcome else { throw Failure(what: "\(path): \(outcome)") }
        return String(decoding: response.body, as: UTF8.self)
    }
}
