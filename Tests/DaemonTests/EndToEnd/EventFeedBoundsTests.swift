import Glibc
import Http
import Kernel
import SystemKit
import Testing

/// The event feed where much of the log does not fit, and where a reader's key ends.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct EventFeedBoundsTests {
    @Test func `a filter that nothing fits is answered page by page, and waits only at the end`() async throws {
        try await Stage.run("feedbounds") { stage, daemon in
            _ = try await stage.paid(daemon, "first", 7700)
            _ = try await stage.events(daemon, until: "instrument.saved")
            // Copies behind one event, at its own position of the log.
            try await stage.execute(
                """
                INSERT INTO paystream.public_event
                       (merchant, position, number, type, kind, stream, version, sequence, occurred_at, body)
                SELECT e.merchant, e.position, g, 'payment.updated', e.kind, e.stream, e.version, e.sequence, e.occurred_at, e.body
                  FROM (SELECT * FROM paystream.public_event ORDER BY position, number LIMIT 1) e, generate_series(1000, 13999) g
                """
            )
            var (cursor, pages, waited): (String?, Int, Duration) = (nil, 0, .zero)
            while true {
                let begun = ContinuousClock.now
                let place = cursor.map { "&after=\($0)" } ?? ""
                let page = try await stage.call(daemon, .get, "/v1/events?types=dispute.*&wait=2\(place)")
                waited = begun.duration(to: .now)
                #expect(page["items"] == [])
                let next = try #require(page["next"]?.text)
                #expect(next != cursor || page["hasMore"] == false)
                cursor = next
                pages += 1
                guard page["hasMore"] == true else { break }
                #expect(waited < .seconds(1), "a page that looked at its share is answered at once")
            }
            #expect(pages >= 3 && waited >= .seconds(2), "\(pages) pages, the last behind \(waited)")

            #expect(try await stage.tool(daemon, ["events", "--types", "dispute.*"]).contains("no events"))
            let (child, file) = try stage.stream(daemon, "types=dispute.*,payment.created")
            let payment = try await stage.created(daemon, "told")
            try await stage.until("a stream comes to what fits") {
                let told = Stage.told(file).map(\.event)
                let isThere = told.contains { $0.at("resource", "id")?.text == payment }
                return isThere && told.count == 2 ? .done(()) : .notYet("\(told.count)")
            }
            kill(child.id, SIGTERM)
            _ = await OwnThread.run { child.wait() }
        }
    }

    @Test func `streams and waiting requests end with their key`() async throws {
        try await Stage.run("feedrevoked") { stage, daemon in
            _ = try await stage.created(daemon, "before")
            let (_, cursor) = try await stage.events(daemon, until: "payment.created")
            let printed = try await stage.command(["keys", "--json", "--scopes", "read", "create", "reader"])
            let made = try Json(text: String(printed.prefix { $0 != "\n" }))
            let (id, key) = (try #require(made["id"]?.text), try #require(made["key"]?.text))
            let (child, file) = try stage.stream(daemon, "types=payment.*", key: key)
            try await stage.until("the stream tells") {
                Stage.told(file).isEmpty ? .notYet("nothing") : .done(())
            }
            let headers = HttpHeaders([("Authorization", "Bearer " + key)])
            let url = daemon.address + "/v1/events?wait=25&after=\(cursor)"
            async let waiting = stage.send(.get, url, headers, [])
            try await Task.sleep(for: .milliseconds(700))
            let begun = ContinuousClock.now
            try await stage.command(["keys", "revoke", id])
            let answer = try await waiting
            #expect(try answer.status == 401 && Json(answer.body)["code"] == "key_unknown")
            _ = await OwnThread.run { child.wait() }
            #expect(begun.duration(to: .now) < .seconds(5))
        }
    }
}
