import Glibc
import Http
import Kernel
import SystemKit
import Testing

/// The event feed: daemons as processes, PostgreSQL, sandbox, and readers who come and go.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct EventFeedFlowTests {
    private static func types(_ events: [Json]) -> [String] { events.compactMap { $0["type"]?.text } }

    @Test func `a payment's story is told in order, each event with the payment as it was`() async throws {
        try await Stage.run("feedstory") { stage, daemon in
            let id = try await stage.paid(daemon, "story", 7700, mode: "authorize")
            let half: Json = ["amount": Stage.euros(3000)]
            try await stage.call(daemon, .post, "/v1/payments/\(id)/capture", [:], key: "capture")
            try await stage.wait(daemon, id, for: "captured")
            try await stage.call(daemon, .post, "/v1/payments/\(id)/refund", half, key: "refund")
            try await stage.wait(daemon, id, for: "partiallyRefunded")
            let (events, _) = try await stage.events(daemon, "&resource=\(id)", until: "refund.succeeded")
            let told = Self.types(events).filter { $0 != "payment.updated" }
            #expect(
                told == [
                    "payment.created", "payment.actionRequired", "payment.authorised", "payment.captured",
                    "refund.pending",
                    "refund.succeeded",
                ]
                    || told == [
                        "payment.created", "payment.actionRequired", "payment.processing", "payment.authorised",
                        "payment.captured", "refund.pending", "refund.succeeded",
                    ],
                "\(told)"
            )
            #expect(events.compactMap { $0["sequence"]?.integer } == Array(1...Int64(events.count)))
            func data(_ type: String) throws -> Json {
                try #require(events.first { $0["type"]?.text == type }?["data"])
            }
            #expect(try data("payment.created")["status"] != "captured")
            let authorised = try data("payment.authorised")
            #expect(authorised["status"] == "authorized" && authorised.at("amounts", "captured") == 0)
            #expect(try data("payment.captured").at("amounts", "captured") == 7700)
            let refund = try #require(events.first { $0["type"] == "refund.succeeded" })
            #expect(refund.at("part", "object") == "operation")
            #expect(refund.at("resource", "id")?.text == id && refund.at("data", "amounts", "refunded") == 3000)
            let whole = events.map(\.canonicalText).joined()
            #expect(!whole.contains("payer@example.org") && !whole.contains("sealed"))

            for event in events {
                let name = try #require(event["id"]?.text)
                #expect(try await stage.call(daemon, .get, "/v1/events/\(name)") == event)
            }
            let now = try await stage.payment(daemon, id)
            #expect(Self.shown(events.last?["data"]) == Self.shown(now))
            try await stage.command(["projections", "rebuild", "--swap", "public_event"])
            #expect(try await stage.events(daemon, "&resource=\(id)").events == events, "made again, to the byte")
            try await stage.verifyViews()
        }
    }

    /// What events and answers show alike.
    private static func shown(_ resource: Json?) -> Json {
        guard var members = resource?.members else { return .null }
        for name in ["version", "updatedAt", "obligations", "capturePlan"] { members[name] = nil }
        return .object(members)
    }

    @Test func `a reader goes on where it was, over restarts and nodes, and misses nothing`() async throws {
        try await Stage.run("feedresume") { stage, daemon in
            _ = try await stage.paid(daemon, "first", 7700)
            let (begin, cursor) = try await stage.events(daemon, until: "instrument.saved")
            try await stage.end(daemon, SIGKILL)
            let next = try await stage.serve(onPortOf: daemon)
            let other = try await stage.serve()
            _ = try await stage.paid(next, "second", 7700)
            let (rest, _) = try await stage.events(other, until: "instrument.saved", after: cursor)
            let (all, end) = try await stage.events(next)
            #expect(begin + rest == all)
            #expect(Set(all.compactMap { $0["id"]?.text }).count == all.count)
            let latest = try await stage.call(next, .get, "/v1/events?after=latest")
            #expect(latest["items"]?.items?.isEmpty == true && latest["next"]?.text == end)
        }
    }

    @Test func `who waits hears at once, on every node`() async throws {
        try await Stage.run("feedwait") { stage, daemon in
            let other = try await stage.serve()
            for node in [daemon, other] {
                let (_, cursor) = try await stage.events(node)
                let path = "/v1/events?wait=20&types=payment.created&after=\(cursor)"
                async let waiting = stage.call(node, .get, path)
                try await Task.sleep(for: .milliseconds(400))
                let begun = ContinuousClock.now
                let name = "wait-\(stage.next())"
                let body = Stage.newPayment(name, 7700)
                let created = try await stage.call(daemon, .post, "/v1/payments", body, key: name)
                let page = try await waiting
                let took = begun.duration(to: .now)
                #expect(page["items"]?.items?.first?.at("resource", "id") == created["id"])
                #expect(took < .seconds(2), "\(took)")
            }
            let (_, cursor) = try await stage.events(daemon)
            let begun = ContinuousClock.now
            let silent = try await stage.call(daemon, .get, "/v1/events?wait=1&types=dispute.*&after=\(cursor)")
            #expect(silent["items"]?.items?.isEmpty == true)
            #expect(begun.duration(to: .now) >= .seconds(1))
        }
    }

    @Test func `a stream tells what comes, ends with its daemon and goes on at another`() async throws {
        try await Stage.run("feedstream") { stage, daemon in
            _ = try await stage.paid(daemon, "before", 7700)
            let (child, file) = try stage.stream(daemon, "types=payment.*")
            try await stage.until("what was there is told") {
                let types = Self.types(Stage.told(file).map(\.event))
                return types.contains("payment.captured") ? .done(()) : .notYet("\(types)")
            }
            _ = try await stage.paid(daemon, "meanwhile", 7700)
            try await stage.until("what comes is told") {
                let types = Self.types(Stage.told(file).map(\.event)).filter { $0 == "payment.captured" }
                return types.count == 2 ? .done(()) : .notYet("\(types)")
            }
            #expect((FileTree.text(file) ?? "").hasPrefix("200 text/event-stream"))
            try await stage.end(daemon, SIGTERM)
            #expect(await OwnThread.run { child.wait() } == .exited(0), "the stream ended well")
            let first = Stage.told(file)

            let next = try await stage.serve(onPortOf: daemon)
            _ = try await stage.paid(next, "after", 7700)
            let (again, rest) = try stage.stream(next, "types=payment.*", lastId: first.last?.cursor)
            try await stage.until("it goes on") {
                let types = Self.types(Stage.told(rest).map(\.event))
                return types.contains("payment.captured") ? .done(()) : .notYet("\(types)")
            }
            kill(again.id, SIGTERM)
            _ = await OwnThread.run { again.wait() }
            let all = try await stage.events(next, "&types=payment.*").events
            #expect(first.map(\.event) + Stage.told(rest).map(\.event) == all)
        }
    }

    @Test func `cursors and filters that are wrong are refused, each in its own words`() async throws {
        try await Stage.run("feedwrong") { stage, daemon in
            let id = try await stage.paid(daemon, "own", 7700)
            let (_, cursor) = try await stage.events(daemon, until: "instrument.saved")
            func code(_ query: String, _ headers: [(String, String)] = []) async throws -> String {
                let answer = try await stage.exchange(daemon, .get, "/v1/events?\(query)", headers: headers)
                let problem = try Json(answer.body)
                return "\(answer.status) \(problem["code"]?.text ?? "")"
            }
            #expect(try await code("after=abc") == "400 cursor_invalid")
            #expect(try await code("after=\(cursor.dropLast(2))AA") == "400 cursor_invalid")
            let stream = [("Accept", "text/event-stream"), ("Last-Event-ID", "abc")]
            #expect(try await code("", stream) == "400 cursor_invalid")
            #expect(try await code("types=payment.flown") == "422 word_unknown")
            #expect(try await code("types=") == "422 text_empty")
            #expect(try await code("resource=7") == "422 identifier_malformed")
            #expect(try await code("resource=pay_\(String(repeating: "0", count: 32))") == "404 resource_unknown")
            for query in ["limit=0", "limit=501", "wait=61", "wait=-1"] {
                #expect(try await code(query) == "400 query_invalid", "\(query)")
            }

            try await stage.command(["merchants", "create", "other"])
            let foreign = try await stage.command(["keys", "--merchant", "other", "create", "foreign"])
            let key = try #require(foreign.split(separator: "\n").first { $0.hasPrefix("psk_") })
            let headers = HttpHeaders([("Authorization", "Bearer \(key)")])
            func other(_ path: String) async throws -> (status: Int, body: Json) {
                let answer = try await stage.send(.get, daemon.address + path, headers, [])
                return (answer.status, try Json(answer.body))
            }
            #expect(try await other("/v1/events").body["items"] == [])
            #expect(try await other("/v1/events?after=\(cursor)").body["code"] == "cursor_foreign")
            #expect(try await other("/v1/events?resource=\(id)").status == 404)
            let own = try await stage.events(daemon).events
            let name = try #require(own.first?["id"]?.text)
            #expect(try await other("/v1/events/\(name)").status == 404)
        }
    }
}
